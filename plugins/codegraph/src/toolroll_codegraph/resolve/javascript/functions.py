"""`call`, `apply` and `bind` of JavaScript's functions."""

from __future__ import annotations

from typing import Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

_BINDABLE: Final = (FUNCTION, CONTAINER)
WRAPPED: Final = "wrapped"
"""A container of this kind is what a library made of a function."""


class JavaScriptFunctions(JavaScriptFeature):
    """Calls a function with another `this`, now or later."""

    def function_method(self, call: Call, value: int) -> bool:
        name = self.program.texts[call.name]
        positional = call.positional
        if name == "call":
            self.redirect(call, value, positional[:1], positional[1:])
        elif name == "apply":
            rest = tuple(-item - 2 for item in positional[1:2] if item >= 0)
            self.redirect(call, value, positional[:1], rest)
        elif name == "bind":
            self.bind(call, value)
        else:
            return False
        return True

    def redirect(
        self, call: Call, value: int, receiver: tuple[int, ...], positional: tuple[int, ...]
    ) -> None:
        """Call a function with other arguments, on what the slot of the receiver has, if any."""
        inner = Call(call.result, call.scope, call.line, -1, positional, (), 0)
        inner.stand_for(call)
        if receiver and receiver[0] >= 0:
            self.solver.listen(receiver[0], (self._on_receiver, inner, value))
        self.rules.call_value(inner, value)

    def _on_receiver(self, value: int, listener: Listener) -> None:
        self.apply_with(listener[1], listener[2], value)

    def apply_with(self, call: Call, function: int, receiver: int) -> None:
        if self.solver.kind[function] == FUNCTION and receiver >= 0:
            self.rules.enter(call, function, receiver)
        else:
            self._receive_wrapped(function, receiver)
            self.rules.call_value(call, function)

    def _receive_wrapped(self, value: int, receiver: int) -> None:
        """`promisify(f).call(receiver)`: the library calls f on the same."""
        if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == WRAPPED:
            self.solver.listen(self.solver.detail[value][1], (self.on_receiving, receiver))

    @handler
    def on_receiving(self, value: int, listener: Listener) -> None:
        """Let a function have an object as its `this`, whether or not anybody calls it."""
        if self.solver.kind[value] == FUNCTION:
            self.rules.receive(value, listener[1])

    def bind(self, call: Call, value: int) -> None:
        """Let the receiver be what it is bound to, whoever calls the result."""
        solver, receiver = self.solver, (*call.positional, -1)[0]
        if len(call.positional) > 1:
            made = solver.make(CONTAINER, "partial", value, -1, call, room=solver.room[value])
        elif receiver >= 0 and solver.kind[value] == FUNCTION:
            made = solver.bound(value, -1)
        else:
            made = value
        solver.add(call.result, made)
        if receiver >= 0 and solver.kind[value] in _BINDABLE:
            solver.listen(receiver, (self._on_bind, call, value))

    def _on_bind(self, value: int, listener: Listener) -> None:
        _, _call, function = listener
        if self.solver.kind[function] != FUNCTION:
            self._receive_wrapped(function, value)
        elif not self.rules.is_of_sibling(function, value):
            self.rules.receive(function, value)
