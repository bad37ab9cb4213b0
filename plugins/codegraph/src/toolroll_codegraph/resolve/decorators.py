"""What a decorated name means: what it was, or what its decorator makes of it."""

from __future__ import annotations

from typing import Final

from toolroll_codegraph.facts import CallColumn, CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.program import CLASS, FUNCTION, WRAPPED
from toolroll_codegraph.resolve.solver import Solver

_MOST_WRAPPERS: Final = 4


class Decorators:
    """The decorated functions and classes of a program, until it is known what they are."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.waiting: list[tuple[int, int, int]] = []
        """(call, slot of what is decorated, slot of the result)."""

    def find(self) -> None:
        """Note the calls of decorators, of which none has run."""
        operations, program = self.solver.operations, self.solver.program
        for identifier, flags in enumerate(operations.column(CallColumn.FLAGS)):
            if flags & CallFlag.DECORATOR:
                positional, _ = operations.arguments_of(identifier)
                if positional and positional[0] >= 0:
                    base = program.slot_base[operations.call_file[identifier]]
                    result = operations.calls[identifier * CallColumn.WIDTH] + base
                    self.waiting.append((identifier, positional[0] + base, result))

    def pass_classes(self) -> None:
        """Let a decorated class be itself before any decorator runs: others derive from it.

        Not where the decorator returns what it defines instead.
        """
        solver, program = self.solver, self.solver.program
        for identifier, source, target in self.waiting:
            if any(solver.kind[value] == CLASS for value in solver.points[source] or ()):
                base = program.slot_base[solver.operations.call_file[identifier]]
                callee = solver.operations.calls[identifier * CallColumn.WIDTH + CallColumn.SOURCE]
                found = solver.points[callee + base] or ()
                if not any(
                    solver.kind[value] == FUNCTION and program.flags[value] & ScopeFlag.REPLACES
                    for value in found
                ):
                    solver.edge(source, target)

    def settle(self, *, last: bool) -> bool:
        """Decide what a decorated name means: a wrapper the decorator is known to return, or else
        the decorated function itself (decorators from outside, and those that return it).

        Whether anything was decided, which the decorator above it may have waited for.
        """
        solver = self.solver
        waiting: list[tuple[int, int, int]] = []
        for identifier, source, target in self.waiting:
            call = solver.calls[identifier]
            returned = solver.points[solver.decorated[identifier]] if call is not None else None
            mine = [it for it in returned or () if self._wraps_own(it, source)]
            found = mine or [it for it in returned or () if not self._wraps_another(it, source)]
            if found:
                own = solver.points[source] or ()
                same = len(found) > _MOST_WRAPPERS or any(value in found for value in own)
                if same and not mine:
                    solver.edge(source, target)
                    for value in solver.beside.intersection(found):
                        solver.add(target, value)
                else:
                    wrapper = solver.decorated[identifier]
                    solver.listen(wrapper, (self._on_wrapper, source, target, bool(mine)))
            elif last or call is None or not any(item >= 0 for item in call.fired):
                solver.edge(source, target)
            else:
                waiting.append((identifier, source, target))
        decided = len(waiting) < len(self.waiting)
        self.waiting = waiting
        return decided

    def _wraps_own(self, value: int, source: int) -> bool:
        """Whether a decorator has wrapped what a slot has already: one that calls a decorator in
        turn, which then returns what that has made for all.
        """
        solver = self.solver
        inside = solver.innermost(value) if solver.kind[value] == WRAPPED else -1
        return inside >= 0 and any(
            inside == solver.innermost(own) for own in solver.points[source] or ()
        )

    def _wraps_another(self, value: int, source: int) -> bool:
        """Whether what is in a wrapper is another decorated function, and not a wrapper itself."""
        solver = self.solver
        inside = solver.innermost(value) if solver.kind[value] == WRAPPED else -1
        return (
            inside >= 0
            and solver.kind[inside] == FUNCTION
            and bool(solver.program.flags[inside] & ScopeFlag.DECORATED)
            and inside not in solver.wrappers
            and not self._wraps_own(value, source)
        )

    def _on_wrapper(self, value: int, listener: Listener) -> None:
        _, source, target, known = listener
        solver = self.solver
        if self._wraps_another(value, source) or (known and not self._wraps_own(value, source)):
            return
        if value in solver.wrappers:
            solver.listen(source, (self._on_wrapped, (value,), target))
        elif solver.kind[value] == WRAPPED and solver.detail[value][1] in solver.wrappers:
            # A decorator that decorates its own wrapper by hand.
            outer, inner = solver.detail[value]
            solver.listen(source, (self._on_wrapped, (inner, outer), target))
        else:
            solver.add(target, value)

    def _on_wrapped(self, value: int, listener: Listener) -> None:
        _, wrappers, target = listener
        for wrapper in wrappers:
            value = self.solver.wrapped(wrapper, value)
        self.solver.add(target, value)
