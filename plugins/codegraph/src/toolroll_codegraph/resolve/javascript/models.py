"""What JavaScript's builtins do with functions, arrays, maps and promises."""

from __future__ import annotations

from typing import Final, cast

from toolroll_codegraph.facts import CallFlag, ObjectKind, ScopeKind
from toolroll_codegraph.facts.names import COMPONENT
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.collections import LIBRARIES, NAMES
from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers
from toolroll_codegraph.resolve.javascript.functions import WRAPPED
from toolroll_codegraph.resolve.javascript.globals import GLOBAL
from toolroll_codegraph.resolve.javascript.helpers import HELPERS, helper_name
from toolroll_codegraph.resolve.javascript.methods import BOUND_METHOD, PROXY
from toolroll_codegraph.resolve.javascript.react import CALLBACKS, MODULES
from toolroll_codegraph.resolve.javascript.statics import CLONING, OWNERS
from toolroll_codegraph.resolve.javascript.testing import GLOBALS as TESTING
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    TEXT,
)

_BUILTINS: Final = frozenset(
    [
        "Object",
        "Array",
        "Promise",
        "Reflect",
        "Map",
        "Set",
        "WeakMap",
        "WeakSet",
        "WeakRef",
        "Function",
        "setTimeout",
        "setInterval",
        "setImmediate",
        "queueMicrotask",
        "process",
        GLOBAL,
        "String",
        "Number",
        "Symbol",
        "JSON",
        "Proxy",
        "require",
        COMPONENT,
    ]
)
_TYPED: Final = (
    "Int8", "Uint8", "Uint8Clamped", "Int16", "Uint16", "Int32", "Uint32", "Float32", "Float64",
    "BigInt64", "BigUint64",
)  # fmt: skip
_ALIASES: Final = {
    **{f"{name}Array": "Array" for name in _TYPED},
    **dict.fromkeys(("window", "global", "self"), GLOBAL),
}
_ALIKE: Final = {
    **dict.fromkeys(
        ["object-assign", "xtend", "extend", "util-extend", "merge-descriptors", "utils-merge"],
        ("Object", "assign"),
    ),
    "setprototypeof": ("Object", "setPrototypeOf"),
}
"""Packages that are one function, with the one of JavaScript's that does the same."""
_COLLECTION_FUNCTIONS: Final = (
    "extend", "assign", "assignin", "defaults", "merge", "mixin", "bind", "partial",
    *CLONING, *NAMES,
)  # fmt: skip
WRAPPING: Final = frozenset(["lodash", "underscore", "jquery", "cheerio", "highland", "lazy.js"])
"""Libraries that a call of makes one of their own collections."""
_EXTERNALS: Final = frozenset(
    [
        *WRAPPING,
        "util", "util.inherits", "util.promisify", "util.callbackify", "util.deprecate",
        "util._extend", "inherits",
        *_ALIKE, *LIBRARIES, "tslib", *[f"tslib.{name}" for name in HELPERS],
        *[f"{module}.{name}" for module in LIBRARIES for name in _COLLECTION_FUNCTIONS],
    ]
)  # fmt: skip
_LATER: Final = frozenset(["setTimeout", "setInterval", "setImmediate", "queueMicrotask"])


class JavaScriptModels(JavaScriptContainers):
    """The part of the language's library that moves project values around."""

    def builtin(self, name: str) -> int:
        """The builtin of a name, -1 if there is none; of tests what is there without an import."""
        if name in TESTING:
            return self.solver.make(EXTERNAL, TESTING[name])
        name = _ALIASES.get(name, name)
        return self.solver.make(BUILTIN, name) if name in _BUILTINS else -1

    def add_external(self, slot: int, dotted: str) -> None:
        module, _, name = dotted.replace("/", ".", 1).partition(".")
        if module in LIBRARIES and name:  # `lodash/assignIn` and the package `lodash.assignin`
            dotted = f"{module}.{name.lower()}"
        dotted = helper_name(dotted)
        if dotted in MODULES:
            dotted = "react"
        elif module in ("react", "preact") or dotted.rpartition(".")[0] in MODULES:
            dotted = f"react.{dotted.rpartition('.')[2]}"
        elif dotted in CALLBACKS:
            dotted = "react.useCallback"
        if slot >= 0 and (dotted in _EXTERNALS or dotted in self.statics.externals):
            self.solver.add(slot, self.solver.make(EXTERNAL, dotted))

    def load_builtin(self, value: int, name: int, target: int) -> None:
        text = self.program.texts[name]
        owner = self.solver.detail[value][0]
        if self.solver.kind[value] == EXTERNAL:
            self.add_external(target, f"{owner}.{text}")
            self.repositories.load(value, text, target)
        elif owner == GLOBAL:
            if (found := self.builtin(text)) >= 0:
                self.solver.add(target, found)
            self.rules.globals.load(value, name, (self.solver.copy_to, target))
        elif self.methods.load_prototype(owner, name, target):
            return
        elif owner in OWNERS or (owner == "Object.prototype" and text == "toString"):
            self.solver.add(target, self.solver.make(BUILTIN, f"{owner}.{text}"))

    def call(self, call: Call, value: int) -> None:
        kind = self.solver.kind[value]
        if kind == CONTAINER:
            self._call_container(call, value)
            return
        name: str = self.solver.detail[value][0]
        first = call.positional[0] if call.positional else -1
        if kind == EXTERNAL and name in _ALIKE:
            self.statics.run(call, *_ALIKE[name])
        elif "." in name or kind == EXTERNAL:
            owner, _, method = name.rpartition(".")
            self.statics.run(call, owner, method)
        elif name in _LATER:
            self.callback(call, first, call.positional[2:], -1, quiet=True)
        elif name == "Promise":
            self._promise(call, first, call.positional[1] if len(call.positional) > 1 else -1)
        elif name == "String":
            self.solver.listen(first, (self._on_text, call.result))
        elif name == COMPONENT:
            self.statics.libraries.options.join(call)
        elif name == "Proxy":
            self.methods.make_proxy(call)
        elif name == "require":
            index = self.program.file_of[call.scope]
            self.solver.listen(first, (self._on_specifier, index, call.result))
        elif name == "WeakRef":
            self.solver.edge(first, self.solver.field(self.result(call), self.any_key))
        elif name == "Object" and first >= 0:
            self.solver.edge(first, call.result)
        elif name in ("Map", "Set", "WeakMap", "WeakSet", "Array", "Object"):
            pairs = name.endswith("Map")
            made = self.result(call, ObjectKind.MAPPING if pairs else ObjectKind.ARRAY)
            if first >= 0:
                self.solver.listen(first, (self.on_source, made, pairs, call))

    def _call_container(self, call: Call, value: int) -> None:
        """Call what a call of the library, or of what the library lacks, has made."""
        detail = self.solver.detail[value]
        if detail[0] == "partial":
            _, function, receiver, first = cast("tuple[str, int, int, Call]", detail)
            passed = (*first.positional[1:], *call.positional)
            merged = Call(call.result, call.scope, call.line, -1, passed, (), call.flags)
            merged.stand_for(call)
            self.apply_with(merged, function, receiver)
        elif detail[0] == "resolver" and call.positional:
            self.solver.edge(call.positional[0], detail[1])
        elif detail[0] == BOUND_METHOD:
            self.methods.call_bound(call, value)
        elif detail[0] == WRAPPED:
            inner = self.solver.derived_call(call, call.result, call.positional)
            # `<Wrapped/>` is the component that is wrapped
            shown = call.flags & (CallFlag.NEW | CallFlag.ELEMENT)
            at_once = self.program.kind[call.scope] == ScopeKind.MODULE  # `connect(f)(List)`
            lasting = detail[2] and not shown and not at_once
            inner.flags |= shown or CallFlag.QUIET
            self.solver.listen(detail[1], (self._on_wrapped, inner, lasting))
        elif detail[0] == PROXY:
            self.methods.trap_call(call, value)
        elif (called := self.statics.called.get(detail[0])) is not None:
            called(call, value)
        elif call.flags & CallFlag.ELEMENT:
            self.statics.libraries.options.show(call, value)

    def _on_wrapped(self, value: int, listener: Listener) -> None:
        kind, call = self.solver.kind[value], listener[1]
        if kind in (BOUND, FUNCTION, CLASS):
            if listener[2] and kind != CLASS:
                function = self.solver.detail[value][0] if kind == BOUND else value
                self.solver.suppose(call.scope, function, call.line)
            self.rules.call_value(call, value)

    @handler
    def _on_text(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == TEXT:
            self.solver.add(listener[1], value)

    def _on_specifier(self, value: int, listener: Listener) -> None:
        """`names.map((name) => require(name))` has the module of each name."""
        _, index, result = listener
        if self.solver.kind[value] == TEXT:
            self.rules.imports.require(index, self.solver.key_text(value), result)

    def _promise(self, call: Call, executor: int, thrown: int) -> None:
        """`new Promise(f)` calls f at once; what `resolve` is given is the promise's value.

        What `reject` is given is thrown.
        """
        resolve = self.solver.container(("resolve", call.result), ObjectKind.RECORD)
        slot = self.solver.slot()
        self.solver.add(slot, self.solver.make(CONTAINER, "resolver", call.result, resolve))
        rejecting = -1
        if thrown >= 0:
            reject = self.solver.container(("reject", call.result), ObjectKind.RECORD)
            rejecting = self.solver.slot()
            self.solver.add(rejecting, self.solver.make(CONTAINER, "resolver", thrown, reject))
        self.callback(call, executor, (slot, rejecting), -1)
