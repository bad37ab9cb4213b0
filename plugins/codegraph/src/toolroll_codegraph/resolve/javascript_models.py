"""What JavaScript's builtins do with functions, arrays, maps and promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from toolroll_codegraph.facts import CallColumn, CallFlag, ObjectKind
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
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
    ]
)
_EXTERNALS: Final = frozenset(["util", "util.inherits", "util.promisify", "util.callbackify"])
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
        "flat",
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
_LATER: Final = frozenset(["setTimeout", "setInterval", "setImmediate", "queueMicrotask"])
_PROMISE: Final = frozenset(["then", "catch", "finally"])


class JavaScriptModels:
    """The part of the language's library that moves project values around."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.any_key = self.program.name("[*")

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
        elif owner in ("Object", "Reflect", "Array", "Promise"):
            self.solver.add(target, self.solver.make(BUILTIN, f"{owner}.{text}"))

    # calls

    def call(self, call: Call, value: int) -> None:
        kind, detail = self.solver.kind[value], self.solver.detail[value]
        if kind == CONTAINER:
            if detail[0] == "partial":
                _, function, receiver, first = cast("tuple[str, int, int, Call]", detail)
                passed = (*first.positional[1:], *call.positional)
                merged = Call(call.result, call.scope, call.line, -1, passed, (), call.flags)
                merged.fired = call.fired
                self._apply_with(merged, function, receiver)
            return
        name: str = detail[0]
        first = call.positional[0] if call.positional else -1
        if "." in name:
            owner, _, method = name.rpartition(".")
            self._static(call, owner, method)
        elif name in _LATER:
            self.callback(call, first, call.positional[2:], -1, quiet=True)
        elif name == "Promise":
            self._promise(call, first)
        elif name in ("Map", "Set", "WeakMap", "WeakSet", "Array", "Object"):
            made = self._result(call, ObjectKind.ARRAY)
            if first >= 0:
                self.solver.listen(first, (self._on_source, made, name.endswith("Map")))

    def _promise(self, call: Call, executor: int) -> None:
        """`new Promise(f)` calls f at once; what `resolve` is given is the promise's value."""
        resolve = self.solver.container(("resolve", call.result), ObjectKind.RECORD)
        slot = self.solver.slot()
        self.solver.add(slot, self.solver.make(CONTAINER, "resolver", call.result, resolve))
        self.callback(call, executor, (slot, -1), -1)

    def _on_source(self, value: int, listener: Listener) -> None:
        _, made, pairs = listener
        if self.solver.kind[value] != CONTAINER:
            return
        target = self.solver.field(made, self.any_key)
        if not pairs:
            self.elements(value, target)
            return
        rows = self.solver.slot()
        self.elements(value, rows)
        self.solver.listen(rows, (self._on_row, target))

    def _on_row(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.solver.edge(self.solver.field(value, self.program.name("[1")), listener[1])

    def callback(
        self, call: Call, function: int, positional: tuple[int, ...], result: int, *,
        quiet: bool = False,
    ) -> None:  # fmt: skip
        """Call a function that was handed to a builtin, from the builtin's caller."""
        if function >= 0:
            inner = self.solver.derived_call(call, result, positional)
            if quiet:
                inner.flags |= CallFlag.QUIET
            self.solver.listen(function, (self._on_callback, inner))

    def _on_callback(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def _result(self, call: Call, kind: int = ObjectKind.ARRAY) -> int:
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
        call.fired += inner.fired

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
        if name == "..." or name == "hasOwnProperty":
            if name == "..." and call.positional[0] >= 0:
                solver.listen(call.positional[0], (self._on_assign, value))
            return True
        if kind == ObjectKind.RECORD or name.startswith("["):
            return False
        if value in call.fired:
            return True
        call.fired.append(-2 - value)
        first = call.positional[0] if call.positional else -1
        field = solver.field(value, self.any_key)
        if name in ("push", "unshift", "add", "fill"):
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
        elif name == "concat":
            made = self._result(call)
            self.elements(value, solver.field(made, self.any_key))
            for item in call.positional:
                if item >= 0:
                    solver.listen(item, (self._on_concat, made))
        if name in _CALLBACKS:
            self._array_callback(call, value, name, first)
        if name in _ELEMENT_RESULT:
            self.elements(value, call.result)
        elif name in _SAME_RESULT and name != "concat":
            if name == "entries":
                row = solver.container(("row", call.result), ObjectKind.ARRAY)
                self.elements(value, solver.field(row, self.program.name("[1")))
                solver.add(solver.field(self._result(call), self.any_key), row)
            elif name == "next":
                made = solver.container(("step", call.result), ObjectKind.RECORD)
                self.elements(value, solver.field(made, self.program.name("value")))
                solver.add(call.result, made)
            else:
                solver.add(call.result, value)
        return kind != ObjectKind.HASH and call.name not in solver.fields.get(value, ())

    def _on_concat(self, value: int, listener: Listener) -> None:
        target = self.solver.field(listener[1], self.any_key)
        if self.solver.kind[value] == CONTAINER:
            self.elements(value, target)
        else:
            self.solver.add(target, value)

    def _array_callback(self, call: Call, value: int, name: str, function: int) -> None:
        solver = self.solver
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
        result = -1
        if name in ("map", "flatMap"):
            result = solver.field(self._result(call), self.any_key)
        self.callback(call, function, arguments, result)

    def settle_callbacks(self) -> None:
        """Functions handed to `map`, `forEach`… of a receiver nothing is known about."""
        program, solver = self.program, self.solver
        solver.confidence = LIKELY
        names = {program.name(name) for name in _CALLBACKS}
        later = {program.name(name) for name in _PROMISE}
        operations = solver.operations
        names_called = operations.column(CallColumn.NAME)
        sources = operations.column(CallColumn.SOURCE)
        for identifier, index in enumerate(operations.call_file):
            if program.facts[index].language not in ("javascript", "typescript"):
                continue
            name = names_called[identifier]
            if name < 0:
                continue
            name = program.renames[index][name]
            if name not in names and name not in later:
                continue
            call = solver.translate(identifier)
            if call.fired or not call.positional:
                continue
            source = sources[identifier]
            value = source + program.slot_base[index] if source >= 0 else -1
            argument = (value,) if name in later else ()
            for function in call.positional:
                self.callback(call, function, argument, call.result, quiet=name in later)

    # Object, Reflect, Array, Promise

    def static_method(self, call: Call, value: int) -> None:
        owner = self.solver.detail[value][0]
        name = self.program.texts[call.name]
        if self.solver.kind[value] == EXTERNAL or owner in (
            "Object",
            "Reflect",
            "Array",
            "Promise",
        ):
            self._static(call, owner, name)
        elif owner == "process" and name == "nextTick" and call.positional:
            self.callback(call, call.positional[0], call.positional[1:], -1, quiet=True)

    def _static(self, call: Call, owner: str, name: str) -> None:
        solver = self.solver
        first = call.positional[0] if call.positional else -1
        second = call.positional[1] if len(call.positional) > 1 else -1
        if owner in ("Object", "Reflect") and name == "create":
            made = self._result(call, ObjectKind.RECORD)
            self.rules.note_prototype(made)
            solver.edge(first, solver.field(made, self.rules.proto))
        elif name == "setPrototypeOf" and first >= 0 and second >= 0:
            solver.edge(first, call.result)
            solver.listen(first, (self._on_set_prototype, second))
        elif name == "assign" and first >= 0:
            solver.edge(first, call.result)
            for source in call.positional[1:]:
                if source >= 0:
                    solver.listen(first, (self._on_assign_target, source))
        elif name == "getPrototypeOf" or name in (
            "freeze",
            "seal",
            "resolve",
            "promisify",
            "callbackify",
            "all",
            "race",
            "allSettled",
            "any",
            "fromEntries",
        ):
            solver.edge(first, call.result)
        elif name in ("values", "entries") and first >= 0:
            solver.listen(first, (self._on_values, self._result(call), name))
        elif name == "from":
            made = self._result(call)
            element = solver.slot()
            target = solver.field(made, self.any_key)
            if second >= 0:
                self.callback(call, second, (element,), target)
            else:
                solver.edge(element, target)
            if first >= 0:
                inner = solver.derived_call(call, element, ())
                solver.listen(first, (self._on_iterable, inner))
        elif name == "of":
            for item in call.positional:
                solver.edge(item, solver.field(self._result(call), self.any_key))
        elif name in ("defineProperty",) and len(call.positional) > 2 and first >= 0:
            solver.listen(first, (self._on_define, call.positional[1], call.positional[2]))
        elif owner == "Reflect" and name in ("apply", "construct"):
            flags = CallFlag.NEW if name == "construct" else 0
            rest = call.positional[1 if name == "construct" else 2 :][:1]
            positional = tuple(-item - 2 for item in rest if item >= 0)
            inner = Call(call.result, call.scope, call.line, -1, positional, (), flags)
            if first >= 0:
                solver.listen(first, (self._on_callback, inner))
        elif name == "inherits" and first >= 0 and second >= 0:
            solver.listen(second, (self._on_inherits, first))

    def _on_iterable(self, value: int, listener: Listener) -> None:
        self.rules.iterate(listener[1], value)

    def _on_inherits(self, base: int, listener: Listener) -> None:
        derived: int = listener[1]
        for value in self.solver.points[derived] or ():
            if self.solver.kind[value] in (FUNCTION, CLASS) and base < self.program.scopes:
                self.rules.classes.add_base(value, base, 99)

    def _on_set_prototype(self, value: int, listener: Listener) -> None:
        kind = self.solver.kind[value]
        if kind == INSTANCE and value - self.program.scopes < self.program.scopes:
            self.solver.listen(listener[1], (self._inherit, value - self.program.scopes))
        elif kind == CONTAINER:
            self.rules.note_prototype(value)
            self.solver.edge(listener[1], self.solver.field(value, self.rules.proto))

    def _inherit(self, value: int, listener: Listener) -> None:
        self.rules.inherit(listener[1], value)

    def _on_assign_target(self, value: int, listener: Listener) -> None:
        self.solver.listen(listener[1], (self._on_assign, value))

    def _on_assign(self, source: int, listener: Listener) -> None:
        """Copy every property of one object to another."""
        target = listener[1]
        kind = self.solver.kind[source]
        if source == target:
            return

        def receive(name: int, slot: int) -> None:
            if name != self.rules.proto:
                self.rules.store(target, name, slot, None)

        if kind in (CONTAINER, FUNCTION, BOUND):
            self.solver.mirror(source, receive)
        elif source < self.program.scopes:
            for name, slot in list((self.program.members[source] or {}).items()):
                receive(name, slot)
        elif kind == INSTANCE and source - self.program.scopes < self.program.scopes:
            for name, slot in list(
                (self.program.members[source - self.program.scopes] or {}).items()
            ):
                if name != self.rules.constructor:
                    receive(name, slot)

    def _on_values(self, value: int, listener: Listener) -> None:
        _, made, name = listener
        target = self.solver.field(made, self.any_key)
        if name == "entries":
            row = self.solver.container(("row", made), ObjectKind.ARRAY)
            self.solver.add(target, row)
            target = self.solver.field(row, self.program.name("[1"))
        if self.solver.kind[value] == CONTAINER:
            self.elements(value, target)
        elif value < self.program.scopes:
            for slot in list((self.program.members[value] or {}).values()):
                self.solver.edge(slot, target)

    def _on_define(self, value: int, listener: Listener) -> None:
        _, key, descriptor = listener
        self.solver.listen(key, (self._on_define_key, value, descriptor))

    def _on_define_key(self, key: int, listener: Listener) -> None:
        _, owner, descriptor = listener
        name = self.solver.detail[key][0]
        if isinstance(name, int):
            self.solver.listen(descriptor, (self._on_descriptor, owner, name))

    def _on_descriptor(self, value: int, listener: Listener) -> None:
        _, owner, name = listener
        if self.solver.kind[value] == CONTAINER:
            slot = self.solver.field(value, self.program.name("value"))
            self.rules.store(owner, name, slot, None)
            getter = self.solver.slot()
            self.solver.listen(self.solver.field(value, self.program.name("get")),
                               (self._on_getter, getter))  # fmt: skip
            self.rules.store(owner, name, getter, None)

    def _on_getter(self, value: int, listener: Listener) -> None:
        from toolroll_codegraph.facts import ScopeFlag

        if self.solver.kind[value] == FUNCTION:
            self.program.flags[value] |= ScopeFlag.PROPERTY
            self.solver.add(listener[1], value)
