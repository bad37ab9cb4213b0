"""Signals of Django, blinker and Qt: who sends one calls all that are connected to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, EXTERNAL, FUNCTION, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

_SIGNAL: Final = "signal"
CONNECTING: Final = "connecting"
"""The kind of a decorator that connects functions."""
_CONNECT: Final = "connect"
_SPACE: Final = "blinker.Namespace"
_QT: Final = (
    *(f"{name}.QtCore.Signal" for name in ("PySide2", "PySide6", "qtpy")),
    *(f"{name}.QtCore.pyqtSignal" for name in ("PyQt5", "PyQt6")),
)
_MADE: Final = (
    "django.dispatch.Signal", "django.dispatch.dispatcher.Signal", "blinker.Signal",
    "psygnal.Signal", *_QT,
)  # fmt: skip
_NAMED: Final = ("blinker.signal", f"{_SPACE}.signal")
_RECEIVING: Final = ("django.dispatch.receiver", "django.dispatch.dispatcher.receiver")
_SENDING: Final = frozenset(["send", "send_robust", "asend", "asend_robust", "send_async", "emit"])


class PythonSignals:
    """Keeps the receivers of each signal."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.solver = models.solver
        self.functions: dict[str, Model] = {
            **dict.fromkeys(_MADE, self._make),
            **dict.fromkeys(_NAMED, self._find),
            **dict.fromkeys(_RECEIVING, self._receive),
            _SPACE: self._space,
        }

    def _space(self, call: Call, arguments: list[int]) -> None:
        self.solver.add(call.result, self.solver.make(EXTERNAL, _SPACE))

    def _make(self, call: Call, arguments: list[int]) -> None:
        self.solver.add(call.result, self.solver.make(CONTAINER, _SIGNAL, call.result))

    def _find(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_name, call.result))

    @handler
    def _on_name(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == TEXT:
            self.solver.add(listener[1], self.solver.make(CONTAINER, _SIGNAL, _SIGNAL, value))

    def _held(self, value: int) -> int:
        return self.solver.field(value, self.models.any_key)

    def _receive(self, call: Call, arguments: list[int]) -> None:
        """`@receiver(signal)`, `@receiver([signal, other])`."""
        made = self._decorator(call)
        self.solver.edge(self.models.keyword(call, "sender"), self._sender(made))
        signals = self._held(made)
        for item in arguments[:1]:
            self.solver.edge(item, signals)
            self.solver.edge(self.models.elements_of(call, item), signals)

    def _sender(self, value: int) -> int:
        """The slot of the models of Django whose signals a decorator connects."""
        return self.solver.field(value, self.models.program.name("sender"))

    @handler
    def _on_connected(self, value: int, listener: Listener) -> None:
        """A signal of a model hands over one that is saved, deleted and so on."""
        program = self.models.program
        if self.solver.kind[value] == FUNCTION:
            for name, slot, _ in program.params[value]:
                if program.texts[name] == "instance":
                    self.models.instantiate_in(listener[1], slot)

    def _decorator(self, call: Call) -> int:
        made = self.solver.make(CONTAINER, CONNECTING, call.result)
        self.solver.add(call.result, made)
        return made

    def call(self, call: Call, value: int) -> None:
        """Decorate a function with what connects it."""
        for item in call.positional[:1]:
            self.solver.edge(item, call.result)
            self.solver.listen(self._held(value), (self._on_signal, item))
            self.solver.listen(item, (self._on_connected, self._sender(value)))

    @handler
    def _on_signal(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _SIGNAL:
            self.solver.edge(listener[1], self._held(value))

    def load(self, value: int, name: str, target: int) -> bool:
        """Read a method of a signal, as `@ready.connect` does; False for other objects."""
        if self.solver.detail[value][0] != _SIGNAL:
            return False
        if name == _CONNECT:
            made = self.solver.make(CONTAINER, CONNECTING, value)
            self.solver.add(self._held(made), value)
            self.solver.add(target, made)
        return True

    def method(self, call: Call, value: int, name: str, first: int) -> bool:
        """Call a method of a signal; False for other objects."""
        if self.solver.detail[value][0] != _SIGNAL:
            return False
        if name == _CONNECT:
            receiver = first if first >= 0 else self.models.keyword(call, "receiver")
            self.solver.edge(receiver, self._held(value))
            self.solver.edge(receiver, call.result)
        elif name == "connect_via":
            self.solver.add(self._held(self._decorator(call)), value)
        elif name in _SENDING:
            inner = self.solver.derived_call(call, -1, call.positional)
            inner.keywords = call.keywords
            self.solver.listen(self._held(value), (self._on_receiver, inner))
        return True

    @handler
    def _on_receiver(self, value: int, listener: Listener) -> None:
        self.models.rules.call_value(listener[1], value)
