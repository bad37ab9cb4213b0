"""Classes with arguments: a `Repo[Row]` is an object of a class of its own.

To the solver all instances of a class are one object. Where an annotation gives a generic class
arguments, what it holds is an instance of a class that derives from that one, has no member, and
says what the type variables stand for; so does a class that derives from `Repo[Row]`. Such classes
take numbers that are kept free for them (`Program.reserve`), and are told of as the class itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules
    from toolroll_codegraph.resolve.python.type_trees import Environment

_Found = dict[int, int]
"""Class → environment of its type variables."""


class PythonApplied(PythonFeature):
    """Makes classes with arguments, and tells what type variables stand for in a class."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.trees = rules.trees
        self._made: dict[tuple[int, tuple[tuple[int, ...], ...]], int] = {}
        self._given: dict[int, Environment] = {}
        """Class with arguments → its type variables with slots of what they are."""
        self._environments: dict[int, _Found] = {}
        self.first = self._next = rules.program.reserved
        self.kept: dict[int, list[int]] = {}
        """Slot → the classes with arguments that its annotation names."""

    def find(self) -> None:
        """Let the slots of classes with arguments have them; the names in them are known by now."""
        solver = self.solver
        for index, facts in enumerate(self.program.facts):
            base = self.program.slot_base[index]
            for kind, tree, _, target, head in facts.relations:
                if kind != "applied":
                    continue
                found = (
                    self.trees.applied(tree + base, 0) if tree + base in self.trees.parts else []
                )
                for scope in found:
                    solver.add(target + base, scope)
                if not found:
                    solver.edge(head + base, target + base)

    def apply(self, scope: int, given: dict[int, int]) -> int:
        """A class with arguments, by position slots of what they are; the class itself without."""
        parameters = self.trees.parameters(scope)
        slots = [given.get(place, -1) for place in range(len(parameters))]
        values = tuple(tuple(self.solver.points[it] or ()) if it >= 0 else () for it in slots)
        if not any(values):
            return scope
        key = scope, values
        found = self._made.get(key)
        if found is None:
            if self._next == self.program.scopes:
                return scope
            found = self._made[key] = self._next
            self._next += 1
            self._given[found] = {
                variable: slot
                for variable, slot, known in zip(parameters, slots, values, strict=True)
                if known
            }
            self.program.take_reserved(found, scope)
            self.rules.classes.add_base(found, scope, 0)
        return found

    def plain(self, value: int) -> int:
        """The class, or the instance of it, that a class with arguments or its instance is of."""
        scopes, program = self.program.scopes, self.program
        if self.first <= value < scopes:
            return program.original(value)
        if self.first + scopes <= value < 2 * scopes:
            return program.original(value - scopes) + scopes
        return value

    def environment(self, scope: int, owner: int) -> int:
        """What the type variables of a class stand for in one that derives from it."""
        found = self._environments.get(scope)
        if found is None:
            found = self._environments[scope] = {}
            given = self._given.get(scope)
            number = self.trees.number(given) if given else 0
            self._collect(self.program.original(scope), number, found)
        return found.get(owner, 0)

    def _collect(self, scope: int, number: int, found: _Found) -> None:
        if scope in found:
            return
        found[scope] = number
        trees, kind = self.trees, self.solver.kind
        for slot in self.program.bases[scope]:
            given = trees.arguments.get(scope, {}).get(slot, {})
            for base in self.solver.points[slot] or ():
                if kind[base] == CLASS:
                    known = {
                        variable: trees.held(given[place], number)
                        for place, variable in enumerate(trees.parameters(base) if given else ())
                        if place in given and not trees.is_open(given[place], number)
                    }
                    self._collect(base, trees.number(known), found)

    # values

    def classes_in(self, slot: int) -> list[int]:
        """The classes of the instances in a slot."""
        scopes, kind = self.program.scopes, self.solver.kind
        return [
            value - scopes
            for value in self.solver.points[slot] or ()
            if kind[value] == INSTANCE and value < 2 * scopes
        ]

    def admitted(self, wanted: int, value: int) -> int:
        """An instance as it is where one of a class with arguments is expected; -1 if it cannot be.

        An object of the class itself has the arguments that are expected of it.
        """
        program, scope = self.program, value - self.program.scopes
        owner = program.original(wanted)
        if scope == owner:
            return wanted + program.scopes
        types, given = self.rules.types, self._given.get(wanted, {})
        known = self.trees.environments[self.environment(scope, owner)]
        for variable, slot in given.items():
            own = self.classes_in(known[variable]) if variable in known else []
            expected = self.classes_in(slot)
            if own and expected and not any(
                types.is_related(program.original(one), program.original(other))
                for one in own for other in expected
            ):  # fmt: skip
                return -1
        return wanted + program.scopes if program.original(scope) == owner else value

    def keep(self, slot: int, value: int) -> int:
        """A value as the annotation of a slot lets it be there; -1 if it does not."""
        wanted = self.kept[slot]
        if self.solver.kind[value] != INSTANCE:
            return value
        scopes, program = self.program.scopes, self.program
        related = [
            scope
            for scope in wanted
            if value < 2 * scopes
            and program.original(scope) in self.rules.classes.order(value - scopes)
        ]
        if not related:
            return value
        return max(self.admitted(scope, value) for scope in related)
