"""Vue's references: what is in one is its `value`, that of a computed one its function gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

MODULES: Final = ("vue", "@vue/reactivity", "@vue/runtime-core", "@vue/composition-api")
_SAME: Final = (
    "reactive", "readonly", "shallowReactive", "shallowReadonly", "markRaw", "toRaw", "proxyRefs",
)  # fmt: skip


class JavaScriptVue(JavaScriptLibrary):
    """Does what Vue's functions do with what they are given."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self._value = models.program.name("value")
        self._get = models.program.name("get")
        self._loader = models.program.name("loader")
        does: dict[str, Callable[[Call, int, int], None]] = {
            **dict.fromkeys(_SAME, self.same),
            **dict.fromkeys(("ref", "shallowRef", "toRef"), self._ref),
            **dict.fromkeys(("unref", "toValue"), self._unref),
            "computed": self._computed,
            "watch": self._watch,
            "defineAsyncComponent": self._lazy,
        }
        self.functions = {
            f"{module}.{name}": function for module in MODULES for name, function in does.items()
        }

    def _made(self, call: Call) -> int:
        made = self.models.result(call, ObjectKind.RECORD)
        return self.solver.field(made, self._value)

    def _ref(self, call: Call, first: int, second: int) -> None:
        self.solver.edge(first, self._made(call))

    def _computed(self, call: Call, first: int, second: int) -> None:
        """Of a function, or of an object with one for reading."""
        value = self._made(call)
        self.models.callback(call, first, (), value, quiet=True)
        self.solver.listen(first, (self._on_accessors, call, value))

    def _on_accessors(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            getter = self.solver.field(value, self._get)
            self.models.callback(listener[1], getter, (), listener[2], quiet=True)

    def _lazy(self, call: Call, first: int, second: int) -> None:
        """What a function, or that of an object, imports when it is first shown."""
        module = self.solver.slot()
        self.models.callback(call, first, (), module, quiet=True)
        self.solver.listen(first, (self._on_loader, call, module))
        self.default_of(module, call)

    def _on_loader(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            loader = self.solver.field(value, self._loader)
            self.models.callback(listener[1], loader, (), listener[2], quiet=True)

    def _unref(self, call: Call, first: int, second: int) -> None:
        self.solver.listen(first, (self._on_source, call, call.result))

    def _watch(self, call: Call, source: int, function: int) -> None:
        """What is watched goes to the function that is told of it."""
        told = self.solver.slot()
        self.solver.listen(source, (self._on_source, call, told))
        self.models.callback(call, function, (told, told), -1, quiet=True)

    def _on_source(self, value: int, listener: Listener) -> None:
        """What is in a reference, what a function gives, or the value itself."""
        _, call, target = listener
        if self.solver.kind[value] == FUNCTION:
            inner = self.solver.slot()
            self.solver.add(inner, value)
            self.models.callback(call, inner, (), target, quiet=True)
            return
        self.solver.add(target, value)
        if self.solver.kind[value] == CONTAINER:
            self.solver.edge(self.solver.field(value, self._value), target)
