"""Ruby's arrays and hashes: what is kept in them, and what runs over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ANY_KEY, CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import (
    ADD,
    ELEMENT,
    ENUMERABLE,
    MAPPED,
    PAIRS,
    SAME,
)

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyContainers:
    """Every key that is written down has a slot of its own in each container."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.any_key = self.program.name(ANY_KEY)

    def elements(self, container: int, target: int) -> None:
        if target >= 0:
            self.solver.every_field(container, (self.solver.copy_to, target))

    def load(self, container: int, name: int, target: int) -> None:
        if name == self.any_key or self.program.texts[name].startswith("[-"):
            self.elements(container, target)
            return
        self.solver.edge(self.solver.field(container, name), target)
        self.solver.edge(self.solver.field(container, self.any_key), target)

    def put(self, container: int, source: int) -> None:
        """Put what a slot has under a key that isn't known."""
        if source >= 0:
            self.solver.edge(source, self.solver.field(container, self.any_key))

    def take_in(self, container: int, source: int) -> None:
        """Put in what is in the containers that a slot has."""
        self.solver.listen(source, (self._on_merge, container))

    def container_method(self, call: Call, value: int) -> None:
        solver = self.solver
        if not call.once(-2 - value):
            return
        name = self.program.texts[call.name]
        kind = solver.detail[value][0]
        first = call.positional[0] if call.positional else -1
        if value not in self.rules.library.made:
            self.rules.conversions.container(call, value, name, kind)
        elif self.rules.library.answer(call, value, name):
            return
        if value in self.rules.reflection.enumerators and (name in ENUMERABLE or name == "each"):
            self.rules.reflection.run_enumerator(
                call, self.rules.reflection.enumerators[value], CallFlag.IMPLICIT
            )
        if name == "[]" or name in ("fetch", "dig"):
            if first >= 0:
                solver.listen(first, (self._on_key, value, call.result))
            if name == "fetch" and first >= 0:
                if call.flags & CallFlag.BLOCK:  # what is used for a key that isn't there
                    self.rules.procedures.run_block(call, (first,), call.result)
                elif len(call.positional) > 1:
                    solver.edge(call.positional[1], call.result)
            if not any(solver.kind[item] == TEXT for item in solver.points[first] or ()) \
                    if first >= 0 else True:  # fmt: skip
                self.elements(value, call.result)
        elif name in ("[]=", "store") and len(call.positional) > 1:
            self._store(value, first, call.positional[-1])
        elif name in ADD:
            for item in call.positional:
                self.put(value, item)
            solver.add(call.result, value)
        elif name in ("merge", "merge!", "update", "concat", "+"):
            if first >= 0:
                solver.listen(first, (self._on_merge, value))
            for key, item in call.named():
                if key < 0:
                    solver.listen(item, (self._on_merge, value))
                else:
                    field = self.program.name("[" + self.program.texts[key])
                    solver.edge(item, solver.field(value, field))
            solver.add(call.result, value)
        elif name in ("inject", "reduce"):
            self._reduce(call, value)
            return
        elif name in ELEMENT:
            self.elements(value, call.result)
        elif name in SAME:
            solver.add(call.result, value)
        elif name == "each_with_object" and first >= 0:
            solver.edge(first, call.result)
        elif name == "group_by":
            self._group(call, value)
        if call.flags & CallFlag.ITERATE:
            self.elements(value, call.result)
        self._run_over(call, value, name, kind, first)

    def results(self, call: Call, value: int, name: str) -> None:
        """What a method returns of the elements that it runs over."""
        if name in MAPPED or name == "group_by":
            self._run_over(call, value, name, ObjectKind.SEQUENCE, -1)
            if name == "group_by":
                self._group(call, value)
        elif name in ELEMENT:
            self.elements(value, call.result)
            if name == "first" and call.positional:
                self.solver.add(call.result, value)
        elif name in SAME or name == "entries":
            self.solver.add(call.result, value)

    def _run_over(self, call: Call, value: int, name: str, kind: object, first: int) -> None:
        if not call.flags & CallFlag.BLOCK:
            return
        solver = self.solver
        element = solver.slot()
        self.elements(value, element)
        result = -1
        if name in MAPPED and name != "each_with_object":
            made = solver.container(("call", call.result), ObjectKind.SEQUENCE)
            solver.add(call.result, made)
            result = solver.field(made, self.any_key)
        if kind == ObjectKind.HASH and name in PAIRS:
            self.rules.procedures.run_block(call, (self._keys(call, value), element), result)
        elif name == "each_with_object":
            self.rules.procedures.run_block(call, (element, first), -1)
        elif name not in ("fetch", "dig"):
            self.rules.procedures.run_block(call, (element, -1), result)

    def _keys(self, call: Call, container: int) -> int:
        """A slot of the keys of a hash that are written down, for a block that makes names of them:
        elsewhere it counts for more that others are not known."""
        if not self.rules.names.is_used(call.positional[-1]):
            return -1
        keys, program = self.solver.slot(), self.program

        def receive(name: int, slot: int) -> None:
            key = program.texts[name][1:]
            if name != self.any_key and not key.isdigit():
                self.solver.add(keys, self.solver.text(program.name(key)))

        self.solver.mirror(container, receive)
        return keys

    def _group(self, call: Call, value: int) -> None:
        """`group_by`: a hash of arrays."""
        solver = self.solver
        groups = solver.container(("groups", call.result), ObjectKind.HASH)
        group = solver.container(("group", call.result), ObjectKind.SEQUENCE)
        self.elements(value, solver.field(group, self.any_key))
        solver.add(solver.field(groups, self.any_key), group)
        solver.add(call.result, groups)

    def _reduce(self, call: Call, value: int) -> None:
        solver = self.solver
        element, total = solver.slot(), solver.slot()
        self.elements(value, element)
        arguments = call.positional[:-1] if call.flags & CallFlag.BLOCK else call.positional
        for item in arguments:
            solver.edge(item, total)
        if not arguments or not call.flags & CallFlag.BLOCK:
            solver.edge(element, total)
        solver.edge(total, call.result)
        if call.flags & CallFlag.BLOCK:
            self.rules.procedures.run_block(call, (total, element), total)
        elif arguments and arguments[-1] >= 0:  # inject(:+)
            inner = solver.derived_call(call, total, (total, element))
            solver.listen(arguments[-1], (self.rules.procedures.on_block, inner))

    @handler
    def _on_key(self, key: int, listener: Listener) -> None:
        _, value, result = listener
        if self.solver.kind[key] == TEXT:
            text = self.solver.key_text(key)
            self.load(value, self.program.name("[" + text), result)

    def _store(self, value: int, key: int, source: int) -> None:
        kinds = self.solver.kind
        if key < 0 or not any(kinds[item] == TEXT for item in self.solver.points[key] or ()):
            self.solver.edge(source, self.solver.field(value, self.any_key))
        if key >= 0:
            self.solver.listen(key, (self._on_stored, value, source))

    @handler
    def _on_stored(self, key: int, listener: Listener) -> None:
        _, value, source = listener
        if self.solver.kind[key] == TEXT:
            name = self.program.name("[" + self.solver.key_text(key))
            self.solver.edge(source, self.solver.field(value, name))

    def _on_merge(self, value: int, listener: Listener) -> None:
        target = listener[1]
        if self.solver.kind[value] == CONTAINER and value != target:

            def receive(name: int, slot: int) -> None:
                self.solver.edge(slot, self.solver.field(target, name))

            self.solver.mirror(value, receive)
