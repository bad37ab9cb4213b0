"""Names that are put together while the program runs, as `"visit_#{kind}"`.

What is known of them whole is a text as any other; `gaps.py` has those that keep a gap.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import FUNCTION, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.gaps import Gap, gap_of
from toolroll_codegraph.resolve.slots import MOST_VALUES

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_NAME: Final = re.compile(r"@{0,2}\w[\w:]{0,63}(?:[?!]\w{1,63})?[?!=]?")
_CHANGES: Final[dict[str, Callable[[str], str]]] = {
    "capitalize": str.capitalize, "upcase": str.upper, "downcase": str.lower,
    "swapcase": str.swapcase, "strip": str.strip,
}  # fmt: skip
_CUTS: Final[dict[str, Callable[[str, str], str]]] = {
    "delete_prefix": str.removeprefix, "delete_suffix": str.removesuffix,
    "chomp": str.removesuffix, "+": str.__add__, "concat": str.__add__,
}  # fmt: skip
_MOST_PARTS: Final = 4
"""So many names a text consists of, divided by something."""


class RubyNames(RubyFeature):
    """Texts that become the names of methods and constants."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.sources: set[int] = set()
        """Slots that fill gaps, or are names themselves."""

    def join(self, name: int, target: int, source: int) -> None:
        """Fill the gap of a text with whatever a slot gets."""
        beginning, _, end = self.program.texts[name][: -len(PREFIX)].partition(PREFIX)
        gap = beginning, end
        self.sources.add(source)
        self.solver.listen(source, (self._on_part, gap, target, source))

    def fill(self, target: int, source: int) -> None:
        """Fill the gap that names in a slot end with, each with whatever another slot gets."""
        self.sources.add(source)
        self.solver.listen(target, (self._on_gap, target, source))

    @handler
    def _on_gap(self, value: int, listener: Listener) -> None:
        _, target, source = listener
        gap = gap_of(self.solver.key_text(value)) if self.solver.kind[value] == TEXT else None
        if gap is not None:
            self.solver.listen(source, (self._on_part, gap, target, source))

    def is_used(self, block: int) -> bool:
        """Whether the first parameter of a block in a slot fills the gap of a name, or is one."""
        solver, params = self.solver, self.program.params
        if not solver.texts_flow or block < 0:
            return False
        return any(
            solver.kind[value] == FUNCTION
            and any(slot in self.sources for _, slot, _ in params[value][:1])
            for value in solver.points[block] or ()
        )

    @handler
    def _on_part(self, value: int, listener: Listener) -> None:
        gap: Gap = listener[1]
        target: int = listener[2]
        source: int = listener[3]
        if self.solver.kind[value] == TEXT:
            if len(self.solver.points[source] or ()) >= MOST_VALUES:
                self.rules.gaps.full.add(gap)
            self._add(target, f"{gap[0]}{self.solver.key_text(value)}{gap[1]}")

    def change(self, call: Call, value: int) -> bool:
        """What a method of a text makes of it; False where that isn't known."""
        name = self.program.texts[call.name]
        if name in _CHANGES:
            return self._add(call.result, _CHANGES[name](self.solver.key_text(value)))
        elif name in _CUTS and len(call.positional) == 1 and call.positional[0] >= 0:
            listener = (self._on_other, _CUTS[name], self.solver.key_text(value), call.result)
            self.solver.listen(call.positional[0], listener)
        elif name == "split" and len(call.positional) == 1 and call.positional[0] >= 0:
            self.solver.listen(call.positional[0], (self._on_separator, value, call.result))
        return False

    @handler
    def _on_separator(self, value: int, listener: Listener) -> None:
        """The parts of a text that are names: `"pages#show".split("#")`."""
        _, whole, target = listener
        solver = self.solver
        if solver.kind[value] != TEXT:
            return
        parts = solver.key_text(whole).split(solver.key_text(value) or None)
        if 1 < len(parts) <= _MOST_PARTS and all(map(_NAME.fullmatch, parts)):
            made = solver.container(("parts", whole, value), ObjectKind.SEQUENCE)
            for place, part in enumerate(parts):
                slot = solver.field(made, self.program.name(f"[{place}"))
                solver.add(slot, solver.text(self.program.name(part)))
            solver.add(target, made)

    @handler
    def _on_other(self, value: int, listener: Listener) -> None:
        _, cut, text, target = listener
        if self.solver.kind[value] == TEXT:
            other = self.solver.key_text(value)
            if not (text.isdigit() and other.isdigit()):  # numbers are added up
                self._add(target, cut(text, other))

    def _add(self, target: int, text: str) -> bool:
        if not _NAME.fullmatch(text.removesuffix(PREFIX)):
            return False
        self.solver.add(target, self.solver.text(self.program.name(text)))
        return True
