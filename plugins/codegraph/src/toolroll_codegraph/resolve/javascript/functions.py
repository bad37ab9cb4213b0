"""`call`, `apply` and `bind` of JavaScript's functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptFunctions:
    """Calls a function with another `this`, now or later."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program

    def function_method(self, call: Call, value: int) -> bool:
        name = self.program.texts[call.name]
        positional = call.positional
        if name == "call":
            self._redirect(call, value, positional[:1], positional[1:])
        elif name == "apply":
            rest = tuple(-item - 2 for item in positional[1:2] if item >= 0)
            self._redirect(call, value, positional[:1], rest)
        elif name == "bind":
            self.bind(call, value)
        else:
            return False
        return True

    def _redirect(
        self, call: Call, value: int, receiver: tuple[int, ...], positional: tuple[int, ...]
    ) -> None:
        inner = Call(call.result, call.scope, call.line, -1, positional, (), 0)
        inner.stand_for(call)
        if receiver and receiver[0] >= 0:
            self.solver.listen(receiver[0], (self._on_receiver, inner, value))
        self.rules.call_value(inner, value)

    def _on_receiver(self, value: int, listener: Listener) -> None:
        self._apply_with(listener[1], listener[2], value)

    def _apply_with(self, call: Call, function: int, receiver: int) -> None:
        if self.solver.kind[function] == FUNCTION and receiver >= 0:
            self.rules.enter(call, function, receiver)
        else:
            self.rules.call_value(call, function)

    def bind(self, call: Call, value: int) -> None:
        solver = self.solver
        solver.add(call.result, solver.make(CONTAINER, "partial", value, -1, call)
                   if len(call.positional) > 1 else value)  # fmt: skip
        if call.positional and call.positional[0] >= 0 and solver.kind[value] == FUNCTION:
            solver.listen(call.positional[0], (self._on_bind, call, value))

    def _on_bind(self, value: int, listener: Listener) -> None:
        _, _call, function = listener
        self.rules.receive(function, value)
