"""What asking whether a value is true calls: `__bool__`, or else `__len__`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ScopeKind, numbers
from toolroll_codegraph.facts.model import TEST_WIDTH
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonConditions(PythonFeature):
    """The conditions of a program, once all values are known."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        name = rules.program.name
        self._answers = name("__bool__"), name("__len__")
        self._asked: list[tuple[int, int, int]] = []
        """(slot, scope, line) of what functions ask."""

    def ask(self, slot: int, call: Call) -> None:
        """Note that a function which is called asks what a slot holds whether it is true."""
        if slot >= 0:
            self._asked.append((slot, call.scope, call.line))

    def settle(self) -> None:
        """Call what answers for the instances that are asked."""
        program, find = self.program, self.rules.classes.find
        scopes = program.scopes
        answering: dict[int, int] = {}
        for scope in range(scopes):
            if program.kind[scope] == ScopeKind.CLASS:
                for name in self._answers:
                    if find(scope, name) >= 0:
                        answering[scope + scopes] = name
                        break
        if not answering:
            return
        for index, facts in enumerate(program.facts):
            base, first = program.slot_base[index], program.scope_base[index]
            items = iter(numbers(facts.tests))
            for slot, scope, line in zip(*[items] * TEST_WIDTH, strict=True):
                self._answer(answering, slot + base, scope + first, line)
        for slot, scope, line in self._asked:
            self._answer(answering, slot, scope, line)

    def _answer(self, answering: dict[int, int], slot: int, scope: int, line: int) -> None:
        for value in self.solver.points[slot] or ():
            name = answering.get(value, -1)
            if name >= 0 and self.solver.kind[value] == INSTANCE:
                call = Call(-1, scope, line, name, (), (), CallFlag.IMPLICIT)
                self.rules.invoke_member(call, value, name)
