"""Functions of small programs are told apart by who calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolroll_codegraph.facts import decode_facts, encode_facts
from toolroll_codegraph.facts.cloning import Cloning
from toolroll_codegraph.languages.registry import extract
from toolroll_codegraph.resolve import contexts, graph, shared

if TYPE_CHECKING:
    from types import ModuleType

    from conftest import Edges

PYTHON = {
    "makes what it is given": ("def make(kind): return kind()", "make(X).go()"),
    "makes and keeps it": (
        "def make(kind, *rest):\n    it = kind(*rest)\n    it.rest = rest\n    return it",
        "make(X).go()",
    ),
    "hands on to another": (
        "def make(kind): return build(kind)\ndef build(kind): return kind()",
        "make(X).go()",
    ),
    "a static method": (
        "class Maker:\n    @staticmethod\n    def make(kind): return kind()",
        "Maker.make(X).go()",
    ),
    "an element": ("def first(items): return items[0]", "first([X()]).go()"),
    "elements": (
        "def each(items):\n    for it in items: yield it",
        "for it in each([X()]): it.go()",
    ),
    "a closure": (
        "def compose(f, g):\n    def both(it): return f(g(it))\n    return both",
        "compose(lambda it: it, lambda it: X())(1).go()",
    ),
    "calls back": (
        "def each(items, f):\n    for it in items: f(it)",
        "each([X()], lambda it: it.go())",
    ),
    "a literal": ("def wrap(it): return {'it': it}", "wrap(X())['it'].go()"),
    "calls itself": (
        "def pick(it, n):\n    if n: return pick(it, n - 1)\n    return it, n",
        "pick(X(), 3)[0].go()",
    ),
}
JAVASCRIPT = {
    "makes what it is given": ("function make(Kind) { return new Kind(); }", "make(X).go();"),
    "hands on to another": (
        "const make = Kind => build(Kind); function build(Kind) { return new Kind(); }",
        "make(X).go();",
    ),
    "a method of an object": (
        "const maker = { make(K) { return new K(); } };",
        "maker.make(X).go();",
    ),
    "asynchronous": ("async function load(K) { return new K(); }", "load(X).then(it => it.go());"),
    "an object of closures": (
        "function table() { const all = {};"
        " return { set(k, v) { all[k] = v; }, get(k) { return all[k]; } }; }",
        "const t = table(); t.set('it', new X()); t.get('it').go();",
    ),
    "remembers": (
        "function once(f) { let done, it; return function () {"
        " if (!done) { done = true; it = f.apply(this, arguments); } return it; }; }",
        "once(() => new X())().go();",
    ),
    "maps": ("function map(items, f) { return items.map(f); }", "map([1], () => new X())[0].go();"),
    "copies properties": (
        "function extend(to, from) { for (const key in from) to[key] = from[key]; return to; }",
        "extend({}, { it: new X() }).it.go();",
    ),
    "calls back later": (
        "function fetch(it, done) { setTimeout(() => done(null, it), 1); }",
        "fetch(new X(), (error, it) => it.go());",
    ),
    "generates": (
        "function* each(items) { for (const it of items) yield it; }",
        "for (const it of each([new X()])) it.go();",
    ),
}


BOTH = {(caller, f"{kind}.go") for caller in ("one", "two") for kind in "AB"}

RUBY = {
    "makes what it is given": ("def make(kind) = kind.new", "make(X).go"),
    "makes and keeps it": (
        "def make(kind)\n  it = kind.new\n  it.freeze\n  it\nend",
        "make(X).go",
    ),
    "an element": ("def first(items) = items[0]", "first([X.new]).go"),
    "a literal": ("def wrap(it) = { it: it }", "wrap(X.new)[:it].go"),
    "calls back": ("def each(items, f)\n  items.each { |it| f.call(it) }\nend",
                   "each([X.new], ->(it) { it.go })"),
    "a module's function": ("module Making\n  def self.make(kind) = kind.new\nend",
                            "Making.make(X).go"),
}  # fmt: skip


def _python(definition: str, use: str) -> str:
    one, two = (use.replace("X", kind).replace("\n", "\n    ") for kind in "AB")
    classes = "".join(f"class {kind}:\n    def go(self): pass\n" for kind in "AB")
    return f"{classes}{definition}\ndef one():\n    {one}\ndef two():\n    {two}\none()\ntwo()\n"


def _javascript(definition: str, use: str) -> str:
    classes = "".join(f"class {kind} {{ go() {{}} }}\n" for kind in "AB")
    one, two = (use.replace("X", kind) for kind in "AB")
    callers = f"function one() {{ {one} }}\nfunction two() {{ {two} }}\none(); two();\n"
    return f"{classes}{definition}\n{callers}"


def _ruby(definition: str, use: str) -> str:
    classes = "".join(f"class {kind}\n  def go = 1\nend\n" for kind in "AB")
    one, two = (use.replace("X", kind) for kind in "AB")
    return f"{classes}{definition}\ndef one\n  {one}\nend\ndef two\n  {two}\nend\none\ntwo\n"


def _who_goes(found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    return {
        (caller.partition(".")[0], callee) for caller, callee in found if callee.endswith(".go")
    }


@pytest.mark.parametrize(("definition", "use"), PYTHON.values(), ids=PYTHON)
def test_python_functions(definition: str, use: str, edges: Edges) -> None:
    assert _who_goes(edges(_python(definition, use))) == {("one", "A.go"), ("two", "B.go")}


@pytest.mark.parametrize(("definition", "use"), JAVASCRIPT.values(), ids=JAVASCRIPT)
def test_javascript_functions(definition: str, use: str, edges: Edges) -> None:
    found = edges(_javascript(definition, use), suffix=".js")
    assert _who_goes(found) == {("one", "A.go"), ("two", "B.go")}


@pytest.mark.parametrize(("definition", "use"), RUBY.values(), ids=RUBY)
def test_ruby_methods(definition: str, use: str, edges: Edges) -> None:
    found = edges(_ruby(definition, use), suffix=".rb")
    assert _who_goes(found) == {("one", "A.go"), ("two", "B.go")}


def test_functions_of_other_files(edges: Edges) -> None:
    found = edges({
        "making.js": "exports.make = function (Kind) { return new Kind(); };\n",
        "main.js": _javascript("const { make } = require('./making');", "make(X).go();"),
    })  # fmt: skip
    assert _who_goes(found) == {("one", "A.go"), ("two", "B.go")}
    assert ("one", "making.js::make") in found
    assert ("two", "making.js::make") in found


def test_a_caller_that_gives_what_nobody_knows_gives_what_others_do(edges: Edges) -> None:
    use = "for it in wrap({}): it.go()"
    classes = "import elsewhere\nclass A:\n    def go(self): pass\n"
    source = (
        f"{classes}def wrap(it): return [it]\n"
        f"def one():\n    {use.format('A()')}\ndef two():\n    {use.format('elsewhere.it')}\n"
        f"def three():\n    {use.format('1')}\n"
    )
    assert _who_goes(edges(source)) == {("one", "A.go"), ("two", "A.go")}


def test_objects_that_ask_the_one_around_them_are_not_copied(edges: Edges) -> None:
    source = """function frame(outer) {
  const all = {};
  return {
    set(name, it) { all[name] = it; },
    get(name) {
      let found;
      if (name in all) { found = all[name]; } else if (outer) { found = outer.get(name); }
      return found;
    },
  };
}
const top = frame(), inner = frame(top), last = frame(inner);
top.set('f', f); inner.set('g', g); last.set('h', h);
function f() {} function g() {} function h() {}
function one() { last.get('f')(); }
function two() { inner.get('g')(); }
"""
    found = edges(source, suffix=".js")
    assert {pair for pair in found if pair[1] in "fgh"} == {("one", "f"), ("two", "g")}


def test_a_copy_calls_what_its_function_calls(edges: Edges) -> None:
    source = _python(
        "def make(kind):\n    note(kind)\n    return kind()\ndef note(kind): pass", "make(X).go()"
    )
    found = edges(source)
    assert ("make", "note") in found
    assert len([pair for pair in found if pair[1] == "make"]) == 2


@pytest.mark.parametrize("kinds", [40, 140])
def test_what_declares_many_kinds_in_one_place(kinds: int, edges: Edges) -> None:
    """As libraries do of streams: of more than 128 a slot holds as many as it may."""
    found = edges(
        "const add = (to, from) => { for (const key in from) to[key] = from[key]; };\n"
        "function declare(methods) {\n  function Kind() { this.init(); }\n"
        "  add(Kind.prototype, methods);\n  return Kind;\n}\n"
        + "".join(
            f"const K{n} = declare({{ init: function init{n}() {{}} }});\n"
            f"function use{n}() {{ new K{n}(); }}\n"
            for n in range(kinds)
        ),
        suffix=".js",
    )
    init = {callee for caller, callee in found if caller == "declare.Kind"}
    assert (len(init) == kinds) == (kinds == 40)


@pytest.mark.parametrize(
    ("module", "bound"),
    [
        (contexts, "_MOST_SCOPES"), (contexts, "_LARGEST"), (contexts, "_MOST_INSIDE"),
        (contexts, "_MOST_SLOTS"), (contexts, "MOST_DECLARATIONS"), (graph, "MOST_MOVED"),
        (shared, "MOST_CALLS"),
    ],
)  # fmt: skip
def test_what_is_too_large_is_read_once(
    module: ModuleType, bound: str, edges: Edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, bound, 0)
    assert _who_goes(edges(_python("def make(kind): return kind()", "make(X).go()"))) == BOTH


def test_what_calls_itself_has_fewer_copies(edges: Edges, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its copies call it again: they are not as many as there are places in the source."""
    monkeypatch.setattr(contexts, "MOST_CALLS", 0)
    assert _who_goes(edges(_python(*PYTHON["calls itself"]))) == BOTH


@pytest.mark.parametrize("name", ["aaa", "zzz"])
def test_a_long_function_takes_no_copies_from_short_ones(
    name: str, edges: Edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which are copied depends on how long they are, not on which of them comes first."""
    monkeypatch.setattr(contexts, "_MOST_SLOTS", 60)
    long = f"def {name}(kind):\n" + "".join(f"    x{n} = [kind]\n" for n in range(40))
    long += f"    return kind()\n{name}(int)\n{name}(str)\n"
    short = _python("def make(kind): return kind()", "make(X).go()")
    for source in (long + short, short + long):
        assert _who_goes(edges(source)) != BOTH


SOURCES = {
    "python": [_python(*case) for case in PYTHON.values()],
    "javascript": [_javascript(*case) for case in JAVASCRIPT.values()],
    "ruby": [_ruby(*case) for case in RUBY.values()],
}


@pytest.mark.marathon
@given(st.data())
def test_facts_with_copies_hold_together(data: st.DataObject) -> None:
    """Without copies they are as before; a copy has all that what it copies has."""
    language = data.draw(st.sampled_from([*SOURCES]))
    source = "\n".join(data.draw(st.lists(st.sampled_from(SOURCES[language]), max_size=3)))
    facts = extract("main", language, source.encode())
    cloning = Cloning(facts)
    assert encode_facts(cloning.pack()) == encode_facts(facts)
    for _ in range(data.draw(st.integers(0, 3))):
        scope = data.draw(st.integers(1, max(1, len(cloning.scopes) - 1)))
        if scope < len(cloning.scopes):
            inside = len(cloning.inside(scope))
            scopes, calls = cloning.clone(scope)
            assert len(scopes) == inside
            assert len(cloning.inside(scopes[scope])) == inside
            for before, after in calls.items():
                assert cloning.calls[after][2:3] == cloning.calls[before][2:3]
    packed = decode_facts(encode_facts(cloning.pack()))
    assert packed is not None
    assert len(packed.scopes) == len(cloning.origins)
