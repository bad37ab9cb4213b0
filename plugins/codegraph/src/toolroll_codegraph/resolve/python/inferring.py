"""What functions that are generic themselves return: `def make(kind: type[T]) -> T`.

What `T` is follows from what a call gives. It is asked only where nothing else tells what the call
returns: what a function is given mostly flows to its result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from toolroll_codegraph.facts import ParamKind
from toolroll_codegraph.facts.model import Part
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules
    from toolroll_codegraph.resolve.python.type_trees import Environment


class _Result(msgspec.Struct):
    """What a call returns of what a function does."""

    source: int
    tree: int
    environment: int
    target: int
    known: list[int]
    """The slots of what the function's type variables are."""


class PythonInferring(PythonFeature):
    """Type variables of functions, by the arguments of each call."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.trees = rules.trees
        self._taken: dict[int, list[tuple[int, int]]] = {}
        """Function → (tree, parameter) of what it takes that tells what it returns."""
        self._making: set[int] = set()
        """Those that are given the class of what they return: `type[T]`."""
        self._held_back: list[_Result] = []
        self._noted: list[tuple[Call, int, int]] | None = []
        """(call, function, receiver); None once they are looked at."""

    def read(self) -> None:
        for index, facts in enumerate(self.program.facts):
            base, scopes = self.program.slot_base[index], self.program.scope_base[index]
            for kind, scope, _, tree, parameter in facts.relations:
                if kind == "takes":
                    taken = self._taken.setdefault(scope + scopes, [])
                    taken.append((tree + base, parameter + base))
        self._taken = {it: taken for it, taken in self._taken.items() if self._own(it)}
        for function, taken in self._taken.items():
            own = {*self._own(function)}
            if any(not own.isdisjoint(self._made_of(tree)) for tree, _ in taken):
                self._making.add(function)

    def has(self, function: int) -> bool:
        """Whether a function returns what its arguments tell the type of."""
        return function in self._taken

    def _own(self, function: int) -> list[int]:
        """The type variables of a function's result that are none of its class."""
        owner = self.program.parent[function]
        known = self.trees.parameters(owner) if owner >= 0 else []
        returned = self.trees.variables_in(self.rules.substituting.returned.get(function, -1))
        return [variable for variable in returned if variable not in known]

    def _made_of(self, tree: int) -> list[int]:
        """The type variables of whose classes something is: of `type[T]` it is `T`."""
        parts = self.trees.parts.get(tree, ())
        return [
            variable
            for form, _, part in parts
            for variable in (
                self.trees.variables_in(part) if form == Part.CLASS else self._made_of(part)
            )
        ]

    def result(self, call: Call, function: int, receiver: int) -> int:
        """The slot for what such a function may return to a call."""
        if function not in self._making or function in call.fired:
            found = self.rules.substituting.result(function, receiver, call.result)
            if self.has(function):
                if self._noted is None:
                    self._tell(call, function, receiver)
                else:
                    self._noted.append((call, function, receiver))
            return found
        source, tree = self.solver.slot(), self.rules.substituting.returned[function]
        number, slots = self._environment(call, function, receiver)
        made = _Result(source, tree, number, call.result, slots)
        own = self.program.ret[function]
        self.rules.results.admit(own, own, source)
        self.solver.listen(source, (self._on_returned, made))
        for slot in slots:
            self.solver.listen(slot, (self._on_known, made))
        if self._noted is None:
            self._release(made)
            self._tell_made(made)
        else:
            self._held_back.append(made)
        return source

    @handler
    def _on_returned(self, value: int, listener: Listener) -> None:
        found: _Result = listener[1]
        if any(self.solver.points[slot] for slot in found.known):
            self.rules.substituting.let(value, found.tree, found.environment, found.target)

    @handler
    def _on_known(self, value: int, listener: Listener) -> None:
        found: _Result = listener[1]
        for returned in self.solver.points[found.source] or ():
            self.rules.substituting.let(returned, found.tree, found.environment, found.target)

    def _release(self, found: _Result) -> None:
        """Let a call have all that a function returns where it is not known to give a class."""
        if not any(self.solver.points[slot] for slot in found.known):
            self.solver.edge(found.source, found.target)

    def settle(self, step: int) -> None:
        """Tell what calls return of which nothing is known."""
        if step == 0:
            for found in self._held_back:
                self._release(found)
            return
        noted, self._noted = self._noted or [], None
        for call, function, receiver in noted:
            self._tell(call, function, receiver)
        waiting, self._held_back = self._held_back, []
        for found in waiting:
            self._tell_made(found)

    def _tell(self, call: Call, function: int, receiver: int) -> None:
        if self.rules.substituting.is_unknown(call.result):
            number, _ = self._environment(call, function, receiver)
            tree = self.rules.substituting.returned[function]
            self.solver.edge(self.trees.held(tree, number), call.result)

    def _tell_made(self, found: _Result) -> None:
        if self.rules.substituting.is_unknown(found.target):
            self.solver.edge(self.trees.held(found.tree, found.environment), found.target)

    def _environment(self, call: Call, function: int, receiver: int) -> tuple[int, list[int]]:
        """What type variables stand for in a call, and the slots of those of the function."""
        number = self.rules.substituting.environment(function, receiver)
        known = {variable: self.solver.slot() for variable in self._own(function)}
        for tree, parameter in self._taken[function]:
            given = self._argument(call, function, parameter, 1 if receiver >= 0 else 0)
            if given >= 0:
                self._match(tree, given, known)
        number = self.trees.number({**self.trees.environments[number], **known})
        self.trees.growing.add(number)
        return number, [*known.values()]

    def _argument(self, call: Call, function: int, parameter: int, offset: int) -> int:
        """The slot of what a call gives for a parameter; -1 where that is not to be seen."""
        positional = self.rules.arguments.signature(function)[0]
        if parameter in positional:
            place = positional.index(parameter) - offset
            if 0 <= place < len(call.positional) and all(it >= -1 for it in call.positional):
                return call.positional[place]
        for name, slot, shape in self.program.params[function]:
            if slot == parameter and shape != ParamKind.UNNAMED:
                return next((item for key, item in call.named() if key == name), -1)
        return -1

    def _match(self, tree: int, given: int, known: Environment) -> None:
        """Let the variables of a type be what something has that is given for it."""
        parts = self.trees.parts.get(tree)
        if parts is None:
            for variable in self.trees.variables_named(tree):
                if variable in known:
                    self.solver.edge(given, known[variable])
            return
        for form, place, part in parts:
            if form == Part.CHOICE:
                self._match(part, given, known)
                continue
            inside = self.solver.slot()
            if form == Part.CLASS:
                for value in self.solver.points[given] or ():
                    if self.solver.kind[value] == CLASS:  # now, not when what listens is told
                        self.solver.add(inside, value + self.program.scopes)
                self.rules.models.instantiate_in(given, inside)
            elif form in (Part.ELEMENT, Part.VALUE):
                self.solver.listen(given, (self._on_container, form, inside))
            elif form == Part.ARGUMENT:
                heads = [it for key, _, it in parts if key == Part.HEAD]
                self.solver.listen(given, (self._on_applied, heads, place, inside))
            else:
                continue
            self._match(part, inside, known)

    @handler
    def _on_container(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] != CONTAINER:
            return
        if listener[1] == Part.ELEMENT:
            self.rules.models.elements(value, listener[2])
        else:
            self.solver.every_field(value, (self.solver.copy_to, listener[2]))

    @handler
    def _on_applied(self, value: int, listener: Listener) -> None:
        """Take from an object what the class of it was given: `Repo[Row]`."""
        heads: list[int] = listener[1]
        place: int = listener[2]
        scope = value - self.program.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.program.scopes:
            return
        for owner in (it for head in heads for it in self.trees.classes_named(head)):
            parameters = self.trees.parameters(owner)
            number = self.rules.applied.environment(scope, owner)
            if place < len(parameters):
                slot = self.trees.environments[number].get(parameters[place], -1)
                self.solver.edge(slot, listener[3])
