"""Calls through TypeScript's interfaces and abstract methods, and of what others override."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.confidence import LIKELY
from toolroll_codegraph.facts import RESULT, ObjectKind, ScopeFlag, TypeHint
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import CLASS, CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_MOST_IMPLEMENTATIONS = 4
_MOST_OVERRIDERS = 6


class JavaScriptInterfaces(JavaScriptFeature):
    """Finds the implementations of an interface, and calls them if they are few."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.implementations: dict[int, list[int]] = {}
        self.waiting: list[tuple[int, Call, int]] = []
        self.open: list[tuple[int, Call, int]] = []
        """Calls of methods, on classes that have others below them."""

    def prepare(self) -> None:
        """Find out which classes say that they implement what."""
        for index, facts in enumerate(self.program.facts):
            base, scopes = self.program.slot_base[index], self.program.scope_base[index]
            for row in facts.relations:
                if row[0] == "implements":
                    listener = (self._on_interface, row[1] + scopes)
                    for slot, known, _ in self.program.typed(index):
                        if slot == row[3] + base:
                            self.solver.listen(known, listener)

    def _on_interface(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.implementations.setdefault(value, []).append(listener[1])

    def declare_fields(self) -> None:
        """What an interface says of a property holds for objects that are written where it is
        asked for, as the properties of a component are, and give it nothing that is known.
        """
        solver, program, seen = self.solver, self.program, set[tuple[int, int]]()
        for index in range(len(program.facts)):
            for slot, known, hint in program.typed(index):
                if hint != TypeHint.DECLARED or known < 0 or not solver.points[slot]:
                    continue
                for scope in solver.points[known] or ():
                    if solver.kind[scope] == CLASS and program.flags[scope] & ScopeFlag.INTERFACE:
                        seen.update((value, scope) for value in self._records(slot))
        for value, scope in sorted(seen):
            fields = solver.fields_of(value)
            for item in self.rules.classes.order(scope):
                for name, member in (self.rules.classes.members[item] or {}).items():
                    field = fields.get(name, -1)
                    if field >= 0 and not solver.points[field]:
                        solver.edge(member, field)

    def _records(self, slot: int) -> list[int]:
        """The objects in a slot that are written as such."""
        solver = self.solver
        return [
            value
            for value in solver.points[slot] or ()
            if solver.kind[value] == CONTAINER and solver.detail[value][0] == ObjectKind.RECORD
        ]

    def settle_open(self) -> None:
        """Call what overrides a method where nobody makes the class itself, if that is little."""
        classes, waiting, self.open = self.rules.classes, self.open, []
        self.solver.confidence = LIKELY
        for scope, call, name in waiting:
            if scope not in classes.instantiated and self.solver.kind[scope] == CLASS:
                found = classes.overriders(scope, name)
                for item in found if len(found) <= _MOST_OVERRIDERS else ():
                    receiver = item + self.rules.scopes
                    classes.lookup(item, name, (self.rules.on_member, call, receiver))

    def settle(self) -> bool:
        """A call through an interface goes to its implementations, if they are few; False if
        there was none. What none of them returns is what the interface says.
        """
        waiting, self.waiting = self.waiting, []
        self.solver.confidence = LIKELY
        literals = self._literals({scope for scope, _, _ in waiting})
        for scope, call, name in waiting:
            if any(item >= 0 for item in call.fired):
                continue
            found = [
                receiver
                for receiver in self._found(scope, name, literals)
                if self.rules.generics.suits(call.result, receiver - self.rules.scopes)
            ]
            if len(found) <= _MOST_IMPLEMENTATIONS:
                for receiver in found:
                    self.rules.call_method(call, receiver)
            if not found and call.result >= 0:
                result = self.program.names.get(self.program.texts[name] + RESULT, -1)
                self.rules.load(scope + self.rules.scopes, result, call.result, call.scope, 0)
        return bool(waiting)

    def _found(self, scope: int, name: int, literals: dict[int, list[int]]) -> list[int]:
        """Instances of the classes, and objects, that have a method of an interface."""
        classes, solver = self.rules.classes, self.solver
        below = classes.below(scope)
        implementing = (*self.implementations.get(scope, ()), *below)
        for item in below:
            implementing += (*self.implementations.get(item, ()),)
        found = [
            item + self.rules.scopes
            for item in implementing
            if classes.find(item, name) >= 0 and not self._is_abstract(item)
        ]
        for item in (scope, *below):
            found += [made for made in literals.get(item, ()) if name in solver.fields_of(made)]
        return list(dict.fromkeys(found))

    def _is_abstract(self, scope: int) -> bool:
        """Whether nobody can make an object of a class: those of its subclasses are asked."""
        return bool(self.program.flags[scope] & ScopeFlag.ABSTRACT)

    def _literals(self, wanted: set[int]) -> dict[int, list[int]]:
        """Of interfaces the objects that are written where a value is annotated with them."""
        solver, program = self.solver, self.program
        below = {item for scope in wanted for item in self.rules.classes.subclasses.get(scope, ())}
        found: dict[int, list[int]] = {scope: [] for scope in wanted | below}
        for index in range(len(program.facts) if wanted else 0):
            for slot, known, hint in program.typed(index):
                if hint == TypeHint.DECLARED and known >= 0:
                    for scope in solver.points[known] or ():
                        if scope in found:
                            found[scope] += self._records(slot)
        return found
