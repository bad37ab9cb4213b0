"""What an exception handler catches: objects of its classes, and of those below that are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Handler, Listener
from toolroll_codegraph.resolve.program import CLASS
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_MOST_CLASSES: Final = 16


class PythonCaught(PythonFeature):
    """The names that `except Class as name` binds."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.scopes = rules.program.scopes
        self.waiting: dict[int, list[int]] = {}
        """Class → the slots that have an object of it once the project makes one."""
        self._bases: list[tuple[int, int, list[int]]] = []
        """(slot, class, those below) where what is made tells."""
        self._args = rules.program.name("args")
        self._on_class: Handler = self._catch

    def keep(self, call: Call, scope: int) -> None:
        """Let an exception have what it is made with as its `args`."""
        derived = self.rules.plain.of_class(scope) if call.positional else None
        if not any(issubclass(known, BaseException) for known in derived or ()):
            return
        row = self.solver.container(("args", scope), ObjectKind.SEQUENCE)
        self.solver.add(self.classes.declare(scope, self._args), row)
        for place, slot in enumerate(call.positional):
            if slot < -1:
                break
            name = self.rules.program.name(f"[{place}")
            self.solver.edge(slot, self.solver.field(row, name))

    def note(self, slot: int, kinds: int) -> None:
        """Let a slot have what a handler for some classes catches."""
        self.solver.listen(kinds, (self._on_class, slot))

    def _catch(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] != CLASS:
            return
        slot: int = listener[1]
        below = list(self.classes.below(value))
        if not below or len(below) > _MOST_CLASSES:
            self.solver.add(slot, value + self.scopes)
            return
        self._bases.append((slot, value, below))
        for known in (value, *below):
            if known in self.classes.instantiated:
                self.solver.add(slot, known + self.scopes)
            else:
                self.waiting.setdefault(known, []).append(slot)

    def made(self, scope: int) -> None:
        """Give an object of a class that is made to those that wait for it."""
        for slot in self.waiting.pop(scope):
            self.solver.add(slot, scope + self.scopes)

    def settle(self) -> None:
        """Where nothing is made that a handler catches, it is the class that it names."""
        for slot, value, below in self._bases:
            found = self.solver.points[slot] or ()
            if not any(known + self.scopes in found for known in (value, *below)):
                self.solver.add(slot, value + self.scopes)
        self._bases.clear()
