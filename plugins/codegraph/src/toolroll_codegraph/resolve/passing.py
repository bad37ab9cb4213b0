"""Arguments that come back from a call, be it from a function that has them from another.

What a function returns is its result for everybody. A parameter that it returns as it is comes
back to each caller alone, and so does one that it hands to a function which gives it back, where
that is what it returns: a registry's `return self.add(function)` gives each its own function.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import FileFacts, numbers
from toolroll_codegraph.facts.returning import NAMED

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.solver import Solver


class Passing:
    """The parameters that functions return, and what calls have given those that may yet be."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.returned: set[int] = set()
        """Parameters that their function returns as they are."""
        self.tested: dict[int, list[Callable[[int], int]]] = {}
        """Those that come back as far as a test admits → what tells the slot with what it does."""
        self.perhaps: dict[int, array[int] | None] = {}
        """Parameter that may turn out to be one → slot given, result, of each call so far."""
        self.defaults: dict[int, list[int]] = {}
        """Parameter that is returned → what fills it in its own file, as its default does."""
        self._tails: dict[int, tuple[int, ...]] = {}
        """Result of a call, which its function only returns → the parameters of the function."""

    def enter(self, index: int, facts: FileFacts) -> None:
        """Take what the facts of a file say of what its functions return."""
        program = self.solver.program
        base, scopes = program.slot_base[index], program.scope_base[index]
        returned = {slot + base for slot in numbers(facts.returned)}
        self.returned |= returned
        filled = self._filled(base, facts.slots) if returned or facts.tails else frozenset[int]()
        if given := returned & filled:
            self._find_defaults(given, base, facts.slots)
        # Who gives nothing for a parameter with a default gets that back: such ones are left.
        known: dict[int, tuple[int, ...]] = {}
        items = iter(numbers(facts.tails))
        for result, scope in zip(items, items, strict=True):
            if scope not in known:
                named = self._named(scope + scopes) - filled
                known[scope] = tuple(named)
                self.perhaps.update(dict.fromkeys(named - self.returned))
            if known[scope]:
                self._tails[result + base] = known[scope]

    def _filled(self, base: int, slots: int) -> frozenset[int]:
        """What the slots of a file flow to."""
        operations = self.solver.operations
        start, end = operations.flow_start[base], operations.flow_start[base + slots]
        return frozenset(operations.flow[start:end])

    def _find_defaults(self, given: set[int], base: int, slots: int) -> None:
        operations = self.solver.operations
        starts, flow = operations.flow_start, operations.flow
        for source in range(base, base + slots):
            for target in flow[starts[source] : starts[source + 1]]:
                if target in given:
                    self.defaults.setdefault(target, []).append(source)

    def _named(self, scope: int) -> frozenset[int]:
        """The parameters of a function but for its receiver, of which rules of their own tell."""
        program = self.solver.program
        slots = (slot for _, slot, shape in program.params[scope] if shape in NAMED)
        return frozenset(slots) - {program.this[scope]}

    def give_back(self, call: Call, source: int, parameter: int) -> None:
        """Let a call have what it gives for a parameter, if that is returned, or once it is."""
        if parameter in self.returned:
            tested = self.tested.get(parameter)
            if tested is None:
                self.hand_back(source, call.result)
            else:
                for test in tested:
                    self.hand_back(test(source), call.result)
        elif parameter in self.perhaps and call.result >= 0:
            known = self.perhaps[parameter]
            if known is None:
                known = self.perhaps[parameter] = array("i")
            known.extend((source, call.result))

    def give_back_any(self, call: Call, parameters: Iterable[int]) -> None:
        """Let a call have what any gives for parameters, where a spread hides what it gives."""
        for parameter in parameters:
            self.give_back(call, parameter, parameter)

    def give_none(self, call: Call, parameters: Iterable[int]) -> None:
        """Let a call have the defaults of the parameters that it gives nothing for."""
        if call.result >= 0:
            for parameter in parameters:
                for default in self.defaults.get(parameter, ()):
                    self.solver.edge(default, call.result)

    def hand_back(self, source: int, result: int) -> None:
        """Let the result of a call be what it gives; of a function's own, of all its callers."""
        pairs = [source, result]
        items = iter(pairs)
        for source, result in zip(items, items, strict=True):  # pairs grow meanwhile
            parameter = self.solver.whole.get(source, source)
            if parameter not in self._tails.get(result, ()):
                self.solver.edge(source, result)
            elif parameter not in self.returned:
                self.returned.add(parameter)
                pairs += self.perhaps.pop(parameter) or ()
