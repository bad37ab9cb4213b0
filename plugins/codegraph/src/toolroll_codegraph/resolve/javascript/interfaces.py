"""Calls through TypeScript's interfaces and abstract methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import RESULT, numbers
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CLASS
from toolroll_codegraph.resolve.solver import LIKELY

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_MOST_IMPLEMENTATIONS = 4


class JavaScriptInterfaces:
    """Finds the implementations of an interface, and calls them if they are few."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.implementations: dict[int, list[int]] = {}
        self.waiting: list[tuple[int, Call, int]] = []

    def prepare(self) -> None:
        """Find out which classes say that they implement what."""
        for index, facts in enumerate(self.program.facts):
            base, scopes = self.program.slot_base[index], self.program.scope_base[index]
            for row in facts.relations:
                if row[0] == "implements":
                    listener = (self._on_interface, row[1] + scopes)
                    items = iter(numbers(facts.types))
                    for slot, known, _ in zip(items, items, items, strict=True):
                        if slot == row[3]:
                            self.solver.listen(known + base, listener)

    def _on_interface(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.implementations.setdefault(value, []).append(listener[1])

    def settle(self) -> bool:
        """A call through an interface goes to its implementations, if they are few; False if
        there was none. What none of them returns is what the interface says.
        """
        classes, waiting, self.waiting = self.rules.classes, self.waiting, []
        self.solver.confidence = LIKELY
        for scope, call, name in waiting:
            if any(item >= 0 for item in call.fired):
                continue
            found = [*self.implementations.get(scope, ()), *classes.subclasses.get(scope, ())]
            found = [item for item in dict.fromkeys(found) if classes.find(item, name) >= 0]
            if len(found) <= _MOST_IMPLEMENTATIONS:
                for item in found:
                    instance = item + self.rules.scopes
                    classes.lookup(item, name, (self.rules.on_member, call, instance))
            if not found and call.result >= 0:
                result = self.program.names.get(self.program.texts[name] + RESULT, -1)
                self.rules.load(scope + self.rules.scopes, result, call.result, call.scope, 0)
        return bool(waiting)
