"""Arguments that come back from a call, be it from a function that has them from another.

What a function returns is its result for everybody. A parameter that it returns as it is comes
back to each caller alone, and so does one that it hands to a function which gives it back, where
that is what it returns: a registry's `return self.add(function)` gives each its own function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, ParamKind

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.solver import Solver

_NAMED: Final = (ParamKind.POSITIONAL, ParamKind.KEYWORD, ParamKind.UNNAMED)
_FURTHEST: Final = 4
"""So many slots, of which each only goes to the next, lead from a result to what is returned."""


class Passing:
    """The parameters that functions return, and what calls have given those that may yet be."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.returned: set[int] = set()
        """Parameters that their function returns as they are."""
        self.perhaps: dict[int, list[tuple[int, int]]] = {}
        """Parameter that may turn out to be one → (slot given, result) of the calls so far."""
        self._tails: dict[int, frozenset[int]] = {}
        """Result of a call, which its function only returns → the parameters of the function."""

    def find(self) -> None:
        """Look for calls whose results their functions return."""
        program, operations = self.solver.program, self.solver.operations
        starts, of_file = operations.flow_start, operations.call_file
        columns = map(operations.column, (CallColumn.RESULT, CallColumn.SCOPE))
        known: dict[int, frozenset[int]] = {}
        for index, result, scope in zip(of_file, *columns, strict=True):
            slot = result + program.slot_base[index]
            if result < 0 or starts[slot] == starts[slot + 1]:
                continue
            function = scope + program.scope_base[index]
            if program.params[function] and self._end(slot) == program.ret[function]:
                if function not in known:
                    known[function] = frozenset(
                        slot for _, slot, shape in program.params[function] if shape in _NAMED
                    )
                self._tails[slot] = known[function]
        for parameters in known.values():
            self.perhaps.update((slot, []) for slot in parameters if slot not in self.returned)

    def _end(self, slot: int) -> int:
        """The slot that all values of a slot go to in the end; -1 if they go anywhere else."""
        operations = self.solver.operations
        flow, starts, waits = operations.flow, operations.flow_start, operations.wait_start
        for _ in range(_FURTHEST):
            if waits[slot] != waits[slot + 1]:
                break
            if starts[slot] == starts[slot + 1]:
                return slot
            if starts[slot] + 1 != starts[slot + 1]:
                break
            slot = flow[starts[slot]]
        return -1

    def give(self, call: Call, source: int, parameter: int) -> None:
        """Pass an argument; a parameter that is returned comes back to this call alone."""
        self.solver.edge(source, parameter)
        self.give_back(call, source, parameter)

    def give_back(self, call: Call, source: int, parameter: int) -> None:
        """Let a call have what it gives for a parameter, if that is returned, or once it is."""
        if parameter in self.returned:
            self._give_back([(source, call.result)])
        elif parameter in self.perhaps and call.result >= 0:
            self.perhaps[parameter].append((source, call.result))

    def _give_back(self, pairs: list[tuple[int, int]]) -> None:
        for source, result in pairs:  # which grow meanwhile
            parameter = self.solver.whole.get(source, source)
            if parameter not in self._tails.get(result, ()):
                self.solver.edge(source, result)
            elif parameter not in self.returned:
                self.returned.add(parameter)
                pairs += self.perhaps.pop(parameter)
