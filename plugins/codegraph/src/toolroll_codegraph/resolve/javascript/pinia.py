"""Pinia's stores: what their state, getters and actions hold is what `useStore()` has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_USING: Final = "use of a store"


class JavaScriptPinia(JavaScriptLibrary):
    """Makes stores, and gives them to who asks for them."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        name = models.program.name
        self._state, self._getters, self._actions = name("state"), name("getters"), name("actions")
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            "pinia.defineStore": self._define, "pinia.storeToRefs": self.same,
            "pinia.mapActions": self._map,
        }  # fmt: skip
        self.called: dict[str, Callable[[Call, int], None]] = {_USING: self._use}

    def _define(self, call: Call, first: int, second: int) -> None:
        """`defineStore("cart", {state, getters, actions})`, or a function that makes one."""
        solver, store = self.solver, self.solver.slot()
        solver.add(call.result, solver.make(CONTAINER, _USING, store))
        for part in (first, second):
            if part >= 0:
                self.models.callback(call, part, (), store, quiet=True)
                solver.listen(part, (self._on_options, call, store))

    def _on_options(self, value: int, listener: Listener) -> None:
        _, call, store = listener
        solver = self.solver
        if solver.kind[value] != CONTAINER:
            return
        made = solver.container((_USING, call.result), ObjectKind.RECORD)
        solver.add(store, made)
        state = solver.slot()
        self.models.callback(call, solver.field(value, self._state), (), state, quiet=True)
        solver.listen(state, (self._on_state, made))
        solver.listen(solver.field(value, self._actions), (self._on_actions, made))
        getters = solver.field(value, self._getters)
        solver.listen(getters, (self._on_getters, call, made, store))

    def _on_state(self, value: int, listener: Listener) -> None:
        self.mirror(value, lambda name, slot: self._keep(listener[1], name, slot))

    def _on_actions(self, value: int, listener: Listener) -> None:
        def receive(name: int, slot: int) -> None:
            self._keep(listener[1], name, slot)
            self.solver.listen(slot, (self.models.on_receiving, listener[1]))

        self.mirror(value, receive)

    def _on_getters(self, value: int, listener: Listener) -> None:
        """A getter is given the store, which is its `this` too; its result is what is read."""
        _, call, made, store = listener

        def receive(name: int, slot: int) -> None:
            self.solver.listen(slot, (self.models.on_receiving, made))
            result = self.solver.slot()
            self.models.callback(call, slot, (store,), result, quiet=True)
            self._keep(made, name, result)

        self.mirror(value, receive)

    def _map(self, call: Call, use: int, names: int) -> None:
        """`mapActions(useCart, ["add"])` has these actions, for the methods of a component."""
        made = self.models.result(call, ObjectKind.RECORD)
        self.solver.listen(use, (self._on_use, made, names))

    def _on_use(self, value: int, listener: Listener) -> None:
        _, made, names = listener
        if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _USING:
            self.solver.listen(names, (self._on_names, made, self.solver.detail[value][1]))

    def _on_names(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            name = self.solver.slot()
            self.models.elements(value, name)
            self.solver.listen(name, (self._on_name, listener[1], listener[2]))

    def _on_name(self, value: int, listener: Listener) -> None:
        _, made, store = listener
        if self.solver.kind[value] == TEXT:
            name = self.solver.key_name(value)
            self.solver.listen(store, (self._on_store, name, self.solver.field(made, name)))

    def _on_store(self, value: int, listener: Listener) -> None:
        _, name, target = listener
        if self.solver.kind[value] == CONTAINER:
            self.solver.edge(self.solver.field(value, name), target)

    def _keep(self, store: int, name: int, slot: int) -> None:
        self.solver.edge(slot, self.solver.field(store, name))

    def _use(self, call: Call, value: int) -> None:
        self.solver.edge(self.solver.detail[value][1], call.result)
