"""What a method's receiver may be when no call of the project tells.

A library's classes are made by those who use it: its own code never shows an instance of most of
them. A method then runs on its own class, and on the subclasses that redefine what it uses.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Operation, ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.uses import names_used

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver

_MOST_SUBCLASSES: Final = 96
_MOST_HEIRS: Final = 8


class Receivers:
    """The slots of `self` and `this`, with the class that each belongs to."""

    def __init__(self, solver: Solver, classes: Classes) -> None:
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.known: dict[int, int] = {}
        """Receiver slot → what it is if no call tells."""
        self._methods = array("i")
        """Methods that are called on instances."""

        self.seeded: set[int] = set()
        """Receiver slots of methods that no call of the project reaches; of Python's, which calls
        many methods itself."""
        self._joined: dict[tuple[int, bool], list[int]] = {}
        self._crowded = array("i")
        """Flat: receiver slot, object that it has no room for."""

    def find(self) -> None:
        """A method's receiver slot belongs to its class: stores through it need no flow."""
        program, owner = self.program, self.solver.this_owner
        ruby = program.family == "ruby"
        for scope in range(program.scopes):
            this = program.this[scope]
            if this < 0:
                continue
            flags = program.flags[scope]
            parent = program.parent[scope]
            if program.kind[scope] == ScopeKind.CLASS and not ruby:
                owner[this] = scope
                self.known[this] = scope + program.scopes
            elif ruby and not flags & ScopeFlag.METHOD:
                if program.kind[scope] == ScopeKind.FUNCTION:  # the main object's
                    self.known[this] = program.scope_base[program.file_of[scope]]
            elif flags & ScopeFlag.STATIC and not ruby:
                self.known[this] = parent
            elif flags & ScopeFlag.METHOD and not flags & ScopeFlag.STATIC:
                known = program.canonical[program.owner_class(parent) if ruby else parent]
                if program.object_kind[known] != CLASS:
                    continue
                if flags & (ScopeFlag.CLASSMETHOD | ScopeFlag.SINGLETON):
                    self.known[this] = known
                else:
                    owner[this] = known
                    self.known[this] = known + program.scopes
                    self._methods.append(scope)

    def seed(self) -> None:
        """Give every receiver that no call has reached its own class."""
        solver = self.solver
        told = self._told_by_copies()
        python = self.program.family == "python"
        unknown = [
            this
            for this in self.known
            if this not in told
            and (solver.points[this] is None or (python and not self._is_reached(this)))
        ]
        if python:
            self.seeded.update(unknown)
        heirs = self._heirs() if self.program.family == "ruby" else {}
        for this in unknown:
            for receiver in heirs.get(this, (self.known[this],)):
                solver.add(this, receiver)
        self.known.clear()

    def _is_reached(self, this: int) -> bool:
        """Whether a receiver is of its class, not only what `*args` may hand over first."""
        owner, scopes = self.solver.this_owner.get(this, -1), self.program.scopes
        values = self.solver.points[this] or ()
        if owner < 0 or owner + scopes in values or this in self.solver.no_receivers:
            return True
        for value in values:
            if self.solver.kind[value] != INSTANCE:
                return True
            if value - scopes < scopes and owner in self.classes.order(value - scopes):
                return True
        return False

    def _heirs(self) -> dict[int, list[int]]:
        """Receiver → what is made of classes below its own, where nothing is made of that.

        Of classes that have the method from there: what they replace is not called on them. It
        never runs where all of them do.
        """
        program, classes = self.program, self.classes
        made, found = classes.instantiated, dict[int, list[int]]()
        for method in self._methods:
            this = program.this[method]
            owner = self.solver.this_owner[this]
            if owner in made or program.kind[owner] != ScopeKind.CLASS:
                continue
            name = program.scope_name[method]
            own = classes.find(owner, name)
            below = [child for child in classes.below(owner) if child in made]
            having = [child for child in below if classes.find(child, name) == own]
            heirs = [child for child in having if program.members[child]]
            if own >= 0 and below and (heirs or not having) and len(heirs) <= _MOST_HEIRS:
                found[this] = [child + program.scopes for child in heirs]
        return found

    def _told_by_copies(self) -> set[int]:
        """The receivers of methods of which a copy, or what it copies, has been reached."""
        program, points = self.program, self.solver.points
        found: dict[int, list[int]] = {}
        for scope, original in enumerate(program.originals, program.own_scopes):
            known = found.setdefault(original, [program.this[original]])
            known.append(program.this[scope])
        return {
            this
            for known in found.values()
            if any(this >= 0 and points[this] is not None for this in known)
            for this in known
        }

    def inherit(self) -> None:
        """Run inherited methods on the subclasses that redefine what they use of themselves.

        Only for subclasses that the project never makes: of the others the calls tell, unless
        there are none.
        """
        solver, classes, program = self.solver, self.classes, self.program
        members = classes.members
        cache: dict[tuple[int, int, bool], list[list[int]]] = {}
        found: list[tuple[int, int]] = []
        for method in self._methods:
            this = program.this[method]
            owner = solver.this_owner[this]
            if not classes.subclasses.get(owner):
                continue
            name = program.scope_name[method]
            own = (members[owner] or {}).get(name)
            chosen: dict[int, None] = {}
            called, loaded = names_used(solver, [this])
            untold = this in self.seeded
            for used in sorted(called | loaded, key=program.texts.__getitem__):
                overriders = cache.get((owner, used, untold))
                if overriders is None:
                    overriders = cache[owner, used, untold] = [
                        *self._overriding(owner, used, untold),
                        *([child] for child in self._mixed(owner, used, untold)),
                    ]
                for children in overriders:
                    child = next((it for it in children if classes.find(it, name) == own), -1)
                    if child >= 0:
                        chosen[child] = None
            found += [(this, child + program.scopes) for child in [*chosen][:_MOST_SUBCLASSES]]
        for this, instance in found:
            solver.add(this, instance)
            if instance not in (solver.points[this] or ()):
                self._call_directly(this, instance)
                self._crowded.extend((this, instance))
        self._methods = array("i")  # the peak of memory is yet to come
        self.seeded.clear()
        self._joined.clear()

    def _overriding(self, owner: int, name: int, untold: bool) -> list[list[int]]:
        """For each subclass with a member of its own what may be the receiver that has it.

        Where nobody makes the subclass, but some below it, it is a base alone: what is made stands
        for it, if it has its member. Any will do, since all of them share that.
        """
        classes = self.classes
        made = classes.instantiated
        found: list[list[int]] = []
        for child in classes.overriders(owner, name):
            if untold or child not in made:
                heirs = [] if untold else [it for it in classes.below(child) if it in made]
                member = classes.find(child, name) if heirs else -1
                same = [heir for heir in heirs if classes.find(heir, name) == member]
                found.append(same if heirs else [child])
        return found

    def _mixed(self, owner: int, name: int, untold: bool) -> list[int]:
        """The subclasses nobody makes that have a member, or what is behind it, from elsewhere.

        Such are those that join a mixin and what the mixin is made for. Where no call reaches the
        method, a library may call it on those that are made too.
        """
        joined = self._joined.get((owner, untold))
        if joined is None:
            joined = self._joined[owner, untold] = self._joined_below(owner, untold)
        if not joined:
            return []
        classes = self.classes
        own, behind = classes.find(owner, name), classes.find_behind(owner, owner, name)
        return [
            child
            for child in joined
            if name not in (classes.members[child] or ())
            and (
                classes.find(child, name) != own
                or classes.find_behind(child, owner, name) != behind
            )
        ]

    def _joined_below(self, owner: int, untold: bool) -> list[int]:
        """The subclasses that join several bases and, unless they may be any, are made nowhere."""
        classes = self.classes
        found: list[int] = []
        for child in classes.below(owner):
            bases = len(classes.found_bases.get(child, ()))
            # More bases than written: one is a variable, and the order is not known.
            made = child in classes.instantiated and not untold
            if 1 < bases <= len(self.program.bases[child]) and not made:
                found.append(child)
        return found

    def _call_directly(self, this: int, instance: int) -> None:
        """Call on a receiver what its slot has no room for: hierarchies may be very wide."""
        solver, operations = self.solver, self.solver.operations
        for position in range(operations.wait_start[this], operations.wait_start[this + 1]):
            entry = operations.wait[position]
            if entry & Operation.MASK == Operation.CALL:
                call = solver.translate(entry >> Operation.SHIFT)
                solver.answer(call, instance)

    def read(self) -> None:
        """Read of such receivers what they redefine: `convert = self._convert`.

        After all that slots have room for has flowed, since this may fill others.
        """
        solver, operations, find = self.solver, self.solver.operations, self.classes.find
        renames = self.program.renames
        rows = iter(self._crowded)
        for this, instance in zip(rows, rows, strict=True):
            child, owner = instance - self.program.scopes, solver.this_owner[this]
            start, end = operations.wait_start[this], operations.wait_start[this + 1]
            for entry in operations.wait[start:end]:
                if entry & Operation.MASK == Operation.LOAD:
                    index, name = operations.read_by(entry)
                    name = renames[index][name]
                    if find(child, name) != find(owner, name):
                        solver.start(entry, (instance,))
        self._crowded = array("i")
