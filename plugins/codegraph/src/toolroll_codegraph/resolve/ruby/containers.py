"""Ruby's arrays and hashes: what is kept in them, and what runs over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ANY_KEY, ASKED_KEYS, CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import (
    ADD,
    COUNTED,
    ELEMENT,
    INDEXED,
    MAPPED,
    NEIGHBOURS,
    OF_PAIRS,
    ORDERING,
    PAIRS,
    ROWS,
    SAME,
    SEVERAL,
    SPLICED,
    YIELDED_ROWS,
)
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.shapes import RubyShapes

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyContainers(RubyFeature):
    """Every key that is written down has a slot of its own in each container."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.any_key = self.program.name(ANY_KEY)
        self.shapes = RubyShapes(self)
        self._asked_keys = self.program.name(ASKED_KEYS.decode())
        self._to_int = self.program.name("to_int")
        self._answers: dict[str, Callable[[Call, int], bool]] = {
            **dict.fromkeys(MAPPED, self.shapes.mapping), **dict.fromkeys(ROWS, self.shapes.rows),
            **dict.fromkeys(SAME, self._same_elements), **dict.fromkeys(ELEMENT, self._element),
            **dict.fromkeys(COUNTED, self._counted),
            **dict.fromkeys(("keys", "each_key"), self._keys),
            **dict.fromkeys(("values", "each_value", "values_at", "fetch_values"), self._values),
            "group_by": self.shapes.group, "each_with_object": self._with_object,
            "sum": rules.folding.sum, "to_h": self._to_hash, "flatten": self.shapes.flatten,
            "concat": self._concat, "grep": self.shapes.grep, "grep_v": self.shapes.grep,
            **dict.fromkeys(("inject", "reduce"), rules.folding.fold),
            **dict.fromkeys(("merge", "merge!", "update", "+", "|", "replace"), self._merge),
            "union": self._merge,
            **dict.fromkeys(("transform_keys", "transform_keys!"), self.shapes.rekey),
            "slice": self._slice, "slice!": self._slice,
            **dict.fromkeys(ADD, self._add), **dict.fromkeys(("[]=", "store"), self._set),
            **dict.fromkeys(("[]", "fetch"), self.get), "dig": self._dig,
            **dict.fromkeys(("then", "yield_self", "tap"), self._handed),
        }  # fmt: skip

    def answers(self, name: str) -> bool:
        """Whether arrays or hashes have a method of that name, and it gives something."""
        return name in self._answers

    def elements(self, container: int, target: int) -> None:
        if target >= 0:
            self.solver.every_field(container, (self.solver.copy_to, target))

    def load(self, container: int, name: int, target: int) -> None:
        if name == self._asked_keys:
            self.shapes.asked[container] = target
            return
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
        """Answer a method of an array or hash, and run its block over what is inside."""
        solver = self.solver
        if not call.once_of(solver.alone(value)):
            return
        name = self.program.texts[call.name]
        kind = solver.detail[value][0]
        if self.rules.active_records.method(call, value):
            return
        if value not in self.rules.library.made:
            self.rules.conversions.container(call, value, name, kind)
        elif self.rules.library.answer(call, value, name):
            return
        call = self.rules.enumerators.run_over(call, value, name)
        if kind == ObjectKind.HASH and name in OF_PAIRS:
            value, kind = self.shapes.pairs(call, value), ObjectKind.SEQUENCE
        answer = self._answers.get(name)
        if answer is not None and answer(call, value):
            return
        if call.flags & CallFlag.ITERATE and kind == ObjectKind.HASH:
            solver.add(call.result, self.shapes.pair(call, value))
        elif call.flags & CallFlag.ITERATE:
            self.elements(value, call.result)
        self.run_over(call, value, name, kind, call.positional[0] if call.positional else -1)

    # what the methods answer: True where they have run their block themselves

    def get(self, call: Call, value: int) -> bool:
        """`[]`, `fetch` and `dig`."""
        solver, positional = self.solver, call.positional
        name = self.program.texts[call.name]
        first = positional[0] if positional else -1
        part = len(positional) > 1 and name not in ("fetch", "dig")
        if first >= 0 and not part:
            solver.listen(first, (self.on_key, value, call.result))
            if value in self.shapes.asked:
                solver.edge(first, self.shapes.asked[value])
            if name == "fetch" and call.flags & CallFlag.BLOCK:  # for a key that isn't there
                self.rules.procedures.run_block(call, (first,), call.result)
            elif name == "fetch" and len(positional) > 1:
                solver.edge(positional[1], call.result)
        if first >= 0 and self.rules.classes.definers(self._to_int):
            self.rules.conversions.ask(call, first, self._to_int)
        known = (solver.points[first] or ()) if first >= 0 else ()
        if part:
            solver.add(call.result, value)
        elif not any(solver.kind[item] in (TEXT, CONTAINER) for item in known):
            self.elements(value, call.result)
        return False

    def _slice(self, call: Call, value: int) -> bool:
        """Of an array an element or a part, as `[]`; of a hash what is under some keys."""
        hashed = self.solver.detail[value][0] == ObjectKind.HASH
        return self._same(call, value) if hashed else self.get(call, value)

    def _dig(self, call: Call, value: int) -> bool:
        several = len(call.positional) > 1
        return self.shapes.dig(call, value) if several else self.get(call, value)

    def _handed(self, call: Call, value: int) -> bool:
        return self.rules.reflection.run_block(call, value)

    def _set(self, call: Call, value: int) -> bool:
        if len(call.positional) > 1:
            self._store(value, call.positional[0], call.positional[-1])
        return False

    def _add(self, call: Call, value: int) -> bool:
        for item in call.positional:
            self.put(value, item)
            if item < -1:  # `push(*items)`
                listener = (self.shapes.on_others, self.solver.field(value, self.any_key))
                self.solver.listen(-item - 2, listener)
        return self._same(call, value)

    def _concat(self, call: Call, value: int) -> bool:
        for item in call.positional:
            if item >= 0:
                inside = self.solver.field(value, self.any_key)
                self.solver.listen(item, (self.shapes.on_others, inside))
        return self._same(call, value)

    def _merge(self, call: Call, value: int) -> bool:
        solver = self.solver
        if call.positional and call.positional[0] >= 0:
            self.take_in(value, call.positional[0])
        for key, item in call.named():
            if key < 0:
                self.take_in(value, item)
            else:
                field = self.program.name("[" + self.program.texts[key])
                solver.edge(item, solver.field(value, field))
        return self._same(call, value)

    def _same(self, call: Call, value: int) -> bool:
        self.solver.add(call.result, value)
        return False

    def _same_elements(self, call: Call, value: int) -> bool:
        """What would have the results of a block is not what runs over them."""
        if value not in self.shapes.mapped and not self.rules.enumerators.list(call, value):
            self.solver.add(call.result, value)
        return False

    def _counted(self, call: Call, value: int) -> bool:
        """Without a block, an array of each element with its number."""
        if call.flags & CallFlag.BLOCK or value in self.shapes.mapped:
            return self._same_elements(call, value)
        return self.shapes.rows(call, value)

    def _element(self, call: Call, value: int) -> bool:
        given = len(call.positional) - bool(call.flags & CallFlag.BLOCK)
        if given and self.program.texts[call.name] in SEVERAL:
            self.solver.add(call.result, value)
        else:
            self.elements(value, call.result)
        return False

    def _to_hash(self, call: Call, value: int) -> bool:
        kind = self.solver.detail[value][0]
        plain = kind == ObjectKind.HASH and not call.flags & CallFlag.BLOCK
        return self._same_elements(call, value) if plain else self.shapes.to_hash(call, value, kind)

    def _values(self, call: Call, value: int) -> bool:
        values = self.solver.container(("values", value), ObjectKind.SEQUENCE)
        self.elements(value, self.solver.field(values, self.any_key))
        self.solver.add(call.result, values)
        return False

    def _keys(self, call: Call, value: int) -> bool:
        keys = self.solver.container(("keys", value), ObjectKind.SEQUENCE)
        self.solver.edge(self.shapes.keys_of(value), self.solver.field(keys, self.any_key))
        self.solver.add(call.result, keys)
        return False

    def _with_object(self, call: Call, _: int) -> bool:
        if call.positional and call.positional[0] >= 0:
            self.solver.edge(call.positional[0], call.result)
        return False

    def results(self, call: Call, value: int, name: str) -> None:
        """What a method returns of the elements that it runs over."""
        if name in MAPPED or name == "group_by":
            self.run_over(call, value, name, ObjectKind.SEQUENCE, -1)
            if name == "group_by":
                self.shapes.group(call, value)
        elif name in ELEMENT:
            self.elements(value, call.result)
            if name in SEVERAL and call.positional:
                self.solver.add(call.result, value)
        elif name in ("grep", "grep_v"):
            self.shapes.grep(call, value)
        elif name in COUNTED:
            self._counted(call, value)
        elif name in SAME or name == "entries":
            self.solver.add(call.result, value)
        elif name in ROWS:
            self.shapes.rows(call, value)

    def run_over(self, call: Call, value: int, name: str, kind: object, first: int) -> None:
        if not call.flags & CallFlag.BLOCK:
            return
        solver = self.solver
        element = solver.slot()
        if name == "reverse_each":  # the last one first: what includes them has them in that order
            for field in reversed(solver.fields_of(value).values()):
                solver.edge(field, element)
        self.elements(value, element)
        result = -1
        if name in MAPPED or (value in self.shapes.mapped and name in INDEXED):
            made = solver.container(("call", call.result), ObjectKind.SEQUENCE)
            solver.add(call.result, made)
            result = found = solver.field(made, self.any_key)
            if name in SPLICED or self.shapes.mapped.get(value) in SPLICED:
                result = solver.slot()
                solver.listen(result, (self.shapes.on_spliced, found, found))
        elif name in ("map!", "collect!"):
            result = solver.field(value, self.any_key)
        run = self.rules.procedures.run_block
        if kind == ObjectKind.HASH and name in PAIRS:
            pair = solver.slot()
            solver.add(pair, self.shapes.pair(call, value))
            run(call, (pair,), result)
        elif name in ("each_key", "transform_keys", "transform_keys!"):
            run(call, (self.shapes.told_keys(call, value),), -1)
        elif name == "each_with_object":
            run(call, (element, first), -1)
        elif name in YIELDED_ROWS:
            row = solver.slot()
            solver.add(row, self.shapes.row(call, value))
            run(call, (row,), -1)
        elif name in ORDERING or name in NEIGHBOURS:
            run(call, (element, element), -1)
        elif name not in ("fetch", "dig"):  # |a, b| takes an element apart
            run(call, (element, -1) if name in INDEXED else (element,), result)

    @handler
    def on_key(self, key: int, listener: Listener) -> None:
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
            self.solver.listen(key, (self.on_stored, value, source))

    @handler
    def on_stored(self, key: int, listener: Listener) -> None:
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
