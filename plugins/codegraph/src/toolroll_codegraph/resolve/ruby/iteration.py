"""What is built by running over something that is not known."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyIteration(RubyFeature):
    """`lines.map { |line| Token.new(line) }` is an array of tokens, whatever the lines are.

    An unknown receiver stands for an empty array: what its block returns, and what it is given
    besides elements, is known all the same.
    """

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._calls: list[tuple[int, int]] = []
        """(number of the call, slot of its receiver or -1)."""

    def add(self, index: int, position: int, source: int) -> None:
        """Note a call of a file with its receiver."""
        begin = bisect_left(self.solver.operations.call_file, index)
        slots = self.rules.program.slot_base[index]
        self._calls.append((begin + position, source + slots if source >= 0 else -1))

    def settle(self, *, nameless: bool) -> None:
        """Run the blocks of calls whose receiver has no value; first those on what has no slot."""
        solver = self.solver
        for identifier, source in self._calls:
            if (source < 0) == nameless and (source < 0 or solver.points[source] is None):
                call = solver.translate(identifier)
                empty = solver.container(("unknown", identifier), ObjectKind.SEQUENCE)
                self.rules.containers.container_method(call, empty)
        if not nameless:
            self._calls.clear()
