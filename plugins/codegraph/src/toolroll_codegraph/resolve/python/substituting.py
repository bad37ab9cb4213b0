"""What generic classes give each of their users: `T` is what the receiver's class says it is.

A method that returns a `T`, a `list[T]` or a `Repo[T]` returns to each receiver what that is there,
and an attribute of such a type holds that. Of what flows to such a result the annotation, with the
type variables replaced, lets through what it can be; where nothing is known to flow, the annotation
tells what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.facts.model import Part
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, EXTERNAL, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.python.type_trees import PARTS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_KEPT: Final = "kept to a type"
_PLAIN: Final = (ObjectKind.SEQUENCE, ObjectKind.MAPPING, ObjectKind.GENERATOR)


class PythonSubstituting(PythonFeature):
    """Results and attributes of generic classes, apart for each receiver."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.trees = rules.trees
        self.returned: dict[int, int] = {}
        """Function → tree of what it returns."""
        self.attributes: dict[int, dict[int, int]] = {}
        """Name → class → tree of the attribute of that name."""
        self._results: dict[tuple[int, int], tuple[int, int]] = {}
        """(function, receiver) → slots of what it may return, and of what it returns to that."""
        self._read: dict[tuple[int, int], tuple[int, int]] = {}
        self._noted: list[tuple[int, int, int]] = []
        """(slot, tree, environment) of what a slot may hold."""
        self._settled = False

    def read(self) -> None:
        for index, facts in enumerate(self.program.facts):
            base, scopes = self.program.slot_base[index], self.program.scope_base[index]
            for kind, scope, name, tree, _ in facts.relations:
                if kind == "returns" and self.trees.variables_in(tree + base):
                    self.returned[scope + scopes] = tree + base
                elif kind == "typed" and self._is_apart(tree + base):
                    named = self.attributes.setdefault(self.program.renames[index][name], {})
                    named.setdefault(scope + scopes, tree + base)

    def _is_apart(self, tree: int) -> bool:
        """Whether an attribute's type has arguments or type variables.

        Who reads a descriptor gets something else.
        """
        get, find = self.rules.descriptors.get, self.rules.classes.find
        heads = self.trees.heads(tree)
        named = [it for head in heads for it in self.trees.classes_named(head)]
        return bool(named or self.trees.variables_in(tree)) and all(
            find(it, get) < 0 for it in named
        )

    def result(self, function: int, receiver: int, result: int) -> int:
        """The slot for what a function may return to a receiver, of which a result has what it
        does; the result itself where that is the same for all."""
        results = self.rules.results
        if function in results.split or function in self.rules.wrapping.given:
            return result
        found = self._results.get((function, receiver))
        if found is None:
            if self._class_of(receiver) < 0:
                return result
            number = self.environment(function, receiver)
            found = self._results[function, receiver] = self.solver.slot(), self.solver.slot()
            own = self.program.ret[function]
            results.admit(own, own, found[0])
            tells = not self.rules.inferring.has(function)
            self.give(found[0], self.returned[function], number, found[1], tells=tells)
        self.solver.edge(found[1], result)
        return found[0]

    def attribute(self, scope: int, name: int, target: int) -> int:
        """The slot to read an attribute to, of which a slot has what the attribute's type says."""
        known = self.attributes[name]
        found = self._read.get((scope, name))
        if found is None:
            owner = next((it for it in self.rules.classes.order(scope) if it in known), -1)
            if owner < 0:
                return target
            number = self.rules.applied.environment(scope, owner)
            found = self._read[scope, name] = self.solver.slot(), self.solver.slot()
            self.give(found[0], known[owner], number, found[1])
        self.solver.edge(found[1], target)
        return found[0]

    def environment(self, function: int, receiver: int) -> int:
        """What the type variables of a method's class stand for in that of a receiver."""
        scope = self._class_of(receiver)
        owner = self.program.parent[function]
        return self.rules.applied.environment(scope, owner) if scope >= 0 else 0

    def _class_of(self, receiver: int) -> int:
        scopes = self.program.scopes
        if receiver < 0 or receiver >= 2 * scopes:
            return -1
        kind = self.solver.kind[receiver]
        return receiver - scopes if kind == INSTANCE else receiver if kind == CLASS else -1

    # what is let through

    def give(
        self, source: int, tree: int, environment: int, target: int, *, tells: bool = True
    ) -> None:
        """Let a slot have what another has, as far as that is of a type, or else what that says."""
        self._pass(source, tree, environment, target)
        if not tells:
            return
        if self._settled:
            self._tell(target, tree, environment)
        else:
            self._noted.append((target, tree, environment))

    def _pass(self, source: int, tree: int, environment: int, target: int) -> None:
        listener = self._on_value, tree, environment, target
        if self._settled:
            for value in self.solver.points[source] or ():
                self._on_value(value, listener)
        self.solver.listen(source, listener)

    def settle(self) -> None:
        """Let slots of which nothing is known have what is of their type."""
        self._settled = True
        noted, self._noted = self._noted, []
        for slot, tree, environment in noted:
            self._tell(slot, tree, environment)

    def _tell(self, slot: int, tree: int, environment: int) -> None:
        if self.is_unknown(slot):
            self.solver.edge(self.trees.held(tree, environment), slot)

    def is_unknown(self, slot: int) -> bool:
        """Whether a slot has nothing, or only what the project does not define."""
        return all(
            self.solver.kind[value] == EXTERNAL or self._is_empty(value)
            for value in self.solver.points[slot] or ()
        )

    def _is_empty(self, value: int) -> bool:
        """Whether a container is one of those made here, and holds nothing known."""
        solver = self.solver
        if solver.kind[value] != CONTAINER or _KEPT not in solver.detail[value]:
            return False
        return all(self.is_unknown(slot) for slot in solver.fields_of(value).values())

    def tell_later(self, slot: int, tree: int) -> None:
        """Let a slot have what is of a type if nothing else is known of it."""
        self._noted.append((slot, tree, 0))

    @handler
    def _on_value(self, value: int, listener: Listener) -> None:
        self.let(value, listener[1], listener[2], listener[3])

    def let(self, value: int, tree: int, environment: int, target: int) -> None:
        """Let a slot have a value as what it can be of a type."""
        solver, kind = self.solver, self.solver.kind[value]
        for leaf in self.trees.leaves(tree):
            form = self.trees.form(leaf)
            if form == -1:
                admitted = self._named(value, leaf, environment)
            elif form in PARTS:
                admitted = [self._contained(value, leaf, environment, target)]
            elif kind == INSTANCE and form == Part.HEAD:
                admitted = [self._applied(value, leaf, environment)]
            elif kind == CLASS and form == Part.CLASS:
                held = self.trees.held(self.trees.parts[leaf][0][2], environment)
                admitted = self._nearest(value, self._classes(held))
            else:
                admitted = [-1 if kind in (INSTANCE, CLASS) else value]
            for one in admitted:
                if one >= 0:
                    solver.add(target, one)

    def _named(self, value: int, leaf: int, environment: int) -> list[int]:
        """What a value may be where the type is a name."""
        scopes = self.program.scopes
        is_object = self.solver.kind[value] == INSTANCE and value < 2 * scopes
        known = self.trees.environments[environment]
        variables = self.trees.variables_named(leaf)
        classes = self.trees.classes_named(leaf)
        if variables:
            slots = [known[it] for it in variables if it in known]
            if not slots or any(not self.solver.points[slot] for slot in slots):
                return [value]  # it may stand for anything
            if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] in _PLAIN:
                values = [it for slot in slots for it in self.solver.points[slot] or ()]
                return [value] if any(self.solver.kind[it] == CONTAINER for it in values) else []
            classes = [it for slot in slots for it in self._classes(slot)]
        if not is_object:
            return [value]
        return [it + scopes for it in self._nearest(value - scopes, classes)]

    def _classes(self, slot: int) -> list[int]:
        return self.rules.applied.classes_in(slot)

    def _nearest(self, scope: int, classes: list[int]) -> list[int]:
        """What a class is where one of some is expected: one below it, if it is only their base."""
        return self.rules.types.nearest(scope, classes) if classes else [scope]

    def _applied(self, value: int, leaf: int, environment: int) -> int:
        scope, order = value - self.program.scopes, self.rules.classes.order
        if scope >= self.program.scopes:
            return value
        found = self.trees.applied(leaf, environment)
        for wanted in found:
            if self.program.original(wanted) in order(scope):
                if self.program.original(wanted) == wanted:
                    return value
                return self.rules.applied.admitted(wanted, value)
        return -1 if found else value

    def _contained(self, value: int, leaf: int, environment: int, target: int) -> int:
        """A container of what a container has, as far as that is of the types of its parts."""
        solver, kind = self.solver, self.solver.kind[value]
        if kind != CONTAINER or solver.detail[value][0] not in _PLAIN:
            return -1 if kind == CLASS else value  # what can be iterated over may be of any class
        form = self.trees.form(leaf)
        made = solver.container((_KEPT, leaf, environment, target, value), PARTS[form])
        for _, key, part in self.trees.parts[leaf]:
            source = solver.slot()
            if form == Part.ELEMENT:
                name = self.rules.any_key
                self.rules.models.elements(value, source)
            elif form == Part.VALUE:
                name = self.rules.any_key
                solver.every_field(value, (solver.copy_to, source))
            else:
                name = key
                for field in (key, self.rules.any_key):
                    solver.edge(solver.field(value, field), source)
            field = solver.field(made, name)
            self._pass(source, part, environment, field)
            if form != Part.PLACE and solver.detail[value][0] != ObjectKind.GENERATOR:
                solver.edge(field, solver.field(value, name))
        return made
