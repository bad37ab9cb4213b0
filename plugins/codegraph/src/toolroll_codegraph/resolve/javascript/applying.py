"""Functions that return what the function they are given returns.

`function lazy(make) { const made = make(); …; return made; }`: each call gets what its own argument
returns, not what those of all calls do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn, CallFlag, ParamKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import BOUND, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptApplying:
    """Lets the results of arguments go to the calls that handed them over."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.solver = rules.solver
        self.program = rules.program
        self.places: dict[int, int] = {}
        """Function → the position of the argument whose result it returns."""
        operations, program = self.solver.operations, self.program
        columns = (CallColumn.SOURCE, CallColumn.NAME, CallColumn.SCOPE)
        sources, names, scopes = map(operations.column, columns)
        results, flags = map(operations.column, (CallColumn.RESULT, CallColumn.FLAGS))
        for number, source in enumerate(sources):
            if source < 0 or names[number] >= 0 or flags[number] & CallFlag.NEW:
                continue
            index = operations.call_file[number]
            scope = scopes[number] + program.scope_base[index]
            source += program.slot_base[index]
            source = rules.narrowing.roots.get(source, source)
            for place, (_, slot, shape) in enumerate(program.params[scope]):
                if slot == source and shape == ParamKind.POSITIONAL:
                    self._cut(results[number] + program.slot_base[index], scope, place)

    def _cut(self, result: int, function: int, place: int) -> None:
        """Let a result go out of its function no more, where nothing else is returned."""
        flow, start = self.solver.operations.flow, self.solver.operations.flow_start
        ret = self.program.ret[function]
        for entry in range(start[result], start[result + 1]):
            if flow[entry] == ret >= 0 and self.places.setdefault(function, place) == place:
                flow[entry] = result

    def enter(self, call: Call, function: int) -> None:
        """Give a call what its argument returns."""
        place = self.places[function]
        if call.result < 0:
            return
        item = call.argument(place, self.program.params[function][place][1])
        self.solver.listen(item, (self._on_argument, call.result))

    @handler
    def _on_argument(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == BOUND:
            value = self.solver.detail[value][0]
        if self.solver.kind[value] == FUNCTION:
            self.solver.edge(self.program.ret[value], listener[1])
