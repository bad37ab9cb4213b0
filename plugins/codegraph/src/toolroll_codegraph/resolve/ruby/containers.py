"""Ruby's arrays and hashes: what is kept in them, and what runs over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ANY_KEY, CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import (
    ADD,
    ELEMENT,
    ENUMERABLE,
    INDEXED,
    MAPPED,
    OF_PAIRS,
    ORDERING,
    PAIRS,
    ROWS,
    SAME,
    SEVERAL,
)
from toolroll_codegraph.resolve.ruby.shapes import RubyShapes

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyContainers:
    """Every key that is written down has a slot of its own in each container."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.any_key = self.program.name(ANY_KEY)
        self.shapes = RubyShapes(self)
        self._folds: list[tuple[int, tuple[int, ...], int]] | None = []
        """(slot of the elements, of what it begins with, of the result) of `inject`."""

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
        if not call.once_of(solver.alone(value)):
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
        if kind == ObjectKind.HASH and name in OF_PAIRS:
            value, kind = self.shapes.pairs(call, value), ObjectKind.SEQUENCE
        if name == "[]" or name in ("fetch", "dig"):
            if first >= 0:
                solver.listen(first, (self._on_key, value, call.result))
            if name == "fetch" and first >= 0:
                if call.flags & CallFlag.BLOCK:  # what is used for a key that isn't there
                    self.rules.procedures.run_block(call, (first,), call.result)
                elif len(call.positional) > 1:
                    solver.edge(call.positional[1], call.result)
            known = (solver.points[first] or ()) if first >= 0 else ()
            if len(call.positional) > 1 and name == "[]":  # a part of it
                solver.add(call.result, value)
            elif not any(solver.kind[item] in (TEXT, CONTAINER) for item in known):
                self.elements(value, call.result)
        elif name in ("[]=", "store") and len(call.positional) > 1:
            self._store(value, first, call.positional[-1])
        elif name in ADD:
            for item in call.positional:
                self.put(value, item)
            solver.add(call.result, value)
        elif name == "concat":
            for item in call.positional:
                if item >= 0:
                    solver.listen(item, (self.shapes.on_others, solver.field(value, self.any_key)))
            solver.add(call.result, value)
        elif name in ("merge", "merge!", "update", "+"):
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
        elif name in SEVERAL and call.positional and not call.flags & CallFlag.BLOCK:
            solver.add(call.result, value)
        elif name in ELEMENT:
            self.elements(value, call.result)
        elif name == "to_h" and (kind != ObjectKind.HASH or call.flags & CallFlag.BLOCK):
            self.shapes.to_hash(call, value, kind)
            return
        elif name in ("values", "each_value", "values_at", "fetch_values"):
            values = solver.container(("values", value), ObjectKind.SEQUENCE)
            self.elements(value, solver.field(values, self.any_key))
            solver.add(call.result, values)
        elif name in SAME and value not in self.shapes.mapped:
            solver.add(call.result, value)
        elif name == "each_with_object" and first >= 0:
            solver.edge(first, call.result)
        elif name == "group_by":
            self.shapes.group(call, value)
        elif name in ROWS:
            self.shapes.rows(call, value)
        elif name in MAPPED and not call.flags & CallFlag.BLOCK:
            self.shapes.mapping(call, value)
        elif name in ("keys", "each_key"):
            keys = solver.container(("keys", value), ObjectKind.SEQUENCE)
            solver.edge(self.shapes.keys_of(value), solver.field(keys, self.any_key))
            solver.add(call.result, keys)
        if call.flags & CallFlag.ITERATE:
            self.elements(value, call.result)
        self._run_over(call, value, name, kind, first)

    def results(self, call: Call, value: int, name: str) -> None:
        """What a method returns of the elements that it runs over."""
        if name in MAPPED or name == "group_by":
            self._run_over(call, value, name, ObjectKind.SEQUENCE, -1)
            if name == "group_by":
                self.shapes.group(call, value)
        elif name in ELEMENT:
            self.elements(value, call.result)
            if name in SEVERAL and call.positional:
                self.solver.add(call.result, value)
        elif name in SAME or name == "entries":
            self.solver.add(call.result, value)
        elif name in ROWS:
            self.shapes.rows(call, value)

    def _run_over(self, call: Call, value: int, name: str, kind: object, first: int) -> None:
        if not call.flags & CallFlag.BLOCK:
            return
        solver = self.solver
        element = solver.slot()
        self.elements(value, element)
        result = -1
        if name in MAPPED or (value in self.shapes.mapped and name in INDEXED):
            made = solver.container(("call", call.result), ObjectKind.SEQUENCE)
            solver.add(call.result, made)
            result = solver.field(made, self.any_key)
        run = self.rules.procedures.run_block
        if kind == ObjectKind.HASH and name in PAIRS:
            pair = solver.slot()
            solver.add(pair, self.shapes.pair(call, value))
            run(call, (pair,), result)
        elif name == "each_key":
            run(call, (self.shapes.keys_of(value),), -1)
        elif name == "each_with_object":
            run(call, (element, first), -1)
        elif name in ("each_slice", "each_cons"):
            row = solver.slot()
            solver.add(row, self.shapes.row(call, value))
            run(call, (row,), -1)
        elif name in ORDERING:
            run(call, (element, element), -1)
        elif name not in ("fetch", "dig"):  # |a, b| takes an element apart
            run(call, (element, -1) if name in INDEXED else (element,), result)

    def _reduce(self, call: Call, value: int) -> None:
        solver = self.solver
        element, total = solver.slot(), solver.slot()
        self.elements(value, element)
        arguments = call.positional[:-1] if call.flags & CallFlag.BLOCK else call.positional
        for item in arguments:
            solver.edge(item, total)
        if not arguments or not call.flags & CallFlag.BLOCK:
            solver.edge(element, total)
        if call.flags & CallFlag.BLOCK:
            made = solver.slot()
            if call.positional[-1] >= 0:
                solver.listen(call.positional[-1], (self._on_folding, call))
            self.rules.procedures.run_block(call, (total, element), made)
            solver.edge(made, total)
            solver.edge(made, call.result)
            if self._folds is not None:
                self._folds.append((element, arguments, call.result))
        elif arguments and arguments[-1] >= 0:  # inject(:+)
            inner = solver.derived_call(call, total, (total, element))
            solver.edge(total, call.result)
            solver.listen(arguments[-1], (self.rules.procedures.on_block, inner))

    def settle(self) -> None:
        """What is folded without an element that is known may be what it begins with."""
        folds, self._folds = self._folds, None
        for element, beginnings, result in folds or ():
            if self.solver.points[element] is None:
                for item in beginnings:
                    self.solver.edge(item, result)

    @handler
    def _on_folding(self, value: int, _: Listener) -> None:
        params = self.program.params[value] if self.solver.kind[value] == FUNCTION else ()
        self.rules.folded.update(slot for _, slot, _ in params[:1])

    @handler
    def _on_key(self, key: int, listener: Listener) -> None:
        _, value, result = listener
        kind = self.solver.kind[key]
        if kind == TEXT:
            text = self.solver.key_text(key)
            self.load(value, self.program.name("[" + text), result)
        elif kind == CONTAINER and self.solver.detail[key][0] == ObjectKind.RANGE:
            self.solver.add(result, value)
        elif kind == CONTAINER:
            self.elements(value, result)

    def _store(self, value: int, key: int, source: int) -> None:
        kinds = self.solver.kind
        if key < 0 or not any(kinds[item] == TEXT for item in self.solver.points[key] or ()):
            self.solver.edge(source, self.solver.field(value, self.any_key))
        if key >= 0:
            self.solver.listen(key, (self._on_stored, value, source))

    @handler
    def _on_stored(self, key: int, listener: Listener) -> None:
        _, value, source = listener
        kind = self.solver.kind[key]
        if kind == TEXT:
            name = self.program.name("[" + self.solver.key_text(key))
            self.solver.edge(source, self.solver.field(value, name))
        elif kind in (INSTANCE, CLASS):
            self.solver.add(self.shapes.keys_of(value), key)

    def _on_merge(self, value: int, listener: Listener) -> None:
        target = listener[1]
        if self.solver.kind[value] == CONTAINER and value != target:

            def receive(name: int, slot: int) -> None:
                self.solver.edge(slot, self.solver.field(target, name))

            self.solver.mirror(value, receive)
