"""What a format asks of the values that it is filled in with: `"%.2f"` wants no text.

Source: https://docs.ruby-lang.org/en/3.4/format_specifications_rdoc.html
"""

from __future__ import annotations

import re
from typing import Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.gaps import gap_of

FORMATTING: Final = ("format", "sprintf")
_DIRECTIVE: Final = re.compile(r"%(?:[-+ #0*]|\d+\$?|\.\d*|<[^>]*>)*([A-Za-z{%]?)")
_ASKED: Final = {
    **dict.fromkeys("s{", "to_s"), "p": "inspect", **dict.fromkeys("aAeEfgG", "to_f"),
    **dict.fromkeys("bBdiouxX", "to_i"),
}  # fmt: skip


class RubyFormatting(RubyFeature):
    """`format("%s", value)` and `"%s" % value`; where no format is known, all become texts."""

    def fill_in(self, call: Call) -> bool:
        """Ask what a format that is written down asks; False where it is not."""
        asked = self._asked_by_any(call.positional[0]) if call.positional else None
        items = call.positional[1:]
        if asked is None or min(items, default=0) < 0:
            return False
        one_each = len(asked) == len(items)
        for place, item in enumerate(items):
            for name in [asked[place]] if one_each else dict.fromkeys(asked):
                self.rules.conversions.ask(call, item, name)
        return True

    def operand(self, call: Call, text: str, other: int) -> None:
        """`text % other`; the text is empty where it is not known."""
        asked = self._asked_by(text) if text else None
        names = [self.rules.conversions.text] if asked is None else [*dict.fromkeys(asked)]
        self.solver.listen(other, (self._on_filled_in, call, names))

    @handler
    def _on_filled_in(self, value: int, listener: Listener) -> None:
        """`"%s" % object`, or of each in an array."""
        given = self.solver.slot()
        if self.solver.kind[value] == CONTAINER:
            self.rules.containers.elements(value, given)
        elif self.solver.kind[value] == INSTANCE:
            self.solver.add(given, value)
        for name in listener[2]:
            self.rules.conversions.ask(listener[1], given, name)

    def _asked_by_any(self, form: int) -> list[int] | None:
        """What the formats in a slot ask for; None if one of them is not known."""
        solver, found = self.solver, list[int]()
        values = (solver.points[form] if form >= 0 else None) or ()
        for value in values:
            asked = self._asked_by(solver.key_text(value)) if solver.kind[value] == TEXT else None
            if asked is None:
                return None
            found += asked
        return found if values else None

    def _asked_by(self, text: str) -> list[int] | None:
        """The methods that the directives of a format call, one for each in turn."""
        if gap_of(text) is not None:
            return None
        name = self.rules.program.name
        found = (_ASKED.get(directive) for directive in _DIRECTIVE.findall(text))
        return [name(asked) for asked in found if asked is not None]
