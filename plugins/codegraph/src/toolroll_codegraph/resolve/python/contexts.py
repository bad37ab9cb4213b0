"""The context managers of `contextlib`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

_STACK: Final = "stack"
DECORATORS: Final = {
    "contextlib.ContextDecorator": ("__enter__", "__exit__"),
    "contextlib.AsyncContextDecorator": ("__aenter__", "__aexit__"),
}
"""The base classes of managers that may decorate a function, and what each call of that runs."""
ENTERED: Final = "entered"
"""The kind of what stands for such a manager beside the function that it decorates."""
_ENTERING: Final = {"enter_context": "__enter__", "enter_async_context": "__aenter__"}


class PythonContexts:
    """What enters and leaves others, and what gives its argument to who enters it."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.solver = models.solver
        self.functions: dict[str, Model] = {
            "contextlib.closing": self._hold,
            "contextlib.nullcontext": self._hold,
            "contextlib.ExitStack": self._make,
            "contextlib.AsyncExitStack": self._make,
        }
        self._decorators: dict[int, str] = {}
        """Class → which of `DECORATORS` it derives from."""

    def note_base(self, scope: int, name: str) -> None:
        """Remember that a class derives from a class of the library."""
        if name in DECORATORS:
            self._decorators[scope] = name

    def decorate(self, call: Call, value: int) -> None:
        """Decorate a function with an instance that enters itself whenever that is called."""
        scope = value - self.models.rules.scopes
        if not self._decorators or scope >= self.models.rules.scopes or not call.positional:
            return
        order = self.models.rules.classes.order(scope)
        for known in filter(None, map(self._decorators.get, order)):
            self.solver.edge(call.positional[0], call.result)
            entered = self.solver.make(CONTAINER, ENTERED, value, known)
            self.solver.beside.add(entered)
            self.solver.add(call.result, entered)

    def call(self, call: Call, value: int) -> None:
        """Enter and leave the manager of a function that is called."""
        _, manager, base = self.solver.detail[value]
        for special, given in zip(DECORATORS[base], ((), (-1, -1, -1)), strict=True):
            name = self.models.program.name(special)
            inner = self.solver.derived_call(call, -1, given, name)
            self.models.rules.invoke_member(inner, manager, name)

    def _hold(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            held = self.models.result(call)
            self.solver.edge(item, self.solver.field(held, self.models.any_key))

    def _make(self, call: Call, arguments: list[int]) -> None:
        self.solver.add(call.result, self.solver.make(CONTAINER, _STACK, call.result))

    def method(self, call: Call, value: int, name: str, first: int) -> bool:
        """Call a method of an `ExitStack`, which gives what it enters; False for other objects."""
        if self.solver.detail[value][0] != _STACK:
            return False
        if name in ("__enter__", "__aenter__"):
            self.solver.add(call.result, value)
        elif name in _ENTERING and first >= 0:
            special = self.models.program.name(_ENTERING[name])
            inner = self.solver.derived_call(call, call.result, (), special)
            inner.flags |= CallFlag.ENTER
            self.solver.listen(first, (self._on_entered, inner))
        elif name == "push":
            self.solver.edge(first, call.result)
        elif name in ("callback", "push_async_callback"):
            callbacks = self.models.callbacks
            callbacks.apply_later(call, first, call.positional[1:], call.keywords, -1)
        return True

    @handler
    def _on_entered(self, value: int, listener: Listener) -> None:
        self.models.rules.call_method(listener[1], value)
