"""Elements of JavaScript's arrays, maps and sets, and functions that are handed to builtins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.arrays import PROMISE, JavaScriptArrays
from toolroll_codegraph.resolve.javascript.asynchronous import STORAGE
from toolroll_codegraph.resolve.javascript.emitting import EMITTER
from toolroll_codegraph.resolve.javascript.functions import WRAPPED, JavaScriptFunctions
from toolroll_codegraph.resolve.javascript.maps import JavaScriptMaps
from toolroll_codegraph.resolve.javascript.methods import METHOD, JavaScriptMethods
from toolroll_codegraph.resolve.javascript.mongoose import MODEL
from toolroll_codegraph.resolve.javascript.repositories import JavaScriptRepositories
from toolroll_codegraph.resolve.javascript.statics import JavaScriptStatics
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptContainers(JavaScriptFunctions):
    """Elements go in, come out, and are handed to callbacks."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.any_key = self.program.name("[*")
        self.arrays = JavaScriptArrays(self)
        self.maps = JavaScriptMaps(self)
        self.repositories = JavaScriptRepositories(self)
        self.statics = JavaScriptStatics(self)
        self.methods = JavaScriptMethods(rules)

    def method(self, call: Call, value: int) -> bool:
        """A method of an array, map, set or generator; False when it is the object's own."""
        kind = self.solver.detail[value][0]
        name = self.program.texts[call.name]
        if kind == "resolver":
            return True
        if kind == "partial":
            return self.function_method(call, value)
        if kind == WRAPPED and self.function_method(call, value):
            return True
        if kind == ObjectKind.REPOSITORY:
            self.repositories.call(call, value)
            return True
        if kind == MODEL:
            self.statics.libraries.mongoose.method(call, value)
            return False
        if kind == EMITTER:
            return self.statics.libraries.emitters.method(call, value)
        if kind == STORAGE:
            return self.statics.libraries.storages.method(call, value)
        if kind == METHOD:
            self.methods.redirect(call, value)
            return True
        if name == "hasOwnProperty":
            return True
        if kind == ObjectKind.RECORD or name.startswith("["):
            return False
        if name in PROMISE:
            return True  # a promise is what it is fulfilled with
        if call.once(-2 - value):
            self.arrays.call(call, value, name)
        return kind != ObjectKind.HASH and call.name not in self.solver.fields_of(value)

    def callback(
        self, call: Call, function: int, positional: tuple[int, ...], result: int, *,
        quiet: bool = False,
    ) -> None:  # fmt: skip
        """Call a function that was handed to a builtin, from the builtin's caller."""
        if function >= 0:
            inner = self.solver.derived_call(call, result, positional)
            if quiet or call.flags & CallFlag.QUIET:
                inner.flags |= CallFlag.QUIET
            self.solver.listen(function, (self.on_callback, inner))

    @handler
    def on_callback(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def callback_receiver(self, call: Call, function: int) -> None:
        """`items.forEach(f, receiver)`: what `this` is in f."""
        if len(call.positional) > 1 and min(call.positional[:2]) >= 0:
            self.solver.listen(function, (self._on_called_with, call, call.positional[1]))

    def _on_called_with(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.solver.listen(listener[2], (self._on_bind, listener[1], value))

    def result(self, call: Call, kind: int = ObjectKind.ARRAY) -> int:
        made = self.solver.container(("call", call.result), kind)
        self.solver.add(call.result, made)
        return made

    def elements(self, container: int, target: int) -> None:
        if target >= 0:
            self.solver.every_field(container, (self.solver.copy_to, target))

    def on_source(self, value: int, listener: Listener) -> None:
        """Put into a container what iterating a value gives."""
        _, made, pairs, call = listener
        target = self.solver.field(made, self.any_key)
        rows = self.solver.slot() if pairs else target
        if self.solver.kind[value] == INSTANCE:
            self.rules.iteration.iterate(self.solver.derived_call(call, rows, ()), value)
        elif self.solver.kind[value] != CONTAINER:
            return
        elif not pairs:
            self.elements(value, target)
        elif self.solver.detail[value][0] == ObjectKind.MAPPING:
            self.solver.add(rows, self.row(value))
        else:
            self.elements(value, rows)
        if pairs:
            self.solver.listen(rows, (self._on_row, target, self.keys(made), made))

    def _on_row(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            fields = self.solver.fields_of(value)
            given = [fields.get(self.program.name(place), -1) for place in ("[1", "[0")]
            if given[0] >= 0:
                self.maps.put(listener[3], given[1], given[0])
            else:
                self.maps.put(listener[3], -1, self.solver.field(value, self.any_key))
            for place, target in (("[1", listener[1]), ("[0", listener[2])):
                self.solver.edge(self.solver.field(value, self.program.name(place)), target)
                self.solver.edge(self.solver.field(value, self.any_key), target)

    def keys(self, value: int) -> int:
        """The slot of a map's keys, which are no elements of it."""
        return self.solver.field(self.solver.container(("keys", value), ObjectKind.ARRAY),
                                 self.any_key)  # fmt: skip

    def row(self, value: int) -> int:
        """A [key, value] pair of a map or of an object's entries."""
        row = self.solver.container(("row", value), ObjectKind.ARRAY)
        self.elements(value, self.solver.field(row, self.program.name("[1")))
        if self.solver.detail[value][0] == ObjectKind.MAPPING:
            self.solver.edge(self.keys(value), self.solver.field(row, self.program.name("[0")))
        return row
