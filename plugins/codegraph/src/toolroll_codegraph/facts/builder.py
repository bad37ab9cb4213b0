"""Building the facts of one file while a language module walks its syntax tree.

Local variables are versioned as in single static assignment: a name maps to the slot of its
current value, branches join in a fresh slot, and only names that a nested function captures
get a summary slot. Straight-line code is therefore resolved flow-sensitively at no later cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from toolroll_codegraph.facts.model import (
    FACTS_VERSION,
    LOAD_WIDTH,
    STORE_WIDTH,
    CallColumn,
    CallFlag,
    FileFacts,
    ImportRow,
    Operation,
    ParamKind,
    RelationRow,
    ScopeKind,
    TypeHint,
)
from toolroll_codegraph.facts.packing import group, pack_numbers

UNKNOWN: Final = -1


class Frame:
    """One scope while it is walked."""

    __slots__ = (
        "bases",
        "declared",
        "end",
        "env",
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
        self.fresh: dict[int, tuple[int, int]] = {}
        """Name → (slot, how many loops were open) of bindings made in loops on every path."""
        self.lambdas = 0
        self.state = 0


class FactBuilder:
    """Collects slots, operations and scopes of one file."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.name_ids: dict[bytes, int] = {}
        self.slots = 0
        self.frames: list[Frame] = []
        self.copies: list[int] = []
        self.loads: list[int] = []
        self.stores: list[int] = []
        self.dynamic: list[int] = []
        self.calls: list[int] = []
        self.call_arguments: list[int] = []
        self.objects: list[int] = []
        self.constants: list[int] = []
        self.imports: list[ImportRow] = []
        self.free: dict[int, int] = {}
        self.relations: list[RelationRow] = []
        self.types: list[int] = []
        self.narrowed: dict[int, int] = {}
        """Slots of variables where a condition tells their class, with their names."""
        self.exported: list[int] = []
        self.open_slots: set[int] = set()
        """Values not known where a name is declared: what inner scopes assign reaches them."""
        self.deferred: list[Callable[[], None]] = []
        self.parse_errors = 0
        self._load_cache: dict[tuple[int, int, int], int] = {}

    # names, slots, scopes

    def name(self, text: bytes) -> int:
        ids = self.name_ids
        found = ids.get(text)
        if found is None:
            found = ids[text] = len(ids)
        return found

    def slot(self) -> int:
        slot = self.slots
        self.slots = slot + 1
        return slot

    def open_slot(self) -> int:
        """The slot of a variable declared empty, which a function inside may fill."""
        slot = self.slot()
        self.open_slots.add(slot)
        return slot

    def open_frame(self, kind: int, name: int, parent: Frame | None, line: int) -> Frame:
        frame = Frame(len(self.frames), kind, name, parent, line)
        frame.value = self.slot()
        self.frames.append(frame)
        return frame

    def lambda_name(self, frame: Frame) -> int:
        frame.lambdas += 1
        return self.name(b"<lambda%d>" % frame.lambdas)

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

    # variables

    def assign(self, frame: Frame, name: int, slot: int) -> None:
        """Bind a name: strong in straight-line code, joined where branches meet."""
        target = frame.globals.get(name)
        if target is not None and target is not frame:
            self._assign_outer(target, name, slot)
            return
        env = frame.env
        frame.journal.append((name, env.get(name)))
        env[name] = slot
        versions = frame.versions.get(name)
        if versions is None:
            versions = frame.versions[name] = []
        if slot >= 0:
            versions.append(slot)
            if frame.loops:
                frame.fresh[name] = slot, len(frame.loops)

    def _assign_outer(self, target: Frame, name: int, slot: int) -> None:
        versions = target.versions.setdefault(name, [])
        if slot < 0:
            return
        for known in versions:
            if known in self.open_slots:
                self.copies += (slot, known)
        summary = target.summaries.get(name)
        if summary is None:
            versions.append(slot)
        elif summary < 0:
            target.summaries[name] = slot
        else:
            self.copies += (slot, summary)

    def read(self, frame: Frame, name: int) -> int:
        """The slot a name stands for here; names bound nowhere become free slots."""
        slot = frame.env.get(name)
        if slot is not None:
            return self._through_loops(frame, name, slot) if frame.loops else slot
        if frame.kind == ScopeKind.CLASS and frame.parent is not None:
            return self.read(frame.parent, name)  # a class body runs in line
        scope: Frame | None = frame.globals.get(name) or frame.parent
        while scope is not None:
            if scope.kind != ScopeKind.CLASS and name in scope.versions:
                return self.summary(scope, name)
            scope = scope.parent
        slot = self.free.get(name)
        if slot is None:
            slot = self.free[name] = self.slot()
        return slot

    def _through_loops(self, frame: Frame, name: int, slot: int) -> int:
        """What a name may be where a loop begins anew, unless it was bound since."""
        fresh = frame.fresh.get(name)
        start = fresh[1] if fresh is not None and fresh[0] == slot else 0
        for phis in frame.loops[start:]:
            if name not in phis:
                phi = self.slot()
                if slot >= 0:
                    self.copies += (slot, phi)
                phis[name] = phi
                frame.env[name] = slot = phi
                frame.journal.append((name, phi))
                if start:
                    frame.fresh[name] = phi, start
            else:
                slot = frame.env[name]
        return slot

    def summary(self, frame: Frame, name: int) -> int:
        """One slot for every value a name ever has in a scope."""
        slot = frame.summaries.get(name)
        if slot is None:
            slot = self.join(frame.versions[name])
            if slot < 0:
                slot = self.slot()
            frame.summaries[name] = slot
        return slot

    def join(self, slots: Iterable[int]) -> int:
        distinct = sorted({slot for slot in slots if slot >= 0})
        if not distinct:
            return UNKNOWN
        if len(distinct) == 1:
            return distinct[0]
        joined = self.slot()
        for slot in distinct:
            self.copies += (slot, joined)
        return joined

    # control flow

    def branch(self, frame: Frame, walk: Callable[[], bool]) -> dict[int, int] | None:
        """Walk one alternative, undo its bindings and return them; None when it never ends."""
        journal, env = frame.journal, frame.env
        mark = len(journal)
        ends = walk()
        changed: dict[int, int] = {}
        for name, old in reversed(journal[mark:]):
            if name not in changed:
                changed[name] = env[name]
            if old is None:
                env.pop(name, None)
            else:
                env[name] = old
        del journal[mark:]
        return None if ends else changed

    def told(self, value: int, classes: list[int]) -> int:
        """The slot of a value where a condition tells its class; -1 is a value not known."""
        slot = self.slot()
        if value >= 0:
            self.copies += (value, slot)
        for known in classes:
            self.types += (slot, known, TypeHint.DECLARED)
        return slot

    def forget(self, branch: dict[int, int] | None) -> None:
        """What a condition told of a variable holds inside of its branch only."""
        if branch and self.narrowed:
            for name, slot in list(branch.items()):
                if self.narrowed.get(slot) == name:
                    del branch[name]

    def merge(self, frame: Frame, branches: list[dict[int, int] | None]) -> None:
        """Join the alternatives: each name gets one slot for all the values it may have."""
        live = [branch for branch in branches if branch is not None]
        if not live:
            return
        names: dict[int, None] = {}
        for branch in live:
            for name in branch:
                names[name] = None
        env = frame.env
        for name in names:
            frame.fresh.pop(name, None)
            before = env.get(name)
            slots = [branch.get(name, UNKNOWN if before is None else before) for branch in live]
            joined = self.join(slots)
            if joined != before:
                frame.journal.append((name, before))
                env[name] = joined

    def open_loop(self, frame: Frame) -> None:
        frame.loops.append({})

    def close_loop(self, frame: Frame) -> None:
        env = frame.env
        for name, phi in frame.loops.pop().items():
            current = env.get(name, UNKNOWN)
            if current >= 0 and current != phi:
                self.copies += (current, phi)

    # operations

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

    def iterated(self, frame: Frame, line: int, source: int, method: bytes) -> int:
        """Return the slot of one element of what is iterated over by a method; -1 of nothing."""
        if source < 0:
            return -1
        flags = CallFlag.IMPLICIT | CallFlag.ITERATE
        return self.call(frame, line, source, self.name(method), flags=flags)

    def finish(self) -> FileFacts:
        for frame in self.frames:
            if frame.kind in (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.NAMESPACE):
                last_wins = self.language == "python" and frame.kind == ScopeKind.CLASS
                for name in frame.versions:
                    if name not in frame.members:
                        # Nothing reads a Python class before its body has run to the end.
                        last = frame.env.get(name, UNKNOWN) if last_wins else UNKNOWN
                        frame.members[name] = last if last >= 0 else self.summary(frame, name)
        scopes = [
            (
                int(frame.kind),
                frame.name,
                frame.parent.index if frame.parent else -1,
                frame.line,
                frame.end,
                int(frame.flags),
                frame.this,
                frame.ret,
                tuple(frame.params),
                tuple(frame.bases),
                tuple(frame.members.items()),
                frame.value,
            )
            for frame in self.frames
        ]
        returned, copies = self._split_copies()
        flow_counts, flow = group(copies[0::2], copies[1::2], self.slots)
        wait_counts, waits = self._waits()
        return FileFacts(
            version=FACTS_VERSION,
            language=self.language,
            names=[text.decode("utf-8", "replace") for text in self.name_ids],
            slots=self.slots,
            scopes=scopes,
            flow_counts=flow_counts,
            flow=flow,
            wait_counts=wait_counts,
            waits=waits,
            returned=pack_numbers(returned),
            loads=pack_numbers(self.loads),
            stores=pack_numbers(self.stores),
            dynamic=pack_numbers(self.dynamic),
            calls=pack_numbers(self.calls),
            arguments=pack_numbers(self.call_arguments),
            objects=pack_numbers(self.objects),
            constants=pack_numbers(self.constants),
            imports=self.imports,
            free=pack_numbers([item for pair in self.free.items() for item in pair]),
            relations=self.relations,
            types=pack_numbers(self.types),
            exported=self.exported,
            parse_errors=self.parse_errors,
        )

    def _split_copies(self) -> tuple[list[int], list[int]]:
        """Parameters that are returned as they are, and the copies that are nothing of this."""
        passed: dict[int, int] = {}
        for frame in self.frames:
            if frame.ret >= 0:
                for _, slot, shape in frame.params:
                    if shape == ParamKind.POSITIONAL or shape == ParamKind.KEYWORD:
                        passed[slot] = frame.ret
                if frame.this >= 0:
                    passed[frame.this] = frame.ret
        returned: dict[int, None] = {}
        copies: list[int] = []
        pairs = iter(self.copies)
        for source, target in zip(pairs, pairs, strict=True):
            if passed.get(source) == target:
                returned[source] = None
            else:
                copies += (source, target)
        return list(returned), copies

    def _waits(self) -> tuple[bytes, bytes]:
        """The operations that each slot's values start."""
        step = 1 << Operation.SHIFT
        sources: list[int] = []
        entries: list[int] = []
        for column, kind in (
            (self.loads[1::LOAD_WIDTH], Operation.LOAD),
            (self.stores[0::STORE_WIDTH], Operation.STORE),
            (self.calls[CallColumn.SOURCE :: CallColumn.WIDTH], Operation.CALL),
        ):
            sources += column
            entries += range(kind, kind + len(column) * step, step)
        return group(sources, entries, self.slots)
