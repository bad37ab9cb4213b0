"""What FastAPI, and who does as it does, hands to endpoints: what a dependency returns or yields.

`Depends(session)` stands as the default of a parameter or in its annotation. The library calls the
dependency, for the endpoint: the edge is of low confidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, EXTERNAL, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolroll_codegraph.resolve.python.rules import PythonRules

_DEPENDING: Final = (
    "fastapi.Depends", "fastapi.Security", "fastapi.params.Depends", "fast_depends.Depends",
    "faststream.Depends", "taskiq.TaskiqDepends",
)  # fmt: skip
_ANNOTATED: Final = -1
"""In place of the slot of what `Depends()` is given: the class that its parameter is of."""


class PythonDependencies(PythonFeature):
    """Finds the parameters that have a dependency, and gives them what it gives."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.functions = dict.fromkeys(_DEPENDING, self._depend)
        self._sources: dict[int, int] = {}
        """What `Depends` makes → slot of what it was given."""
        self._asking: set[tuple[int, int]] = set()
        """(parameter, what `Depends` makes) where that is its default, or in its annotation."""

    def _depend(self, call: Call, arguments: list[int]) -> None:
        source = arguments[0] if arguments else self.rules.models.keyword(call, "dependency")
        key = source if source >= 0 else _ANNOTATED
        made = self.solver.make(EXTERNAL, _DEPENDING[0], key)
        self._sources[made] = key
        self.solver.add(call.result, made)

    def watch(self, source: int, target: int) -> None:
        """Let what is annotated with a dependency have it; with other things, not these."""
        self.solver.listen(source, (self._on_annotation, target))

    @handler
    def _on_annotation(self, value: int, listener: Listener) -> None:
        if value in self._sources:
            self._asking.add((listener[1], value))
            self.solver.add(listener[1], value)

    def settle(self) -> None:
        """Give what dependencies give, now that it is known where they stand."""
        if not self._sources:
            return
        program, points = self.program, self.solver.points
        having = {
            slot: function
            for function in range(program.scopes)
            if program.kind[function] == ScopeKind.FUNCTION
            for _, slot, _ in program.params[function]
            if not self._sources.keys().isdisjoint(points[slot] or ())
        }
        self._look_at_defaults(having)
        self._look_at_aliases(having)
        for slot, function in having.items():
            for value in points[slot] or ():
                if (slot, value) in self._asking and value in self._sources:
                    self._give(function, self._sources[value], slot)

    def _look_at_defaults(self, having: Collection[int]) -> None:
        """See which parameters have a dependency as their default, which calls hand to others."""
        operations, points = self.solver.operations, self.solver.points
        for source in range(len(operations.flow_start) - 1):
            values = points[source]
            if values and not self._sources.keys().isdisjoint(values):
                start, end = operations.flow_start[source], operations.flow_start[source + 1]
                for slot in operations.flow[start:end]:
                    if slot in having:
                        self._asking.update((slot, value) for value in values)

    def _look_at_aliases(self, having: Collection[int]) -> None:
        """See which parameters have a dependency by the name of a type: `Known = Annotated[…]`."""
        solver = self.solver
        for index in range(len(self.program.facts)):
            for slot, known, _ in self.program.typed(index):
                if slot not in having or known < 0:
                    continue
                for value in solver.points[known] or ():
                    if (
                        solver.kind[value] == CONTAINER
                        and solver.detail[value][0] == ObjectKind.ALIAS
                    ):
                        inside = solver.field(value, self.rules.any_key)
                        self._asking.update((slot, it) for it in solver.points[inside] or ())

    def _give(self, function: int, source: int, slot: int) -> None:
        solver, line = self.solver, self.program.first_line[function]
        result = solver.slot()
        flags = CallFlag.QUIET | CallFlag.IMPLICIT
        call = Call(result, function, line, -1, (), (), flags)
        if source == _ANNOTATED:
            for value in solver.points[slot] or ():
                if solver.kind[value] == INSTANCE:
                    self._on_dependency(value - self.program.scopes, (self._on_dependency, call))
            return
        solver.listen(source, (self._on_dependency, call))
        self.rules.models.callbacks.entered(result, slot)

    @handler
    def _on_dependency(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        for function in self._called(value):
            self.solver.suppose(call.scope, function, call.line)
        self.rules.call_value(call, value)

    def _called(self, value: int) -> list[int]:
        """The function that is called; of a class its constructor, of an object its `__call__`."""
        kind, rules = self.solver.kind, self.rules
        if kind[value] == CLASS:
            return self._members(value, rules.init) or [value]
        if kind[value] == INSTANCE:
            return self._members(value - self.program.scopes, rules.dunder_call)
        return [value] if kind[value] == FUNCTION else []

    def _members(self, owner: int, name: int) -> list[int]:
        return self.solver.functions(self.rules.classes.find(owner, name))
