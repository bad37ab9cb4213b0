"""Building the facts of one file while a language module walks its syntax tree."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import islice

from toolroll_codegraph.facts.finishing import pack_facts
from toolroll_codegraph.facts.frames import UNKNOWN, Frame
from toolroll_codegraph.facts.model import (
    CallFlag,
    FileFacts,
    ImportRow,
    ObjectKind,
    RelationRow,
    ScopeFlag,
)
from toolroll_codegraph.facts.names import PREFIX
from toolroll_codegraph.facts.variables import Variables

CallMark = tuple[int, int]
"""How many calls there were, and how many arguments of theirs."""


class FactBuilder(Variables):
    """Collects the operations of one file on what its variables hold."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.loads: list[int] = []
        self.stores: list[int] = []
        self.dynamic: list[int] = []
        self.calls: list[int] = []
        self.call_arguments: list[int] = []
        self.objects: list[int] = []
        self.constants: list[int] = []
        self.imports: list[ImportRow] = []
        self.relations: list[RelationRow] = []
        self.types: list[int] = []
        self.tests: list[int] = []
        self.exported: list[int] = []
        self.deferred: list[Callable[[], None]] = []
        self.parse_errors = 0
        self._load_cache: dict[tuple[int, int, int], int] = {}

    def run_deferred(self) -> None:
        """Walk function bodies breadth first: an enclosing scope is complete before them."""
        queue = self.deferred
        position = 0
        while position < len(queue):
            try:
                queue[position]()
            except RecursionError:
                self.parse_errors += 1
            position += 1
        queue.clear()

    def load(self, frame: Frame, base: int, name: int, line: int) -> int:
        """Read a field; the same field of the same value in one scope is read once."""
        if base < 0:
            return UNKNOWN
        key = (base, name, frame.index)
        slot = self._load_cache.get(key)
        if slot is None:
            slot = self._load_cache[key] = self.slot()
            self.loads += (slot, base, name, frame.index, line)
        return slot

    def load_path(self, frame: Frame, slot: int, names: Iterable[bytes], line: int) -> int:
        """Read fields one after another: `.b.c` of what a slot holds."""
        for name in names:
            slot = self.load(frame, slot, self.name(name), line)
        return slot

    def forget_load(self, frame: Frame, base: int, name: int) -> int:
        """Let a field that is written be read anew from now on; the slot it was read to, or -1."""
        return self._load_cache.pop((base, name, frame.index), UNKNOWN)

    def store(self, base: int, name: int, value: int) -> None:
        """Put a value into a literal container."""
        if base >= 0 and value >= 0:
            self.stores += (base, name, value, 0, 0)

    def write(self, frame: Frame, base: int, name: int, value: int, line: int) -> None:
        """Assign to an attribute, which may run a setter whatever the value is."""
        if base >= 0:
            self.stores += (base, name, value, frame.index, line)

    def container(self, frame: Frame, kind: int) -> int:
        slot = self.slot()
        self.objects += (slot, frame.index, kind)
        return slot

    def constant(self, text: bytes) -> int:
        slot = self.slot()
        self.constants += (slot, self.name(text))
        return slot

    def text_of(self, slot: int) -> bytes | None:
        """The text that a slot holds and no other, None where that is not known."""
        constants = self.constants
        position = bisect_left(range(0, len(constants), 2), slot, key=constants.__getitem__) * 2
        if slot < 0 or position >= len(constants) or constants[position] != slot:
            return None
        text = next(islice(self.name_ids, constants[position + 1], None))
        return None if text.endswith(PREFIX.encode()) else text

    def joined_text(self, slots: Iterable[int]) -> int:
        """The slot of texts put together, -1 where one of them is not known."""
        texts = [self.text_of(slot) for slot in slots]
        known = [text for text in texts if text is not None]
        return self.constant(b"".join(known)) if len(known) == len(texts) else -1

    def call(
        self,
        frame: Frame,
        line: int,
        callee: int,
        name: int = -1,
        positional: tuple[int, ...] = (),
        keywords: tuple[int, ...] = (),
        flags: int = 0,
    ) -> int:
        slot = self.slots
        self.slots = slot + 1
        arguments = self.call_arguments
        self.calls += (
            slot, frame.index, line, callee, name, flags, len(arguments), len(positional)
        )  # fmt: skip
        if positional or keywords:
            arguments += positional
            arguments += keywords
        return slot

    def mark_calls(self) -> CallMark:
        return len(self.calls), len(self.call_arguments)

    def forget_calls(self, mark: CallMark) -> None:
        """Forget the calls since then: nothing ever runs them."""
        del self.calls[mark[0] :]
        del self.call_arguments[mark[1] :]

    def unreached(self, walk: Callable[[], object]) -> bool:
        """Walk what never runs for what it defines."""
        mark = self.mark_calls()
        walk()
        self.forget_calls(mark)
        return True

    def iterated(self, frame: Frame, line: int, source: int, method: bytes) -> int:
        """Return the slot of one element of what is iterated over by a method; -1 of nothing."""
        if source < 0:
            return -1
        flags = CallFlag.IMPLICIT | CallFlag.ITERATE
        return self.call(frame, line, source, self.name(method), flags=flags)

    def open_generator(self, frame: Frame) -> None:
        """A generator function returns an object that holds what its body yields.

        It is kept under name -1.
        """
        frame.flags |= ScopeFlag.GENERATOR
        frame.globals[-1] = frame
        frame.env[-1] = self.container(frame, ObjectKind.GENERATOR)
        self.copies += (frame.env[-1], frame.ret)

    def finish(self) -> FileFacts:
        return pack_facts(self)
