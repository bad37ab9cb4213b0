"""Objects of the standard library that hold another: references, queues, variables of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    WRAPPED,
)
from toolroll_codegraph.resolve.python.partials import PARTIALS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers

_REFERENCE: Final = "reference"
_QUEUE: Final = "queue"
_VARIABLE: Final = "variable"
_KINDS: Final = {
    "weakref.ref": _REFERENCE, "weakref.WeakMethod": _REFERENCE,
    "contextvars.ContextVar": _VARIABLE,
    **{
        f"{module}.{name}": _QUEUE
        for module in ("queue", "asyncio", "multiprocessing")
        for name in ("Queue", "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue")
    },
}  # fmt: skip
_MAPPINGS: Final = frozenset(
    ["weakref.WeakValueDictionary", "weakref.WeakKeyDictionary", "collections.ChainMap"]
)
_SPACES: Final = frozenset(["types.SimpleNamespace", "argparse.Namespace", "threading.local"])
HOLDERS: Final = frozenset(
    [
        *_KINDS,
        *_MAPPINGS,
        *_SPACES,
        *["weakref.proxy", "weakref.WeakSet", "types.MethodType"],
    ]
)
_PUT: Final = frozenset(["put", "put_nowait"])
_GET: Final = frozenset(["get", "get_nowait"])


class PythonHolders:
    """Makes such objects, and does what their methods do."""

    def __init__(self, models: PythonContainers) -> None:
        self.models = models
        self.solver = models.solver

    def make(self, call: Call, name: str) -> None:
        """Make what a class or function of the library returns."""
        solver, models = self.solver, self.models
        first = call.positional[0] if call.positional else -1
        kind = _KINDS.get(name)
        if kind is not None:
            made = solver.make(CONTAINER, kind, call.result)
            solver.add(call.result, made)
            held = models.keyword(call, "default") if kind == _VARIABLE else first
            if kind != _QUEUE:
                solver.edge(held, self._held(made))
        elif name == "weakref.proxy":
            solver.edge(first, call.result)
        elif name == "weakref.WeakSet":
            slot = solver.field(models.result(call), models.any_key)
            solver.edge(models.elements_of(call, first), slot)
        elif name == "types.MethodType":
            if len(call.positional) > 1:
                solver.listen(first, (self._on_function, call))
        elif name in _SPACES:
            models.commands.fill(call, models.commands.make(call))
        elif name in _MAPPINGS:
            container = models.result(call, ObjectKind.MAPPING)
            models.update(call, container, len(call.positional))

    @handler
    def _on_function(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == FUNCTION:
            self.solver.listen(call.positional[1], (self._on_receiver, call.result, value))
        elif self.solver.kind[value] in (BOUND, CLASS, WRAPPED):  # it is given one more
            made = self.solver.make(CONTAINER, PARTIALS[0], value, call)
            self.solver.add(call.result, made)

    @handler
    def _on_receiver(self, value: int, listener: Listener) -> None:
        _, result, function = listener
        if self.solver.kind[value] == INSTANCE:
            self.solver.add(result, self.solver.bound(function, value))

    def call(self, call: Call, value: int) -> bool:
        """Call such an object; False for others."""
        kind = self.solver.detail[value][0]
        if kind == _REFERENCE:
            self.solver.edge(self._held(value), call.result)
            return True
        return self.models.generics.call(call, value)

    def _held(self, value: int) -> int:
        return self.solver.field(value, self.models.any_key)

    def method(self, call: Call, value: int, name: str, first: int) -> bool:
        """Call a method of such an object; False for others."""
        kind = self.solver.detail[value][0]
        if kind in (_QUEUE, _VARIABLE):
            if name in _PUT or name == "set":
                self.solver.edge(first, self._held(value))
            elif name in _GET:
                self.solver.edge(self._held(value), call.result)
                if kind == _VARIABLE:
                    self.solver.edge(first, call.result)
            return True
        return self.models.generics.method(call, value, name)
