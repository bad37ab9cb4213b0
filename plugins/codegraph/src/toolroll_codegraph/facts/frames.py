"""One scope while it is walked."""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = -1


class Exits:
    """The ways out of one loop, `switch` or labelled statement while it is walked."""

    __slots__ = ("again", "label", "left", "mark", "phis")

    def __init__(self, mark: int, phis: dict[int, int] | None, label: bytes = b"") -> None:
        self.mark = mark
        """How long the journal was before."""
        self.phis = phis
        """Name → slot of its value where the loop begins anew; None for what is no loop."""
        self.label = label
        self.left: list[dict[int, int]] = []
        """What was bound at each `break`."""
        self.again: list[dict[int, int]] = []
        """What was bound at each `continue`."""


class Frame:
    """One scope while it is walked."""

    __slots__ = (
        "bases",
        "declared",
        "end",
        "env",
        "exits",
        "flags",
        "fresh",
        "globals",
        "index",
        "journal",
        "kind",
        "lambdas",
        "line",
        "loops",
        "members",
        "name",
        "params",
        "parent",
        "ret",
        "state",
        "summaries",
        "this",
        "value",
        "versions",
    )

    def __init__(self, index: int, kind: int, name: int, parent: Frame | None, line: int) -> None:
        self.index = index
        self.kind = kind
        self.name = name
        self.parent = parent
        self.line = line
        self.end = line
        self.flags = 0
        self.this = UNKNOWN
        self.ret = UNKNOWN
        self.value = UNKNOWN
        self.params: list[tuple[int, int, int]] = []
        self.bases: list[int] = []
        self.members: dict[int, int] = {}
        self.env: dict[int, int] = {}
        self.versions: dict[int, list[int]] = {}
        self.summaries: dict[int, int] = {}
        self.globals: dict[int, Frame] = {}
        self.declared: set[int] = set()
        self.journal: list[tuple[int, int | None]] = []
        self.loops: list[dict[int, int]] = []
        self.exits: list[Exits] = []
        self.fresh: dict[int, tuple[int, int]] = {}
        """Name → (slot, how many loops were open) of bindings made in loops on every path."""
        self.lambdas = 0
        self.state = 0

    def is_receiver(self, name: int) -> bool:
        """Whether a name is that of a method's first parameter, which few methods ever replace."""
        first = self.params[0] if self.params else (UNKNOWN, UNKNOWN)
        return self.this >= 0 and first[0] == name and first[1] == self.this

    def binder(self, name: int) -> Frame | None:
        """This frame or the innermost around it that binds a variable."""
        frame: Frame | None = self
        while frame is not None and name not in frame.versions:
            frame = frame.parent
        return frame
