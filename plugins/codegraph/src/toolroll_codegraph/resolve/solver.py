"""Propagating values through the assignment graph of a whole program.

Every slot keeps a small set of abstract values; a worklist moves what is new in a slot over copy
edges once and wakes the operations that wait for it. Work is bounded: a slot holds at most
`MOST_VALUES` values, an object is made once for each place in the source, and a call enters a
function once.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Container
from typing import Any, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, ObjectKind, Operation, ScopeFlag
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH
from toolroll_codegraph.resolve.calls import Call, Handler, Listener, Rules
from toolroll_codegraph.resolve.findings import FoundEdges, FoundFlow
from toolroll_codegraph.resolve.program import BOUND, CONTAINER, INSTANCE, TEXT, Program

MOST_VALUES: Final = 16
CERTAIN: Final = 3
LIKELY: Final = 2
POSSIBLE: Final = 1
_CALL: Final = Operation.CALL
_LOAD: Final = Operation.LOAD
_SHIFT: Final = Operation.SHIFT
_WIDTH: Final = CallColumn.WIDTH
_NEXT_START: Final = CallColumn.WIDTH + CallColumn.START + 1
_MASK: Final = Operation.MASK
_FIELD_BITS: Final = 32
_FIELD_MASK: Final = (1 << _FIELD_BITS) - 1
_LITERALS: Final = tuple((kind, "literal") for kind in range(ObjectKind.STRING + 1))


class Solver:
    """The slots of a program, their values and the calls found so far."""

    rules: Rules
    """How the program's languages call, read and write values; they are made for a solver."""

    def __init__(self, program: Program, most_definitions: int = MOST_VALUES) -> None:
        self.program = program
        self.operations = program.operations
        self.active = self.operations.active()
        """Slots whose values go somewhere: those of the files, and every one made later."""
        self.points: list[tuple[int, ...] | None] = [None] * program.slots
        self.found_flow = FoundFlow(program.slots)
        self._links = self.found_flow.columns
        self.waiting: list[Listener | list[Listener] | None] = [None] * program.slots
        """What hears of the values of each slot; most slots have one listener or none."""
        self.work: deque[int] = deque()
        """Slots that have values which have not moved on."""
        self.queued = bytearray(program.slots)
        """For each slot whether it is in `work`."""
        self.moved = bytearray(program.slots)
        """How many of the values of each slot have moved on."""
        self.ready: deque[tuple[Listener, tuple[int, ...]]] = deque()
        scopes = program.scopes
        self.singles: list[tuple[int] | None] = [None] * (2 * scopes)
        """The set of each value alone: most slots hold one value, and share such a set."""
        self.room = bytearray([most_definitions] * scopes + [MOST_VALUES] * scopes)
        """How many values a slot may hold and still take this one."""
        self.kind: list[int] = [*program.object_kind, *([INSTANCE] * scopes)]
        self.shared = list(range(max(scopes, max(program.last_line, default=0)) + 1))
        """One integer object for each scope and line: hundreds of thousands of reads and calls hold
        one of both."""
        self.detail: list[Any] = [*self.shared[:scopes], *self.shared[:scopes]]
        self._fields: dict[int, dict[int, int] | int] = {}
        """Field names with slots by owner; the only field of one, as most have, as one number: name
        and slot. A mapping for each would take eight times the memory."""
        self.wildcards: dict[int, list[Listener]] = {}
        self.made: dict[tuple[Any, ...], int] = {}
        self.edges = FoundEdges(scopes)
        self.confidence = CERTAIN
        self.calls: list[Call | None] = [None] * len(self.operations)
        self.calls_open = False
        """Whether calls are entered yet: class hierarchies have to be known before."""
        self.decorated: dict[int, int] = {}
        self.wrappers: Container[int] = ()
        """Functions that are another value for each thing they wrap."""
        self.returned: set[int] = set()
        """Parameters that their function returns as they are: each call gets back its own."""
        self.this_owner: dict[int, int] = {}
        self.setters: frozenset[int] = frozenset(
            program.name(program.texts[program.scope_name[scope]].rpartition(".")[2])
            for scope in range(scopes)
            if program.flags[scope] & ScopeFlag.SETTER
        )
        """Names whose writes may run code."""
        self.mirrors: dict[int, list[Callable[[int, int], None]]] = {}
        """Called with (name, slot) of every field an object gets."""
        self.own_stores: list[tuple[int, int, int]] = []
        """(class, field, source) of stores through a method's own receiver."""
        self.store_done = bytearray(len(self.operations.store_file))
        """Writes that need no flow: those in `own_stores`."""
        self.copy_to: Final[Handler] = self._copy
        """Of a listener `(copy_to, slot)`: listening so is an edge, which takes a tenth of it."""

    # values

    def slot(self) -> int:
        self.points.append(None)
        self.found_flow.add_slot()
        self.waiting.append(None)
        self.active.append(1)
        self.queued.append(0)
        self.moved.append(0)
        return len(self.points) - 1

    def add(self, slot: int, value: int) -> None:
        if slot < 0:
            return
        points = self.points
        current = points[slot]
        if current is None:
            single = self.singles[value]
            if single is None:
                single = self.singles[value] = (value,)
            points[slot] = single
        elif len(current) >= self.room[value] or value in current:
            return
        else:
            points[slot] = (*current, value)
        if self.active[slot] and not self.queued[slot]:
            self.queued[slot] = 1
            self.work.append(slot)

    def alone(self, value: int) -> tuple[int]:
        """The set of one value, which all who need it share."""
        single = self.singles[value]
        if single is None:
            single = self.singles[value] = (value,)
        return single

    def edge(self, source: int, target: int) -> None:
        """Let every value of `source` also be a value of `target`.

        Values that the source has are given on here, those it gets later by `run`.
        """
        if source < 0 or target < 0 or source == target:
            return
        first, following, targets = self._links  # written here: a call would take as long again
        newest = first[source]
        if newest and targets[newest] == target:
            return
        first[source] = len(targets)
        following.append(newest)
        targets.append(target)
        known = self.points[source]
        if known is None:
            self.active[source] = 1
            return
        if not self.active[source]:
            self.active[source] = 1
            self.moved[source] = len(known)
        if len(known) == 1:
            points = self.points
            current = points[target]
            if current is None:
                points[target] = known
            elif len(current) >= self.room[known[0]] or known[0] in current:
                return
            else:
                points[target] = (*current, known[0])
            if self.active[target] and not self.queued[target]:
                self.queued[target] = 1
                self.work.append(target)
        else:
            self._give_all(known, known, target)

    def _give_all(self, new: tuple[int, ...], known: tuple[int, ...], target: int) -> None:
        """Let a slot have new values of another, all of which are known.

        Slots with the same values share one set of them: most of what flows comes to many slots.
        """
        current = self.points[target]
        if current is None:
            self.points[target] = new
        elif current is known:
            return
        else:
            room, size = self.room, len(current)
            kept: list[int] = []
            for value in new:
                if size < room[value] and value not in current:
                    kept.append(value)
                    size += 1
            if not kept:
                return
            self.points[target] = (*current, *kept)
        if self.active[target] and not self.queued[target]:
            self.queued[target] = 1
            self.work.append(target)

    def listen(self, slot: int, listener: Listener) -> None:
        if slot < 0:
            return
        if listener[0] is self.copy_to:
            self.edge(slot, listener[1])
            return
        known = self.points[slot]
        waiting = self.waiting[slot]
        if waiting is None:
            self.waiting[slot] = listener
            if not self.active[slot]:
                self.active[slot] = 1
                if known is not None:
                    self.moved[slot] = len(known)
        elif isinstance(waiting, list):
            waiting.append(listener)
        else:
            self.waiting[slot] = [waiting, listener]
        if known is not None:
            # Queued, not called: handlers listen in turn, and chains of them may be long.
            self.ready.append((listener, known))

    def run(self) -> None:
        """Move values until nothing changes.

        First in, first out: a slot that is full has the values that come from nearest by.
        """
        work, points, waiting, moved = self.work, self.points, self.waiting, self.moved
        first, following, found_targets = self.found_flow.columns
        active, queued, ready, room = self.active, self.queued, self.ready, self.room
        operations, last, give_all = self.operations, self.program.slots, self._give_all
        flow_start, flow = operations.flow_start, operations.flow
        wait_start, wait = operations.wait_start, operations.wait
        calls, calls_open, translate = self.calls, self.calls_open, self.translate
        call_value, call_method = self.rules.call_value, self.rules.call_method
        start_operation = self._start
        while work or ready:
            if ready:
                listener, new = ready.popleft()
                handler = listener[0]
                for value in new:
                    handler(value, listener)
                continue
            slot = work.popleft()
            queued[slot] = 0
            known = points[slot]
            before = moved[slot]
            if known is None or before == len(known):
                continue
            new = known[before:] if before else known
            moved[slot] = len(known)
            targets: list[int] | array[int] | None = None
            if slot < last:
                begin, end = flow_start[slot], flow_start[slot + 1]
                if begin != end:
                    targets = flow[begin:end]
            edge = first[slot]
            if edge:
                targets = [] if targets is None else targets.tolist()
                while edge:
                    targets.append(found_targets[edge])
                    edge = following[edge]
            if targets is not None:
                if len(new) > 1:
                    for target in targets:
                        give_all(new, known, target)
                else:
                    value = new[0]
                    for target in targets:
                        current = points[target]
                        if current is None:
                            points[target] = new
                        elif len(current) >= room[value] or value in current:
                            continue
                        else:
                            points[target] = (*current, value)
                        if active[target] and not queued[target]:
                            queued[target] = 1
                            work.append(target)
            if slot < last:
                begin, end = wait_start[slot], wait_start[slot + 1]
                if begin != end:
                    for entry in wait[begin:end]:
                        if entry & _MASK:
                            start_operation(entry, new)
                        elif calls_open:
                            call = calls[entry >> _SHIFT] or translate(entry >> _SHIFT)
                            answer = call_value if call.name < 0 else call_method
                            for value in new:
                                answer(call, value)
            listeners = waiting[slot]
            if isinstance(listeners, list):
                for listener in listeners[:]:
                    handler = listener[0]
                    for value in new:
                        handler(value, listener)
            elif listeners is not None:
                handler = listeners[0]
                for value in new:
                    handler(value, listeners)

    # objects

    def make(self, kind: int, *detail: Any, room: int = MOST_VALUES) -> int:
        """The object of this kind and detail, made at most once."""
        key = (kind, *detail)
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = len(self.kind)
            self.kind.append(kind)
            self.detail.append(detail)
            self.singles.append(None)
            self.room.append(room)
        return found

    def literal(self, kind: int) -> int:
        """A new container; each place in the source that makes one does it once."""
        self.kind.append(CONTAINER)
        self.detail.append(_LITERALS[kind])
        self.singles.append(None)
        self.room.append(MOST_VALUES)
        return len(self.kind) - 1

    def bound(self, function: int, receiver: int) -> int:
        return self.make(BOUND, function, receiver, room=self.room[function])

    def text(self, name: int) -> int:
        return self.make(TEXT, name)

    def key_name(self, value: int) -> int:
        """The name that a constant text is."""
        name: int = self.detail[value][0]
        return name

    def key_text(self, value: int) -> str:
        return self.program.texts[self.key_name(value)]

    def container(self, key: tuple[Any, ...], kind: int) -> int:
        return self.make(CONTAINER, kind, *key)

    def field(self, owner: int, name: int) -> int:
        """The slot of a field, made on demand; readers of any field of the owner see it too."""
        fields = self._fields.get(owner)
        if fields is None:
            slot = self.slot()
            self._fields[owner] = name << _FIELD_BITS | slot
        else:
            if isinstance(fields, int):
                if fields >> _FIELD_BITS == name:
                    return fields & _FIELD_MASK
                fields = self._fields[owner] = self.fields_of(owner)
            slot = fields.get(name)
            if slot is not None:
                return slot
            slot = fields[name] = self.slot()
        for listener in self.wildcards.get(owner, ()):
            self.listen(slot, listener)
        for mirror in self.mirrors.get(owner, ()):
            mirror(name, slot)
        return slot

    def with_fields(self) -> list[int]:
        """Every object that has a field."""
        return list(self._fields)

    def fields_of(self, owner: int) -> dict[int, int]:
        """The slots of an object's fields by name; not to be changed."""
        fields = self._fields.get(owner)
        if fields is None:
            return {}
        if isinstance(fields, int):
            return {fields >> _FIELD_BITS: fields & _FIELD_MASK}
        return fields

    def mirror(self, owner: int, receive: Callable[[int, int], None]) -> None:
        """Report every field that an object has now or gets later."""
        self.mirrors.setdefault(owner, []).append(receive)
        for name, slot in list(self.fields_of(owner).items()):
            receive(name, slot)

    def every_field(self, owner: int, listener: Listener) -> None:
        self.wildcards.setdefault(owner, []).append(listener)
        for slot in list(self.fields_of(owner).values()):
            self.listen(slot, listener)

    def release(self) -> None:
        """Give back what only resolving needs: rules and solver hold each other, and collecting
        them would take longer than to resolve again."""
        for held in (
            self.points, self.waiting, self.calls, self.detail, self.made,
            self._fields, self.wildcards, self.mirrors,
        ):  # fmt: skip
            held.clear()

    def _copy(self, value: int, listener: Listener) -> None:
        self.add(listener[1], value)

    # calls

    def _start(self, entry: int, values: tuple[int, ...]) -> None:
        """Let a read or write of a file see new values."""
        operation = entry >> _SHIFT
        program, operations = self.program, self.operations
        if entry & _MASK == _LOAD:
            index = operations.load_file[operation]
            start = operation * LOAD_WIDTH
            target, _, name, scope, line = operations.loads[start : start + LOAD_WIDTH]
            name = program.renames[index][name]
            target += program.slot_base[index]
            scope = self.shared[scope + program.scope_base[index]]
            line = self.shared[line]
            load = self.rules.load
            for value in values:
                load(value, name, target, scope, line)
            return
        if self.store_done[operation]:
            return
        index = operations.store_file[operation]
        start = operation * STORE_WIDTH
        _, name, source, scope, line = operations.stores[start : start + STORE_WIDTH]
        name = program.renames[index][name]
        if source >= 0:
            source += program.slot_base[index]
        elif name not in self.setters:
            return
        scope += program.scope_base[index]
        for value in values:
            self.rules.store(value, name, source, scope, line)

    def translate(self, identifier: int) -> Call:
        """The call of this number, with the program's numbers in it."""
        call = self.calls[identifier]
        if call is not None:
            return call
        operations, program = self.operations, self.program
        index = operations.call_file[identifier]
        base, rename = program.slot_base[index], program.renames[index]
        row = identifier * _WIDTH
        # Up to where the arguments of the next call begin.
        result, scope, line, _, name, flags, begin, count, *_, end = operations.calls[
            row : row + _NEXT_START
        ]
        positional: tuple[int, ...] = ()
        keywords: tuple[int, ...] = ()
        if begin != end:
            positional, keywords = operations.arguments_in(begin, count, end, base, rename)
        result += base
        if flags & CallFlag.DECORATOR:
            # What a decorator returns is looked at before it replaces what it decorates.
            result = self.decorated[identifier] = self.slot()
        found = self.calls[identifier] = Call(
            result,
            self.shared[scope + program.scope_base[index]],
            self.shared[line],
            rename[name] if name >= 0 else -1,
            positional,
            keywords,
            flags,
        )
        return found

    def answer(self, call: Call, value: int) -> None:
        """Call what a value of a call's source is, or its method."""
        (self.rules.call_value if call.name < 0 else self.rules.call_method)(call, value)

    def derived_call(
        self, call: Call, result: int, positional: tuple[int, ...], name: int = -1
    ) -> Call:
        """A call made on behalf of another at the same place (callbacks, protocols)."""
        return Call(result, call.scope, call.line, name, positional, (), CallFlag.IMPLICIT)

    def record(self, scope: int, callee: int, line: int) -> None:
        """Note that the function around `scope` calls `callee`."""
        self.edges.add(self.program.caller[scope], callee, line, self.confidence)

    def give(self, call: Call, source: int, parameter: int) -> None:
        """Pass an argument; a parameter that is returned comes back to this call alone."""
        self.edge(source, parameter)
        if parameter in self.returned:
            self.edge(source, call.result)
