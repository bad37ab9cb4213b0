"""What calls of a library make of what they are given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.registry import is_test
from toolroll_codegraph.resolve.objects import EXTENDED
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, EXTERNAL

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver

_ASKS: Final = re.compile(
    r"assert|expect|rais(?:e|es|ing)\b|throw|rescue|warns|refute|must_|toBe|instance_?of|isinstance"
    r"|kind_of|is_a\?|subclass",
    re.IGNORECASE,
)
"""Methods that compare with a class, and make nothing of it."""


class Takers:
    """Tells calls that keep or run what they are given from others.

    A call is told by its file, the name of its method and the slot of what that is called on, or of
    what is called itself: both in the file's numbering, -1 for none.
    """

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._program = solver.program
        self._setting = solver.program.name("__setitem__")
        self._free: tuple[int, set[int]] = -1, set()
        """A file, and the slots there of names of the language itself."""

    def asks(self, index: int, name: int, source: int) -> bool:
        """Whether a call makes nothing of a class: `isinstance`, `assertRaises`."""
        program = self._program
        if name >= 0:
            return _ASKS.search(program.texts[program.renames[index][name]]) is not None
        if index != self._free[0]:
            self._free = index, {slot for _, slot in program.free(index)}
        return source + program.slot_base[index] in self._free[1]

    def looks(self, index: int, name: int, source: int) -> bool:
        """Whether a call neither keeps nor calls what it is given: `functools.wraps(f)`."""
        solver, program = self._solver, self._program
        member = f".{program.texts[program.renames[index][name]]}" if name >= 0 else ""
        values = (solver.points[source + program.slot_base[index]] or ()) if source >= 0 else ()
        return any(
            solver.kind[value] == EXTERNAL
            and f"{solver.detail[value][0]}{member}" in solver.rules.looking
            for value in values
        )

    def decorates(self, index: int, given: list[int]) -> bool:
        """Whether a decorator is handed classes that derive from a library's, as a registry is.

        Those in tests are cases of tests, to which a decorator does something else.
        """
        program, solver = self._program, self._solver
        return not is_test(program.paths[index]) and all(
            solver.kind[value] == CLASS and solver.rules.is_framed(value)
            for item in given
            for value in solver.points[item + program.slot_base[index]] or ()
        )

    def hands(self, index: int, name: int, source: int) -> bool:
        """Whether what looks like no call hands something over: an element of a page, or
        `app.filters["money"] = money`, where nothing is known of the mapping."""
        program, solver = self._program, self._solver
        if max(name, source) < 0:
            return True
        if min(name, source) < 0 or program.renames[index][name] != self._setting:
            return False
        values = solver.points[source + program.slot_base[index]] or ()
        return all(map(self.is_outside, values))

    def is_outside(self, value: int) -> bool:
        """Whether a value stands for an object from outside, whatever is put into it here."""
        kind, detail = self._solver.kind[value], self._solver.detail[value]
        return kind == EXTERNAL or (kind == CONTAINER and detail[1:2] == (EXTENDED,))
