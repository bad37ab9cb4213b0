"""RSpec's and Minitest's example groups: classes, whose examples and `let`s are methods.

`describe Cart do … end` makes a class that derives from that of the group around it; its blocks run
on objects of it, and `let(:item) { … }` gives these a method.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.facts import CallFlag, Frame, ScopeFlag, ScopeKind, TypeHint
from toolroll_codegraph.languages.ruby.expectations import RubyExpectations

if TYPE_CHECKING:
    from tree_sitter import Node

EVERY_GROUP: Final = b"{example group}"
"""The class above all groups, under a name that no source can write."""
_ASKS_SUBJECT: Final = re.compile(rb"\bsubject\b|\bis_expected\b|(?:\{|\bdo\n)\s*should")
FOR_EACH: Final = frozenset((
    b"before", b"after", b"around", b"prepend_before", b"append_before", b"prepend_after",
    b"append_after", b"background", b"setup", b"teardown",
))  # fmt: skip
"""What runs for the examples of the groups inside too."""


class Word(NamedTuple):
    """A call that may be one of RSpec's words."""

    frame: Frame
    text: bytes
    line: int
    base: int
    """Slot of the receiver, written down or not."""
    arguments: Node | None
    block: Node | None

    @property
    def children(self) -> list[Node]:
        return [] if self.arguments is None else self.arguments.named_children


class Group(NamedTuple):
    """An example group, or shared examples."""

    frame: Frame
    described: int
    """The slot of the class that `described_class` is; -1 where none is named."""
    around: Group | None
    receivers: list[int]
    """Receivers of the blocks that run for the groups inside too."""


class RubyGroups(RubyExpectations):
    """Reads a group and what runs on its objects."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.groups: dict[int, Group] = {}
        """By the index of the group's scope."""
        self._cases: dict[int, tuple[int, bool]] = {}
        """By the index of a class: the slot of what it tests, and whether it is a test case."""

    def group_around(self, frame: Frame) -> Group | None:
        """The innermost group that code stands in."""
        scope: Frame | None = frame
        while scope is not None:
            group = self.groups.get(scope.index)
            if group is not None:
                return group
            scope = scope.parent
        return None

    def tested(self, frame: Frame) -> tuple[int, bool]:
        group = self.group_around(frame) if self.groups else None
        if group is not None:
            return group.described, True
        case = self.lexical_class(frame)
        known = self._cases.get(case.index)
        if known is None:
            name = next(islice(self.name_ids, case.name, None))
            tested = name.removesuffix(b"Test")
            slot = -1 if tested == name else self.constant_named(tested, case, case.line)
            known = self._cases[case.index] = slot, tested != name
        return known

    def open(self, group: Group | None, word: Word) -> int | None:
        """`describe Name do … end`, at the outside or in another group."""
        if word.block is None or self.in_method(word.frame):
            return None
        told = word.children[0] if word.children else None
        described = -1
        self.note(word)
        if told is not None and told.type in ("constant", "scope_resolution"):
            described = self.constant_slot(word.frame, told)
        inner = self.open_group(group, word, ScopeKind.CLASS, described)
        named = described < 0 or self.name(b"subject") in inner.frame.members
        if not named and _ASKS_SUBJECT.search(self.text(word.block)):
            self._imply_subject(inner, word.line)
        return -1

    def open_group(self, group: Group | None, word: Word, kind: int, described: int) -> Group:
        """Open the class or module of a group and read what is written in its block."""
        self.anonymous += 1
        around = self.lexical_class(word.frame) if group is None else group.frame
        name = self.name(b"<group%d>" % self.anonymous)
        frame = self.open_frame(kind, name, around, word.line)
        frame.end = word.line if word.block is None else word.block.end_point[0] + 1
        frame.this = frame.value
        frame.flags |= ScopeFlag.OWN
        if kind == ScopeKind.CLASS:
            if group is not None:
                frame.bases.append(group.frame.value)
            else:  # `RSpec.configure` may have opened what it derives from
                frame.bases.append(self.constant_named(EVERY_GROUP, word.frame, word.line))
        if described < 0 and group is not None:
            described = group.described
        inner = self.groups[frame.index] = Group(frame, described, group, [])
        while group is not None:
            for receiver in group.receivers:
                self.types += (receiver, frame.value, TypeHint.CERTAIN)
            group = group.around
        if word.block is not None:
            self.see_around(word.frame, frame)
            parameters = word.block.child_by_field_name("parameters")
            if parameters is not None:
                self.parameters(frame, parameters)
                frame.params.clear()  # a class is called with nothing
            self.run_body(frame, word.block)
        return inner

    def _imply_subject(self, group: Group, line: int) -> None:
        """A group of a class that names no subject has an object of the class."""
        frame = self.open_frame(ScopeKind.LAMBDA, self.lambda_name(group.frame), group.frame, line)
        frame.end, frame.this, frame.ret = line, self.slot(), self.slot()
        frame.flags |= ScopeFlag.BLOCK | ScopeFlag.METHOD
        made = self.call(frame, line, group.described, self.name(b"new"))
        self.copies += (made, frame.ret)
        self.define(group.frame, b"subject", frame.value, False)

    def note(self, word: Word) -> None:
        """The call itself, which is the project's where that is RSpec."""
        positional, keywords, _ = self.arguments(word.frame, word.arguments, None)
        name, flags = self.name(word.text), CallFlag.SAFE_NAME
        self.call(word.frame, word.line, word.base, name, positional, keywords, flags)

    # what runs on the objects of a group

    def run_example(self, group: Group, word: Word) -> int | None:
        if word.block is None:
            return None
        self.note(word)
        inner = self.run_on_group(group, word, word.block)
        if word.text in FOR_EACH:
            group.receivers.append(inner.this)
        return -1

    def run_on_group(self, group: Group, word: Word, block: Node) -> Frame:
        """A block that runs on an object of its group."""
        inner = self.block(word.frame, block, block, this=self.slot())
        inner.flags |= ScopeFlag.METHOD
        if group.frame.kind == ScopeKind.CLASS:
            self.types += (inner.this, group.frame.value, TypeHint.CERTAIN)
        else:  # runs on whoever includes the module: as its member, under a name of its own
            name = b"{example %d of %d}" % (inner.index, len(self.source))
            inner.name = self.name(name)
            self.define(group.frame, name, inner.value, False)
        return inner

    def let(self, group: Group, word: Word) -> int | None:
        """`let(:name) { … }` and `subject(:name) { … }`."""
        names = [name for child in word.children if (name := self.literal_key(child)) is not None]
        if word.text.startswith(b"subject"):
            names.append(b"subject")
        if word.block is None or not names:
            return None
        inner = self.run_on_group(group, word, word.block)
        for name in names:
            self.define(group.frame, name, inner.value, False)
        return -1

    def described_class(self, group: Group, word: Word) -> int | None:
        """The class of the innermost group that names one."""
        return group.described if group.described >= 0 and not word.children else None
