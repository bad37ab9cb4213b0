"""`functools.partial` and `partialmethod`: functions with some of their arguments; and commands
that click gives an object first, whatever class they stand in: `make_pass_decorator(Class)`, and
`pass_context` and `pass_obj` the context that all share, or its object."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    WRAPPED,
)

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

_PASSING: Final = "click.make_pass_decorator"
PARTIALS: Final = ("partial", "partialmethod", _PASSING)
"""The kinds of such containers."""
_CALLED: Final = (FUNCTION, BOUND, WRAPPED, CLASS, INSTANCE, BUILTIN, EXTERNAL)


class PythonPartials:
    """Makes and calls them; a container of such a kind is one call's of one function."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.rules = models.rules
        self.solver = models.solver
        self.functions: dict[str, Model] = {
            f"functools.{name}": partial(self._make, name) for name in PARTIALS[:2]
        }
        self.functions[_PASSING] = self._make_passing
        self.functions |= {
            "click.pass_context": self._pass_context,
            "click.pass_obj": self._pass_object,
            "click.get_current_context": self._current_context,
        }

    def _make(self, name: str, call: Call, arguments: list[int]) -> None:
        for function in arguments[:1]:
            self.solver.listen(function, (self._on_function, call, name))

    @handler
    def _on_function(self, value: int, listener: Listener) -> None:
        _, call, name = listener
        again = self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == name
        if again or self.solver.kind[value] in _CALLED:
            self.solver.add(call.result, self.solver.make(CONTAINER, name, value, call))

    def call(self, call: Call, value: int, receiver: int = -1) -> None:
        """Call a function with what a first call gave, and this one; a method on a receiver."""
        kind, function, first = self.solver.detail[value]
        if kind == _PASSING:
            self._pass_to(call, first)
            return
        if receiver >= 0:
            function = self.solver.bound(function, receiver)
        if not call.once(-2 - (value if receiver < 0 else function)):
            return
        merged = Call(
            call.result, call.scope, call.line, -1,
            (*first.positional[1:], *call.positional), (*first.keywords, *call.keywords),
            call.flags,
        )  # fmt: skip
        self.rules.call_value(merged, function)
        call.fired += tuple(item for item in merged.fired if item >= 0)

    def _make_passing(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.add(call.result, self.solver.make(CONTAINER, _PASSING, -1, item))

    def _pass_to(self, call: Call, given: int, *, made: bool = True) -> None:
        """Decorate a function, which stays what it is: others call it, with what a slot has, or an
        object that is made of that."""
        for item in call.positional[:1]:
            self.solver.edge(item, call.result)
            self.solver.listen(item, (self._on_decorated, given, made))

    @handler
    def _on_decorated(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            for parameter in self.rules.arguments.signature(value)[0][:1]:
                self.solver.no_receivers.add(parameter)
                if listener[2]:
                    self.models.instantiate_in(listener[1], parameter)
                else:
                    self.solver.edge(listener[1], parameter)

    def _pass_context(self, call: Call, arguments: list[int]) -> None:
        self._pass_to(call, self.models.commands.context(), made=False)

    def _pass_object(self, call: Call, arguments: list[int]) -> None:
        self._pass_to(call, self.models.commands.context_object(), made=False)

    def _current_context(self, call: Call, arguments: list[int]) -> None:
        self.solver.edge(self.models.commands.context(), call.result)
