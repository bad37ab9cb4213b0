"""What React's hooks, contexts and wrappers do with a project's functions.

`useCallback(save)` is `save`, a memoised component the component; what a context provides is what
`useContext` returns. React itself calls reducers, initialisers and updaters: nobody of the project
does, but what they are given and return goes on. Preact has the same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

MODULES: Final = (
    "react", "react/jsx-runtime", "react/jsx-dev-runtime", "preact", "preact/hooks",
    "preact/compat", "preact/jsx-runtime", "@wordpress/element",
)  # fmt: skip
"""Modules that have its functions, as `react` alone."""
_SAME: Final = (
    "useCallback", "useEffectEvent", "useDeferredValue", "memo", "cloneElement", "cache",
)  # fmt: skip
SHOWN: Final = (
    "UNSAFE_componentWillMount", "componentWillMount", "shouldComponentUpdate", "render",
    "getSnapshotBeforeUpdate", "componentDidMount", "componentDidUpdate", "componentWillUnmount",
)  # fmt: skip
"""Methods of a component's class that run as long as it is shown."""
CALLBACKS: Final = (
    "use-latest-callback", "use-event-callback", "ahooks.useMemoizedFn",
    "usehooks-ts.useEventCallback", "use-debounce.useDebouncedCallback",
    "@wordpress/compose.useEvent", "@react-aria/utils.useEffectEvent",
    "@radix-ui/react-use-callback-ref.useCallbackRef",
)  # fmt: skip
"""Hooks of other libraries that give a function back, as `useCallback` does."""
SETTER: Final = "setter"
"""The kind of what sets a state: to what it is given, or to what that makes of the one before."""
_TESTING: Final = tuple(
    f"@testing-library/{name}.renderHook"
    for name in ("react", "react-hooks", "react-native", "preact")
)
_CALLED: Final = (SETTER, "dispatcher", "context", "consumer", "forwarding")
"""Containers of these kinds are what React made, and can be called."""


class JavaScriptReact(JavaScriptLibrary):
    """Does what functions of React do, and what calling what they return does."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        name = models.program.name
        self._value, self._current, self._ref_name = name("value"), name("current"), name("ref")
        self._result = name("result")
        self._first, self._second = name("[0"), name("[1")
        self._children = name("children")
        self._provider, self._consumer = name("Provider"), name("Consumer")
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            f"react.{function}": does
            for functions, does in (
                (_SAME, self.same),
                (("useMemo",), self._computed),
                (("useSyncExternalStore",), self._snapshot),
                (("createElement", "jsx", "jsxs", "jsxDEV", "h"), self._element),
                (("useState",), self._state),
                (("useReducer",), self._reducer),
                (("useRef", "createRef"), self._ref),
                (("useImperativeHandle",), self._handle),
                (("forwardRef",), self._forward),
                (("createContext",), self._context),
                (("useContext", "use"), self._use),
                (("lazy",), self._lazy),
            )
            for function in functions
        }
        self.functions |= dict.fromkeys(_TESTING, self._render_hook)
        self.called: dict[str, Callable[[Call, int], None]] = dict.fromkeys(_CALLED, self._call)

    def _call(self, call: Call, value: int) -> None:
        """Call a setter, a dispatcher, or what is a component."""
        kind, slot = self.solver.detail[value][:2]
        given = call.positional[0] if call.positional else -1
        if given < 0:
            return
        if kind == "dispatcher":
            self.solver.edge(given, slot)
        elif kind == SETTER:
            self.solver.listen(given, (self._on_state, slot, call))
        elif kind == "forwarding":
            ref = self.solver.slot()
            self.solver.listen(given, (self._on_forwarded, ref))
            inner = self.solver.derived_call(call, call.result, (given, ref))
            self.solver.listen(slot, (self.models.on_callback, inner))
        else:
            self.solver.listen(given, (self._on_properties, value, call))

    # functions

    def _computed(self, call: Call, function: int, second: int) -> None:
        self.models.callback(call, function, (), call.result, quiet=True)

    def _snapshot(self, call: Call, subscribe: int, function: int) -> None:
        self.models.callback(call, function, (), call.result, quiet=True)

    def _element(self, call: Call, component: int, properties: int) -> None:
        if component < 0:
            return
        flags = CallFlag.NEW | CallFlag.ELEMENT
        inner = Call(call.result, call.scope, call.line, -1, (properties,), (), flags)
        self.solver.listen(component, (self.models.on_callback, inner))
        for child in call.positional[2:]:
            self.solver.listen(properties, (self._on_child, child))

    def _state(self, call: Call, initial: int, second: int) -> None:
        made = self.models.result(call)
        value = self.solver.field(made, self._first)
        setter = self.solver.make(CONTAINER, SETTER, value)
        self.solver.add(self.solver.field(made, self._second), setter)
        self.solver.listen(initial, (self._on_state, value, call))

    def _reducer(self, call: Call, reducer: int, initial: int) -> None:
        made = self.models.result(call)
        state, action = self.solver.field(made, self._first), self.solver.slot()
        dispatcher = self.solver.make(CONTAINER, "dispatcher", action)
        self.solver.add(self.solver.field(made, self._second), dispatcher)
        if len(call.positional) > 2:
            self.models.callback(call, call.positional[2], (initial,), state, quiet=True)
        else:
            self.solver.edge(initial, state)
        self.models.callback(call, reducer, (state, action), state, quiet=True)

    def _ref(self, call: Call, initial: int, second: int) -> None:
        made = self.models.result(call, ObjectKind.RECORD)
        self.solver.edge(initial, self.solver.field(made, self._current))

    def _handle(self, call: Call, ref: int, function: int) -> None:
        handle = self.solver.slot()
        self.models.callback(call, function, (), handle, quiet=True)
        self.solver.listen(ref, (self._on_ref, handle))

    def _forward(self, call: Call, function: int, second: int) -> None:
        if function >= 0:
            made = self.solver.make(CONTAINER, "forwarding", function)
            self.solver.add(call.result, made)

    def _context(self, call: Call, default: int, second: int) -> None:
        context = self.solver.make(CONTAINER, "context", self.solver.slot(), call.result)
        self.solver.add(call.result, context)
        self.solver.edge(default, self._provided(context))
        self.solver.add(self.solver.field(context, self._provider), context)
        consumer = self.solver.make(CONTAINER, "consumer", self._provided(context))
        self.solver.add(self.solver.field(context, self._consumer), consumer)

    def _use(self, call: Call, context: int, second: int) -> None:
        self.solver.listen(context, (self._on_context, call.result))

    def _render_hook(self, call: Call, function: int, options: int) -> None:
        """What a hook returns in a test is `result.current`."""
        made = self.models.result(call, ObjectKind.RECORD)
        result = self.solver.container(("result", call.result), ObjectKind.RECORD)
        self.solver.add(self.solver.field(made, self._result), result)
        current = self.solver.field(result, self._current)
        self.models.callback(call, function, (), current, quiet=True)

    def _lazy(self, call: Call, function: int, second: int) -> None:
        module = self.solver.slot()
        self.models.callback(call, function, (), module, quiet=True)
        self.default_of(module, call)

    # values

    def _provided(self, context: int) -> int:
        return self.solver.detail[context][1]

    def _on_state(self, value: int, listener: Listener) -> None:
        """A state, or the function that makes it of the one before."""
        _, slot, call = listener
        if self.solver.kind[value] == FUNCTION:
            inner = self.solver.derived_call(call, slot, (slot,))
            inner.flags |= CallFlag.QUIET
            self.rules.call_value(inner, value)
        else:
            self.solver.add(slot, value)

    def _on_properties(self, value: int, listener: Listener) -> None:
        """`<Context.Provider value={…}>`, and `<Context.Consumer>{(value) => …}`."""
        _, context, call = listener
        if self.solver.kind[value] != CONTAINER:
            return
        provided = self._provided(context)
        if self.solver.detail[context][0] == "context":
            self.solver.edge(self.solver.field(value, self._value), provided)
        else:
            shown = self.solver.field(value, self._children)
            self.models.callback(call, shown, (provided,), call.result, quiet=True)

    def _on_child(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.solver.edge(listener[1], self.solver.field(value, self._children))

    def _on_forwarded(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.solver.edge(self.solver.field(value, self._ref_name), listener[1])

    def _on_ref(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.solver.edge(listener[1], self.solver.field(value, self._current))

    def _on_context(self, value: int, listener: Listener) -> None:
        """What a context has; a promise is what it is fulfilled with."""
        solver = self.solver
        if solver.kind[value] == CONTAINER and solver.detail[value][0] == "context":
            self.solver.edge(self._provided(value), listener[1])
        else:
            self.solver.add(listener[1], value)
