"""What Ruby's arrays and hashes give that is an array or hash again, of other things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.arguments import PAIR
from toolroll_codegraph.resolve.ruby.core_methods import COUNTED

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.containers import RubyContainers


class RubyShapes:
    """The pairs of a hash, a hash of pairs, rows, groups, and what waits to be mapped."""

    def __init__(self, containers: RubyContainers) -> None:
        self.containers = containers
        self.rules = containers.rules
        self.solver = containers.solver
        self.program = containers.program
        self._first = containers.program.name("first")
        self._objects: dict[int, int] = {}
        """Hash → slot of the objects that are its keys."""
        self.asked: dict[int, int] = {}
        """Hash with a block for what is missing → slot of the keys that it is asked for."""
        self.mapped: dict[int, str] = {}
        """What `map`, or the like, without a block gives → which it was."""

    def keys_of(self, container: int) -> int:
        """The slot of the objects that are keys of a hash."""
        slot = self._objects.get(container)
        if slot is None:
            slot = self._objects[container] = self.solver.slot()
        return slot

    def dig(self, call: Call, container: int) -> bool:
        """`dig(:a, :b)`: what is under the first key is asked for the others."""
        solver, (key, *others) = self.solver, call.positional
        inside = solver.slot()
        first = Call(inside, call.scope, call.line, call.name, (key,), (), call.flags)
        inner = Call(call.result, call.scope, call.line, call.name, (*others,), (), call.flags)
        inner.stand_for(call)
        solver.listen(inside, (self.rules.on_receiver, inner))
        return self.containers.get(first, container)

    def grep(self, call: Call, container: int) -> bool:
        """`grep(Name)` has those of a class, or what its block makes of them."""
        solver, containers = self.solver, self.containers
        refused = self.program.texts[call.name] == "grep_v"
        first = call.positional[0] if call.positional else -1
        if first < 0:
            return False
        made = solver.container(("grep", container, first, refused), ObjectKind.SEQUENCE)
        every = solver.slot()
        containers.elements(container, every)
        inside = solver.field(made, containers.any_key)
        self.rules.checks.add(inside, every, (first, ""), refused=refused)
        if call.flags & CallFlag.BLOCK:
            containers.run_over(call, made, "map", ObjectKind.SEQUENCE, -1)
        else:
            solver.add(call.result, made)
        return True

    def pairs(self, call: Call, container: int) -> int:
        """A hash as an array of its pairs."""
        pair = self.pair(call, container)
        pairs = self.solver.container(("pairs", pair), ObjectKind.SEQUENCE)
        self.solver.add(self.solver.field(pairs, self.containers.any_key), pair)
        return pairs

    def pair(self, call: Call, container: int) -> int:
        """A key of a hash with its value, in an array.

        Of keys that are written down only where a block makes names of them, or for `first`, since
        elsewhere it counts for more that others are not known.
        """
        solver, name = self.solver, self.program.name
        keys = self.told_keys(call, container)
        of_call = keys != self.keys_of(container)
        pair = solver.container((PAIR, call.result if of_call else container), 0)
        solver.edge(keys, solver.field(pair, name("[0")))
        self.containers.elements(container, solver.field(pair, name("[1")))
        return pair

    def told_keys(self, call: Call, container: int) -> int:
        """The slot of the keys that a call tells: objects, or also those that are written down."""
        block = call.positional[-1] if call.flags & CallFlag.BLOCK else -1
        named = call.name == self._first or self.rules.names.is_used(block)
        return self._keys(container) if named else self.keys_of(container)

    def _keys(self, container: int) -> int:
        """A slot of all keys of a hash that are known."""
        keys, program = self.solver.slot(), self.program
        self.solver.edge(self.keys_of(container), keys)

        def receive(name: int, slot: int) -> None:
            key = program.texts[name][1:]
            if name != self.containers.any_key and not key.isdigit():
                self.solver.add(keys, self.solver.text(program.name(key)))

        self.solver.mirror(container, receive)
        return keys

    def group(self, call: Call, value: int) -> bool:
        """`group_by`: a hash of arrays."""
        solver = self.solver
        groups = solver.container(("groups", call.result), ObjectKind.HASH)
        group = solver.container(("group", call.result), ObjectKind.SEQUENCE)
        self.containers.elements(value, solver.field(group, self.containers.any_key))
        solver.add(solver.field(groups, self.containers.any_key), group)
        solver.add(call.result, groups)
        return False

    def rekey(self, call: Call, value: int) -> bool:
        """`transform_keys`: the same under other keys, unless these are only written otherwise."""
        if not call.flags & CallFlag.BLOCK:
            self.solver.add(call.result, value)
        elif call.positional[-1] >= 0:
            self.solver.listen(call.positional[-1], (self._on_rekeying, call, value))
        return False

    @handler
    def _on_rekeying(self, block: int, listener: Listener) -> None:
        _, call, value = listener
        solver = self.solver
        if solver.kind[block] == TEXT:  # `&:to_sym`
            solver.add(call.result, value)
            return
        made = solver.container(("rekeyed", call.result), ObjectKind.HASH)
        self.containers.elements(value, solver.field(made, self.containers.any_key))
        solver.add(call.result, made)

    def to_hash(self, call: Call, value: int, kind: object) -> bool:
        """`to_h`: of an array's pairs, or of those that a block makes."""
        solver = self.solver
        made, pair = solver.container(("hash", call.result), ObjectKind.HASH), solver.slot()
        if call.flags & CallFlag.BLOCK:
            element = solver.slot()
            if kind == ObjectKind.HASH:
                solver.add(element, self.pair(call, value))
            else:
                self.containers.elements(value, element)
            self.rules.procedures.run_block(call, (element,), pair)
        else:
            self.containers.elements(value, pair)
        solver.listen(pair, (self._on_pair, made))
        solver.add(call.result, made)
        return True

    @handler
    def _on_pair(self, value: int, listener: Listener) -> None:
        made: int = listener[1]
        if self.solver.kind[value] == CONTAINER:
            self.containers.load(value, self.program.name("[0"), self.keys_of(made))
            inside = self.solver.field(made, self.containers.any_key)
            self.containers.load(value, self.program.name("[1"), inside)

    def flatten(self, call: Call, value: int) -> bool:
        """An array of what is inside of the arrays in another, however deep."""
        solver, inside = self.solver, self.solver.slot()
        made = solver.container(("flat", value), ObjectKind.SEQUENCE)
        self.containers.elements(value, inside)
        found = solver.field(made, self.containers.any_key)
        solver.listen(inside, (self.on_spliced, found, inside))
        solver.add(call.result, made)
        return False

    @handler
    def on_spliced(self, value: int, listener: Listener) -> None:
        """What an array has goes to one slot, what is none to another."""
        _, others, inside = listener
        kind, detail = self.solver.kind, self.solver.detail
        if kind[value] == CONTAINER and detail[value][0] == ObjectKind.SEQUENCE:
            self.containers.elements(value, inside)
        else:
            self.solver.add(others, value)

    def mapping(self, call: Call, value: int) -> bool:
        """`map.with_index { … }` maps when it is given its block."""
        if call.flags & CallFlag.BLOCK:
            return False
        made = self.solver.container(("mapping", call.result), ObjectKind.SEQUENCE)
        self.mapped[made] = self.program.texts[call.name]
        self.containers.elements(value, self.solver.field(made, self.containers.any_key))
        self.solver.add(call.result, made)
        return False

    def row(self, call: Call, value: int) -> int:
        """An array of some of the elements, for `zip` and `product` each with some of another's; or
        of one with its number."""
        solver, name = self.solver, self.program.texts[call.name]
        row = solver.container(("row", call.result), ObjectKind.SEQUENCE)
        first, joined = name == "zip" or name in COUNTED, name in ("zip", "product")
        self.containers.elements(
            value, solver.field(row, self.program.name("[0") if first else self.containers.any_key)
        )
        for index, item in enumerate(call.positional if joined else (), 1):
            if item >= 0:
                field = solver.field(row, self.program.name(f"[{index}"))
                solver.listen(item, (self.on_others, field))
        return row

    @handler
    def on_others(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.containers.elements(value, listener[1])

    def rows(self, call: Call, value: int) -> bool:
        """`each_slice`, `partition`, `zip`: an array of arrays."""
        solver = self.solver
        rows, row = (
            solver.container(("rows", call.result), ObjectKind.SEQUENCE),
            self.row(call, value),
        )
        if self.program.texts[call.name] == "chunk":  # with what its block said of them
            pair = solver.container(("chunk", call.result), ObjectKind.SEQUENCE)
            solver.add(solver.field(pair, self.program.name("[1")), row)
            row = pair
        solver.add(solver.field(rows, self.containers.any_key), row)
        solver.add(call.result, rows)
        return False
