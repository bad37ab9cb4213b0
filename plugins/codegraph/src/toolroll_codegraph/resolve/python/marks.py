"""Functions that are marked, and the tests that choose those: `hasattr(member, "is_command")`.

A function has no attributes but those that the source sets on it. Where a decorator or a
statement sets one, a test of it leaves those functions alone of all that were found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import BOUND, CLASS, FUNCTION, FUNCTIONS
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_MOST_MARKED: Final = 60
"""More functions may not all have come to where they are marked: then a test leaves any."""


class PythonMarks(PythonFeature):
    """The attributes of functions that tests are about."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.asking: dict[int, int] = {}
        """Slot of a function → the attribute that it looks for on its parameter."""
        self._marked: dict[int, set[int]] = {}
        """Attribute → the functions that have it."""
        self._open: set[int] = set()
        """Attributes that any function may have."""
        self._waiting: dict[int, dict[int, list[tuple[int, int]]]] = {}
        """Attribute → function → (value of it, slot) of what waits for the function's mark."""

    def note_predicate(self, function: int, name: int) -> None:
        """Remember a function that asks whether what it is given has an attribute."""
        self.asking[self.rules.program.value[function]] = name
        self._note(name)

    def _note(self, name: int) -> None:
        self.solver.marks.add(name)
        self._marked.setdefault(name, set())
        self._waiting.setdefault(name, {})

    def watch(self, name: int, source: int, target: int) -> None:
        """Let a slot have what of another has an attribute."""
        self._note(name)
        self.solver.listen(source, (self._on_tested, name, target))

    @handler
    def _on_tested(self, value: int, listener: Listener) -> None:
        name: int = listener[1]
        target: int = listener[2]
        parts = self._parts(value, name)
        if not parts or name in self._open or not self._marked[name].isdisjoint(parts):
            self.solver.add(target, value)
            return
        for part in parts:
            self._waiting[name].setdefault(part, []).append((value, target))

    def _parts(self, value: int, name: int) -> tuple[int, ...]:
        """The functions whose attributes a value has; a class may have those of no function."""
        kind, rules = self.solver.kind[value], self.rules
        if kind == CLASS:
            has = rules.classes.find(value, name) >= 0 or rules.types.is_foreign(value)
            return () if has else (value,)
        if kind == FUNCTION:
            return (value,)
        if kind not in FUNCTIONS:
            return ()
        first, last = self.solver.detail[value]
        if kind == BOUND:
            return self._parts(first, name)
        return value, first, *self._parts(last, name)

    def mark(self, value: int, name: int) -> None:
        """Note that an attribute is set on a function."""
        if self.solver.kind[value] == BOUND:
            value = self.solver.detail[value][0]
        marked, waiting = self._marked[name], self._waiting[name]
        marked.add(value)
        for tested, target in waiting.pop(value, ()):
            self.solver.add(target, tested)
        if len(marked) > _MOST_MARKED:
            self._admit(name)

    def settle(self) -> None:
        """Let tests of what nobody sets leave everything: it is set where no source shows it."""
        for name, marked in self._marked.items():
            if not marked:
                self._admit(name)

    def _admit(self, name: int) -> None:
        self._open.add(name)
        for waiting in self._waiting[name].values():
            for tested, target in waiting:
                self.solver.add(target, tested)
        self._waiting[name].clear()
