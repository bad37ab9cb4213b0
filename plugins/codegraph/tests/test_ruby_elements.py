"""What Ruby's own objects give of what is in them, in one expression each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

EXPRESSIONS = (
    "{ k: B.new }.map { |k, v| v }.first.go",
    "{ k: B.new }.filter_map { |k, v| v }.first.go",
    "{ k: B.new }.max_by(1) { |k, v| 1 }.first.last.go",
    "[B.new].each_cons(1).map { |a, b| a }.first.go",
    "[1].zip([B.new]).map { |a, b| b }.first.go",
    "[1].product([B.new]).first.last.go",
    "[1].zip([B.new]) { |a, b| b.go }",
    "S[B.new].a.go",
    "Class.new(S)[B.new].a.go",
    "{ 'k' => B.new }.transform_keys(&:to_sym)[:k].go",
    "{ k: B.new }.transform_keys { |k| k }.values.first.go",
    "{ k: B.new }.minmax_by { |k, v| 1 }.first.last.go",
    "{ k: B.new }.delete_if { |k, v| v.go }",
    "[B.new].slice(0).go",
    "[B.new].slice!(0..1).first.go",
    "[1].union([B.new]).last.go",
    "[B.new].difference([1]).first.go",
    "[B.new].collect! { |b| [b] }.first.first.go",
    "[B.new].lazy.map { |b| b }.eager.first.go",
    "[B.new].combination(1).first.first.go",
    "[B.new].minmax.first.go",
    "[B.new].bsearch { |x| true }.go",
    "S.new(B.new).each_pair { |k, v| v.go }",
    "S.new(B.new).values_at(0).first.go",
    "proc { |x, y = B.new| y }.call(1).go",
    "{ a: 1, **{ b: B.new } }[:b].go",
    "[B.class_variable_set(:@@b, B.new), B.class_variable_get(:@@b).go]",
    "instance_exec(B.new) { |x| x.go }",
)


@pytest.mark.parametrize(
    ("expression", "asked"),
    [
        ("{ a: B.new }.inspect", "inspect"),
        ('"%s" % B.new', "to_s"),
        ('"%s %s" % [1, B.new]', "to_s"),
        ("{ a: B.new }.value?(1)", "=="),
        ("{ a: B.new }.key(1)", "=="),
    ],
)
def test_asks_an_element(edges: Edges, expression: str, asked: str) -> None:
    methods = "".join(f"  def {name}(*) = super\n" for name in ("to_s", "inspect", "=="))
    source = f"class B\n{methods}end\ndef run = {expression}\nrun\n"
    found = edges(source, suffix=".rb")
    assert {callee for caller, callee in found if caller == "run"} == {f"B.{asked}"}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_reaches_an_element(edges: Edges, expression: str) -> None:
    source = f"S = Struct.new(:a)\nclass B; def go; end; end\ndef run = {expression}\nrun\n"
    assert ("run", "B.go") in edges(source, suffix=".rb")
