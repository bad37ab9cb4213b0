"""What JavaScript's own static functions do: those of Object, Reflect, Array and Promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, replaced
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
)
from toolroll_codegraph.resolve.solver import CERTAIN

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_COPYING: Final = frozenset(
    ["assign", "assignin", "defaults", "extend", "_extend", "merge", "mixin"]
)  # fmt: skip


class JavaScriptStatics:
    """Making objects, copying properties and describing them, changing prototypes."""

    def __init__(self, models: JavaScriptContainers) -> None:
        self.models = models
        self.rules = models.rules
        self.solver = models.solver
        self.program = models.program
        self.any_key = models.any_key
        self.copied: list[tuple[int, int]] = []
        """(object, slot) of properties that were copied to it."""

    def call(self, call: Call, value: int) -> None:
        owner = self.solver.detail[value][0]
        name = self.program.texts[call.name]
        if self.solver.kind[value] == EXTERNAL or owner in (
            "Object",
            "Reflect",
            "Array",
            "Promise",
            "JSON",
        ):
            self.run(call, owner, name.lower() if owner in ("lodash", "underscore") else name)
        elif owner == "process" and name == "nextTick" and call.positional:
            self.models.callback(call, call.positional[0], call.positional[1:], -1, quiet=True)
        elif owner == "Object.prototype.toString" and name == "call" and self.rules.to_tag:
            for item in call.positional[:1]:
                tag = Call(-1, call.scope, call.line, self.rules.to_tag[0], (), (), 0)
                self.solver.listen(item, (self._on_method, tag))

    def run(self, call: Call, owner: str, name: str) -> None:
        solver = self.solver
        first = call.positional[0] if call.positional else -1
        second = call.positional[1] if len(call.positional) > 1 else -1
        if owner in ("Object", "Reflect") and name == "create":
            made = self.models.result(call, ObjectKind.RECORD)
            self.rules.note_prototype(made)
            solver.edge(first, solver.field(made, self.rules.proto))
            if second >= 0:
                solver.listen(second, (self.rules.accessors.on_descriptors, made))
        elif name == "defineProperties" and first >= 0 and second >= 0:
            solver.edge(first, call.result)
            solver.listen(first, (self.rules.accessors.on_define_all, second))
        elif name == "setPrototypeOf" and first >= 0 and second >= 0:
            solver.edge(first, call.result)
            solver.listen(first, (self._on_set_prototype, second))
        elif name in _COPYING and first >= 0:
            solver.edge(first, call.result)
            for source in call.positional[1:]:
                if source >= 0:
                    solver.listen(first, (self._on_assign_target, source, call))
        elif name == "getPrototypeOf" or name in (
            "freeze",
            "seal",
            "resolve",
            "promisify",
            "callbackify",
            "all",
        ):
            solver.edge(first, call.result)
        elif name in ("race", "any", "allSettled") and first >= 0:
            target = call.result
            if name == "allSettled":
                settled = solver.container(("settled", call.result), ObjectKind.RECORD)
                made = self.models.result(call)
                solver.add(solver.field(made, self.models.any_key), settled)
                target = solver.field(settled, self.program.name("value"))
            solver.listen(first, (self._on_iterable, solver.derived_call(call, target, ())))
        elif name == "fromEntries" and first >= 0:
            made = self.models.result(call, ObjectKind.RECORD)
            solver.listen(first, (self.models.on_source, made, True))
        elif name in ("keys", "ownKeys", "getOwnPropertyNames") and first >= 0:
            solver.listen(first, (self._on_keys, call))
        elif name in ("values", "entries") and first >= 0:
            solver.listen(first, (self._on_values, self.models.result(call), name))
        elif name == "from":
            made = self.models.result(call)
            element = solver.slot()
            target = solver.field(made, self.any_key)
            if second >= 0:
                self.models.callback(call, second, (element,), target)
            else:
                solver.edge(element, target)
            if first >= 0:
                inner = solver.derived_call(call, element, ())
                solver.listen(first, (self._on_iterable, inner))
        elif name == "of":
            for item in call.positional:
                solver.edge(item, solver.field(self.models.result(call), self.any_key))
        elif name == "defineProperty" and len(call.positional) > 2 and first >= 0:
            if not self.rules.pairs.define(call):
                solver.listen(first, (self.rules.accessors.on_define, *call.positional[1:3]))
        elif owner == "Reflect" and name in ("apply", "construct"):
            flags = CallFlag.NEW if name == "construct" else 0
            rest = call.positional[1 if name == "construct" else 2 :][:1]
            positional = tuple(-item - 2 for item in rest if item >= 0)
            inner = Call(call.result, call.scope, call.line, -1, positional, (), flags)
            if first >= 0:
                solver.listen(first, (self.models.on_callback, inner))
        elif owner == "Reflect" and name in ("get", "set") and min(first, second) >= 0:
            source = call.positional[2] if name == "set" and len(call.positional) > 2 else -1
            result = call.result if name == "get" else -1
            solver.listen(first, (self._on_reflect, second, result, source, call.scope))
        elif owner == "JSON" and name in ("parse", "stringify"):
            self.models.callback(call, second, (-1, first), -1)
            if first >= 0 and name == "stringify":
                to_json = solver.derived_call(call, -1, (), self.program.name("toJSON"))
                solver.listen(first, (self._on_stringified, to_json))
        elif name in ("bind", "partial") and first >= 0:  # Lodash's
            rest = call.positional[1:] if name == "bind" else (-1, *call.positional[1:])
            inner = Call(call.result, call.scope, call.line, -1, rest, (), 0)
            solver.listen(first, (self._on_bind, inner))
        elif name == "inherits" and first >= 0 and second >= 0:
            solver.listen(second, (self._on_inherits, first))

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
            if self.solver.kind[value] in (FUNCTION, CLASS) and base < self.program.scopes:
                self.rules.classes.add_base(value, base, 99)

    def _on_set_prototype(self, value: int, listener: Listener) -> None:
        kind = self.solver.kind[value]
        if kind == INSTANCE and value - self.program.scopes < self.program.scopes:
            self.solver.listen(listener[1], (self._inherit, value - self.program.scopes))
        elif kind in (CONTAINER, FUNCTION):
            self.rules.note_prototype(value)
            self.solver.edge(listener[1], self.solver.field(value, self.rules.proto))

    def _inherit(self, value: int, listener: Listener) -> None:
        self.rules.inherit(listener[1], value)

    def _on_assign_target(self, value: int, listener: Listener) -> None:
        self.solver.listen(listener[1], (self.on_assign, value, listener[2]))

    def on_assign(self, source: int, listener: Listener) -> None:
        """Copy every property of one object to another, which runs its getters."""
        _, target, call = listener
        kind = self.solver.kind[source]
        mixes = call.name != self.rules.copying  # a literal `{...source}` is mostly plain data
        if source == target:
            return
        kept = replaced(call)

        owner = -1
        if (
            self.solver.kind[target] == INSTANCE
            and target - self.program.scopes < self.program.scopes
        ):
            owner = target - self.program.scopes

        def receive(name: int, slot: int) -> None:
            if name in kept:
                return
            if name in self.rules.getters:
                getter, slot = slot, self.solver.slot()
                read = self.rules.reading(slot, name, call.scope, call.line)
                self.solver.listen(getter, (self.rules.on_read, read, source))
            if name != self.rules.proto:
                if owner >= 0:
                    self.rules.declare_from(slot, owner, name)
                else:
                    self.rules.store(target, name, slot, -1, 0)
                if mixes:
                    self.copied.append((target, slot))

        if kind in (CONTAINER, FUNCTION, BOUND):
            self.solver.mirror(source, receive)
        elif source < self.program.scopes:
            for name, slot in self._members(source, static=kind == CLASS):
                receive(name, slot)
        elif kind == INSTANCE and source - self.program.scopes < self.program.scopes:
            for name, slot in self._members(source - self.program.scopes, static=False):
                if name != self.rules.constructor:
                    receive(name, slot)

    def _members(self, scope: int, *, static: bool) -> list[tuple[int, int]]:
        """The members of a class's instances, or under their plain names its own, or a module's."""
        program, texts = self.program, self.program.texts
        found = list((program.members[scope] or {}).items())
        if static:
            return [
                (program.name(texts[name][1:]), slot)
                for name, slot in found
                if texts[name].startswith(".")
            ]
        return [(name, slot) for name, slot in found if not texts[name].startswith(".")]

    def _on_values(self, value: int, listener: Listener) -> None:
        _, made, name = listener
        target = self.solver.field(made, self.any_key)
        if name == "entries":
            row = self.solver.container(("row", made), ObjectKind.ARRAY)
            self.solver.add(target, row)
            target = self.solver.field(row, self.program.name("[1"))
        if self.solver.kind[value] == CONTAINER:
            self.models.elements(value, target)
        elif value < self.program.scopes:
            for slot in list((self.program.members[value] or {}).values()):
                self.solver.edge(slot, target)

    def _on_keys(self, value: int, listener: Listener) -> None:
        """Asking for the keys of a proxy runs a trap."""
        if self.solver.kind[value] == CONTAINER and self.models.methods.is_proxy(value):
            self.models.methods.trap(listener[1], value, "ownKeys", ())
