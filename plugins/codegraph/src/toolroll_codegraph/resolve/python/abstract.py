"""Abstract methods and properties: what is called is what overrides them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import LIKELY
from toolroll_codegraph.resolve.calls import Call, Handler, Listener, Read, handler
from toolroll_codegraph.resolve.program import INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_MOST_OVERRIDERS: Final = 6


class PythonAbstract(PythonFeature):
    """Calls and reads of what only subclasses, or implementers of a protocol, have."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._lacking: list[tuple[Call, int]] = []
        """(call, class) of methods that no object of the class itself has."""

    def call(self, call: Call, function: int, receiver: int) -> bool:
        """Call what overrides a method, if the project has a few such methods."""
        return self._ask(function, receiver, self._on_overrider, call)

    def read(self, read: Read, function: int, receiver: int) -> bool:
        """Read what overrides a property, if the project has a few such."""
        return self._ask(function, receiver, self.rules.on_read, read)

    def _ask(self, function: int, receiver: int, listening: Handler, asked: Call | Read) -> bool:
        scope = self.rules.applied.plain(receiver) - self.program.scopes
        if self.solver.kind[receiver] != INSTANCE:
            return False
        if scope in self.classes.instantiated:
            return False  # a class that is made is not abstract, little as its method may do
        name = self.program.scope_name[function]
        found = self.classes.overriders(scope, name)
        if self.rules.kinds.is_protocol(scope):
            found += self.rules.implementing.of(scope)
        if not found or len(found) > _MOST_OVERRIDERS:
            return False
        for known in found:
            self.classes.lookup(known, name, (listening, asked, known + self.program.scopes))
        return True

    def lack(self, call: Call, scope: int) -> None:
        """Note a method that a class does not have, but ones below it may."""
        if self.classes.subclasses.get(scope):
            self._lacking.append((call, scope))

    def settle(self) -> None:
        """Call what a few subclasses have, where nothing else is known of a receiver."""
        lacking, self._lacking = self._lacking, []
        for call, scope in lacking:
            if call.fired or scope in self.classes.instantiated or self._may_have(scope, call.name):
                continue
            found = self.classes.overriders(scope, call.name)
            for known in found if len(found) <= _MOST_OVERRIDERS else ():
                instance = known + self.program.scopes
                self.classes.lookup(known, call.name, (self._on_overrider, call, instance))

    def _may_have(self, scope: int, name: int) -> bool:
        """Whether a class has a member after all, or may have it from outside of the project."""
        return self.classes.find(scope, name) >= 0 or self.rules.types.is_foreign(scope)

    @handler
    def _on_overrider(self, value: int, listener: Listener) -> None:
        before, self.solver.confidence = self.solver.confidence, LIKELY
        self.rules.on_member(value, listener)
        self.solver.confidence = before
