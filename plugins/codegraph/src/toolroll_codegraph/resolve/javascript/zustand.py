"""Zustand's stores: what the function that makes one returns is what selecting from it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.javascript.react import SETTER
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_MODULES: Final = ("zustand", "zustand/vanilla", "zustand/react", "zustand/traditional")
_MAKING: Final = ("create", "createStore", "createWithEqualityFn", "default")
_MIDDLEWARE: Final = ("devtools", "persist", "subscribeWithSelector", "combine", "redux")
_STORE: Final = "store"
_STATE: Final = "state of a store"
_MAKER: Final = "maker of a store"


class JavaScriptZustand(JavaScriptLibrary):
    """Makes stores, and does what calling them and their functions does."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        name = models.program.name
        self._get_state, self._set_state = name("getState"), name("setState")
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **{f"{module}.{name}": self._make for module in _MODULES for name in _MAKING},
            **dict.fromkeys(_MODULES, self._make),
            **{f"zustand/middleware.{name}": self.same for name in _MIDDLEWARE},
            "zustand/middleware/immer.immer": self.same,
            "zustand.useStore": self._use,
        }
        self.called: dict[str, Callable[[Call, int], None]] = {
            _STORE: self._select, _STATE: self._read, _MAKER: self._make_again,
        }  # fmt: skip

    def _make(self, call: Call, function: int, second: int) -> None:
        """`create((set, get) => …)`, and `create()`, which is called with that."""
        if function < 0:
            self.solver.add(call.result, self.solver.make(CONTAINER, _MAKER))
            return
        solver, state = self.solver, self.solver.slot()
        store = solver.make(CONTAINER, _STORE, state, call.result)
        get = solver.make(CONTAINER, _STATE, state)
        put = solver.make(CONTAINER, SETTER, state)
        given = solver.slot(), solver.slot(), solver.slot()
        for slot, value in zip(given, (put, get, store), strict=True):
            solver.add(slot, value)
        solver.add(solver.field(store, self._get_state), get)
        solver.add(solver.field(store, self._set_state), put)
        self.models.callback(call, function, given, state, quiet=True)
        solver.add(call.result, store)

    def _make_again(self, call: Call, value: int) -> None:
        if call.positional:
            self._make(call, call.positional[0], -1)

    def _use(self, call: Call, store: int, selector: int) -> None:
        """`useStore(store, selector)`."""
        self.solver.listen(store, (self._on_store, call, selector))

    def _on_store(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _STORE:
            self._selected(listener[1], self.solver.detail[value][1], listener[2])

    def _select(self, call: Call, value: int) -> None:
        """`useStore((state) => state.items)`."""
        selector = call.positional[0] if call.positional else -1
        self._selected(call, self.solver.detail[value][1], selector)

    def _selected(self, call: Call, state: int, selector: int) -> None:
        if selector < 0:
            self.solver.edge(state, call.result)
            return
        self.models.callback(call, selector, (state,), call.result, quiet=True)
        self.solver.listen(selector, (self._on_selector, call, state))

    def _on_selector(self, value: int, listener: Listener) -> None:
        """What is no function, as `undefined`, selects everything."""
        if self.solver.kind[value] not in (FUNCTION, CONTAINER):
            self.solver.edge(listener[2], listener[1].result)

    def _read(self, call: Call, value: int) -> None:
        self.solver.edge(self.solver.detail[value][1], call.result)
