"""Node's event emitters, and what is like them: who emits an event sets off who waits for it.

The emitter calls, so that there is no edge, but what is emitted goes to the listeners, and the
references of these tell who emits. Events are told apart by their names; of one whose name is no
known text nobody hears. All objects of a class that derives from an emitter's are one, and so are
all that one place makes.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER, EXTERNAL, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

EMITTER: Final = "emitter"
_CLASSES: Final = (
    "events", "events.EventEmitter", "events.EventEmitterAsyncResource", "eventemitter3",
    "eventemitter3.EventEmitter", "eventemitter2", "eventemitter2.EventEmitter2",
    "component-emitter", "component-emitter.Emitter", "tiny-emitter", "tiny-emitter.TinyEmitter",
    "emittery", "mitt", "nanoevents.createNanoEvents",
)  # fmt: skip
"""What makes an emitter, called or not with `new`."""
EMITTERS: Final = frozenset((
    *_CLASSES, "stream", "stream.Duplex", "stream.PassThrough", "stream.Readable",
    "stream.Transform", "stream.Writable",
))  # fmt: skip
"""Classes whose objects are emitters."""
_WAITING: Final = frozenset(
    ("addListener", "many", "on", "once", "prependListener", "prependOnceListener")
)
_EMITTING: Final = frozenset(("emit", "emitAsync", "emitSerial"))
_SAME: Final = frozenset(("off", "removeAllListeners", "removeListener", "setMaxListeners"))


class JavaScriptEmitters(JavaScriptLibrary):
    """Keeps who waits for each event of an emitter."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = dict.fromkeys(
            _CLASSES, self._make
        )
        name = models.program.name
        self._names = frozenset(map(name, _WAITING | _EMITTING | _SAME))
        self._heirs: set[int] = set()
        """Functions that inherit by `util.inherits`."""
        self._emitted = array("i")
        """Flat: scope, line, slot of who waits, -1."""
        self._asked: dict[int, list[tuple[Call, int]]] = {}
        """Class that is none as far as is known → calls of such methods, with the receiver."""

    def _make(self, call: Call, first: int, second: int) -> None:
        self.solver.add(call.result, self.solver.make(CONTAINER, EMITTER, call.result))

    def emitted(self) -> Iterator[tuple[int, int, int, int]]:
        """(scope that emits, line, slot of who waits, -1)."""
        rows = iter(self._emitted)
        return zip(rows, rows, rows, rows, strict=True)

    def inherit(self, scope: int, base: int) -> None:
        """Let a function make emitters."""
        if self.solver.kind[base] == EXTERNAL and self.solver.detail[base][0] in EMITTERS:
            self._heirs.add(scope)
            for call, value in self._asked.pop(scope, ()):
                self.of_instance(call, value)

    def of_instance(self, call: Call, value: int) -> bool:
        """A method that an object's class has of an emitter's; False for others."""
        scope = value - self.models.program.scopes
        if call.name not in self._names or scope >= self.models.program.scopes:
            return False
        classes = self.rules.classes
        if self._heirs.isdisjoint(classes.order(scope)) and EMITTERS.isdisjoint(
            classes.base_names(scope, EXTERNAL)
        ):
            self._asked.setdefault(scope, []).append((call, value))
            return False
        self._call(call, value, self.solver.make(CONTAINER, EMITTER, "of class", scope))
        return True

    def method(self, call: Call, value: int) -> bool:
        """A method of what a library made; False for what it lacks."""
        if call.name not in self._names:
            return False
        self._call(call, value, value)
        return True

    def _call(self, call: Call, receiver: int, emitter: int) -> None:
        name = self.models.program.texts[call.name]
        first, second = (*call.positional[:2], -1, -1)[:2]
        if name in _EMITTING:
            inner = self.solver.derived_call(call, -1, call.positional[1:])
            inner.flags |= CallFlag.QUIET
            self.solver.listen(first, (self._on_emitted, emitter, receiver, inner))
            return
        self.solver.add(call.result, receiver)
        if name in _WAITING and min(first, second) >= 0:
            self.solver.listen(first, (self._on_awaited, emitter, second))

    @handler
    def _on_awaited(self, value: int, listener: Listener) -> None:
        _, emitter, function = listener
        if self.solver.kind[value] == TEXT:
            event = self.solver.field(emitter, self.solver.key_name(value))
            self.solver.edge(function, event)

    @handler
    def _on_emitted(self, value: int, listener: Listener) -> None:
        _, emitter, receiver, call = listener
        if self.solver.kind[value] == TEXT:
            event = self.solver.field(emitter, self.solver.key_name(value))
            self._emitted.extend((call.scope, call.line, event, -1))
            self.solver.listen(event, (self.rules.on_member, call, receiver))
