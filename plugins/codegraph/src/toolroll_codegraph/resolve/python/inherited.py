"""What a base class assigns to an attribute that a subclass has too.

An object has one attribute of a name, whichever class's method assigns it. Members are looked up
class by class, so that the subclass's own would hide what the base class assigns.
"""

from __future__ import annotations

from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.program import FUNCTION
from toolroll_codegraph.resolve.python.feature import PythonFeature

_Stores = dict[tuple[int, int], list[tuple[int, bool]]]
"""(class, attribute) → what its methods assign to it, and whether the constructor does."""


class PythonInherited(PythonFeature):
    """Attributes that classes assign above one another."""

    def find(self) -> None:
        """Let a class's attribute have what the classes above it assign, or define as a default.

        But where both constructors assign: that of the subclass has the last word.
        """
        classes, members, stores = self.rules.classes, self.program.members, self._stores()
        for (child, name), own in [*stores.items()]:
            replaced = any(first for _, first in own)
            for owner in classes.order(child)[1:]:
                if not replaced and name in (members[owner] or ()):
                    self._join(classes.declare(owner, name), child, name)
                for source, first in stores.get((owner, name), ()):
                    if not (replaced and first):
                        self._join(source, child, name)
        self._join_mixed(stores)
        defined = {
            (self.program.parent[scope], self.program.scope_name[scope])
            for scope in range(self.program.scopes)
            if self.program.object_kind[scope] == FUNCTION
        }
        for (owner, name), assigned in stores.items():
            for child in classes.below(owner) if classes.subclasses.get(owner) else ():
                key = child, name
                if name not in (members[child] or ()) or key in stores or key in defined:
                    continue
                if not self.rules.kept.has(child, name):
                    for source, _ in assigned:
                        self._join(source, child, name)

    def settle(self) -> None:
        """Let an attribute to which a class assigns nothing known have what a class above is given
        from outside of its body: `Base.shared = value`.
        """
        classes, members, points = self.rules.classes, self.program.members, self.solver.points
        unknown = [
            (owner, child, name)
            for owner, name in sorted(self.rules.descriptors.given)
            for child in (classes.below(owner) if classes.subclasses.get(owner) else ())
            if (slot := (members[child] or {}).get(name, -1)) >= 0 and points[slot] is None
        ]
        stores: _Stores = self._stores() if unknown else {}
        for owner, child, name in unknown:
            if (child, name) in stores or self.rules.kept.has(child, name):
                self._join(classes.declare(owner, name), child, name)

    def _join_mixed(self, stores: _Stores) -> None:
        """Let a class of several bases have what each of them assigns to one attribute.

        Of constructors the nearest one's has the last word here too.
        """
        classes = self.rules.classes
        names: dict[int, list[int]] = {}
        for owner, name in stores:
            names.setdefault(owner, []).append(name)
        for child, bases in [*classes.found_bases.items()]:
            order = classes.order(child) if len(bases) > 1 else ()
            having: dict[int, list[int]] = {}
            for owner in order:
                for name in names.get(owner, ()):
                    having.setdefault(name, []).append(owner)
            for name, owners in having.items():
                nearest, hiding = classes.order(owners[0]), self._hiding(order, name, owners[0])
                if hiding < 0 and (owners[0] == child or all(owner in nearest for owner in owners)):
                    continue  # it is joined, or as one base has it
                if hiding >= 0:
                    self._join(hiding, child, name)
                replaced = False
                for owner in owners:
                    for source, first in stores[owner, name]:
                        if not (replaced and first):
                            self._join(source, child, name)
                    replaced = replaced or any(first for _, first in stores[owner, name])

    def _hiding(self, order: tuple[int, ...], name: int, owner: int) -> int:
        """The slot of what another base has under a name before the first that assigns it."""
        for known in order:
            if known == owner:
                return -1
            slot = (self.program.members[known] or {}).get(name, -1)
            if slot >= 0:
                related = known in self.rules.classes.order(owner)
                return -1 if related or owner in self.rules.classes.order(known) else slot
        return -1

    def _join(self, source: int, child: int, name: int) -> None:
        self.rules.annotated.assign(child, name, source)

    def _stores(self) -> _Stores:
        """The writes through a method's own receiver."""
        program, solver, operations = self.program, self.solver, self.solver.operations
        first = {
            program.this[scope]
            for scope in range(program.scopes)
            if program.scope_name[scope] == self.rules.init
        }
        found: _Stores = {}
        for identifier, index in enumerate(operations.store_file):
            if not solver.store_done[identifier]:
                continue
            place = identifier * STORE_WIDTH
            target, name, source = operations.stores[place : place + 3]
            slots = program.slot_base[index]
            name = program.renames[index][name]
            owner = solver.this_owner[target + slots]
            found.setdefault((owner, name), []).append((source + slots, target + slots in first))
        return found
