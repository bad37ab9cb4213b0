"""How Python programs find their own functions and classes: what is asked of a module's members.

`for name, member in globals().items()` goes through all that a module has; a test of the name or
of the member (`name.endswith("Command")`, `issubclass(member, Command)`) chooses from that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, REFUSED, Frame
from toolroll_codegraph.languages.python.paths import PythonPaths

if TYPE_CHECKING:
    from tree_sitter import Node

_MEMBERS: Final = re.compile(
    rb"(?:(?:list|sorted|tuple|dict|copy)\()*(?:globals\(\)|locals\(\)|vars\(|"
    rb"(?:inspect\.)?getmembers\(|[\w.\[\]]+\.__dict__\.)"
)
_NAMES: Final = re.compile(rb"(?:(?:list|sorted|reversed|set)\()*dir\(.")
_KINDS: Final = {b"isclass": 0, b"isfunction": 1, b"isroutine": 1}
_ENDS: Final = {b"startswith": 0, b"endswith": 1}


class PythonDiscovery(PythonPaths):
    """Tests that choose among the members of a module or an object."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.member_names: dict[tuple[int, int], tuple[int, bytes]] = {}
        """(scope, name for a member's name) → the name for that member, and what has them."""
        self.listed_names: set[tuple[int, int]] = set()
        """(scope, name) of what goes through the names that `dir` lists."""

    def bind(self, frame: Frame, target: Node, value: int, source: Node) -> None:
        super().bind(frame, target, value, source)
        if target.type == "identifier" and source.type == "call":
            if _NAMES.match(source.text or b""):
                self.listed_names.add((frame.index, self.name(target.text or b"")))
            return
        names = target.named_children
        if len(names) == 2 and source.type == "call" and _MEMBERS.match(source.text or b""):
            first, last = (self.name(name.text or b"") for name in names)
            self.member_names[frame.index, first] = last, source.text or b""

    def member_under(self, frame: Frame, base: Node, key: Node) -> int:
        """The slot of a member that is read again by its name; -1 where the name is none of it."""
        if key.type != "identifier" or not self.member_names:
            return -1
        known = self.member_names.get((frame.index, self.name(key.text or b"")))
        if known is None or not re.search(rb"\b%s\b" % re.escape(base.text or b""), known[1]):
            return -1
        return self.read(frame, known[0])

    def told_name(self, frame: Frame, function: Node, text: bytes) -> tuple[int, int] | None:
        """(name, slot of the names that a test leaves of those that `dir` lists)."""
        subject, method = function.named_children[0], function.named_children[-1].text
        name = self.name(subject.text or b"")
        if method not in _ENDS or (frame.index, name) not in self.listed_names:
            return None
        mark = PREFIX.encode()
        return name, self.constant(mark + text + mark if _ENDS[method] else text + mark)

    def told_member(
        self, frame: Frame, function: Node, arguments: list[Node]
    ) -> tuple[int, int, int] | None:
        """(name, slot of what a test leaves of its value where it holds, or where it does not).

        None where it is no such test; -1 for what a test that failed does not tell.
        """
        text = function.text or b""
        method = text.rpartition(b".")[2]
        if method in _ENDS and function.type == "attribute" and len(arguments) == 1:
            subject = self.name(function.named_children[0].text or b"")
            member = self.member_names.get((frame.index, subject))
            ending = self.literal_key(arguments[0])
            if member is None or not ending:
                return None
            return self._split(frame, member[0], "named", _ENDS[method], self.name(ending))
        if not arguments or arguments[0].type != "identifier":
            return None
        name = self.name(arguments[0].text or b"")
        if method in _KINDS and len(arguments) == 1:
            return self._split(frame, name, "kind", _KINDS[method], 0)
        elif text == b"isinstance" and len(arguments) == 2 and arguments[1].text == b"type":
            return self._split(frame, name, "kind", 0, 0)
        return None

    def _split(
        self, frame: Frame, name: int, test: str, part: int, text: int
    ) -> tuple[int, int, int] | None:
        """What a test leaves of a value where it holds, and where it does not."""
        holds = self._left(frame, name, [(test, part, text)])
        fails = self._left(frame, name, [(test, part | REFUSED, text)])
        return None if holds is None or fails is None else (*holds, fails[1])

    def told_mark(
        self, frame: Frame, function: Node, arguments: list[Node]
    ) -> tuple[int, int] | None:
        """(name, slot of what of its value has an attribute), None where no test asks for that."""
        name, attribute = self._asked_for(function, arguments)
        return None if attribute < 0 else self._left(frame, name, [("marked", 0, attribute)])

    def note_predicate(self, frame: Frame, node: Node) -> None:
        """Remember a function that only asks whether what it is given has an attribute."""
        if len(frame.params) == 1 and node.type == "call":
            function, arguments = node.named_children[0], node.named_children[-1]
            name, attribute = self._asked_for(function, arguments.named_children)
            if name == frame.params[0][0] and attribute >= 0:
                self.relations.append(("asks", frame.index, attribute, 0, 0))

    def _asked_for(self, function: Node, arguments: list[Node]) -> tuple[int, int]:
        """The names in `hasattr(name, "mark")` or `getattr(name, "mark", None)`; -1 for others."""
        text, given = function.text, len(arguments)
        if (
            (text != b"hasattr" or given != 2)
            and (text != b"getattr" or given != 3 or arguments[2].type not in ("none", "false"))
        ) or arguments[0].type != "identifier":
            return -1, -1
        attribute = self.literal_key(arguments[1])
        if not attribute or attribute.startswith(b"__"):  # every function has some of those
            return -1, -1
        return self.name(arguments[0].text or b""), self.name(attribute)

    def _left(
        self, frame: Frame, name: int, tests: list[tuple[str, int, int]]
    ) -> tuple[int, int] | None:
        if frame.env.get(name, -1) < 0:
            return None
        value, slot = self.read(frame, name), self.slot()
        for kind, part, text in tests:
            self.relations.append((kind, part, text, slot, value))
        return name, slot
