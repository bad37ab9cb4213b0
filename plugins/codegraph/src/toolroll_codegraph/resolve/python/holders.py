"""Objects of the standard library that hold another: references, queues, variables of a context,
and the functions that `singledispatch` chooses from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers

_REFERENCE: Final = "reference"
_QUEUE: Final = "queue"
_VARIABLE: Final = "variable"
_GENERIC: Final = "generic"
_GENERIC_METHOD: Final = "generic method"
_REGISTER: Final = "register"
_KINDS: Final = {
    "weakref.ref": _REFERENCE, "weakref.WeakMethod": _REFERENCE,
    "contextvars.ContextVar": _VARIABLE, "functools.singledispatch": _GENERIC,
    "functools.singledispatchmethod": _GENERIC_METHOD,
    **{
        f"{module}.{name}": _QUEUE
        for module in ("queue", "asyncio", "multiprocessing")
        for name in ("Queue", "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue")
    },
}  # fmt: skip
_MAPPINGS: Final = frozenset(
    ["weakref.WeakValueDictionary", "weakref.WeakKeyDictionary", "collections.ChainMap"]
)
HOLDERS: Final = frozenset(
    [
        *_KINDS,
        *_MAPPINGS,
        *["weakref.proxy", "weakref.WeakSet", "types.MethodType", "types.SimpleNamespace"],
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
        elif name == "types.SimpleNamespace":
            models.commands.fill(call, models.commands.make(call))
        elif name in _MAPPINGS:
            container = models.result(call, ObjectKind.MAPPING)
            models.update(call, container, len(call.positional))

    @handler
    def _on_function(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == FUNCTION:
            self.solver.listen(call.positional[1], (self._on_receiver, call.result, value))

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
        elif kind in (_GENERIC, _GENERIC_METHOD):
            if call.once(-2 - value):
                self.solver.listen(self._held(value), (self._on_chosen, call))
        elif kind == _REGISTER:
            self._register(call, self.solver.detail[value][1])
        else:
            return False
        return True

    def _held(self, value: int) -> int:
        return self.solver.field(value, self.models.any_key)

    @handler
    def _on_chosen(self, value: int, listener: Listener) -> None:
        self.models.rules.call_value(listener[1], value)

    def invoke(self, call: Call, value: int, receiver: int) -> bool:
        """Call a generic method that a class has, on an instance; False for other members."""
        if self.solver.detail[value][0] != _GENERIC_METHOD:
            return False
        if call.once(-2 - value):
            held = self._held(value)
            self.solver.listen(held, (self.models.rules.on_member, call, receiver))
        return True

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
        elif kind in (_GENERIC, _GENERIC_METHOD):
            if name == _REGISTER:
                self._register(call, value)
            elif name == "dispatch":
                self.solver.edge(self._held(value), call.result)
        else:
            return False
        return True

    def load(self, value: int, name: str, target: int) -> bool:
        """Read `register` of a generic function, as a decorator is; False for all else."""
        if name != _REGISTER or self.solver.detail[value][0] not in (_GENERIC, _GENERIC_METHOD):
            return False
        self.solver.add(target, self.solver.make(CONTAINER, _REGISTER, value))
        return True

    def _register(self, call: Call, generic: int) -> None:
        """`register(Class, function)`, `register(function)`, or `register(Class)(function)`."""
        own = self._held(generic)
        for slot in call.positional:
            if slot >= 0:
                self.solver.listen(slot, (self._on_registered, own, call.result))
        self.solver.add(call.result, self.solver.make(CONTAINER, _REGISTER, generic))

    @handler
    def _on_registered(self, value: int, listener: Listener) -> None:
        _, own, result = listener
        if self.solver.kind[value] == FUNCTION:
            self.solver.add(own, value)
            self.solver.add(result, value)
