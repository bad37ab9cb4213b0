"""Properties that code defines: descriptors, `__defineGetter__` and `__defineSetter__`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_DESCRIBED: Final = "described"
"""A container of this kind has the descriptors of all properties of what is in a slot."""


class JavaScriptAccessors(JavaScriptFeature):
    """Gives objects the accessors that are defined for them."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.late: set[int] = set()
        """Names with a setter that only turned out while values moved: see `settle`."""
        self.descriptors: set[int] = set()
        """What says how properties are defined: the functions in it are called on others."""
        self.unnamed: list[tuple[int, int, int]] = []
        """Getters: the slot of their name, the object, the slot of the function."""

    def on_define_all(self, value: int, listener: Listener) -> None:
        self.solver.listen(listener[1], (self.on_descriptors, value))

    def on_descriptors(self, value: int, listener: Listener) -> None:
        owner = listener[1]

        def receive(name: int, slot: int) -> None:
            self.solver.listen(slot, (self.on_descriptor, owner, name))

        if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _DESCRIBED:
            self.rules.models.statics.copying.give(owner, *self.solver.detail[value][1:])
        elif self.solver.kind[value] == CONTAINER:
            self.solver.mirror(value, receive)

    def describe(self, call: Call, source: int) -> None:
        """`Object.getOwnPropertyDescriptors(source)`: who is defined so has what that has."""
        if source >= 0:
            inner = self.solver.derived_call(call, -1, (), self.rules.describing)
            made = self.solver.make(CONTAINER, _DESCRIBED, source, inner)
            self.solver.add(call.result, made)

    def on_define(self, value: int, listener: Listener) -> None:
        _, key, descriptor = listener
        self.solver.listen(key, (self._on_define_key, value, descriptor))

    def _on_define_key(self, key: int, listener: Listener) -> None:
        _, owner, descriptor = listener
        if self.solver.kind[key] == TEXT:
            name = self.solver.key_name(key)
            self.solver.listen(descriptor, (self.on_descriptor, owner, name))

    def on_descriptor(self, value: int, listener: Listener) -> None:
        _, owner, name = listener
        if self.solver.kind[value] == CONTAINER:
            self.descriptors.add(value)
            slot = self.solver.field(value, self.program.name("value"))
            self.rules.store(owner, name, slot, -1, 0)
            getter = self.solver.slot()
            self.solver.listen(self.solver.field(value, self.program.name("get")),
                               (self.on_getter, getter))  # fmt: skip
            self.rules.store(owner, name, getter, -1, 0)

            setter = self.solver.slot()
            self.solver.listen(self.solver.field(value, self.program.name("set")),
                               (self._on_setter, setter, name))  # fmt: skip
            self.rules.store(owner, name, setter, -1, 0)

    def accessor(self, call: Call, value: int) -> None:
        """`object.__defineGetter__(name, function)` and the same for a setter."""
        if len(call.positional) < 2 or call.positional[1] < 0:
            return
        key, function = call.positional[:2]
        writes = call.name == self.rules.define_setter
        self.solver.listen(key, (self._on_accessor_name, value, function, writes))
        if not writes:
            self.unnamed.append((key, value, function))

    def _on_accessor_name(self, key: int, listener: Listener) -> None:
        _, owner, function, writes = listener
        if self.solver.kind[key] == TEXT:
            name, slot = self.solver.key_name(key), self.solver.slot()
            found = (self._on_setter, slot, name) if writes else (self.on_getter, slot)
            self.solver.listen(function, found)
            self.rules.store(owner, name, slot, -1, 0)

    def _on_setter(self, value: int, listener: Listener) -> None:
        _, slot, name = listener
        if self.solver.kind[value] == FUNCTION:
            self.program.flags[value] |= ScopeFlag.PROPERTY | ScopeFlag.SETTER
            self.solver.add(slot, value)
            if name not in self.solver.setters:
                self.late.add(name)

    def on_named(self, value: int, listener: Listener) -> None:
        """`set [name](value)`, once it is known what that is."""
        setter = self.solver.kind[value] == FUNCTION and self.program.flags[value]
        if setter & ScopeFlag.SETTER and listener[1] not in self.solver.setters:
            self.late.add(listener[1])

    def on_getter(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.program.flags[value] |= ScopeFlag.PROPERTY
            self.solver.add(listener[1], value)

    def settle(self) -> None:
        """Let writes run setters that were not known of when they were made, and traps of proxies
        that are told of a number.
        """
        for key, owner, function in self.unnamed:
            if key < 0 or not self.solver.points[key]:
                getter = self.solver.slot()
                self.solver.listen(function, (self.on_getter, getter))
                self.rules.store(owner, self.rules.any_key, getter, -1, 0)
        self.unnamed.clear()
        if not self.late and not self.rules.models.methods.made:
            return
        solver, program, operations = self.solver, self.program, self.solver.operations
        items = iter(operations.stores)
        rows = zip(items, items, items, items, items, strict=True)
        for identifier, (target, name, source, scope, line) in enumerate(rows):
            index = operations.store_file[identifier]
            name = program.renames[index][name]
            if target >= 0 and line and (source < 0 or name in self.late):
                base = program.slot_base[index]
                source = source + base if source >= 0 else -1
                scope += program.scope_base[index]
                listener = (self._on_write, name, source, scope, line)
                solver.listen(target + base, listener)
        solver.setters |= self.late
        self.late.clear()

    def _on_write(self, value: int, listener: Listener) -> None:
        _, name, source, scope, line = listener
        if name in self.solver.setters:
            self.rules.run_setters(value, name, source, scope, line)
        elif self.solver.kind[value] == CONTAINER and self.rules.models.methods.is_proxy(value):
            self.rules.models.methods.trap_set(value, name, source, scope, line)
