"""What methods of texts give: other names of modules and members, and their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolroll_codegraph.resolve.python.contents import PythonContents

_LONGEST: Final = 40
_MOST_PARTS: Final = 8
_SPELLED: Final[dict[str, Callable[[str], str]]] = {
    "lower": str.lower, "upper": str.upper, "title": str.title, "capitalize": str.capitalize,
    "casefold": str.casefold, "strip": str.strip,
}  # fmt: skip
_PARTED: Final[dict[str, Callable[..., Sequence[str]]]] = {
    "partition": str.partition, "rpartition": str.rpartition, "split": str.split,
    "rsplit": str.rsplit,
}  # fmt: skip


class PythonTexts:
    """Calls of the methods of texts that are known."""

    def __init__(self, models: PythonContents) -> None:
        self.models = models
        self.solver = models.solver
        self.program = models.program

    def method(self, call: Call, value: int, name: str) -> None:
        """A method of a text."""
        if name == "format":
            self.solver.add(call.result, value)
        elif name == "__add__" and call.positional:
            self.solver.listen(call.positional[0], (self._on_added, value, call.result))
        elif name in _SPELLED and not call.positional:
            self._give(_SPELLED[name](self.solver.key_text(value)), call.result)
        elif name in _PARTED and call.positional and call.result >= 0:
            self.solver.listen(call.positional[0], (self._on_separator, value, name, call))

    def _give(self, text: str, target: int) -> None:
        self.solver.add(target, self.solver.text(self.program.name(text)))

    @handler
    def _on_added(self, value: int, listener: Listener) -> None:
        """Put two names together: longer ones than any that is written are none."""
        _, before, result = listener
        if self.solver.kind[value] == TEXT:
            text = self.solver.key_text(before) + self.solver.key_text(value)
            if text.isidentifier() and len(text) <= _LONGEST:
                self._give(text, result)

    @handler
    def _on_separator(self, value: int, listener: Listener) -> None:
        """Take a name apart, as `path.rpartition(".")` and `path.rsplit(".", 1)` do."""
        solver, call = self.solver, listener[3]
        text = solver.key_text(listener[1])
        if solver.kind[value] != TEXT or text.endswith(PREFIX):
            return
        separator, most = solver.key_text(value), self._count(call)
        if not separator or separator.endswith(PREFIX) or most is None:
            return
        parts = _PARTED[listener[2]](text, separator, *most)
        if len(parts) > _MOST_PARTS:
            return
        made = self.models.result(call)
        for position, part in enumerate(parts):
            if part.replace(".", "_").isidentifier():
                self._give(part, solver.field(made, self.program.name(f"[{position}")))

    def _count(self, call: Call) -> tuple[int, ...] | None:
        """How many times to take apart, if that is given and known; None if it is not known."""
        if call.keywords or len(call.positional) > 2 or min(call.positional) < 0:
            return None
        if len(call.positional) < 2:
            return ()
        known = [*(self.solver.points[call.positional[1]] or ())]
        text = self.solver.key_text(known[0]) if len(known) == 1 else ""
        return (int(text),) if text.isdigit() else None
