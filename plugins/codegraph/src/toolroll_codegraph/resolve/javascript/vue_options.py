"""Vue's components that are objects of options: their methods, data and computed properties are
members of one `this`, and Vue runs their hooks.

What `this` has: https://vuejs.org/api/component-instance.html, the options:
https://vuejs.org/api/options-state.html. Vue makes such an instance for each time that a component
is shown; all of them are one object here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.javascript.vue import MODULES
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_SHOWN: Final = (
    "render", "setup", "data", "beforeCreate", "created", "beforeMount", "mounted", "beforeUpdate",
    "updated", "beforeUnmount", "unmounted", "beforeDestroy", "destroyed", "activated",
    "deactivated", "errorCaptured", "serverPrefetch", "provide",
)  # fmt: skip
"""Functions that run as long as a component is shown."""
_GIVEN: Final = ("methods", "setup", "data", "computed", "watch", "mixins", "extends")
_ELEMENTS: Final = tuple(
    f"{module}.{name}"
    for module in MODULES
    for name in ("h", "createVNode", "createElementVNode", "createBlock", "createApp",
                 "createSSRApp")
)  # fmt: skip
"""Functions that are given a component and its properties."""
_MOUNTING: Final = (
    "@vue/test-utils.mount", "@vue/test-utils.shallowMount", "@testing-library/vue.render",
    "@testing-library/svelte.render", "vitest-browser-vue.render", "vitest-browser-svelte.render",
    "svelte.mount", "svelte.hydrate", "svelte/server.render",
    "@nuxt/test-utils/runtime.mountSuspended",
)  # fmt: skip
"""Functions that are given a component and options, one of which is its properties."""
_INSTANCE: Final = "instance"


class JavaScriptVueOptions(JavaScriptLibrary):
    """Makes the instances of components."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        name = models.program.name
        self._value, self._get, self._set = name("value"), name("get"), name("set")
        self._handler, self._render = name("handler"), name("render")
        self._properties = [name(text) for text in ("props", "propsData")]
        self._shown = [name(text) for text in _SHOWN]
        (self._methods, self._setup, self._data, self._computed, self._watch, self._mixins,
         self._extends) = map(name, _GIVEN)  # fmt: skip
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **{f"{module}.defineComponent": self._define for module in MODULES},
            "vue.extend": self._define,
            **dict.fromkeys(_ELEMENTS, self._element),
            **dict.fromkeys(_MOUNTING, self._mount),
        }
        self._parts: set[tuple[int, int]] = set()
        """(object of options, instance that has what it gives)."""

    def _define(self, call: Call, options: int, second: int) -> None:
        self.same(call, options, second)
        self.solver.listen(options, (self._on_options, call, -1))

    def join(self, call: Call) -> None:
        """Let the options that a module exports have the template of its file."""
        options, template = (*call.positional, -1, -1)[:2]
        if options >= 0:
            self.solver.listen(options, (self._on_options, call, template))

    def _element(self, call: Call, component: int, properties: int) -> None:
        """Show a component as its element does."""
        flags = CallFlag.NEW | CallFlag.ELEMENT
        shown = Call(-1, call.scope, call.line, -1, (properties,), (), flags)
        if component >= 0:
            self.solver.listen(component, (self.models.on_callback, shown))

    def _mount(self, call: Call, component: int, options: int) -> None:
        """Show a component with `{props: {…}}`."""
        given = self.solver.slot()
        self._element(call, component, given)
        self.solver.edge(options, given)  # the properties themselves, in Testing Library's
        self.solver.listen(options, (self._on_mounting, given))

    def _on_mounting(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            fields = self.solver.fields_of(value)
            for name in self._properties:
                if name in fields:
                    self.solver.edge(fields[name], listener[1])

    def show(self, call: Call, value: int) -> None:
        """`<UserCard/>`: Vue makes an instance, and runs its hooks and its template."""
        fields = self.solver.fields_of(value)
        for name in self._shown:
            if name in fields:
                shown = self.solver.derived_call(call, -1, call.positional)
                self.solver.listen(fields[name], (self._on_shown, shown))

    def _on_shown(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.rules.enter(listener[1], value, -1)

    def _on_options(self, value: int, listener: Listener) -> None:
        _, call, template = listener
        solver, kind = self.solver, self.solver.kind[value]
        if kind == CLASS and template >= 0:
            made = value + self.models.program.scopes
            self._receive(template, made)
            self.rules.store(made, self._render, template, -1, 0)
        if kind != CONTAINER:
            return
        made = solver.container((_INSTANCE, value), ObjectKind.RECORD)
        self._take(value, made, call)
        if template >= 0:
            solver.edge(template, solver.field(value, self._render))
            self._receive(template, made)

    def _take(self, options: int, made: int, call: Call) -> None:
        """Give an instance what some options say."""
        if (options, made) in self._parts:
            return
        self._parts.add((options, made))
        solver = self.solver
        field = partial(solver.field, options)
        solver.mirror(options, lambda _, slot: self._receive(slot, made))
        solver.listen(field(self._methods), (self._on_methods, made))
        solver.listen(field(self._computed), (self._on_computed, made))
        solver.listen(field(self._watch), (self._on_watched, made))
        for name, handler in ((self._data, self._on_data), (self._setup, self._on_state)):
            state = solver.slot()
            self.models.callback(call, field(name), (), state, quiet=True)
            solver.listen(state, (handler, made))
        solver.listen(field(self._extends), (self._on_part, made, call))
        solver.listen(field(self._mixins), (self._on_mixins, made, call))

    def _receive(self, function: int, made: int) -> None:
        """Let a function have an instance as its `this`."""
        if function >= 0:
            self.solver.listen(function, (self.models.on_receiving, made))

    def _on_methods(self, value: int, listener: Listener) -> None:
        made = listener[1]

        def receive(name: int, slot: int) -> None:
            self.solver.edge(slot, self.solver.field(made, name))
            self._receive(slot, made)

        self.mirror(value, receive)

    def _on_data(self, value: int, listener: Listener) -> None:
        made = listener[1]
        self.mirror(value, lambda name, slot: self.solver.edge(slot, self._field(made, name)))

    def _field(self, made: int, name: int) -> int:
        return self.solver.field(made, name)

    def _on_state(self, value: int, listener: Listener) -> None:
        """What `setup` returns; of a reference, what is in it."""
        made = listener[1]

        def receive(name: int, slot: int) -> None:
            self.solver.listen(slot, (self._on_reference, self._field(made, name)))

        self.mirror(value, receive)

    def _on_reference(self, value: int, listener: Listener) -> None:
        self.solver.add(listener[1], value)
        if self.solver.kind[value] == CONTAINER and self._value in self.solver.fields_of(value):
            self.solver.edge(self.solver.field(value, self._value), listener[1])

    def _on_computed(self, value: int, listener: Listener) -> None:
        """`total() {…}`, or `total: { get() {…}, set(value) {…} }`: a property is read by it."""
        made = listener[1]

        def receive(name: int, slot: int) -> None:
            self.solver.listen(slot, (self._on_property, made, name))

        self.mirror(value, receive)

    def _on_property(self, value: int, listener: Listener) -> None:
        _, made, name = listener
        if self.solver.kind[value] == CONTAINER:
            for part in (self._get, self._set):
                self._receive(self.solver.field(value, part), made)
            self.rules.accessors.on_descriptor(value, (self._on_property, made, name))
        elif self.solver.kind[value] == FUNCTION:
            self.rules.receive(value, made)
            getter = self.solver.slot()
            self.rules.accessors.on_getter(value, (self._on_property, getter))
            self.rules.store(made, name, getter, -1, 0)

    def _on_watched(self, value: int, listener: Listener) -> None:
        made = listener[1]

        def receive(_: int, slot: int) -> None:
            self._receive(slot, made)
            self.solver.listen(slot, (self._on_handler, made))

        self.mirror(value, receive)

    def _on_handler(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self._receive(self.solver.field(value, self._handler), listener[1])

    def _on_part(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self._take(value, listener[1], listener[2])

    def _on_mixins(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            part = self.solver.slot()
            self.models.elements(value, part)
            self.solver.listen(part, (self._on_part, listener[1], listener[2]))
