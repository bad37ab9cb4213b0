"""Ruby's `Struct` and `Data`: fields that have accessors, an order, and keys as those of a hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import ENUMERABLE
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_LISTED: Final = frozenset(("each", "values_at"))
_ARRAYS: Final = frozenset(("to_a", "values", "deconstruct"))
_HASHES: Final = frozenset(("to_h", "deconstruct_keys"))
_KEYED: Final = frozenset(("[]", "dig"))


class RubyStructs(RubyFeature):
    """What a struct's own methods do with its fields."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.fields: dict[int, list[tuple[int, int]]] = {}
        """Struct → (name, instance variable) of its fields, in order."""

    def is_struct(self, scope: int) -> bool:
        """Whether a class is a struct, or inherits from one: `Pair[1, 2]` makes it then."""
        return any(known in self.fields for known in self.rules.classes.order(scope))

    def fill(self, call: Call, struct: int, scope: int) -> None:
        """Give the fields of a struct the arguments of `new`: for each class below it its own."""
        declare, solver = self.rules.classes.declare, self.solver
        fields = self.fields[struct]
        for place, item in enumerate(call.positional[: len(fields)]):
            if item < -1:  # `new(*row)`
                behind = [declare(scope, variable) for _, variable in fields[place:]]
                solver.listen(-item - 2, (self.rules.arguments.on_spread, behind, -1))
                break
            if item >= 0:
                solver.edge(item, declare(scope, fields[place][1]))
        by_name = dict(fields)
        for name, item in call.named():
            if item >= 0 and name in by_name:
                solver.edge(item, declare(scope, by_name[name]))
            elif item >= 0 and name < 0:  # `new(**row)`
                targets = {name: declare(scope, variable) for name, variable in fields}
                solver.listen(item, (self._on_row, targets))

    @handler
    def _on_row(self, value: int, listener: Listener) -> None:
        containers = self.rules.containers
        targets: dict[int, int] = listener[1]
        if self.solver.kind[value] == CONTAINER:
            for name, slot in targets.items():
                containers.load(value, self.program.name("[" + self.program.texts[name]), slot)

    def answer(self, call: Call, struct: int, scope: int, name: str) -> bool:
        """A method that every struct has; False for any other."""
        if name in _KEYED and call.positional and call.positional[0] >= 0:
            listener = (self._on_key, struct, scope, call.result)
            self.solver.listen(call.positional[0], listener)
            return True
        if name in _ARRAYS:
            self.solver.add(call.result, self._row(struct, scope, ObjectKind.SEQUENCE))
        elif name in _HASHES:
            self.solver.add(call.result, self._row(struct, scope, ObjectKind.HASH))
        elif name == "each_pair":
            row = self._row(struct, scope, ObjectKind.HASH)
            self.rules.containers.container_method(call, row)
        elif name in _LISTED or name in ENUMERABLE:
            row = self._row(struct, scope, ObjectKind.SEQUENCE)
            self.rules.containers.container_method(call, row)
        else:
            return False
        return True

    def _row(self, struct: int, scope: int, kind: int) -> int:
        """A struct as an array, or as a hash."""
        solver, program = self.solver, self.program
        made = solver.container(("struct", scope, kind), kind)
        for index, (name, variable) in enumerate(self.fields[struct]):
            key = program.texts[name] if kind == ObjectKind.HASH else str(index)
            field = solver.field(made, program.name("[" + key))
            self.rules.classes.lookup(scope, variable, (solver.copy_to, field))
        return made

    @handler
    def _on_key(self, key: int, listener: Listener) -> None:
        _, struct, scope, result = listener
        if self.solver.kind[key] != TEXT:
            return
        text = self.solver.key_text(key)
        for index, (name, variable) in enumerate(self.fields[struct]):
            if text in (str(index), self.program.texts[name]):
                self.rules.classes.lookup(scope, variable, (self.solver.copy_to, result))
