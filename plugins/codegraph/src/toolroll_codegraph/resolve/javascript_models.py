"""What JavaScript's builtins do with functions, arrays, maps and promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from toolroll_codegraph.facts import CallColumn, CallFlag, ObjectKind
from toolroll_codegraph.resolve.javascript_methods import (
    BOUND_METHOD,
    METHOD,
    PROXY,
    JavaScriptMethods,
)
from toolroll_codegraph.resolve.javascript_statics import JavaScriptStatics
from toolroll_codegraph.resolve.program import (
    BUILTIN,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
)
from toolroll_codegraph.resolve.solver import LIKELY, Call, Listener

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript_rules import JavaScriptRules

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
        "Function",
        "setTimeout",
        "setInterval",
        "setImmediate",
        "queueMicrotask",
        "process",
        "globalThis",
        "window",
        "String",
        "Number",
        "Symbol",
        "JSON",
        "Proxy",
    ]
)
_COPYING: Final = (
    "object-assign", "xtend", "extend", "util-extend", "lodash.assign", "merge-descriptors",
)  # fmt: skip
"""Packages that are one function, which copies properties as `Object.assign` does."""
_COLLECTIONS: Final = ("lodash", "underscore", "lodash-es")
_EXTERNALS: Final = frozenset(
    [
        "util", "util.inherits", "util.promisify", "util.callbackify", "util._extend", "inherits",
        *_COPYING, *_COLLECTIONS,
        *[f"{module}.{name}" for module in _COLLECTIONS for name in ("extend", "assign", "mixin")],
    ]
)  # fmt: skip
_CALLBACKS: Final = frozenset(
    [
        "forEach",
        "map",
        "filter",
        "some",
        "every",
        "find",
        "findIndex",
        "findLast",
        "findLastIndex",
        "flatMap",
        "reduce",
        "reduceRight",
        "sort",
        "toSorted",
        "replace",
        "replaceAll",
    ]
)
_ELEMENT_RESULT: Final = frozenset(["find", "findLast", "pop", "shift", "at", "get"])
_SAME_RESULT: Final = frozenset(
    [
        "slice",
        "splice",
        "reverse",
        "toReversed",
        "concat",
        "sort",
        "toSorted",
        "fill",
        "values",
        "entries",
        "keys",
        "copyWithin",
        "@@iterator",
        "filter",
        "next",
        "return",
    ]
)
_ARRAY_METHODS: Final = _CALLBACKS | _SAME_RESULT | _ELEMENT_RESULT | {"push", "unshift", "flat"}
_LATER: Final = frozenset(["setTimeout", "setInterval", "setImmediate", "queueMicrotask"])
_PROMISE: Final = frozenset(["then", "catch", "finally"])


class JavaScriptModels:
    """The part of the language's library that moves project values around."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.any_key = self.program.name("[*")
        self.statics = JavaScriptStatics(self)
        self.methods = JavaScriptMethods(rules)
        self.undecided: list[tuple[Call, bool]] = []
        """Calls such as `this.map(f)` with nothing known of `this`; whether f is called at once."""
        self.array_methods = {self.program.name(name) for name in _ARRAY_METHODS}

    def is_builtin(self, name: str) -> bool:
        return name in _BUILTINS

    def add_external(self, slot: int, dotted: str) -> None:
        if slot >= 0 and dotted in _EXTERNALS:
            self.solver.add(slot, self.solver.make(EXTERNAL, dotted))

    def load_builtin(self, value: int, name: int, target: int) -> None:
        text = self.program.texts[name]
        owner = self.solver.detail[value][0]
        if self.solver.kind[value] == EXTERNAL:
            self.add_external(target, f"{owner}.{text}")
        elif owner in ("globalThis", "window") and text in _BUILTINS:
            self.solver.add(target, self.solver.make(BUILTIN, text))
        elif self.methods.load_prototype(owner, name, target):
            return
        elif owner in ("Object", "Reflect", "Array", "Promise", "JSON"):
            self.solver.add(target, self.solver.make(BUILTIN, f"{owner}.{text}"))

    # calls

    def call(self, call: Call, value: int) -> None:
        kind, detail = self.solver.kind[value], self.solver.detail[value]
        if kind == CONTAINER:
            if detail[0] == "partial":
                _, function, receiver, first = cast("tuple[str, int, int, Call]", detail)
                passed = (*first.positional[1:], *call.positional)
                merged = Call(call.result, call.scope, call.line, -1, passed, (), call.flags)
                merged.stand_for(call)
                self._apply_with(merged, function, receiver)
            elif detail[0] == "resolver" and call.positional:
                self.solver.edge(call.positional[0], detail[1])
            elif detail[0] == BOUND_METHOD:
                self.methods.call_bound(call, value)
            elif detail[0] == PROXY:
                self.methods.trap_call(call, value)
            return
        name: str = detail[0]
        first = call.positional[0] if call.positional else -1
        if kind == EXTERNAL and name in _COPYING:
            self.statics.run(call, "Object", "assign")
        elif "." in name or kind == EXTERNAL:
            owner, _, method = name.rpartition(".")
            self.statics.run(call, owner, method)
        elif name in _LATER:
            self.callback(call, first, call.positional[2:], -1, quiet=True)
        elif name == "Promise":
            self._promise(call, first, call.positional[1] if len(call.positional) > 1 else -1)
        elif name == "Proxy":
            self.methods.make_proxy(call)
        elif name in ("Map", "Set", "WeakMap", "WeakSet", "Array", "Object"):
            pairs = name.endswith("Map")
            made = self.result(call, ObjectKind.MAPPING if pairs else ObjectKind.ARRAY)
            if first >= 0:
                self.solver.listen(first, (self._on_source, made, pairs))

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

    def _on_source(self, value: int, listener: Listener) -> None:
        _, made, pairs = listener
        if self.solver.kind[value] != CONTAINER:
            return
        target = self.solver.field(made, self.any_key)
        if not pairs:
            self.elements(value, target)
            return
        rows = self.solver.slot()
        if self.solver.detail[value][0] == ObjectKind.MAPPING:
            self.solver.add(rows, self.row(value))
        else:
            self.elements(value, rows)
        self.solver.listen(rows, (self._on_row, target, self._keys(made)))

    def _on_row(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            for place, target in (("[1", listener[1]), ("[0", listener[2])):
                self.solver.edge(self.solver.field(value, self.program.name(place)), target)
                self.solver.edge(self.solver.field(value, self.any_key), target)

    def _keys(self, value: int) -> int:
        """The slot of a map's keys, which are no elements of it."""
        return self.solver.field(self.solver.container(("keys", value), ObjectKind.ARRAY),
                                 self.any_key)  # fmt: skip

    def row(self, value: int) -> int:
        """A [key, value] pair of a map or of an object's entries."""
        row = self.solver.container(("row", value), ObjectKind.ARRAY)
        self.elements(value, self.solver.field(row, self.program.name("[1")))
        if self.solver.detail[value][0] == ObjectKind.MAPPING:
            self.solver.edge(self._keys(value), self.solver.field(row, self.program.name("[0")))
        return row

    def callback(
        self, call: Call, function: int, positional: tuple[int, ...], result: int, *,
        quiet: bool = False,
    ) -> None:  # fmt: skip
        """Call a function that was handed to a builtin, from the builtin's caller."""
        if function >= 0:
            inner = self.solver.derived_call(call, result, positional)
            if quiet:
                inner.flags |= CallFlag.QUIET
            self.solver.listen(function, (self.on_callback, inner))

    def on_callback(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def result(self, call: Call, kind: int = ObjectKind.ARRAY) -> int:
        made = self.solver.container(("call", call.result), kind)
        self.solver.add(call.result, made)
        return made

    # Function.prototype

    def function_method(self, call: Call, value: int) -> bool:
        name = self.program.texts[call.name]
        positional = call.positional
        if name == "call":
            self._redirect(call, value, positional[:1], positional[1:])
        elif name == "apply":
            rest = tuple(-item - 2 for item in positional[1:2] if item >= 0)
            self._redirect(call, value, positional[:1], rest)
        elif name == "bind":
            self._bind(call, value)
        else:
            return False
        return True

    def _redirect(
        self, call: Call, value: int, receiver: tuple[int, ...], positional: tuple[int, ...]
    ) -> None:
        inner = Call(call.result, call.scope, call.line, -1, positional, (), 0)
        if receiver and receiver[0] >= 0:
            self.solver.listen(receiver[0], (self._on_receiver, inner, value))
        self.rules.call_value(inner, value)
        call.fired += (*inner.fired,)

    def _on_receiver(self, value: int, listener: Listener) -> None:
        self._apply_with(listener[1], listener[2], value)

    def _apply_with(self, call: Call, function: int, receiver: int) -> None:
        if self.solver.kind[function] == FUNCTION and receiver >= 0:
            self.rules.enter(call, function, receiver)
        else:
            self.rules.call_value(call, function)

    def _bind(self, call: Call, value: int) -> None:
        solver = self.solver
        solver.add(call.result, solver.make(CONTAINER, "partial", value, -1, call)
                   if len(call.positional) > 1 else value)  # fmt: skip
        if call.positional and call.positional[0] >= 0 and solver.kind[value] == FUNCTION:
            solver.listen(call.positional[0], (self._on_bind, call, value))

    def _on_bind(self, value: int, listener: Listener) -> None:
        _, _call, function = listener
        self.rules.receive(function, value)

    # arrays, maps, promises

    def elements(self, container: int, target: int) -> None:
        if target >= 0:
            self.solver.every_field(container, (self.solver.copy_to, target))

    def method(self, call: Call, value: int) -> bool:
        """A method of an array, map, set or generator; False when it is the object's own."""
        solver = self.solver
        kind = solver.detail[value][0]
        name = self.program.texts[call.name]
        if kind == "resolver":
            return True
        if kind == "partial":
            return self.function_method(call, value)
        if kind == METHOD:
            self.methods.redirect(call, value)
            return True
        if name == "hasOwnProperty":
            return True
        if kind == ObjectKind.RECORD or name.startswith("["):
            return False
        if value in call.fired:
            return True
        call.fired += (-2 - value,)
        first = call.positional[0] if call.positional else -1
        field = solver.field(value, self.any_key)
        moved = name in ("slice", "splice") and bool(call.positional)
        if name == "flat":
            inner = solver.slot()
            self.elements(value, inner)
            solver.listen(inner, (self._on_concat, self.result(call)))
        elif name in ("push", "unshift", "add", "fill"):
            for item in call.positional:
                if item >= 0:
                    solver.edge(item, field)
                elif item < -1:
                    solver.listen(-item - 2, (self._on_source, value, False))
            if name == "add":
                solver.add(call.result, value)
        elif name == "set" and len(call.positional) > 1:
            solver.edge(call.positional[1], field)
            solver.add(call.result, value)
            if first >= 0 and kind == ObjectKind.MAPPING:
                solver.edge(first, self._keys(value))
        elif moved:  # to other positions than they had
            self.elements(value, solver.field(self.result(call), self.any_key))
        elif name == "concat":
            made = self.result(call)
            self.elements(value, solver.field(made, self.any_key))
            for item in call.positional:
                if item >= 0:
                    solver.listen(item, (self._on_concat, made))
        if name in _CALLBACKS:
            self._array_callback(call, value, name, first)
        if name in _ELEMENT_RESULT:
            self.elements(value, call.result)
        elif name in _SAME_RESULT and name != "concat" and not moved:
            if name == "entries":
                solver.add(solver.field(self.result(call), self.any_key), self.row(value))
            elif name == "keys" and kind == ObjectKind.MAPPING:
                solver.edge(self._keys(value), solver.field(self.result(call), self.any_key))
            elif name == "next":
                made = solver.container(("step", call.result), ObjectKind.RECORD)
                step = solver.field(made, self.program.name("value"))
                self.elements(value, step)
                self.rules.iteration.resume(value, first, step)
                solver.add(call.result, made)
            else:
                solver.add(call.result, value)
        return kind != ObjectKind.HASH and call.name not in solver.fields_of(value)

    def _on_concat(self, value: int, listener: Listener) -> None:
        target = self.solver.field(listener[1], self.any_key)
        if self.solver.kind[value] == CONTAINER:
            self.elements(value, target)
        else:
            self.solver.add(target, value)

    def _array_callback(self, call: Call, value: int, name: str, function: int) -> None:
        solver = self.solver
        if name in ("replace", "replaceAll"):  # of a text that may be an array
            self.callback(call, call.positional[1] if len(call.positional) > 1 else -1, (), -1)
            return
        element = solver.slot()
        self.elements(value, element)
        if name in ("reduce", "reduceRight"):
            total = solver.slot()
            if len(call.positional) > 1:
                solver.edge(call.positional[1], total)
            else:
                solver.edge(element, total)
            solver.edge(total, call.result)
            self.callback(call, function, (total, element), total)
            return
        arguments = (element, element) if name in ("sort", "toSorted") else (element,)
        if name == "forEach" and solver.detail[value][0] == ObjectKind.MAPPING:
            arguments = (element, self._keys(value))
        result = -1
        if name in ("map", "flatMap"):
            result = solver.field(self.result(call), self.any_key)
        self.callback(call, function, arguments, result)
        self._callback_receiver(call, function)

    def _callback_receiver(self, call: Call, function: int) -> None:
        """`items.forEach(f, receiver)`: what `this` is in f."""
        if len(call.positional) > 1 and min(call.positional[:2]) >= 0:
            self.solver.listen(function, (self._on_called_with, call, call.positional[1]))

    def _on_called_with(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.solver.listen(listener[2], (self._on_bind, listener[1], value))

    def settle_callbacks(self) -> None:
        """Functions handed to `map`, `forEach`… of a receiver nothing is known about."""
        self.methods.settle()
        program, solver = self.program, self.solver
        solver.confidence = LIKELY
        names = {program.name(name) for name in _CALLBACKS}
        later = {program.name(name) for name in _PROMISE}
        passing = {program.name(name) for name in ("reduce", "reduceRight", "replace")}
        chain = program.name("chain")
        operations = solver.operations
        names_called = operations.column(CallColumn.NAME)
        sources = operations.column(CallColumn.SOURCE)
        outside, chained = self._libraries(), set[int]()
        own = {this for this in program.this if this >= 0 and solver.points[this] is None}
        results = operations.column(CallColumn.RESULT)
        for identifier, index in enumerate(operations.call_file):
            source = sources[identifier]
            value = source + program.slot_base[index] if source >= 0 else -1
            name = names_called[identifier]
            name = program.renames[index][name] if name >= 0 else -1
            if value in outside and (name in (-1, chain) or value in chained):
                # What a library returns is mostly an array; `_(items)` is the library's again.
                chained.add(results[identifier] + program.slot_base[index])
                outside.add(results[identifier] + program.slot_base[index])
            if name not in names and name not in later:
                continue
            call = solver.translate(identifier)
            if call.fired or not call.positional:
                continue
            if value in own:  # `this.filter(f)`: what that is may turn out yet
                self.undecided.append((call, name not in passing and name not in later))
                continue
            argument = (value,) if name in later else ()
            quiet = name in later
            if value in outside:  # `_.map(items, f)`: the library calls, with an element
                argument, quiet = (solver.slot(),), True
                inner = solver.derived_call(call, argument[0], ())
                if call.positional[0] >= 0:
                    solver.listen(call.positional[0], (self._on_collection, inner))
            for function in call.positional:
                self.callback(call, function, argument, call.result, quiet=quiet)
            if name not in later and name not in passing:
                self._callback_receiver(call, call.positional[0])

    def settle_own_callbacks(self) -> None:
        """The same where the receiver is a `this` that nothing was found out about."""
        for call, receives in self.undecided:
            if not call.fired:
                for function in call.positional:
                    self.callback(call, function, (), call.result, quiet=not receives)
        self.undecided.clear()

    def _libraries(self) -> set[int]:
        """The slots of imported modules that are not of this project."""
        program, points = self.program, self.solver.points
        found = {
            row[0] + program.slot_base[index]
            for index, facts in enumerate(program.facts)
            for row in facts.imports
            if row[0] >= 0
        }
        return {
            slot
            for slot in found
            if all(self.solver.kind[value] == EXTERNAL for value in points[slot] or ())
        }

    def _on_collection(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.elements(value, listener[1].result)
