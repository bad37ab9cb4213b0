"""Methods that Ruby's modules give to classes that define one: Enumerable's, Comparable's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.ruby.core_methods import COMPARABLE, ENUMERABLE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyProtocols:
    """`map` runs `each`, `<` runs `<=>`, `!=` runs `==`."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program

    def _results(self, call: Call, value: int, name: str) -> None:
        """What `first`, `sort`, `map` return: of what `each` yields."""
        solver = self.solver
        made = solver.container(("yielded", value), ObjectKind.SEQUENCE)
        block = solver.slot()
        solver.add(block, made)
        inner = Call(-1, call.scope, call.line, self.rules.each, (block,), (),
                     CallFlag.BLOCK | CallFlag.QUIET)  # fmt: skip
        self.rules.instance_call(inner, value, self.rules.each)
        self.rules.containers.results(call, made, name)

    def protocol(self, call: Call, value: int, scope: int, name: int) -> bool:
        """Enumerable methods run `each`, Comparable ones `<=>`, `!=` runs `==`."""
        text = self.program.texts[name]
        classes = self.rules.classes
        if text in ENUMERABLE and classes.find(scope, self.rules.each) >= 0:
            inner = Call(-1, call.scope, call.line, self.rules.each, call.positional[-1:]
                         if call.flags & CallFlag.BLOCK else (), (),
                         call.flags & (CallFlag.BLOCK | CallFlag.IMPLICIT))  # fmt: skip
            self.rules.instance_call(inner, value, self.rules.each)
            if call.result >= 0:
                self._results(call, value, text)
            return True
        if text in COMPARABLE and classes.find(scope, self.rules.compare) >= 0:
            inner = self.solver.derived_call(call, -1, call.positional)
            self.rules.instance_call(inner, value, self.rules.compare)
            return True
        if text == "respond_to?":
            missing = self.program.name("respond_to_missing?")
            if classes.find(scope, missing) < 0:
                return False
            inner = self.solver.derived_call(call, call.result, call.positional)
            return self.rules.instance_call(inner, value, missing)
        if text == "!=":
            inner = self.solver.derived_call(call, -1, call.positional)
            return classes.find(scope, self.program.name("==")) >= 0 and self.rules.instance_call(
                inner, value, self.program.name("=="))  # fmt: skip
        return False
