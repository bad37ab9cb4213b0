"""What JavaScript's own static functions do: those of Object, Reflect, Array and Promise."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import CERTAIN
from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.collections import LIBRARIES, JavaScriptCollections
from toolroll_codegraph.resolve.javascript.copying import JavaScriptCopying
from toolroll_codegraph.resolve.javascript.helpers import JavaScriptHelpers
from toolroll_codegraph.resolve.javascript.libraries import JavaScriptLibraries
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.javascript.recent import JavaScriptRecent
from toolroll_codegraph.resolve.program import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
)

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_Static = Callable[[Call, int, int], None]
"""Does what a function does; given are the call and its first two arguments, or -1."""
_COPYING: Final = (
    "assign", "assignin", "defaults", "extend", "_extend", "merge", "mixin", "__assign",
)  # fmt: skip
_SAME: Final = (
    "freeze", "seal", "preventExtensions", "resolve", "promisify", "callbackify", "deprecate",
    "all", "__importStar", "__read", "__rest",
)  # fmt: skip
"""What returns its argument, as far as calls go: a promise is what it is fulfilled with."""
CLONING: Final = ("clone", "clonedeep", "pick", "pickby", "omit", "omitby")
"""Functions of lodash that make an object with all or some of what another has."""
OWNERS: Final = ("Object", "Reflect", "Array", "Promise", "JSON")


class JavaScriptStatics(JavaScriptLibrary):
    """Making and describing objects, changing their prototypes, reading all of their properties.

    Libraries have functions of the same names, which do the same.
    """

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self.any_key = models.any_key
        self.copying = JavaScriptCopying(models.rules)
        helpers = self.helpers = JavaScriptHelpers(self)
        libraries = self.libraries = JavaScriptLibraries(models)
        self.called, self.externals = libraries.called, libraries.externals
        self._functions: dict[str, _Static] = {
            **dict.fromkeys(_COPYING, self._assign),
            **dict.fromkeys(_SAME, self.same),
            **{f"{library}.{name}": self._clone for library in LIBRARIES for name in CLONING},
            **dict.fromkeys(("keys", "ownKeys", "getOwnPropertyNames"), self._keys),
            **dict.fromkeys(("race", "any"), self._race),
            "allSettled": self._all_settled,
            "values": partial(self._values, "values"),
            "entries": partial(self._values, "entries"),
            "fromEntries": self._from_entries,
            **dict.fromkeys(("from", "fromAsync"), self._from),
            "of": self._of,
            "defineProperty": self._define_property,
            "defineProperties": self._define_properties,
            "getOwnPropertyDescriptors": self._describe,
            "setPrototypeOf": self._set_prototype,
            "getPrototypeOf": self._get_prototype,
            **dict.fromkeys(("inherits", "__extends"), self._inherits),
            "__createClass": helpers.create_class,
            "__defineProperty": helpers.define_property,
            "__importDefault": helpers.import_default,
            "__exportStar": helpers.export_star,
            "bind": self._bind,
            "partial": self._partial,
            "Object.create": self._create,
            "Reflect.apply": self._apply,
            "Reflect.construct": self._construct,
            "Reflect.get": self._get,
            "Reflect.set": self._set,
            "JSON.parse": self._revive,
            "JSON.stringify": self._stringify,
            **JavaScriptRecent(models).functions,
            **libraries.functions,
            **JavaScriptCollections(models).functions,
        }

    def call(self, call: Call, value: int) -> None:
        owner = self.solver.detail[value][0]
        name = self.program.texts[call.name]
        of_language = owner in OWNERS or f"{owner}.{name}" in self._functions
        if self.solver.kind[value] == EXTERNAL or of_language:
            self.run(call, owner, name.lower() if owner in LIBRARIES else name)
        elif owner == "process" and name == "nextTick" and call.positional:
            self.models.callback(call, call.positional[0], call.positional[1:], -1, quiet=True)
        elif owner == "Object.prototype.toString" and name == "call" and call.positional:
            for tag in self.rules.conversions.to_tag:
                inner = Call(-1, call.scope, call.line, tag, (), (), 0)
                self.solver.listen(call.positional[0], (self._on_method, inner))
        elif "." in owner and call.positional:  # `Object.assign.bind(Object)`
            self.models.function_method(call, value)

    def run(self, call: Call, owner: str, name: str) -> None:
        """Do what a function of some object or library does."""
        function = self._functions.get(f"{owner}.{name}") or self._functions.get(name)
        if function is not None:
            first, second = (*call.positional[:2], -1, -1)[:2]
            function(call, first, second)

    def _assign(self, call: Call, first: int, second: int) -> None:
        self.copying.assign(call)

    def _clone(self, call: Call, first: int, second: int) -> None:
        """An object with what another has, and if nobody knows that one; else its like."""
        if first >= 0:
            self.copying.copy(self._made(call), first, call)
            self.solver.listen(first, (self._on_cloned, call.result))

    def _made(self, call: Call) -> int:
        slot = self.solver.slot()
        self.solver.add(slot, self.models.result(call, ObjectKind.RECORD))
        return slot

    def _on_cloned(self, value: int, listener: Listener) -> None:
        """A list, or an object of a class, is followed as one with its copy."""
        of_class = self.solver.kind[value] == INSTANCE
        if of_class or self.rules.keys.tables.is_array(value):
            self.solver.add(listener[1], value)

    def _create(self, call: Call, prototype: int, descriptors: int) -> None:
        made = self.models.result(call, ObjectKind.RECORD)
        self.rules.prototypes.note(made)
        self.solver.edge(prototype, self.solver.field(made, self.rules.proto))
        self.solver.listen(descriptors, (self.rules.accessors.on_descriptors, made))

    def _define_property(self, call: Call, owner: int, key: int) -> None:
        if owner >= 0:
            self.solver.passing.hand_back(owner, call.result)
        if len(call.positional) > 2 and owner >= 0 and not self.rules.pairs.defining.define(call):
            descriptor = call.positional[2]
            self.solver.listen(owner, (self.rules.accessors.on_define, key, descriptor))

    def _define_properties(self, call: Call, owner: int, descriptors: int) -> None:
        if descriptors >= 0:
            self.solver.passing.hand_back(owner, call.result)
            self.solver.listen(owner, (self.rules.accessors.on_define_all, descriptors))

    def _describe(self, call: Call, owner: int, second: int) -> None:
        self.rules.accessors.describe(call, owner)

    def _set_prototype(self, call: Call, owner: int, prototype: int) -> None:
        if prototype >= 0:
            self.solver.passing.hand_back(owner, call.result)
            self.solver.listen(owner, (self._on_set_prototype, prototype))

    def _get_prototype(self, call: Call, owner: int, second: int) -> None:
        self.solver.listen(owner, (self._on_get_prototype, call.result))

    def _race(self, call: Call, promises: int, second: int) -> None:
        inner = self.solver.derived_call(call, call.result, ())
        self.solver.listen(promises, (self._on_iterable, inner))

    def _all_settled(self, call: Call, promises: int, second: int) -> None:
        settled = self.solver.container(("settled", call.result), ObjectKind.RECORD)
        self.solver.add(self.solver.field(self.models.result(call), self.any_key), settled)
        value = self.solver.field(settled, self.program.name("value"))
        self.solver.listen(promises, (self._on_iterable, self.solver.derived_call(call, value, ())))

    def _from_entries(self, call: Call, pairs: int, second: int) -> None:
        made = self.models.result(call, ObjectKind.RECORD)
        self.solver.field(made, self.any_key)  # who reads a name from now on asks there too
        self.solver.listen(pairs, (self.models.on_source, made, True, call))

    def _keys(self, call: Call, owner: int, second: int) -> None:
        self.solver.listen(owner, (self._on_keys, call))

    def _values(self, name: str, call: Call, owner: int, second: int) -> None:
        self.solver.listen(owner, (self._on_values, self.models.result(call), name))

    def _from(self, call: Call, source: int, function: int) -> None:
        element = self.solver.slot()
        target = self.solver.field(self.models.result(call), self.any_key)
        if function >= 0:
            self.models.callback(call, function, (element,), target)
        else:
            self.solver.edge(element, target)
        inner = self.solver.derived_call(call, element, ())
        self.solver.listen(source, (self._on_iterable, inner))

    def _of(self, call: Call, first: int, second: int) -> None:
        target = self.solver.field(self.models.result(call), self.any_key)
        for item in call.positional:
            self.solver.edge(item, target)

    def _apply(self, call: Call, function: int, receiver: int) -> None:
        rest = tuple(-item - 2 for item in call.positional[2:3] if item >= 0)
        self.solver.listen(function, (self._on_applied, call, receiver, rest))

    def _construct(self, call: Call, function: int, arguments: int) -> None:
        self._call(call, function, call.positional[1:2], CallFlag.NEW)

    def _call(self, call: Call, function: int, spread: tuple[int, ...], flags: int) -> None:
        positional = tuple(-item - 2 for item in spread if item >= 0)
        inner = Call(call.result, call.scope, call.line, -1, positional, (), flags)
        self.solver.listen(function, (self.models.on_callback, inner))

    def _get(self, call: Call, owner: int, key: int) -> None:
        if key >= 0 and not self.rules.pairs.reflect(call):
            self._reach(call, owner, key, call.result, -1)

    def _set(self, call: Call, owner: int, key: int) -> None:
        self._reach(call, owner, key, -1, (*call.positional[2:], -1)[0])

    def _reach(self, call: Call, owner: int, key: int, result: int, source: int) -> None:
        if key >= 0:
            self.solver.listen(owner, (self._on_reflect, key, result, source, call.scope))

    def _revive(self, call: Call, text: int, function: int) -> None:
        self.models.callback(call, function, (-1, text), -1)

    def _stringify(self, call: Call, value: int, function: int) -> None:
        self.models.callback(call, function, (-1, value), -1)
        to_json = self.solver.derived_call(call, -1, (), self.program.name("toJSON"))
        self.solver.listen(value, (self._on_stringified, to_json))

    def _bind(self, call: Call, function: int, second: int) -> None:
        """Lodash's `bind(function, this, …)`."""
        bound = Call(call.result, call.scope, call.line, -1, call.positional[1:], (), 0)
        self.solver.listen(function, (self._on_bind, bound))

    def _partial(self, call: Call, function: int, second: int) -> None:
        """Lodash's `partial(function, …)`, which binds no `this`."""
        rest = (-1, *call.positional[1:])
        bound = Call(call.result, call.scope, call.line, -1, rest, (), 0)
        self.solver.listen(function, (self._on_bind, bound))

    def _inherits(self, call: Call, derived: int, base: int) -> None:
        self.solver.listen(base, (self._on_inherits, derived))
        self.solver.listen(derived, (self._on_heir, base))

    def _on_applied(self, value: int, listener: Listener) -> None:
        _, call, receiver, rest = listener
        self.models.redirect(call, value, (receiver,), rest)

    def _on_reflect(self, value: int, listener: Listener) -> None:
        _, key, result, source, scope = listener
        self.rules.dynamic(value, key, result, source, 0, scope)

    def _on_stringified(self, value: int, listener: Listener) -> None:
        self.rules.call_method(listener[1], value)
        if self.solver.kind[value] == CONTAINER:
            self.solver.every_field(value, (self._on_part, listener[1]))

    def _on_part(self, value: int, listener: Listener) -> None:
        if self.solver.confidence == CERTAIN and self.solver.kind[value] == INSTANCE:
            self.rules.call_method(listener[1], value)

    def _on_method(self, value: int, listener: Listener) -> None:
        self.rules.call_method(listener[1], value)

    def _on_iterable(self, value: int, listener: Listener) -> None:
        self.rules.iteration.iterate(listener[1], value)

    def _on_bind(self, value: int, listener: Listener) -> None:
        self.models.bind(listener[1], value)

    def _on_inherits(self, base: int, listener: Listener) -> None:
        derived: int = listener[1]
        for value in self.solver.points[derived] or ():
            if self.solver.kind[value] in (FUNCTION, CLASS):
                if base < self.program.scopes:
                    self.rules.classes.add_base(value, base, 99)
                else:
                    self.libraries.emitters.inherit(value, base)

    def _on_heir(self, value: int, listener: Listener) -> None:
        self.rules.store(value, self.program.name("super_"), listener[1], -1, 0)

    def _on_set_prototype(self, value: int, listener: Listener) -> None:
        kind, owner = self.solver.kind[value], value - self.program.scopes
        prototypes = self.rules.prototypes
        if kind == INSTANCE and owner < self.program.scopes:
            self.solver.listen(listener[1], (prototypes.on_prototype, owner))
        elif kind in (CONTAINER, FUNCTION):
            prototypes.note(value)
            self.solver.edge(listener[1], self.solver.field(value, self.rules.proto))

    def _on_get_prototype(self, value: int, listener: Listener) -> None:
        """Of a class what it extends; an instance and its prototype are one object."""
        if self.solver.kind[value] in (CLASS, FUNCTION):
            for slot in self.helpers.inheriting.extended(value):
                self.solver.edge(slot, listener[1])
        elif value in self.rules.prototypes.having:
            self.solver.edge(self.solver.field(value, self.rules.proto), listener[1])
        else:
            self.solver.add(listener[1], value)

    def _on_values(self, value: int, listener: Listener) -> None:
        _, made, name = listener
        target = self.solver.field(made, self.any_key)
        if name == "entries":
            row = self.solver.container(("row", made), ObjectKind.ARRAY)
            self.solver.add(target, row)
            target = self.solver.field(row, self.program.name("[1"))
        if self.solver.kind[value] == CONTAINER:
            self.models.elements(value, target)
        elif self.solver.kind[value] == MODULE:
            for slot in self.rules.imports.exported(value).values():
                self.solver.edge(slot, target)
        elif value < self.program.scopes:
            for slot in list((self.program.members[value] or {}).values()):
                self.solver.edge(slot, target)

    def _on_keys(self, value: int, listener: Listener) -> None:
        """Asking for the keys of a proxy runs a trap."""
        if self.solver.kind[value] == CONTAINER and self.models.methods.is_proxy(value):
            self.models.methods.trap(listener[1], value, "ownKeys", ())
        else:
            listed = self.solver.field(self.models.result(listener[1]), self.any_key)
            self.rules.keys.list_names(value, listed)
