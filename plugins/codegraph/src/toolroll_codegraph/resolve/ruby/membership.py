"""What `NAMES.include?(name)` and `name =~ /…/` leave of the texts that a variable may be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import PREFIX, ObjectKind
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyMembership(RubyFeature):
    """Lets through the names that are in a list, or those that are not."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._waiting: list[tuple[int, int, int, bool]] | None = []
        """(slot of the variable, slot after the test, slot of the list, whether it is in none)
        until all that is written down has flowed."""

    def add(self, target: int, source: int, names: int, *, refused: bool) -> None:
        """Note that a slot has the values of another that are in a list, or are not."""
        self.solver.narrowed.setdefault(source, []).append(target)
        self.solver.whole[target] = self.solver.whole.get(source, source)
        if self._waiting is not None:
            self._waiting.append((source, target, names, refused))
        self.solver.listen(source, (self._on_value, target, names, refused))

    def spell(self, target: int, source: int, pattern: str, *, refused: bool) -> None:
        """Note that a slot has the values of another that are spelled as a pattern says, or not.

        Patterns have no nested repetition: matching takes a time in proportion to the name.
        """
        self.solver.narrowed.setdefault(source, []).append(target)
        self.solver.whole[target] = self.solver.whole.get(source, source)
        maybe = pattern.startswith("~")
        known = re.compile(pattern.removeprefix("~"))
        self.solver.listen(source, (self._on_spelled, target, known, refused, refused and maybe))

    @handler
    def _on_spelled(self, value: int, listener: Listener) -> None:
        _, target, pattern, refused, passes = listener
        solver = self.solver
        if not passes and solver.kind[value] == TEXT:
            text = solver.key_text(value)
            passes = text.endswith(PREFIX) or (pattern.fullmatch(text) is None) is refused
            if not passes:
                return
        solver.add(target, value)

    @handler
    def _on_value(self, value: int, listener: Listener) -> None:
        _, target, names, refused = listener
        if self.solver.kind[value] != TEXT:
            self.solver.add(target, value)
            return
        known = value in self._listed(names)
        if (known or self._waiting is None) and known is not refused:
            self.solver.add(target, value)

    def _listed(self, names: int) -> Iterator[int]:
        """The texts that are in the arrays, or keys of the hashes, of a slot."""
        solver = self.solver
        for container in solver.points[names] or ():
            if solver.kind[container] != CONTAINER:
                continue
            of_keys = solver.detail[container][0] == ObjectKind.HASH
            for name, slot in solver.fields_of(container).items():
                if not of_keys:
                    yield from (it for it in solver.points[slot] or () if solver.kind[it] == TEXT)
                elif (text := self.rules.program.texts[name]).startswith("["):
                    yield solver.text(self.rules.program.name(text[1:]))

    def settle(self) -> None:
        """Of a name that nothing tells, that it is in the list tells which it may be."""
        solver = self.solver
        waiting, self._waiting = self._waiting, None
        for source, target, names, refused in waiting or ():
            texts = [it for it in solver.points[source] or () if solver.kind[it] == TEXT]
            listed = list(self._listed(names))
            if any(solver.key_text(text).endswith(PREFIX) for text in listed):
                listed = []  # there may be any in it
            if refused or not listed:
                given = [text for text in texts if text not in listed]
            else:
                gaps = any(solver.key_text(text).endswith(PREFIX) for text in texts)
                given = listed if gaps or not texts else []
            for text in given:
                solver.add(target, text)
