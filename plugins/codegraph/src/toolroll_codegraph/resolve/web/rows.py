"""What files note of routes and requests (`languages/web.py`), in the program's numbering."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.facts import CallColumn, CallFlag
from toolroll_codegraph.languages.web import SEPARATOR, WEB, WORDS
from toolroll_codegraph.resolve.program import TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver

_CALLS: Final = Struct(f"{CallColumn.WIDTH}i")


class Row(NamedTuple):
    """What a file notes of one call."""

    word: str
    path: str
    name: str
    verbs: tuple[str, ...]
    unwritten: int
    """Slot of what the path begins with as a gap."""
    receiver: int
    result: int
    given: tuple[int, ...]
    named: dict[str, int]
    file: int
    scope: int
    line: int


class Rows:
    """The notes of a program, read out of its calls as often as they are asked for."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._program = program = solver.program
        self._words = {
            program.names[WEB + word]: word for word in WORDS if WEB + word in program.names
        }
        self._found: dict[str, array[int]] = {}
        """Word → numbers of the calls."""
        self.applied: dict[int, tuple[int, ...]] = {}
        """What a noted call returns → the arguments it is called with: it is a decorator."""
        if self._words:
            self._look()

    def _look(self) -> None:
        program, operations = self._program, self._solver.operations
        own_files, results = len(program.by_path), set[int]()
        row: tuple[int, ...]
        for identifier, row in enumerate(_CALLS.iter_unpack(operations.calls)):
            _, _, _, source, name, flags, begin, count = row
            if flags & CallFlag.NOTE:
                index = operations.call_file[identifier]
                if index >= own_files:
                    break  # copies
                word = self._words[program.renames[index][name]]
                self._found.setdefault(word, array("i")).append(identifier)
                results.add(operations.arguments[begin + 1] + program.slot_base[index])
            elif name < 0 <= source and count and results:
                base = program.slot_base[operations.call_file[identifier]]
                if source + base in results:
                    given = operations.arguments[begin : begin + count]
                    slots = tuple(item + base for item in given if item >= 0)
                    self.applied.setdefault(source + base, slots)

    def __len__(self) -> int:
        return sum(map(len, self._found.values()))

    def of(self, words: Collection[str]) -> Iterator[Row]:
        """The notes with one of these words, word for word."""
        for word in words:
            for identifier in self._found.get(word, ()):
                yield self._row(word, identifier)

    def _row(self, word: str, identifier: int) -> Row:
        program, operations = self._program, self._solver.operations
        index = operations.call_file[identifier]
        base, rename = program.slot_base[index], program.renames[index]
        at = identifier * CallColumn.WIDTH
        _, scope, line, _, _, _, begin, count = operations.calls[at : at + CallColumn.WIDTH]
        end = operations.calls[at + CallColumn.WIDTH + CallColumn.START]
        given, (header, unwritten, *rest) = operations.arguments_in(begin, count, end, base, rename)
        path, name, verbs = program.texts[header].split(SEPARATOR)
        pairs = zip(rest[::2], rest[1::2], strict=True)
        named = {program.texts[key]: slot for key, slot in pairs if key >= 0}
        return Row(word, path, name, tuple(verbs.split()), unwritten, given[0], given[1],
                   given[2:], named, index, scope + program.scope_base[index], line)  # fmt: skip

    def texts(self, slot: int) -> list[str]:
        """The texts that a slot has."""
        solver = self._solver
        values = (solver.points[slot] or ()) if slot >= 0 else ()
        return [solver.key_text(value) for value in values if solver.kind[value] == TEXT]

    def functions(self, slot: int) -> list[int]:
        """The functions of the program that a slot has."""
        program, functions = self._program, self._solver.functions(slot)
        return [program.original(it) for it in functions if it < program.scopes]
