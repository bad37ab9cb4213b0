"""The objects that values stand for: what they are, and their fields."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.program import (
    BOUND,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    TEXT,
    WRAPPED,
)
from toolroll_codegraph.resolve.slots import MOST_VALUES, Slots

_FIELD_BITS: Final = 32
_FIELD_MASK: Final = (1 << _FIELD_BITS) - 1
_FEW: Final = 5
"""Among so many fields one is found about as fast as in a mapping."""
_DEEPEST_WRAPPER: Final = 50
"""Wrappers around each other; nobody writes so many decorators."""
EXTENDED: Final = "extended"
"""In the detail of a container: an object from outside, and what it is given here."""
_LITERALS: Final = tuple((kind, "literal") for kind in range(ObjectKind.CALLABLE + 1))


class Objects(Slots):
    """Slots, and the objects in them; an object's fields are slots again."""

    def __init__(
        self, active: bytearray, kinds: Sequence[int], numbers: Sequence[int], room: int
    ) -> None:
        """Begin with one object for each scope, of these kinds, and one for an instance of it.

        `numbers` are those of the scopes; a slot holds at most `room` scopes.
        """
        scopes = len(kinds)
        super().__init__(active, bytearray([room] * scopes + [MOST_VALUES] * scopes))
        self.kind = bytearray([*kinds, *([INSTANCE] * scopes)])
        self.detail: list[Any] = [*numbers, *numbers]
        self._fields: dict[int, dict[int, int] | array[int] | int] = {}
        """Field names with slots by owner; of few fields, as most have, each is one number, of name
        and slot. A mapping for each would take three to eight times the memory."""
        self._pools: dict[int, int] = {}
        """Of the objects that are read as a whole the slot that all their fields flow into."""
        self.wildcards: dict[int, list[Listener]] = {}
        self.mirrors: dict[int, list[Callable[[int, int], None]]] = {}
        """Called with (name, slot) of every field an object gets."""
        self.made: defaultdict[int, dict[tuple[Any, ...], int]] = defaultdict(dict)
        """Kind → detail → the object of both."""
        self.texts_flow = True
        """Whether the texts of the source are values: in the largest programs they are not."""
        self.telling: Set[int] = frozenset()
        """Names that stand for what is called by them: there may be as many as definitions."""
        self.behaving: Set[int] = frozenset()
        """Slots of literals that have methods: there may be as many of these too."""
        self.most_definitions = room

    def make(self, kind: int, *detail: Any, room: int = 0) -> int:
        """The object of this kind and detail, made at most once."""
        known = self.made[kind]
        found = known.get(detail)
        if found is None:
            found = known[detail] = len(self.kind)
            self.kind.append(kind)
            self.detail.append(detail)
            self.singles.append(None)
            self.room.append(room or self.most_others)
        return found

    def literal(self, kind: int, slot: int = -1) -> int:
        """A new container; each place in the source, a slot, that makes one does it once.

        Texts of which nothing is known are all the same.
        """
        if kind == ObjectKind.STRING:
            return self.container(_LITERALS[kind][1:], kind)
        self.kind.append(CONTAINER)
        self.detail.append(_LITERALS[kind])
        self.singles.append(None)
        self.room.append(self.most_definitions if slot in self.behaving else self.most_others)
        return len(self.kind) - 1

    def bound(self, function: int, receiver: int) -> int:
        return self.make(BOUND, function, receiver, room=self.room[function])

    def wrapped(self, wrapper: int, value: int) -> int:
        """A wrapper around a value; around too many others it is the value."""
        inner, depth = value, 0
        while self.kind[inner] == WRAPPED:
            inner, depth = self.detail[inner][1], depth + 1
        if depth == _DEEPEST_WRAPPER:
            return value
        return self.make(WRAPPED, wrapper, value, room=self.room[wrapper])

    def innermost(self, value: int) -> int:
        """What is in a wrapper, and in the wrappers in it; of anything else the value."""
        while self.kind[value] == WRAPPED:
            value = self.detail[value][1]
        return value

    def functions(self, slot: int) -> list[int]:
        """The functions that are known to be in a slot; none without one."""
        values = self.points[slot] if slot >= 0 else ()
        return [value for value in values or () if self.kind[value] == FUNCTION]

    def is_unknown(self, slot: int) -> bool:
        """Whether a slot has nothing, or only what the project does not define."""
        kind = self.kind
        return all(kind[value] == EXTERNAL for value in self.points[slot] or ())

    def text(self, name: int) -> int:
        room = self.most_definitions if name in self.telling else 0
        return self.make(TEXT, name, room=room)

    def key_name(self, value: int) -> int:
        """The name that a constant text is."""
        name: int = self.detail[value][0]
        return name

    def container(self, key: tuple[Any, ...], kind: int) -> int:
        return self.make(CONTAINER, kind, *key)

    def field(self, owner: int, name: int) -> int:
        """The slot of a field, made on demand; readers of any field of the owner see it too."""
        fields = self._fields.get(owner)
        if type(fields) is dict:
            slot = fields.get(name)
            if slot is not None:
                return slot
            slot = fields[name] = self.slot()
        elif fields is None:
            slot = self.slot()
            self._fields[owner] = name << _FIELD_BITS | slot
        else:
            known = (fields,) if isinstance(fields, int) else fields
            for field in known:
                if field >> _FIELD_BITS == name:
                    return field & _FIELD_MASK
            slot = self.slot()
            if len(known) == _FEW:
                self._fields[owner] = {**self.fields_of(owner), name: slot}
            else:
                self._fields[owner] = array("q", [*known, name << _FIELD_BITS | slot])
        for listener in self.wildcards.get(owner, ()):
            self.listen(slot, listener)
        for mirror in self.mirrors.get(owner, ()):
            mirror(name, slot)
        return slot

    def slots_named(self, name: int) -> Iterator[int]:
        """The slots of the fields of one name that any objects have."""
        for fields in self._fields.values():
            if isinstance(fields, dict):
                if name in fields:
                    yield fields[name]
            else:
                for field in (fields,) if isinstance(fields, int) else fields:
                    if field >> _FIELD_BITS == name:
                        yield field & _FIELD_MASK

    def with_fields(self) -> list[int]:
        """Every object that has a field."""
        return list(self._fields)

    def fields_of(self, owner: int) -> dict[int, int]:
        """The slots of an object's fields by name; not to be changed."""
        fields = self._fields.get(owner)
        if fields is None:
            return {}
        if isinstance(fields, dict):
            return fields
        known = (fields,) if isinstance(fields, int) else fields
        return {field >> _FIELD_BITS: field & _FIELD_MASK for field in known}

    def mirror(self, owner: int, receive: Callable[[int, int], None]) -> None:
        """Report every field that an object has now or gets later."""
        self.mirrors.setdefault(owner, []).append(receive)
        for name, slot in list(self.fields_of(owner).items()):
            receive(name, slot)

    def every_field(self, owner: int, listener: Listener) -> None:
        """Let a listener hear of what is in any field that an object has now or gets later.

        Those that only copy share one slot: an edge from each field to each of them takes a tenth
        of the time and memory of resolving Rails.
        """
        if listener[0] is self.copy_to:
            pool = self._pools.get(owner)
            if pool is not None:
                self.edge(pool, listener[1])
                return
            pool = self._pools[owner] = self.slot()
            self.edge(pool, listener[1])
            listener = (self.copy_to, pool)
        self.wildcards.setdefault(owner, []).append(listener)
        for slot in list(self.fields_of(owner).values()):
            self.listen(slot, listener)
