"""What annotations say beside the class of a value: what is given to a callback, on what a mixin's
methods run, the items of a dictionary of which each is told, and those of what derives from one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, TypeHint
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import BOUND, CLASS, FUNCTION
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

TYPED: Final = frozenset(["typing.TypedDict", "typing_extensions.TypedDict"])
_RECEIVER: Final = "receiver"


class PythonDeclared(PythonFeature):
    """Objects that only annotations tell of."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._callables: list[tuple[int, int]] = []
        """(slot, slot of what its annotation says can be called)."""
        self._typed: list[int] = []

    def note_base(self, scope: int, name: str) -> None:
        """Remember a class that says what a dictionary has under each of its keys."""
        if name in TYPED:
            self._typed.append(scope)

    def find(self) -> None:
        program, solver = self.program, self.solver
        for index, facts in enumerate(program.facts):
            base, scopes = program.slot_base[index], program.scope_base[index]
            for slot, known, hint in program.typed(index):
                if hint == TypeHint.OBJECT:
                    self._callables.append((slot, known))
            for relation, scope, _, known, _ in facts.relations:
                if relation == _RECEIVER:
                    solver.listen(known + base, (self._on_receiver, scope + scopes))
        for scope in self._typed:
            self._fill(scope)
        for scope, kind in self.rules.protocols.bases.items():
            self._tell_elements(scope, kind)

    def _tell_elements(self, scope: int, kind: int) -> None:
        """Let a class that is a container have what its base says: `class Rows(list[Row])`."""
        solver, models, later = self.solver, self.rules.models, self.rules.substituting.tell_later
        for base, given in self.rules.trees.arguments.get(scope, {}).items():
            if any(solver.kind[value] == CLASS for value in solver.points[base] or ()):
                continue
            contents = self.rules.protocols.contents(scope + self.program.scopes)
            slots = [solver.field(contents, self.rules.any_key)]
            if kind == ObjectKind.MAPPING:
                slots.insert(0, models.keys_of(contents))
            for place, slot in enumerate(slots):
                if place in given:
                    later(slot, given[place])

    def _fill(self, scope: int) -> None:
        """Let the objects of such a class, and of those below it, have their items."""
        contents = self.rules.protocols.contents(scope + self.program.scopes)
        below = [scope]
        for current in below:
            below += self.rules.classes.subclasses.get(current, ())
            for name in self.program.members[current] or ():
                key = self.program.name("[" + self.program.texts[name])
                slot = self.rules.classes.find(current, name)
                self.solver.edge(slot, self.solver.field(contents, key))

    @handler
    def _on_receiver(self, value: int, listener: Listener) -> None:
        """Run a mixin's method on what its annotation says, which is of another class."""
        method: int = listener[1]
        owner, order = self.program.owner_class(method), self.rules.classes.order
        if self.solver.kind[value] != CLASS or value in order(owner) or owner in order(value):
            return
        self.solver.add(self.program.this[method], value + self.program.scopes)

    def call(self, call: Call, value: int) -> None:
        """Call what an annotation says can be called."""
        self.solver.edge(self.solver.field(value, self.rules.any_key), call.result)

    def settle(self) -> None:
        """Give callbacks what the annotation of who takes them says, where nothing else does."""
        for slot, known in self._callables:
            for value in self.solver.points[known] or ():
                if self.solver.detail[value][0] == ObjectKind.CALLABLE:
                    self.solver.listen(slot, (self._on_callback, value))
        self._callables.clear()

    @handler
    def _on_callback(self, value: int, listener: Listener) -> None:
        offset = 0
        if self.solver.kind[value] == BOUND:
            value, offset = self.solver.detail[value][0], 1
        if self.solver.kind[value] != FUNCTION:
            return
        fields = self.solver.fields_of(listener[1])
        for place, slot in enumerate(self.rules.arguments.signature(value)[0][offset:]):
            given = fields.get(self.program.name(f"[{place}"))
            if given is not None and self.solver.points[slot] is None:
                self.solver.edge(given, slot)
