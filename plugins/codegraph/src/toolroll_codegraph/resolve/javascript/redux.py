"""Redux Toolkit's slices, thunks and selectors, and who dispatches or selects.

The library calls a slice's reducer for the action that `setName("x")` makes, what
`createAsyncThunk` was given for `load(1)`, a selector for `useSelector(selectName)`, and the
function that is dispatched: nothing in the source looks like a call of these, so that the edges are
of low confidence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_TOOLKIT: Final = "@reduxjs/toolkit"
_SELECTING: Final = (f"{_TOOLKIT}.createSelector", "reselect.createSelector", "reselect")
_STORES: Final = (f"{_TOOLKIT}.configureStore", "redux.createStore", "redux.legacy_createStore")
_ACTION: Final = "action creator"
_THUNK: Final = "thunk creator"
_SELECTOR: Final = "selector"
_DISPATCH: Final = "dispatch of actions"
_TYPED: Final = "typed hook"


class JavaScriptRedux(JavaScriptLibrary):
    """Makes slices, thunks, selectors and stores, and does what calling what they give does."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        name = self._name = models.program.name
        self._dispatch_name, self._payload = name("dispatch"), name("payload")
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            f"{_TOOLKIT}.createSlice": self._slice,
            f"{_TOOLKIT}.createAsyncThunk": self._thunk,
            **dict.fromkeys(_SELECTING, self._selector),
            **dict.fromkeys(_STORES, self._store),
            "react-redux.useDispatch": self._use_dispatch,
            "react-redux.useSelector": self._use_selector,
            "react-redux.useDispatch.withTypes": self._typed_dispatch,
            "react-redux.useSelector.withTypes": self._typed_selector,
        }
        self.called: dict[str, Callable[[Call, int], None]] = {
            _ACTION: self._act, _THUNK: self._start, _SELECTOR: self._select,
            _DISPATCH: self._dispatch, _TYPED: self._hook,
        }  # fmt: skip

    def _suppose(self, call: Call, function: int, given: tuple[int, ...], result: int) -> None:
        """Let the library call a function for who calls the library."""
        self.models.callback(call, function, given, result, quiet=True)
        if function >= 0:
            self.solver.listen(function, (self._on_supposed, call))

    @handler
    def _on_supposed(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        kind = self.solver.kind[value]
        if kind == FUNCTION:
            self.solver.suppose(call.scope, value, call.line)

    def _dispatching(self) -> int:
        slot = self.solver.slot()
        self.solver.add(slot, self.solver.make(CONTAINER, _DISPATCH))
        return slot

    # slices

    def _slice(self, call: Call, options: int, second: int) -> None:
        """`createSlice({reducers: {setName(state, action) {…}}})`."""
        made = self.models.result(call, ObjectKind.RECORD)
        actions = self.solver.container(("actions", call.result), ObjectKind.RECORD)
        self.solver.add(self.solver.field(made, self._name("actions")), actions)
        if options >= 0:
            self.solver.listen(options, (self._on_options, actions))

    @handler
    def _on_options(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            reducers = self.solver.field(value, self._name("reducers"))
            self.solver.listen(reducers, (self._on_reducers, listener[1]))

    @handler
    def _on_reducers(self, value: int, listener: Listener) -> None:
        actions: int = listener[1]

        def receive(name: int, slot: int) -> None:
            creator = self.solver.make(CONTAINER, _ACTION, slot)
            self.solver.add(self.solver.field(actions, name), creator)

        if self.solver.kind[value] == CONTAINER:
            self.solver.mirror(value, receive)

    def _act(self, call: Call, value: int) -> None:
        """`setName("x")` makes the action, for which the reducer is called when it is sent off."""
        action = self.models.result(call, ObjectKind.RECORD)
        given = self.solver.slot()
        self.solver.add(given, action)
        reducer: int = self.solver.detail[value][1]
        for item in call.positional[:1]:
            self.solver.edge(item, self.solver.field(action, self._payload))
        self._suppose(call, reducer, (-1, given), -1)
        self.solver.listen(reducer, (self._on_pair, call, given))

    @handler
    def _on_pair(self, value: int, listener: Listener) -> None:
        """`{reducer, prepare}`: what is handed over goes to `prepare` first."""
        _, call, action = listener
        if self.solver.kind[value] == CONTAINER:
            fields = (self.solver.field(value, self._name(name)) for name in ("reducer", "prepare"))
            reducer, prepare = fields
            self._suppose(call, reducer, (-1, action), -1)
            self._suppose(call, prepare, call.positional, -1)

    # thunks and stores

    def _thunk(self, call: Call, kind: int, function: int) -> None:
        if function >= 0:
            self.solver.add(call.result, self.solver.make(CONTAINER, _THUNK, function))

    def _start(self, call: Call, value: int) -> None:
        """`load(1)`: what it makes is dispatched, and the function is called with that."""
        action = self.models.result(call, ObjectKind.RECORD)
        tools = self.solver.container(("tools", call.result), ObjectKind.RECORD)
        self.solver.edge(self._dispatching(), self.solver.field(tools, self._dispatch_name))
        given = self.solver.slot()
        self.solver.add(given, tools)
        first = call.positional[0] if call.positional else -1
        payload = self.solver.field(action, self._payload)
        self._suppose(call, self.solver.detail[value][1], (first, given), payload)

    def _store(self, call: Call, options: int, second: int) -> None:
        made = self.models.result(call, ObjectKind.RECORD)
        self.solver.edge(self._dispatching(), self.solver.field(made, self._dispatch_name))

    def _use_dispatch(self, call: Call, first: int, second: int) -> None:
        self.solver.edge(self._dispatching(), call.result)

    def _dispatch(self, call: Call, value: int) -> None:
        """A function that is dispatched is called with `dispatch`; what is sent off comes back."""
        for item in call.positional[:1]:
            if item >= 0:
                self._suppose(call, item, (self._dispatching(),), call.result)
                self.solver.listen(item, (self._on_action, call))

    @handler
    def _on_action(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.solver.add(listener[1].result, value)

    # selectors

    def _selector(self, call: Call, first: int, second: int) -> None:
        """`createSelector([inputs], combine)`, or with the inputs one by one."""
        if call.positional:
            made = self.solver.make(CONTAINER, _SELECTOR, call.positional)
            self.solver.add(call.result, made)

    def _select(self, call: Call, value: int) -> None:
        *inputs, combine = self.solver.detail[value][1]
        self._choose(call, inputs, combine, call.positional)

    def _choose(self, call: Call, inputs: list[int], combine: int, given: tuple[int, ...]) -> None:
        results = tuple(self.solver.slot() for _ in inputs)
        for function, result in zip(inputs, results, strict=True):
            if function >= 0:
                self._suppose(call, function, given, result)
                self.solver.listen(function, (self._on_inputs, call, given))
        if combine >= 0:
            self._suppose(call, combine, results, call.result)

    @handler
    def _on_inputs(self, value: int, listener: Listener) -> None:
        _, call, given = listener
        detail = self.solver.detail[value]
        if self.solver.kind[value] == CONTAINER and detail[0] == ObjectKind.ARRAY:
            elements = self.solver.slot()
            self.models.elements(value, elements)
            self._suppose(call, elements, given, -1)

    def _use_selector(self, call: Call, selector: int, second: int) -> None:
        self._suppose(call, selector, (-1,), call.result)

    # hooks that are typed: `useDispatch.withTypes<AppDispatch>()`

    def _typed_dispatch(self, call: Call, first: int, second: int) -> None:
        self.solver.add(call.result, self.solver.make(CONTAINER, _TYPED, _DISPATCH))

    def _typed_selector(self, call: Call, first: int, second: int) -> None:
        self.solver.add(call.result, self.solver.make(CONTAINER, _TYPED, _SELECTOR))

    def _hook(self, call: Call, value: int) -> None:
        first = call.positional[0] if call.positional else -1
        if self.solver.detail[value][1] == _DISPATCH:
            self._use_dispatch(call, first, -1)
        else:
            self._use_selector(call, first, -1)
