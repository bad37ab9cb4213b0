"""What containers hold: how it gets from one to another, and to who iterates them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler, replaced
from toolroll_codegraph.resolve.program import CONTAINER
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.python.iterators import ROW

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonContents(PythonFeature):
    """Moves items, keys and values between containers and other slots."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.any_key = rules.any_key
        self.pair = self.program.name("[0"), self.program.name("[1")

    def keyword(self, call: Call, name: str) -> int:
        wanted = self.program.name(name)
        return next((slot for key, slot in call.named() if key == wanted), -1)

    def apply(self, call: Call, function: int, positional: list[int], result: int) -> None:
        """Call a function that was handed to a builtin, from the builtin's caller."""
        if function >= 0:
            inner = self.solver.derived_call(call, result, tuple(positional))
            self.solver.listen(function, (self.on_callback, inner))

    @handler
    def on_callback(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def elements_of(self, call: Call, source: int) -> int:
        if source < 0:
            return -1
        result = self.solver.slot()
        inner = self.solver.derived_call(call, result, ())
        self.solver.listen(source, (self._on_iterable, inner))
        return result

    @handler
    def _on_iterable(self, value: int, listener: Listener) -> None:
        self.rules.protocols.iterate(listener[1], value)

    def result(self, call: Call, kind: int = ObjectKind.SEQUENCE) -> int:
        """The container a call returns, one for each call site."""
        container = self.solver.container(("call", call.result, call.scope, call.line), kind)
        self.solver.add(call.result, container)
        return container

    def update(self, call: Call, container: int, most: int = 1) -> None:
        """Put into a container what others have, and what is given by name."""
        for source in call.positional[:most]:
            if source >= 0:
                self.solver.listen(source, (self.on_update, container, call))
        for key, slot in call.named():
            if key >= 0 and slot >= 0:
                field = self.program.name("[" + self.program.texts[key])
                self.solver.edge(slot, self.solver.field(container, field))
            elif slot >= 0:
                self.solver.listen(slot, (self.on_update, container, call))

    @handler
    def on_update(self, value: int, listener: Listener) -> None:
        _, container, call = listener
        solver = self.solver
        if solver.kind[value] != CONTAINER or value == container:
            return
        if solver.detail[container][0] != ObjectKind.MAPPING:
            self.elements(value, solver.field(container, self.any_key))
        elif solver.detail[value][0] != ObjectKind.MAPPING:
            pairs = solver.slot()
            self.elements(value, pairs)
            solver.listen(pairs, (self._on_pair, container, call))
        else:
            kept = replaced(call)

            def receive(name: int, slot: int) -> None:
                if name not in kept:
                    solver.edge(slot, solver.field(container, name))

            solver.mirror(value, receive)
            solver.edge(self.keys_of(value), self.keys_of(container))

    @handler
    def _on_pair(self, value: int, listener: Listener) -> None:
        _, container, call = listener
        if self.solver.kind[value] == CONTAINER:
            key, item = (self.solver.field(value, name) for name in self.pair)
            self.rules.dynamic(container, key, -1, item, 0, call.scope)

    def keys_of(self, mapping: int) -> int:
        """The slot of a mapping's keys, as far as they are not written as text."""
        keys = self.solver.container(("keys", mapping), ObjectKind.SEQUENCE)
        return self.solver.field(keys, self.any_key)

    def item_row(self, call: Call, value: int) -> int:
        """A key and a value of a mapping as a pair."""
        items = self.solver.slot()
        self.elements(value, items, keys_too=True)
        return self.row(call, self.keys_of(value), items)

    def row(self, call: Call, *items: int) -> int:
        """A tuple that a method of the library gives."""
        row = self.solver.container((ROW, call.result, call.scope, call.line), 0)
        for name, item in zip(self.pair, items, strict=True):
            self.solver.edge(item, self.solver.field(row, name))
        return row

    def elements(self, container: int, target: int, *, keys_too: bool = False) -> None:
        """Send every element of a container to a slot; iterating a mapping gives its keys."""
        kind = self.solver.detail[container][0]
        if kind == ObjectKind.MAPPING and not keys_too:
            self.solver.edge(self.keys_of(container), target)
            return
        if kind == ObjectKind.GENERATOR:  # what it is sent and returns is no element
            self.solver.edge(self.solver.field(container, self.any_key), target)
            return
        if target >= 0:
            self.solver.every_field(container, (self.solver.copy_to, target))

    def sliced(self, container: int, start: int, end: int | None, target: int) -> None:
        """The items from a position on, up to another; where that is not known, in any order."""
        rest = self.solver.container(("rest", container, start, end), ObjectKind.SEQUENCE)
        self.solver.add(target, rest)

        def receive(name: int, slot: int) -> None:
            text = self.program.texts[name][1:]
            if not text.isdigit() or start < 0:
                self.solver.edge(slot, self.solver.field(rest, self.any_key))
            elif int(text) >= start and (end is None or int(text) < end):
                name = self.program.name(f"[{int(text) - start}")
                self.solver.edge(slot, self.solver.field(rest, name))

        self.solver.mirror(container, receive)
