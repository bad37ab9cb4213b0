"""Objects of JavaScript that are read under computed keys: tables, options and lists."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import BOUND, CONTAINER, FUNCTION, MODULE, TEXT
from toolroll_codegraph.resolve.slots import MOST_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_HARDLY_ANYTHING: Final = 20
"""One of so many fields of a table may have another kind of values."""
_MANY_LEFT: Final = 4
"""So many functions of a table that nobody reads were not forgotten there."""


class JavaScriptTables(JavaScriptFeature):
    """Tells tables of functions from options and lists."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.kind = rules.kind

    def is_array(self, value: int) -> bool:
        return self.kind[value] == CONTAINER and self.solver.detail[value][0] == ObjectKind.ARRAY

    def has_texts(self, value: int) -> bool:
        """Whether an object is an array of what may be keys."""
        return self.is_array(value) and any(self.kind[item] == TEXT for item in self._kept(value))

    def has_getters(self, value: int) -> bool:
        flags, kind = self.rules.program.flags, self.kind
        return any(
            kind[item] == FUNCTION and flags[item] & ScopeFlag.PROPERTY
            for item in self._kept(value)
        )

    def is_table(self, value: int) -> bool:
        """Whether an object is a module, or a literal of nothing, or hardly anything, but one kind
        of values.

        What also has texts or lists, as options do, is mostly read for its names alone.
        """
        if self._is_record(value):
            kinds = Counter(self.kind[self._unbound(item)] for item in self._kept(value))
            most = max(kinds.values(), default=0)
            return most * _HARDLY_ANYTHING >= kinds.total() * (_HARDLY_ANYTHING - 1)
        return self.kind[value] == MODULE

    def _has_functions(self, value: int) -> bool:
        """Whether a literal has a function, and whatever else, under all or nearly all keys.

        What `require` gives may be a function and the module's first `exports` both.
        """
        if not self._is_record(value):
            return False
        fields = [
            [self.kind[self._unbound(item)] for item in values]
            for values in self._fields(value)
            if values
        ]
        having = sum(FUNCTION in kinds for kinds in fields)
        return having * _HARDLY_ANYTHING >= len(fields) * (_HARDLY_ANYTHING - 1)

    def is_left(self, value: int) -> bool:
        """Whether nobody reads most functions of a table, though some keys are known.

        Nobody writes down what is never used: other keys come from outside of the project.
        """
        if not self._has_functions(value):
            return False
        slots = [
            slot
            for slot in self.solver.fields_of(value).values()
            if any(
                self.kind[self._unbound(item)] == FUNCTION
                for item in self.solver.points[slot] or ()
            )
        ]
        return self._are_left(slots)

    def are_left_alike(self, value: int) -> bool:
        """The same of the objects of a literal that has nothing else, each of them with functions
        under a name that all have: one is chosen by a name from outside, to be asked for that.
        """
        if not self._is_record(value):
            return False
        slots = list(self.solver.fields_of(value).values())
        if len(slots) < _MANY_LEFT or not self._are_left(slots):
            return False
        shared: set[int] | None = None
        for slot in slots:
            for item in self.solver.points[slot] or ():
                if not self._is_record(item):
                    return False
                named = set(self._functions(item))
                shared = named if shared is None else shared & named
        return bool(shared)

    def _are_left(self, slots: Sequence[int]) -> bool:
        left = sum(not self.solver.is_read(slot) for slot in slots)
        return left >= _MANY_LEFT and 2 * left > len(slots)

    def _functions(self, value: int) -> Iterator[int]:
        """The names under which an object has functions."""
        for name, slot in self.solver.fields_of(value).items():
            if any(self.kind[item] == FUNCTION for item in self.solver.points[slot] or ()):
                yield name

    def make_room(self, value: int) -> None:
        """Let slots hold all the functions of a table, also where evidence is weak by now."""
        solver = self.solver
        kept = [item for item in self._kept(value) if self.kind[self._unbound(item)] == FUNCTION]
        found = {*kept, *map(self._unbound, kept)}
        if MOST_VALUES < len(kept) <= solver.most_definitions and self._has_functions(value):
            for item in found:
                solver.room[item] = solver.most_definitions
                self.rules.crowds.tables[item] = value

    def _unbound(self, value: int) -> int:
        """The function that `bind` bound; of anything else the value."""
        return self.solver.detail[value][0] if self.kind[value] == BOUND else value

    def _is_record(self, value: int) -> bool:
        return self.kind[value] == CONTAINER and self.solver.detail[value][0] == ObjectKind.RECORD

    def _fields(self, value: int) -> Iterator[tuple[int, ...]]:
        for slot in self.solver.fields_of(value).values():
            yield self.solver.points[slot] or ()

    def _kept(self, value: int) -> Iterator[int]:
        """What is in the fields of an object."""
        return chain.from_iterable(self._fields(value))
