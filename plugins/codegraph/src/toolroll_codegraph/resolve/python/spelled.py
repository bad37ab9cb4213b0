"""What texts and attributes of classes give to libraries: Django's settings, its admin, jobs.

A text counts where it is the full name of a function or class of the project, or that of a method
of the class it stands in. Attributes and such methods count in classes that derive from a
library's, which reads them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.languages.python.spelled import DOTTED, HOLDS, SPELLED
from toolroll_codegraph.languages.registry import is_test
from toolroll_codegraph.resolve.program import CLASS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_KINDS = frozenset((DOTTED, HOLDS, SPELLED))


class PythonSpelled:
    """Keeps what a program names or holds for libraries, until it is known what that is."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.program = program = rules.program
        self._rows = array("i")
        """Flat: scope, line, slot or -1, name of a member or -1, whether it is of a class."""
        for index, facts in enumerate(program.facts[: len(program.by_path)]):
            tests = is_test(program.paths[index])  # whose attributes are their own
            for kind, scope, what, line, _ in facts.relations:
                if kind in _KINDS and (kind == DOTTED or not tests):
                    self._note(index, kind, scope + program.scope_base[index], what, line)

    def _note(self, index: int, kind: str, scope: int, what: int, line: int) -> None:
        program = self.program
        if kind == HOLDS:
            self._rows.extend((scope, line, what + program.slot_base[index], -1, True))
            return
        name = program.renames[index][what]
        if kind == SPELLED:
            self._rows.extend((scope, line, -1, name, True))
        elif not is_test(program.paths[index]) or program.kind[scope] == ScopeKind.FUNCTION:
            # what stands beside tests is mostly what they replace
            module, _, last = program.texts[name].replace(":", ".").rpartition(".")
            slot, member = self._member(index, module, last), -1
            if slot < 0:
                member = program.names.get(last, -1)
                slot = self._member(index, *module.rpartition(".")[::2]) if member >= 0 else -1
            if slot >= 0 and not self._is_of_tests(index, slot):
                self._rows.extend((scope, line, slot, member, False))

    def _is_of_tests(self, index: int, slot: int) -> bool:
        """Whether it is a test that is named elsewhere: nobody but its runner runs it."""
        program = self.program
        found = bisect_right(program.slot_base, slot) - 1
        return is_test(program.paths[found]) and not is_test(program.paths[index])

    def _member(self, index: int, module: str, name: str) -> int:
        """The slot of a member of a module of the project."""
        modules, program = self.rules.imports.modules, self.program
        stem = modules.locate(index, 0, module) if module else None
        known = modules.file(stem) if stem is not None else None
        if known is None:
            return -1
        return (program.members[program.scope_base[known]] or {}).get(
            program.names.get(name, -1), -1
        )

    def told(self) -> Iterator[tuple[int, int, int, int]]:
        """(scope, line, slot, the class whose attribute it is or -1)."""
        find, points = self.rules.classes.find, self.rules.solver.points
        rows = iter(self._rows)
        for scope, line, slot, member, inside in zip(rows, rows, rows, rows, rows, strict=True):
            owner = scope if inside else -1
            if member < 0:
                yield scope, line, slot, owner
            elif inside:
                yield scope, line, find(scope, member), owner
            else:
                for value in points[slot] or ():
                    if self.rules.kind[value] == CLASS and value < self.program.scopes:
                        yield scope, line, find(value, member), owner
