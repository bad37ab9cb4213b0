"""Class hierarchies that grow while values are still moving."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Set
from typing import Final

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.resolve.calls import Handler, Listener
from toolroll_codegraph.resolve.linearisation import Orders, RubyOrders
from toolroll_codegraph.resolve.listeners import unpacked
from toolroll_codegraph.resolve.lookups import Lookup
from toolroll_codegraph.resolve.program import CLASS
from toolroll_codegraph.resolve.solver import Solver
from toolroll_codegraph.resolve.undefined import Undefined

_MANY: Final = 8
"""From so many scopes on that have a member of one name a set is searched faster."""


class Classes:
    """Bases, linearisation (C3) and member lookup of classes.

    A lookup is remembered with its class, so that a base found later, or a member stored from
    outside later, still reaches it.
    """

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.members = solver.program.members
        self.subclasses: dict[int, list[int]] = {}
        self.copies: dict[int, list[int]] = {}
        """Class → its copies, which derive from it and are no subclasses."""
        self.instantiated: set[int] = set()
        self.ruby = solver.program.family == "ruby"
        orders = self._orders = (RubyOrders if self.ruby else Orders)()
        self.found_bases = orders.bases
        self.included = orders.included
        self.prepended = orders.prepended
        self.single = orders.single
        self.unmixed: set[int] = set()
        """Names of what a module has for itself alone, and gives to no class that includes it."""
        self._lookups: dict[int, dict[int, Lookup]] = {}
        """Class → name → what waits for that member."""
        self.undefined = Undefined(solver.program.scopes)
        self.changes = 0
        """How many times the order of some class has changed."""
        self._definers: dict[int, tuple[int, ...] | set[int]] = {}
        """Name → the scopes that have a member of that name: none of most names called, and mostly
        one, for which a set would take five times the memory."""
        self._apart: dict[int, set[int]] = {}
        """Name → the classes that inherit that member, but have it for themselves."""
        self._below: dict[int, list[int]] = {}
        """Class → all its subclasses, until a class changes."""
        for scope, members in enumerate(self.members):
            for name in members or ():
                self._note_definer(scope, name)

    def watch(self, scopes: list[int]) -> None:
        """Follow the base expressions of the given classes."""
        solver = self.solver
        on_base: Handler = self._on_base  # one bound method for all listeners
        for scope in scopes:
            for position, slot in enumerate(solver.program.bases[scope]):
                solver.listen(slot, (on_base, solver.program.canonical[scope], position))

    def _on_base(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.add_base(listener[1], value, listener[2])

    def add_base(self, scope: int, base: int, position: int) -> None:
        bases = self.found_bases.setdefault(scope, [])
        if base in bases or base == scope:
            return
        bases.insert(min(position, len(bases)), base)
        copy = self.solver.program.original(scope) == base != scope
        (self.copies if copy else self.subclasses).setdefault(base, []).append(scope)
        self._repeat(scope, base)

    def _repeat(self, scope: int, added: int) -> None:
        """Look everything up again that was looked up in a class whose order has changed."""
        self.changes += 1
        stale, pending = {scope}, [scope]
        while pending:
            scope = pending.pop()
            for child in (*self.subclasses.get(scope, ()), *self.copies.get(scope, ())):
                if child not in stale:
                    stale.add(child)
                    pending.append(child)
        for child in stale:
            self._orders.known.pop(child, None)
        self._below.clear()
        brought = self._brought(added)
        for child in sorted(stale):
            own = self.members[child] or {}
            for name, lookup in list(self._lookups.get(child, {}).items()):
                if brought is not None and name not in brought:
                    continue
                if name not in own or child in self.prepended:
                    self._attach(child, name, lookup)
                self._attach_behind(child, name, lookup)

    def _brought(self, added: int) -> set[int] | None:
        """The names that may mean another member in an order that now has one class more.

        None for all of them: linearising may change the order of others, joining as Ruby does not.
        """
        if not self.ruby:
            return None
        return {name for scope in self.order(added) for name in self.members[scope] or ()}

    def _attach_behind(self, scope: int, name: int, first: Lookup) -> None:
        lookup = first.behind
        while lookup is not None:
            self._attach(scope, name, lookup, lookup.after)
            lookup = lookup.behind

    def order(self, scope: int) -> tuple[int, ...]:
        """Method resolution order, the class itself first; its nearest classes if it has many."""
        order = self._orders.known.get(scope)
        return self._orders.find(scope) if order is None else order

    def joined(self) -> dict[int, list[int]]:
        """What each class of the project asks for what it lacks, the nearest first."""
        program, orders = self.solver.program, self._orders
        own, canonical, original = program.own_scopes, program.canonical, program.original
        joining = {*orders.bases, *orders.included, *orders.prepended}
        return {
            scope: [canonical[original(known)] for known in orders.joined(scope)]
            for scope in sorted(joining)
            if scope < own
        }

    def mix_in(self, scope: int, module: int, *, prepend: bool = False) -> None:
        """Include or prepend a Ruby module; the last one included is asked first."""
        mixed = (self.prepended if prepend else self.included).setdefault(scope, [])
        if module not in mixed and module != scope:
            mixed.append(module)
            self.subclasses.setdefault(module, []).append(scope)
            self._repeat(scope, module)

    def lookup(self, scope: int, name: int, listener: Listener, after: int = -1) -> bool:
        """Attach a listener to the member that `scope` has or inherits.

        With `after` only classes behind that one in the order count, as for `super`.
        """
        if name not in self._definers and after < 0:
            self.undefined.wait(scope, name, listener)
            return False
        by_name = self._lookups.get(scope)
        record = None if by_name is None else by_name.get(name)
        if record is None:
            record = self._record(scope, name)
            self._attach(scope, name, record)
        if after >= 0:
            record = behind = record.of_those_behind(after)
            if behind.asked != self.changes:  # of a class out of the order nobody tells
                behind.asked = self.changes
                self._attach(scope, name, record, after)
        known = record.listeners  # as `join`, of which the call would take as long again
        record.listeners = listener if known is None else self.solver.packing.join(known, listener)
        if record.slot < 0:
            return False
        self.solver.listen(record.slot, listener)
        return True

    def _record(self, scope: int, name: int) -> Lookup:
        return self._lookups.setdefault(scope, {}).setdefault(name, Lookup())

    def find(self, scope: int, name: int) -> int:
        """The slot of a member, -1 when no class of the project defines it."""
        return self._search(scope, self.order(scope), name) if name in self._definers else -1

    def definers(self, name: int) -> Collection[int]:
        """The scopes that define a member of a name themselves."""
        found, apart = self._definers.get(name, ()), self._apart.get(name)
        return [scope for scope in found if scope not in apart] if apart else found

    def names(self) -> Set[int]:
        """The names of all members."""
        return self._definers.keys()

    def find_behind(self, scope: int, known: int, name: int) -> int:
        """The slot of the member that `super()` in class `known` finds for a receiver."""
        return self._search(scope, self._behind(scope, known), name)

    def _behind(self, scope: int, known: int) -> tuple[int, ...]:
        """The classes that follow one in the order of a class, or else in its own."""
        order = self.order(scope)
        if known not in order:
            order = self.order(known)
        return order[order.index(known) + 1 :]

    def _search(self, scope: int, order: tuple[int, ...], name: int) -> int:
        definers = self._definers.get(name)
        if definers is None:
            return -1
        own, kind = name in self.unmixed, self.solver.program.kind
        for known in order:
            if known in definers:
                if own and known != scope and kind[known] == ScopeKind.NAMESPACE:
                    continue
                return (self.members[known] or {}).get(name, -1)
        return -1

    def _attach(self, scope: int, name: int, lookup: Lookup, after: int = -1) -> None:
        """Let a lookup's listeners hear of the member that is found now."""
        if after < 0:
            slot = self.find(scope, name)
        else:
            slot = self._search(scope, self._behind(scope, after), name)
        if slot >= 0 and slot != lookup.slot:
            lookup.slot = slot
            known = lookup.listeners
            if isinstance(known, list):
                for listener in unpacked(known):
                    self.solver.listen(slot, listener)
            elif known is not None:
                self.solver.listen(slot, known)

    def release(self) -> None:
        """Forget what waits for members: it holds most of what is made while resolving."""
        self._lookups.clear()
        self.undefined.release()

    def named(self, scope: int, prefix: str) -> list[int]:
        """The names of the members of a class, its own and inherited, that begin so."""
        texts = self.solver.program.texts
        found = {
            name
            for known in self.order(scope)
            for name in self.members[known] or ()
            if texts[name].startswith(prefix)
        }
        return sorted(found, key=texts.__getitem__)

    def overriders(self, scope: int, name: int) -> list[int]:
        """The subclasses, however deep, that define a member of this name themselves."""
        definers = self.definers(name)
        return [child for child in self.below(scope) if child in definers]

    def base_names(self, scope: int, kind: int) -> Iterator[str]:
        """The names of what is not the project's, of a kind, that a class is derived from."""
        solver = self.solver
        for known in self.order(scope):
            for slot in solver.program.bases[known]:
                for value in solver.points[slot] or ():
                    if solver.kind[value] == kind:
                        yield solver.detail[value][0]

    def below(self, scope: int) -> list[int]:
        """All subclasses, however deep, the nearest first."""
        found = self._below.get(scope)
        if found is None:
            found = self._below[scope] = []
            pending, seen = deque((scope,)), {scope}
            while pending:
                for child in self.subclasses.get(pending.popleft(), ()):
                    if child not in seen:
                        seen.add(child)
                        pending.append(child)
                        found.append(child)
        return found

    def add_member(self, scope: int, name: int, slot: int) -> int:
        """Note the slot of a member that no lookup has missed yet; that of an old one stays."""
        members = self.members[scope]
        if members is None:
            members = self.members[scope] = {}
        self._note_definer(scope, name)
        return members.setdefault(name, slot)

    def _note_definer(self, scope: int, name: int) -> None:
        known = self._definers.get(name)
        if known is None:
            self._definers[name] = self.solver.alone(scope)
            for waiting, listener in self.undefined.pop(name):
                self._record(waiting, name).join(self.solver.packing, listener)
        elif isinstance(known, set):
            known.add(scope)
        elif scope not in known:
            more = (*known, scope)
            self._definers[name] = more if len(more) < _MANY else set(more)

    def declare_apart(self, scope: int, name: int) -> int:
        """The slot of a member that a class inherits, but has for itself: it defines none."""
        self._apart.setdefault(name, set()).add(scope)
        return self.declare(scope, name)

    def declare(self, scope: int, name: int) -> int:
        """The slot of a member, made when it is new; lookups that missed it are repeated."""
        slot = (self.members[scope] or {}).get(name)
        if slot is None:
            slot = self.add_member(scope, name, self.solver.slot())
            pending, seen = [scope], {scope}
            while pending:
                current = pending.pop()
                lookup = self._lookups.get(current, {}).get(name)
                if lookup is not None:
                    self._attach(current, name, lookup)
                    self._attach_behind(current, name, lookup)
                for child in (*self.subclasses.get(current, ()), *self.copies.get(current, ())):
                    if child not in seen:
                        seen.add(child)
                        pending.append(child)
            original = self.solver.program.original(scope)
            if original != scope:  # instances that are made elsewhere may be any
                self.solver.edge(slot, self.declare(original, name))
        return slot
