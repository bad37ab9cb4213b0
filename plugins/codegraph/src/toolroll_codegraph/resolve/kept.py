"""What the constructor of a base class keeps of its arguments: for each subclass its own.

`super().__init__(run=self.start)` runs code that all subclasses share. Were what it keeps one
attribute of the base class, each of them would call what any of them has handed over. An attribute
that a constructor sets to a parameter as it is is therefore one for each subclass that may hand
over something of its own: one with a constructor, or one that is made with the arguments of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from toolroll_codegraph.facts import CallFlag, Operation, ParamKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver

_NAMED: Final = (ParamKind.POSITIONAL, ParamKind.KEYWORD, ParamKind.UNNAMED)
_NOWHERE: Final = 1 << 16
"""The position of what is given by name alone."""
_MOST_SUBCLASSES: Final = 96
_PassOn = Callable[[int, int, int], None]
"""Given the slots of an argument, of the parameter and of the attribute."""
_Written = Callable[[Mapping[int, int]], Iterable[tuple[int, int, int]]]
"""Given constructors and the classes of these: class, attribute and slot of what is assigned."""
_Stores = dict[int, dict[int, list[int]]]
"""Class → attribute → the slots of what its methods assign to it."""


class _Kept(msgspec.Struct):
    """An attribute that holds what a parameter is given."""

    name: int
    position: int
    parameter: int
    """The name of the parameter."""
    slot: int
    """The slot of the parameter."""
    base: int
    """The class whose constructor assigns it."""
    others: list[int]
    """The slots of all else that the class assigns to it."""


class Kept:
    """The attributes of subclasses that a constructor of a base class fills."""

    def __init__(
        self, solver: Solver, classes: Classes, init: int, *,
        implicit: bool = False, pass_on: _PassOn | None = None, written: _Written | None = None,
    ) -> None:  # fmt: skip
        """Keep what constructors are given, which have a name in common.

        Their first parameter is the object itself, unless that is `implicit`. What a parameter lets
        through of an argument is `pass_on`'s to tell; `written`'s, what they assign by calls.
        """
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.init = init
        self._first = 0 if implicit else 1
        self._pass_on: _PassOn = pass_on or self._pass_all
        self._written = written
        self.fields: dict[int, list[_Kept]] = {}
        """Constructor → what it keeps."""
        self.by_value: dict[int, int] = {}
        """Slot that a constructor is in → the constructor, of those that keep something."""
        self._sources: set[int] = set()
        """The slots of the parameters that are kept."""
        self._handed_on: set[tuple[int, int]] = set()
        """(constructor, attribute) of what a constructor only hands on to that of a base class."""
        self._slots: dict[int, int] = {}
        """Slot of the attribute of a subclass → slot of that of the nearest class above it."""
        self._owners: dict[int, tuple[int, int]] = {}
        """Slot of the attribute of a subclass → that class, slot of that of the base class."""
        self._filled: set[int] = set()
        self._defaults: dict[int, int] = {}
        """Slot of a parameter → slot of what it is where it is not given."""

    def find(self) -> None:
        """Give subclasses such attributes before anything looks them up."""
        program, constructors = self.program, self._constructors()
        stores = self._stores(constructors)
        for owner, scope in constructors.items():
            if owner in stores:
                self._find(scope, owner, stores[owner], stores)
        if not self.fields:
            return
        for owner in sorted(constructors, key=lambda owner: len(self.classes.order(owner))):
            self._follow(constructors[owner], owner, stores)
        for index, facts in enumerate(program.facts):
            slots = program.slot_base[index]
            for kind, _, _, parameter, default in facts.relations:
                if kind == "default":
                    self._defaults[parameter + slots] = default + slots

    def _constructors(self) -> dict[int, int]:
        """Class with subclasses → its constructor."""
        program, found = self.program, dict[int, int]()
        for scope in range(program.scopes):
            owner = self.solver.this_owner.get(program.this[scope], -1)
            if (
                program.scope_name[scope] == self.init
                and program.object_kind[scope] == FUNCTION
                and not program.flags[scope] & ScopeFlag.DECORATED
                and owner >= 0
                and owner not in program.copies
                and program.original(owner) == owner
                and 0 < len(self.classes.below(owner)) <= _MOST_SUBCLASSES
            ):
                found[owner] = scope
        return found

    def _stores(self, constructors: Mapping[int, int]) -> _Stores:
        found: _Stores = {}
        rows: list[tuple[int, int, int]] = self.solver.own_stores
        if self._written is not None:
            owners = {scope: owner for owner, scope in constructors.items()}
            rows = [*rows, *self._written(owners)]
        for owner, name, source in rows:
            found.setdefault(owner, {}).setdefault(name, []).append(source)
        return found

    def _parameters(self, constructor: int) -> dict[int, tuple[int, int]]:
        """Slot → (position, name) of what may be given one by one."""
        return {
            slot: (_NOWHERE if shape == ParamKind.KEYWORD else place, name)
            for place, (name, slot, shape) in enumerate(self.program.params[constructor])
            if shape in _NAMED
        }

    def _find(
        self, constructor: int, base: int, own: dict[int, list[int]], stores: _Stores
    ) -> None:
        below, parameters = self.classes.below(base), self._parameters(constructor)
        for name, sources in own.items():
            given = [source for source in dict.fromkeys(sources) if source in parameters]
            if len(given) != 1 or name in (self.program.members[base] or ()):
                continue
            having = [child for child in below if self._hands_over(child, base, name, stores)]
            if having:
                others = [source for source in sources if source != given[0]]
                kept = _Kept(name, *parameters[given[0]], given[0], base, others)
                self._keep(constructor, kept)
                for child in having:
                    self._part(child, kept)

    def _keep(self, constructor: int, kept: _Kept) -> None:
        self.fields.setdefault(constructor, []).append(kept)
        self.by_value[self.program.value[constructor]] = constructor
        self._sources.add(kept.slot)

    def _part(self, child: int, kept: _Kept) -> None:
        """Give a subclass an attribute of its own."""
        declare = self.classes.declare
        above = self._above(child, kept.name)
        slot = declare(child, kept.name)
        self._slots[slot] = declare(kept.base, kept.name) if above < 0 else above
        self._owners[slot] = child, declare(kept.base, kept.name)
        self.solver.edge(slot, above)
        for source in kept.others:
            self.solver.edge(source, slot)

    def gives(self, source: int, target: int) -> bool:
        """Whether what a constructor assigns is given by those who call it, one by one."""
        return target in self._owners and source in self._sources

    def has(self, child: int, name: int) -> bool:
        """Whether an attribute is a subclass's own for what the constructor above it keeps."""
        return (self.program.members[child] or {}).get(name) in self._slots

    def _above(self, child: int, name: int) -> int:
        """The slot of the nearest class with subclasses of its own, whose objects may be any."""
        found = self.classes.find(child, name)
        return found if found in self._slots else -1

    def _follow(self, constructor: int, owner: int, stores: _Stores) -> None:
        """Note which of its parameters a constructor has kept: `super().__init__(run)`."""
        program, operations = self.program, self.solver.operations
        this = program.this[constructor]
        inner = self.by_value.get(self.classes.find_behind(owner, owner, self.init))
        if this < 0 or inner is None or inner == constructor:
            return
        parameters = self._parameters(constructor)
        for place in range(operations.wait_start[this], operations.wait_start[this + 1]):
            entry = operations.wait[place]
            if entry & Operation.MASK != Operation.CALL:
                continue
            call = self.solver.translate(entry >> Operation.SHIFT)
            if not call.flags & CallFlag.SUPER or call.name != self.init:
                continue
            for kept in self.fields[inner]:
                if kept.position < self._first:
                    continue  # the object itself, whoever calls
                source = self._argument(call, kept, kept.position - self._first)
                if source in parameters and (constructor, kept.name) not in self._handed_on:
                    self._handed_on.add((constructor, kept.name))
                    own = _Kept(kept.name, *parameters[source], source, kept.base, kept.others)
                    self._keep(constructor, own)
                    for child in self.classes.below(owner):
                        if not self.has(child, kept.name) and self._hands_over(
                            child, owner, kept.name, stores
                        ):
                            self._part(child, own)

    def _hands_over(self, child: int, base: int, name: int, stores: _Stores) -> bool:
        """Whether a subclass decides what is kept, and has no such attribute otherwise."""
        members, init = self.program.members, self.init
        order = self.classes.order(child)
        nearer = order[: order.index(base)] if base in order else ()
        made = [known for known in nearer if init in (members[known] or ())]
        if not nearer or (made and made[0] != child):
            return False
        return not any(
            name in stores.get(known, ())
            or ((slot := (members[known] or {}).get(name, -1)) >= 0 and slot not in self._slots)
            for known in nearer
        )

    def give(self, call: Call, constructor: int, receiver: int, offset: int) -> None:
        """Let what a constructor keeps of a call's arguments be the receiver's own."""
        scope = receiver - self.program.scopes
        if self.solver.kind[receiver] != INSTANCE or scope >= self.program.scopes:
            return
        for kept in self.fields[constructor]:
            target = self.classes.find(scope, kept.name)
            if target not in self._slots or (call.scope, kept.name) in self._handed_on:
                continue
            filled = target
            while filled in self._slots and filled not in self._filled:
                self._filled.add(filled)
                filled = self._slots[filled]
            if kept.position < offset:  # it keeps itself
                self.solver.add(target, receiver)
                continue
            source = self._argument(call, kept, kept.position - offset)
            self._pass_on(source, kept.slot, target)

    def _pass_all(self, source: int, parameter: int, target: int) -> None:
        self.solver.edge(source, target)

    def _argument(self, call: Call, kept: _Kept, position: int) -> int:
        """The slot of what a call gives for a parameter, of what any gives if that is hidden."""
        for name, slot in call.named():
            if name == kept.parameter:
                return slot
        if call.hides(position):
            return kept.slot
        given = call.positional[:-1] if call.flags & CallFlag.BLOCK else call.positional
        if position < len(given):
            return given[position]
        return kept.slot if -1 in call.keywords[::2] else self._defaults.get(kept.slot, -1)

    def settle(self) -> None:
        """Let a class that nobody is seen to make have what those like it are made with.

        But not what they take where nothing is given.
        """
        made, solver = self.classes.instantiated, self.solver
        defaults = {
            value for slot in self._defaults.values() for value in solver.points[slot] or ()
        }
        shared: dict[int, int] = {}
        for slot, (owner, base) in self._owners.items():
            if owner in made:
                target = shared.setdefault(base, solver.slot())
                solver.listen(slot, (self._on_given, target, defaults))
        for slot, (owner, base) in self._owners.items():
            if owner not in made and base in shared:
                solver.edge(shared[base], slot)
            elif slot not in self._filled:
                solver.edge(self._slots[slot], slot)
        self._slots.clear()

    @handler
    def _on_given(self, value: int, listener: Listener) -> None:
        defaults: set[int] = listener[2]
        if value not in defaults:
            self.solver.add(listener[1], value)
