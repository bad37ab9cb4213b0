"""Which exceptions reach a `rescue`: those that its body raises, and what that calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import INSTANCE
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_MOST_SCOPES: Final = 4_000
"""In larger programs a `rescue` finds whatever is raised anywhere."""


class RubyRaising(RubyFeature):
    """Each function has a slot for what leaves it, which who calls it gets where that stands."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.raised = rules.solver.slot()
        """What is raised anywhere."""
        self.followed = False
        """Whether what calls raise is followed."""
        self._thrown: list[tuple[int, int, int]] = []
        """(scope, line, slot of what is raised)."""
        self._bodies: dict[int, dict[tuple[int, int], int]] = {}
        """Scope → lines of the bodies with a `rescue` → slot of what is raised in them."""
        self._caught: list[int] = []
        self._leaving: dict[int, int] = {}
        name = rules.program.name
        self._asked = [name(text) for text in ("backtrace", "set_backtrace")]
        self._exception = name("exception")

    def throw(self, scope: int, line: int, slot: int, *, again: bool) -> None:
        """Note a `raise`."""
        self._thrown.append((scope, line, slot))
        self.solver.edge(slot, self.raised)
        if not again and self.rules.classes.definers(self._exception):  # `raise Problem.new`
            made = self.solver.slot()
            self._thrown.append((scope, line, made))
            self.solver.edge(made, self.raised)
            inner = Call(made, scope, line, self._exception, (), (), CallFlag.IMPLICIT)
            self.solver.listen(slot, (self._on_asked, inner))
        for name in () if again else self._asked:
            if self.rules.classes.definers(name):
                inner = Call(-1, scope, line, name, (), (), CallFlag.IMPLICIT)
                self.solver.listen(slot, (self._on_asked, inner))

    @handler
    def _on_asked(self, value: int, listener: Listener) -> None:
        """Ruby asks an exception of the project's where it is raised, if that answers for it."""
        call, scope = listener[1], value - self.program.scopes
        if self.solver.kind[value] == INSTANCE and self.rules.classes.find(scope, call.name) >= 0:
            self.rules.instance_call(call, value, call.name)

    def catch(self, scope: int, first: int, last: int, slot: int) -> None:
        """Note a `rescue` behind the lines of its body."""
        bodies = self._bodies.setdefault(scope, {})
        body = bodies.get((first, last))
        if body is None:
            body = bodies[first, last] = self.solver.slot()
        self.solver.edge(body, slot)
        self._caught.append(slot)

    def prepare(self) -> None:
        """Let what is raised reach the `rescue` around it, or leave the function."""
        program = self.program
        self.followed = bool(self._caught) and program.size <= _MOST_SCOPES
        if not self.followed:
            for slot in self._caught:
                self.solver.edge(self.raised, slot)
            return
        for scope, line, slot in self._thrown:
            self.solver.edge(slot, self._around(scope, line))
        for scope, flags in enumerate(program.flags):
            if flags & ScopeFlag.BLOCK:  # it may run where it stands
                outer = self._around(program.parent[scope], program.first_line[scope])
                self.solver.edge(self._leave(scope), outer)

    def enter(self, call: Call, function: int) -> None:
        """What leaves a function is raised where it is called."""
        self.solver.edge(self._leave(function), self._around(call.scope, call.line))

    def settle(self) -> None:
        """Where nothing is known to be raised, anything may be."""
        for slot in self._caught if self.followed else ():
            if self.solver.points[slot] is None:
                self.solver.edge(self.raised, slot)

    def _leave(self, scope: int) -> int:
        slot = self._leaving.get(scope)
        if slot is None:
            slot = self._leaving[scope] = self.solver.slot()
        return slot

    def _around(self, scope: int, line: int) -> int:
        """Where goes what is raised in a line: to the innermost body there, or out of its scope."""
        bodies = self._bodies.get(scope)
        inside = [lines for lines in bodies or () if lines[0] <= line <= lines[1]]
        if not inside or bodies is None:
            return self._leave(scope)
        return bodies[max(inside, key=lambda lines: (lines[0], -lines[1]))]
