"""The `operator` module: operators as functions, and functions made of a name or a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import PythonModels

GETTERS: Final = frozenset(["methodcaller", "attrgetter", "itemgetter"])
OPERATORS: Final = {
    **{
        name: f"__{name.strip('_')}__"
        for name in (
            "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_",
            "xor", "lshift", "rshift", "neg", "pos", "invert", "abs", "index", "eq", "ne", "lt",
            "le", "gt", "ge", "contains", "getitem", "setitem", "delitem", "call", "iadd", "isub",
        )
    },
    "concat": "__add__", "truth": "__bool__", "not_": "__bool__",
}  # fmt: skip
"""Which special method a function of `operator` calls on its first argument."""


class PythonGetters:
    """Makes such functions, and does what they do where they are called."""

    def __init__(self, models: PythonModels) -> None:
        self.rules = models.rules
        self.solver = models.solver

    def operate(self, name: str, call: Call, arguments: list[int]) -> None:
        """Do what an operator does, with the arguments as its operands."""
        first, *others = call.positional or (-1,)
        if first >= 0:
            special = self.rules.program.name(OPERATORS[name])
            inner = Call(
                call.result, call.scope, call.line, special, tuple(others), (), CallFlag.IMPLICIT
            )
            self.solver.listen(first, (self._on_operand, inner))

    @handler
    def _on_operand(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] in (INSTANCE, CONTAINER):
            self.rules.call_method(listener[1], value)

    def make(self, name: str, call: Call, arguments: list[int]) -> None:
        """Note what a getter is made with; the call's place tells one from another."""
        self.solver.add(call.result, self.solver.make(CONTAINER, name, call))

    def call(self, call: Call, getter: int) -> None:
        """Call a getter on its argument."""
        kind, made = self.solver.detail[getter]
        item = call.positional[0] if call.positional else -1
        key = made.positional[0] if made.positional else -1
        if min(item, key) < 0 or not call.once(-2 - getter):
            return
        if kind == "methodcaller":
            self.solver.listen(key, (self._on_name, call, made, item))
        else:
            attribute = int(kind == "attrgetter")
            self.solver.listen(item, (self._on_item, call, key, attribute))

    def _on_item(self, value: int, listener: Listener) -> None:
        _, call, key, attribute = listener
        # A property runs for whoever asks, even where nobody follows what it gives.
        result = call.result if call.result >= 0 else self.solver.slot()
        self.rules.dynamic(value, key, result, -1, attribute, call.scope)

    def _on_name(self, key: int, listener: Listener) -> None:
        """Call the method of that name, with what else the getter was made with."""
        _, call, made, item = listener
        if self.solver.kind[key] == TEXT:
            name = self.solver.key_name(key)
            inner = Call(
                call.result, call.scope, call.line, name, made.positional[1:], made.keywords, 0
            )
            self.solver.listen(item, (self._on_receiver, inner))

    def _on_receiver(self, value: int, listener: Listener) -> None:
        self.rules.call_method(listener[1], value)
