"""What a Ruby method returns that depends on who calls it.

`def make(kind) = kind.new` and `def measure = yield` give each caller something else. Of such a
method the calls that its result comes from are noted, and a slot for all else that it returns, so
that they can be made again for each call of the method, with its arguments. Noted likewise are its
receiver's variables that it returns, which subclasses may have for themselves, and the calls of its
block: `yield new` gives each caller's block something else too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolroll_codegraph.facts import (
    CallColumn,
    CallFlag,
    FactBuilder,
    Frame,
    ParamKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.facts.columns import handed_on
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH, Answer

_MOST_CALLS: Final = 6
"""Calls of one method that are made again."""
_WIDTH: Final = CallColumn.WIDTH
_SPLATS: Final = (ParamKind.REST, ParamKind.KEYWORDS)
_ELEMENTWISE: Final = frozenset((b"map", b"collect", b"flat_map", b"filter_map", b"each"))
"""Their results are those of their block, which stands in the method unless it is handed on."""


def find_answers(builder: FactBuilder) -> None:
    """Add a relation for each call whose result a method returns to its own callers alone."""
    finder = _Answers(builder)
    for frame in builder.frames:
        if (
            frame.kind == ScopeKind.FUNCTION
            and frame.ret >= 0
            and (frame.index in finder.calls or frame.index in finder.reads)
        ):
            finder.split(frame)


class _Answers:
    def __init__(self, builder: FactBuilder) -> None:
        self.builder = builder
        self.names: list[bytes] = list(builder.name_ids)
        self._methods: list[int] = []
        self._given: dict[int, int] = {}
        """Slot of a receiver or parameter → its method."""
        for frame in builder.frames:
            self._methods.append(self._around(frame))
            if frame.kind == ScopeKind.FUNCTION:
                for _, slot, shape in frame.params:
                    if shape not in _SPLATS:
                        self._given[slot] = frame.index
                if frame.this >= 0:
                    self._given[frame.this] = frame.index
        self._block_slots = {
            slot: frame.index
            for frame in builder.frames
            if frame.kind == ScopeKind.FUNCTION
            for _, slot, shape in frame.params
            if shape == ParamKind.BLOCK
        }
        self.calls: dict[int, dict[int, int]] = {}
        """Method → slot of a result that depends on what it is given → place of the call."""
        stored = self._stored()
        calls = builder.calls
        for start in range(0, len(calls), _WIDTH):
            method = self._methods[calls[start + CallColumn.SCOPE]]
            own = (
                calls[start] not in stored or calls[start + CallColumn.SOURCE] in self._block_slots
            )
            if method >= 0 and own and self._depends(start, method):
                self.calls.setdefault(method, {})[calls[start]] = start
        self.reads: dict[int, dict[int, int]] = {}
        """Method → slot of what it reads from, or writes to, a variable of its receiver → which."""
        receivers = {frame.this: frame.index for frame in builder.frames
                     if frame.kind == ScopeKind.FUNCTION and frame.this >= 0}  # fmt: skip
        variables = {number for number, text in enumerate(self.names) if text[:1] == b"@"}
        loads, stores = builder.loads, builder.stores
        for start in range(0, len(loads), LOAD_WIDTH):
            target, source, name = loads[start : start + 3]
            if source in receivers and name in variables:
                self.reads.setdefault(receivers[source], {})[target] = name
        for start in range(0, len(stores), STORE_WIDTH):
            target, name, source = stores[start : start + 3]
            if target in receivers and name in variables and source in stored:
                self.reads.setdefault(receivers[target], {}).setdefault(source, name)
        self._blocks = self._find_blocks()
        self._before: dict[int, list[int]] = {}
        self._others: set[int] = set()
        if self.calls or self.reads:
            self._trace()

    def _stored(self) -> set[int]:
        """The slots of what is stored, but for what classes keep of what they call themselves."""
        builder = self.builder
        classes = {
            frame.this
            for frame in builder.frames
            if frame.kind == ScopeKind.FUNCTION and frame.flags & ScopeFlag.SINGLETON
        }
        stores = builder.stores
        rows = zip(*(stores[column::STORE_WIDTH] for column in range(3)), strict=True)
        return {
            source
            for target, name, source in rows
            if target not in classes or self.names[name][:1] != b"@"
        }

    def _around(self, frame: Frame) -> int:
        """The method that code belongs to, -1 outside of methods."""
        if frame.kind == ScopeKind.LAMBDA and frame.flags & ScopeFlag.BLOCK and frame.parent:
            return self._methods[frame.parent.index]
        return frame.index if frame.kind == ScopeKind.FUNCTION else -1

    def _depends(self, start: int, method: int) -> bool:
        calls = self.builder.calls
        name, flags = calls[start + CallColumn.NAME], calls[start + CallColumn.FLAGS]
        if flags & CallFlag.IMPLICIT:
            return False
        elementwise = flags & CallFlag.BLOCK and self.names[name] in _ELEMENTWISE
        if elementwise and self._positional(start)[-1] not in self._block_slots:
            return False
        known = self.calls.get(method, {})
        return any(
            slot in known or self._given.get(slot, -1) == method for slot in self._used(start)
        )

    def _find_blocks(self) -> dict[int, list[int]]:
        """Method → the results of the calls of its block, where it does nothing else with that.

        Calls that the block is handed on to as a block are among them.
        """
        builder, calls, blocks = self.builder, self.builder.calls, self._block_slots
        if not blocks:
            return {}
        found: dict[int, list[int]] = {}
        kept: set[int] = set()
        for start in range(0, len(calls), _WIDTH):
            source, *given = self._used(start)
            if source not in blocks and blocks.keys().isdisjoint(given):
                continue
            if source in blocks and source not in given:
                slot = source
            else:
                slot = next(item for item in given if item in blocks)
                passed = self._positional(start)[-1:] == [slot] and given.count(slot) == 1
                if not (passed and calls[start + CallColumn.FLAGS] & CallFlag.BLOCK):
                    kept.add(blocks[slot])
            if calls[start] not in self.calls.get(blocks[slot], ()):
                kept.add(blocks[slot])
            found.setdefault(blocks[slot], []).append(calls[start])
        if found:
            kept.update(blocks.get(slot, -1) for slot in (
                *builder.copies[0::2], *builder.loads[1::LOAD_WIDTH],
                *builder.stores[2::STORE_WIDTH],
                *(used for row in builder.relations for used in handed_on(row, "ruby")),
            ))  # fmt: skip
        return {method: results for method, results in found.items() if method not in kept}

    def _positional(self, start: int) -> list[int]:
        calls = self.builder.calls
        begin = calls[start + CallColumn.START]
        return [*self.builder.call_arguments[begin : begin + calls[start + CallColumn.POSITIONAL]]]

    def _used(self, start: int) -> Iterator[int]:
        """The receiver and the arguments of a call."""
        calls, arguments = self.builder.calls, self.builder.call_arguments
        yield calls[start + CallColumn.SOURCE]
        begin = calls[start + CallColumn.START]
        named = begin + calls[start + CallColumn.POSITIONAL]
        following = start + _WIDTH + CallColumn.START
        end = calls[following] if following < len(calls) else len(arguments)
        yield from arguments[begin:named]
        yield from arguments[named + 1 : end : 2]

    def _trace(self) -> None:
        """Note where values come from, and which slots have some that are nobody's copies."""
        builder, others = self.builder, self._others
        pairs = iter(builder.copies)
        for source, target in zip(pairs, pairs, strict=True):
            self._before.setdefault(target, []).append(source)
        for frame in builder.frames:
            others.update((frame.this, frame.value, *frame.members.values()))
            others.update(slot for _, slot, _ in frame.params)
        others.update(builder.calls[CallColumn.RESULT :: _WIDTH])
        others.update(builder.loads[0::LOAD_WIDTH])
        others.update(builder.objects[0::3])
        others.update(builder.constants[0::2])
        others.update(builder.types[0::3])
        others.update(row[0] for row in builder.imports)
        others.update(row[3] for row in builder.relations)

    def split(self, frame: Frame) -> None:
        builder, known = self.builder, self.calls.get(frame.index, {})
        before, others = self._before, self._others
        reads, read = self.reads.get(frame.index, {}), list[int]()
        made: list[int] = []
        rest: dict[int, None] = {}
        pending, seen = [frame.ret], {frame.ret}
        while pending:
            slot = pending.pop()
            for source in before.get(slot, ()):
                first = builder.origin(source)
                if first in seen:
                    continue
                seen.add(first)
                if first in known:
                    made.append(first)
                elif slot == frame.ret and self._given.get(first, -1) == frame.index:
                    continue  # each call gets back what it gives
                elif first in reads:
                    read.append(first)
                elif first in before and first not in others:
                    pending.append(first)
                else:
                    rest[first] = None
        blocks = self._blocks.get(frame.index, [])
        needed, every = self._needed(made, known), self._needed([*made, *blocks], known)
        apart = bool(blocks) and len(every) <= _MOST_CALLS
        if not (made or read or apart) or len(needed) > _MOST_CALLS:
            return
        own = builder.slot()
        for source in rest:
            builder.copies += (source, own)
        for slot in sorted(read):
            builder.relations.append(("reads", frame.index, own, reads[slot], slot))
        for slot in sorted(every if apart else needed):
            place = known[slot] // _WIDTH
            why = Answer.RETURNED if slot in made else 0
            why |= 0 if slot in needed else Answer.FOR_BLOCK
            why |= Answer.BLOCK if apart and slot in blocks else 0
            builder.relations.append(("answer", frame.index, own, place, why))

    def _needed(self, made: list[int], known: dict[int, int]) -> set[int]:
        """Results, with those of the same method that the calls for them use."""
        needed: set[int] = set()
        pending = made[:]
        while pending:
            slot = pending.pop()
            if slot not in needed:
                needed.add(slot)
                pending += [used for used in self._used(known[slot]) if used in known]
        return needed
