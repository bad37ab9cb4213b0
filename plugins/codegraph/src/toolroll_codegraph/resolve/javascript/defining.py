"""Functions that define a property under a name that they are given.

`function getter(object, name, get) { Object.defineProperty(object, name, { get }); }` defines one
for each call, which has all that is in it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.calls import Call, Listener

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.pairs import JavaScriptPairs


class JavaScriptDefining:
    """Defines such a property for each call by itself."""

    def __init__(self, pairs: JavaScriptPairs) -> None:
        self.pairs = pairs
        self.rules = pairs.rules
        self.solver = pairs.solver
        self.program = pairs.program
        self._defined: dict[int, list[tuple[int, int, list[tuple[int, int]]]]] = {}
        """Function → owner, key and the fields of the descriptor that `defineProperty` gets."""

    def define(self, call: Call) -> bool:
        """`Object.defineProperty(object, name, {get: getter})` in a function of these parameters.

        False if the name is none: then it is defined once for all calls.
        """
        owner, key, descriptor = call.positional[:3]
        function = call.scope
        if key < 0 or descriptor < 0 or self.pairs.position(function, key) < 0:
            return False
        fields = self._fields(function, descriptor)
        if not any(self.pairs.position(function, source) >= 0 for _, source in fields):
            return False
        if not call.once(-1 - function):
            return True
        self.solver.listen(descriptor, (self._on_descriptor,))
        self._defined.setdefault(function, []).append((owner, key, fields))
        self.pairs.functions.add(function)
        for entered in self.pairs.entered_before(function):
            self._define_for(entered, function, owner, key, fields)
        return True

    def enter(self, call: Call, function: int) -> None:
        """Define what a function does for one call."""
        for defined in self._defined.get(function, ()):
            self._define_for(call, function, *defined)

    def _on_descriptor(self, value: int, listener: Listener) -> None:
        self.rules.accessors.descriptors.add(value)

    def _fields(self, function: int, descriptor: int) -> list[tuple[int, int]]:
        """(name, slot) of what the literal in a slot is written with."""
        operations, program = self.solver.operations, self.program
        index = program.file_of[function]
        base, rename = program.slot_base[index], program.renames[index]
        first = bisect_left(operations.store_file, index) * STORE_WIDTH
        last = bisect_right(operations.store_file, index) * STORE_WIDTH
        rows = operations.stores[first:last]
        return [
            (rename[name], source + base)
            for target, name, source in zip(
                rows[::STORE_WIDTH], rows[1::STORE_WIDTH], rows[2::STORE_WIDTH], strict=True
            )
            if target + base == descriptor and source >= 0
        ]

    def _define_for(
        self, call: Call, function: int, owner: int, key: int, fields: Iterable[tuple[int, int]]
    ) -> None:
        solver = self.solver
        made = solver.literal(ObjectKind.RECORD)
        for name, source in fields:
            solver.edge(self.pairs.given(call, function, source), solver.field(made, name))
        descriptor = solver.slot()
        solver.add(descriptor, made)
        on_define = self.rules.accessors.on_define
        solver.listen(
            self.pairs.given(call, function, owner),
            (on_define, self.pairs.given(call, function, key), descriptor),
        )
