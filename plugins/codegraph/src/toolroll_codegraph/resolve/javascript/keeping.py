"""Fields of a base class that hold what its methods are given, for each subclass apart.

`class Base { constructor(run) { this.run = run; } }`: what one subclass hands to `super(…)` is in
objects of that class, and of those below it, not in those of its sisters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ParamKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_MOST_HEIRS: Final = 48
"""Of so many subclasses each has its own fields."""


class JavaScriptKeeping(JavaScriptFeature):
    """Puts the arguments of a call into the fields of its receiver's own class."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.kept: dict[int, list[tuple[int, int, int]]] = {}
        """Method → the position, slot and field of each parameter that it keeps."""
        self._fields: dict[tuple[int, int], int] = {}
        """(subclass, field) → the slot of the base class that has what all of its methods keep."""

    def prepare(self) -> None:
        """Find such methods, once the hierarchies are known and before anything is called."""
        self._replace_methods()
        stores: dict[tuple[int, int], list[int]] = {}
        for owner, name, source in self.solver.own_stores:
            source = self.rules.narrowing.roots.get(source, source)
            stores.setdefault((owner, name), []).append(source)
        bases = {owner for owner, _ in stores if self.rules.classes.subclasses.get(owner)}
        given = self._parameters(bases)
        kept = {
            field: sources
            for field, sources in stores.items()
            if any(source in given for source in sources)
        }
        for field in self._valued(kept):
            del kept[field]
        for (owner, name), sources in kept.items():
            heirs = self._heirs(owner, name, stores)
            if not heirs:
                continue
            for source in sources:
                if source in given:
                    method, place = given[source]
                    self.kept.setdefault(method, []).append((place, source, name))
            for heir in heirs:
                slot = self.rules.classes.declare_apart(heir, name)
                self._fields[heir, name] = self.rules.classes.declare(owner, name)
                for source in sources:
                    if source not in given:
                        self.solver.edge(source, slot)

    def _replace_methods(self) -> None:
        """What a base class assigns, an object has in place of a subclass's method of the name.

        Not what it is given: that may be the function of any other object.
        """
        classes, members = self.rules.classes, self.program.members
        found = [row for row in self.solver.own_stores if row[0] in classes.subclasses]
        given = self._parameters({owner for owner, _, _ in found})
        for owner, name, source in found:
            if self.rules.narrowing.roots.get(source, source) not in given:
                for child in classes.overriders(owner, name):
                    self.solver.edge(source, (members[child] or {})[name])

    def _parameters(self, owners: set[int]) -> dict[int, tuple[int, int]]:
        """The parameters of the methods of some classes: slot → (method, position)."""
        program = self.program
        return {
            slot: (scope, place)
            for scope in range(program.scopes)
            if program.parent[scope] in owners
            for place, (_, slot, shape) in enumerate(program.params[scope])
            if shape == ParamKind.POSITIONAL
        }

    def _valued(self, fields: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Those fields that the body of their class gives a value, which all its objects have."""
        program = self.program
        slots = {
            slot: (owner, name)
            for owner, name in fields
            if (slot := (program.members[owner] or {}).get(name)) is not None
        }
        if not slots:
            return []
        filled = slots.keys() & {*self.solver.operations.flow, *program.value}
        return [slots[slot] for slot in filled]

    def _heirs(self, owner: int, name: int, stores: Container[tuple[int, int]]) -> list[int]:
        """The classes below one that have its field, and no other, under a name."""
        members = self.program.members
        found, pending = dict[int, None](), [owner]
        while pending:
            for child in self.rules.classes.subclasses.get(pending.pop(), ()):
                if child in found or name in (members[child] or ()) or (child, name) in stores:
                    continue
                found[child] = None
                pending.append(child)
        return list(found) if len(found) <= _MOST_HEIRS else []

    def enter(self, call: Call, method: int, receiver: int) -> None:
        """Keep what a call gives in the fields of its receiver."""
        heir = receiver - self.rules.scopes
        for place, slot, name in self.kept[method]:
            if (heir, name) in self._fields:
                source = call.argument(place, slot)
                self.solver.edge(source, self.rules.classes.declare(heir, name))

    def settle(self) -> None:
        """Where nothing came, there may be all that the base class has."""
        for (heir, name), slot in self._fields.items():
            own = self.rules.classes.declare(heir, name)
            if self.solver.points[own] is None:
                self.solver.edge(slot, own)
