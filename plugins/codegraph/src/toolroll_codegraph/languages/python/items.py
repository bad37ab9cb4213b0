"""What an item of a dictionary or list has been assigned last, as long as nothing else has run."""

from __future__ import annotations

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.python.declared import PythonDeclared


class PythonItems(PythonDeclared):
    """Keeps what is put into containers made here, up to the next call or branch.

    `table["a"] = first`, `table["a"] = second`, `table["a"]()` calls the second alone. Who else has
    the container may change it in between, which takes a call.
    """

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.literals: set[int] = set()
        """Slots of containers that the source makes itself: their items are what is assigned."""
        self.kept: dict[tuple[int, int, int], int] = {}
        """(scope, container, key) → the slot of what was assigned."""

    def keep_item(self, frame: Frame, base: int, key: int, value: int) -> None:
        """Note an assignment; that to an unknown container may be one to any."""
        if base in self.literals:
            self.kept[frame.index, base, key] = value
        else:
            self.kept.clear()
