"""Types that annotations write with arguments, and what is of such a type.

A tree is a slot: that of a name, which has the class or type variable that the name means, or one
of its own with parts (`Part`). What the type variables in it stand for says an *environment*, the
number of a mapping of variables to slots; the environment 0 says nothing of any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.facts.model import Part
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_VARIABLE: Final = "type variable"
_HELD: Final = "of a type"
PARTS: Final = {Part.ELEMENT: ObjectKind.SEQUENCE, Part.PLACE: ObjectKind.SEQUENCE,
                Part.VALUE: ObjectKind.MAPPING}  # fmt: skip
"""Forms of the parts of containers → the kind of the container."""
Environment = dict[int, int]
"""Type variable → slot of what something of that type is."""


class PythonTypeTrees(PythonFeature):
    """The trees of a program, with the type variables and parameters of its classes."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.parts: dict[int, list[tuple[int, int, int]]] = {}
        """Tree → (`Part`, key or position, tree) of its parts."""
        self.arguments: dict[int, dict[int, dict[int, int]]] = {}
        """Class → slot of a base → position → tree of what the base is given."""
        self._listed: dict[int, dict[int, int]] = {}
        """Class → position → tree of a parameter that is listed."""
        self._bounds: dict[int, int] = {}
        """Type variable → tree of what it may be, or -1."""
        self._parameters: dict[int, list[int]] = {}
        self.environments: list[Environment] = [{}]
        self._numbers: dict[tuple[tuple[int, int], ...], int] = {(): 0}
        self._held: dict[tuple[int, int], int] = {}
        self._applied: dict[tuple[int, int], list[int]] = {}
        self.growing: set[int] = set()
        """Environments of calls, of which more may be known later."""

    def read(self) -> None:
        """Take what the facts say of types; variables are values before any class is known."""
        for index, facts in enumerate(self.program.facts):
            base, scopes = self.program.slot_base[index], self.program.scope_base[index]
            rename = self.program.renames[index]
            for kind, first, second, target, source in facts.relations:
                if kind == "variable":
                    variable = self.solver.make(CONTAINER, _VARIABLE, target + base)
                    self.solver.add(target + base, variable)
                    self._bounds[variable] = second + base if second >= 0 else -1
                elif kind == "part":
                    key = rename[second] if first == Part.PLACE else second
                    part = first, key, source + base
                    self.parts.setdefault(target + base, []).append(part)
                elif kind == "argument":
                    known = self.arguments.setdefault(first + scopes, {})
                    known.setdefault(source + base, {})[second] = target + base
                elif kind == "parameter":
                    listed = self._listed.setdefault(first + scopes, {})
                    listed[second] = target + base if target >= 0 else -1

    def number(self, environment: Environment) -> int:
        key = tuple(sorted(environment.items()))
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.environments)
            self.environments.append(environment)
        return found

    def leaves(self, tree: int) -> list[int]:
        """The types that something may be of one of."""
        parts = self.parts.get(tree)
        if parts is None or parts[0][0] != Part.CHOICE:
            return [tree]
        return [leaf for _, _, part in parts for leaf in self.leaves(part)]

    def form(self, leaf: int) -> int:
        """What the parts of a type are; -1 for a name."""
        parts = self.parts.get(leaf)
        return -1 if parts is None else parts[0][0]

    def classes_named(self, tree: int) -> list[int]:
        return [it for it in self.solver.points[tree] or () if self.solver.kind[it] == CLASS]

    def variables_named(self, tree: int) -> list[int]:
        """The type variables that a name means."""
        solver = self.solver
        return [it for it in solver.points[tree] or () if self._is_variable(it)]

    def _is_variable(self, value: int) -> bool:
        return self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _VARIABLE

    def variables_in(self, tree: int) -> list[int]:
        """The type variables of a type, in the order in which they are written."""
        parts = self.parts.get(tree)
        if parts is None:
            return self.variables_named(tree) if tree >= 0 else []
        return [*dict.fromkeys(it for _, _, part in parts for it in self.variables_in(part))]

    def heads(self, tree: int) -> list[int]:
        """The names of what is given arguments in a type."""
        parts = self.parts.get(tree, ())
        inner = (it for form, _, part in parts if form != Part.HEAD for it in self.heads(part))
        return [*(part for form, _, part in parts if form == Part.HEAD), *inner]

    def parameters(self, scope: int) -> list[int]:
        """The type variables of a class: those listed, or else as its bases are given them."""
        found = self._parameters.get(scope)
        if found is None:
            listed = self._listed.get(scope)
            if listed is not None:
                trees = [listed[place] for place in sorted(listed)]
            else:
                bases = self.arguments.get(scope, {}).values()
                trees = [given[place] for given in bases for place in sorted(given)]
            every = (variable for tree in trees for variable in self.variables_in(tree))
            found = self._parameters[scope] = [*dict.fromkeys(every)]
        return found

    def is_open(self, tree: int, environment: int) -> bool:
        """Whether a type is nothing but a variable of which an environment says nothing."""
        known = self.environments[environment]
        variables = self.variables_named(tree)
        return bool(variables) and not any(it in known for it in variables)

    # what is of a type

    def held(self, tree: int, environment: int) -> int:
        """The slot of what something of a type is."""
        key = tree, environment
        found = self._held.get(key)
        if found is None:
            found = self._held[key] = self.solver.slot()
            self._fill(tree, environment, found)
        return found

    def _fill(self, tree: int, environment: int, target: int) -> None:
        solver, parts, form = self.solver, self.parts.get(tree), self.form(tree)
        if parts is None:
            self._fill_named(tree, environment, target)
        elif form in PARTS:
            made = solver.container((_HELD, tree, environment), PARTS[form])
            for _, key, part in parts:
                name = key if form == Part.PLACE else self.rules.any_key
                solver.edge(self.held(part, environment), solver.field(made, name))
            solver.add(target, made)
        elif form == Part.CLASS:
            solver.listen(self.held(parts[0][2], environment), (self._on_object, target))
        elif form == Part.CHOICE:
            for _, _, part in parts:
                solver.edge(self.held(part, environment), target)
        else:
            for scope in self.applied(tree, environment):
                solver.add(target, scope + self.program.scopes)

    def _fill_named(self, tree: int, environment: int, target: int) -> None:
        solver, known = self.solver, self.environments[environment]
        for value in solver.points[tree] or ():
            if solver.kind[value] == CLASS:
                solver.add(target, value + self.program.scopes)
            elif self._is_variable(value):
                slot = known.get(value, -1)
                if slot >= 0:
                    solver.edge(slot, target)
                elif self._bounds[value] >= 0:
                    solver.edge(self.held(self._bounds[value], 0), target)
        if not self.variables_named(tree):  # an alias beside one is its bound
            solver.listen(tree, (self._on_alias, target))

    def applied(self, tree: int, environment: int) -> list[int]:
        """The classes that a class with arguments is: of each that the name of the class means."""
        found = self._applied.get((tree, environment))
        if found is None:
            found = self._find_applied(tree, environment)
            if environment not in self.growing:
                self._applied[tree, environment] = found
        return found

    def _find_applied(self, tree: int, environment: int) -> list[int]:
        parts = self.parts[tree]
        head = next((part for form, _, part in parts if form == Part.HEAD), -1)
        given = {
            place: self.held(part, environment)
            for form, place, part in parts
            if form == Part.ARGUMENT and not self.is_open(part, environment)
        }
        apply = self.rules.applied.apply
        return [apply(scope, given) for scope in self.classes_named(head)] if head >= 0 else []

    @handler
    def _on_object(self, value: int, listener: Listener) -> None:
        """Let a slot have the class of an object, but for a protocol, which nobody makes."""
        if self.solver.kind[value] == INSTANCE and value < 2 * self.program.scopes:
            scope = self.program.original(value - self.program.scopes)
            if self.rules.is_made(scope):
                self.solver.add(listener[1], scope)

    @handler
    def _on_alias(self, value: int, listener: Listener) -> None:
        """What has a type that a name stands for: `Rows = list[Row]`."""
        solver = self.solver
        if solver.kind[value] == CONTAINER and solver.detail[value][0] == ObjectKind.ALIAS:
            solver.edge(solver.field(value, self.rules.any_key), listener[1])
