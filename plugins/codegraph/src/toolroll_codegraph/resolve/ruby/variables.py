"""Instance variables that several classes of one object have.

An object has one of a name, whichever class or module sets it. They are looked up class by class,
so that the nearest would hide what is assigned above it. What a base class sets to what a method
gives that each subclass has for itself, as `@worker = build`, is one for each of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_MOST_SUBCLASSES: Final = 96
_LONGEST: Final = 3
"""So many calls lead from the receiver to what is assigned."""
_NOT_AGAIN: Final = CallFlag.SUPER | CallFlag.BLOCK
_Owners = dict[int, dict[int, None]]
_Stores = dict[int, _Owners]
"""Variable → class → the slots of what its methods assign."""


class RubyVariables(RubyFeature):
    """Lets the variable of a class have what the classes above it assign."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._class = rules.program.name("class")
        self._own: list[tuple[int, int]] = []
        """Slot of a subclass's variable, and of the base class's, of which each is apart."""

    def find(self) -> None:
        """Read the assignments that methods make through their own receiver."""
        stores: _Stores = {}
        for owner, name, source in self.solver.own_stores:
            stores.setdefault(name, {}).setdefault(owner, {})[source] = None
        self._join(stores)
        self._part(stores)

    def written(self, owners: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
        """What constructors assign by way of accessors: `self.name = name`.

        Given constructors and their classes; class, variable and slot of each.
        """
        program, operations = self.program, self.solver.operations
        writing = {
            accessor: found
            for accessor, known in self.rules.attributes.items()
            if (found := {owner: field for owner, (field, writes) in known.items() if writes})
        }
        columns = (CallColumn.NAME, CallColumn.SCOPE, CallColumn.SOURCE)
        rows = operations.rows(*columns) if writing else ()
        for identifier, (index, name, scope, source) in enumerate(rows):
            slots, constructor = program.slot_base[index], scope + program.scope_base[index]
            owner = owners.get(constructor, -1)
            if owner < 0 or name < 0 or source + slots != program.this[constructor]:
                continue
            name = program.renames[index][name]
            given = operations.arguments_of(identifier)[0]
            if owner in writing.get(name, ()) and given and given[0] >= 0:
                yield owner, writing[name][owner], given[0] + slots

    def _join(self, stores: _Stores) -> None:
        for name, owners in stores.items():
            for child in owners if len(owners) > 1 else ():
                for owner in self.classes.order(child)[1:]:
                    for source in owners.get(owner, ()):
                        self.solver.edge(source, self.classes.declare(child, name))

    def _part(self, stores: _Stores) -> None:
        """Give subclasses a variable each where the base class sets it to what a method gives that
        they have for themselves."""
        calls = self._calls_of_self(
            {
                source
                for owners in stores.values()
                for owner, sources in owners.items()
                if 0 < len(self.classes.below(owner)) <= _MOST_SUBCLASSES
                for source in sources
            }
        )
        for name, owners in stores.items():
            for owner, sources in owners.items():
                asked = [source for source in sources if source in calls]
                if len(asked) == 1:
                    self._part_below(owner, name, asked[0], calls[asked[0]], owners)

    def _calls_of_self(self, results: set[int]) -> dict[int, list[Call]]:
        """Result → the calls that lead to it from a method's own receiver: `self.class.kind.new`.

        Of those results that are asked for.
        """
        program, operations, solver = self.program, self.solver.operations, self.solver
        columns = (CallColumn.RESULT, CallColumn.SOURCE, CallColumn.NAME, CallColumn.FLAGS)
        made: dict[int, tuple[int, int]] = {}
        for _ in range(_LONGEST):
            rows = zip(*map(operations.column, columns), strict=True)
            wanted = results.difference(made)
            for identifier, (result, source, name, flags) in enumerate(rows):
                base = program.slot_base[operations.call_file[identifier]]
                if result + base in wanted and name >= 0 <= source and not flags & _NOT_AGAIN:
                    made[result + base] = identifier, source + base
            results = {source for _, source in made.values()}
        found: dict[int, list[Call]] = {}
        for result in made:
            chain, slot = list[int](), result
            while slot in made and len(chain) < _LONGEST:
                identifier, slot = made[slot]
                chain.append(identifier)
            if slot in solver.this_owner:
                found[result] = [solver.translate(identifier) for identifier in reversed(chain)]
        return found

    def _part_below(
        self, owner: int, name: int, result: int, calls: list[Call], owners: _Owners
    ) -> None:
        classes, solver = self.classes, self.solver
        for child in classes.below(owner):
            order = classes.order(child)
            nearer = order[: order.index(owner)] if owner in order else ()
            if not nearer or not self._has_own(child, nearer, owner, calls):
                continue
            if any(known in owners or self.rules.kept.has(known, name) for known in nearer):
                continue
            slot = classes.declare(child, name)
            self._own.append((slot, classes.declare(owner, name)))
            for source in owners[owner]:
                if source != result:
                    solver.edge(source, slot)
            receiver = solver.slot()
            solver.add(receiver, child + self.program.scopes)
            for call in calls:
                target = slot if call is calls[-1] else solver.slot()
                inner = Call(target, call.scope, call.line, call.name, call.positional,
                             call.keywords, call.flags | CallFlag.QUIET)  # fmt: skip
                solver.listen(receiver, (self.rules.on_receiver, inner))
                receiver = target

    def _has_own(self, child: int, nearer: Sequence[int], owner: int, calls: list[Call]) -> bool:
        """Whether a subclass has what the calls lead to for itself."""
        first, static = calls[0].name, False
        if first == self._class and len(calls) > 1:
            first, static = calls[1].name, True
        if static and first == self.rules.gaps.const_get:
            return any(self.rules.imports.has_own(known) for known in nearer)
        name = self.rules.static(first) if static else first
        return self.classes.find(child, name) != self.classes.find(owner, name)

    def settle(self) -> None:
        """Where nothing is known of what a subclass's method gives, it may be what any gives."""
        for slot, shared in self._own:
            if self.solver.points[slot] is None:
                self.solver.edge(shared, slot)
        self._own.clear()
