"""Arguments that come back from a call, be it from a function that has them from another.

What a function returns is its result for everybody. A parameter that it returns as it is comes
back to each caller alone, and so does one that it hands to a function which gives it back, where
that is what it returns: a registry's `return self.add(function)` gives each its own function.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import FileFacts, numbers
from toolroll_codegraph.facts.returning import NAMED

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.solver import Solver


_DEFAULTS: Final = ("default", "optional")
"""Relations of constructors and of other functions that tell a parameter's default."""


class Passing:
    """The parameters that functions return, and what calls have given those that may yet be."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.returned: set[int] = set()
        """Parameters that their function returns as they are."""
        self.perhaps: dict[int, list[int]] = {}
        """Parameter that may turn out to be one → slot given, result, of each call so far."""
        self.defaults: dict[int, int] = {}
        """Parameter → slot of its default (of constructors alone, but in Ruby)."""
        self._tails: dict[int, frozenset[int]] = {}
        """Result of a call, which its function only returns → the parameters of the function."""

    def enter(self, index: int, facts: FileFacts) -> None:
        """Take what the facts of a file say of what its functions return."""
        program = self.solver.program
        base, scopes = program.slot_base[index], program.scope_base[index]
        self.returned.update(slot + base for slot in numbers(facts.returned))
        operations = self.solver.operations
        for kind, _, _, parameter, default in facts.relations:
            if kind in _DEFAULTS:
                self.defaults[parameter + base] = default + base
        # Who gives nothing for a parameter with a default gets that back: such ones are left.
        own = slice(*(operations.flow_start[slot] for slot in (base, base + facts.slots)))
        filled = frozenset[int](operations.flow[own] if facts.tails else ())
        known: dict[int, frozenset[int]] = {}
        items = iter(numbers(facts.tails))
        for result, scope in zip(items, items, strict=True):
            if scope not in known:
                known[scope] = named = self._named(scope + scopes) - filled
                self.perhaps.update((slot, []) for slot in named - self.returned)
            if known[scope]:
                self._tails[result + base] = known[scope]

    def _named(self, scope: int) -> frozenset[int]:
        """The parameters of a function but for its receiver, of which rules of their own tell."""
        program = self.solver.program
        slots = (slot for _, slot, shape in program.params[scope] if shape in NAMED)
        return frozenset(slots) - {program.this[scope]}

    def give_back(self, call: Call, source: int, parameter: int) -> None:
        """Let a call have what it gives for a parameter, if that is returned, or once it is."""
        if parameter in self.returned:
            self._give_back([source, call.result])
        elif parameter in self.perhaps and call.result >= 0:
            self.perhaps[parameter] += source, call.result

    def give_back_any(self, call: Call, parameters: Iterable[int]) -> None:
        """Let a call have what any gives for parameters, where a spread hides what it gives."""
        for parameter in parameters:
            self.give_back(call, parameter, parameter)

    def give_none(self, call: Call, parameters: Iterable[int]) -> None:
        """Let a call have the defaults of the parameters that it gives nothing for."""
        if call.result >= 0:
            for parameter in parameters:
                if parameter in self.returned and parameter in self.defaults:
                    self.solver.edge(self.defaults[parameter], call.result)

    def _give_back(self, pairs: list[int]) -> None:
        items = iter(pairs)
        for source, result in zip(items, items, strict=True):  # pairs grow meanwhile
            parameter = self.solver.whole.get(source, source)
            if parameter not in self._tails.get(result, ()):
                self.solver.edge(source, result)
            elif parameter not in self.returned:
                self.returned.add(parameter)
                pairs += self.perhaps.pop(parameter)
