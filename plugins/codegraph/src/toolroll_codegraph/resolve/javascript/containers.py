"""What the methods of JavaScript's arrays, maps and sets do with what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.functions import JavaScriptFunctions
from toolroll_codegraph.resolve.javascript.methods import METHOD, JavaScriptMethods
from toolroll_codegraph.resolve.javascript.statics import JavaScriptStatics
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

CALLBACKS: Final = frozenset(
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
PROMISE: Final = frozenset(["then", "catch", "finally"])
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
_ARRAY_METHODS: Final = CALLBACKS | _SAME_RESULT | _ELEMENT_RESULT | {"push", "unshift", "flat"}


class JavaScriptContainers(JavaScriptFunctions):
    """Elements go in, come out, and are handed to callbacks."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.any_key = self.program.name("[*")
        self.statics = JavaScriptStatics(self)
        self.methods = JavaScriptMethods(rules)
        self.array_methods = {self.program.name(name) for name in _ARRAY_METHODS}

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

    @handler
    def on_callback(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def result(self, call: Call, kind: int = ObjectKind.ARRAY) -> int:
        made = self.solver.container(("call", call.result), kind)
        self.solver.add(call.result, made)
        return made

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
        if value in call.fired or name in PROMISE:
            return True  # a promise is what it is fulfilled with
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
                    solver.listen(-item - 2, (self.on_source, value, False))
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
        if name in CALLBACKS:
            self._array_callback(call, value, name, first)
        if name in _ELEMENT_RESULT:
            self.elements(value, call.result)
        elif name in _SAME_RESULT and name != "concat" and not moved:
            if name == "values" and kind == ObjectKind.MAPPING:
                self.elements(value, solver.field(self.result(call), self.any_key))
            elif name == "entries":
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
        if name == "map":
            result = solver.field(self.result(call), self.any_key)
        elif name == "flatMap":
            result = solver.slot()
            solver.listen(result, (self._on_concat, self.result(call)))
        self.callback(call, function, arguments, result)
        self.callback_receiver(call, function)

    def callback_receiver(self, call: Call, function: int) -> None:
        """`items.forEach(f, receiver)`: what `this` is in f."""
        if len(call.positional) > 1 and min(call.positional[:2]) >= 0:
            self.solver.listen(function, (self._on_called_with, call, call.positional[1]))

    def _on_called_with(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.solver.listen(listener[2], (self._on_bind, listener[1], value))

    def on_source(self, value: int, listener: Listener) -> None:
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
