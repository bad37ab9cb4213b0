"""Which files of a Ruby project require which: what runs together, as far as that is written."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ImportKind

if TYPE_CHECKING:
    from toolroll_codegraph.facts.model import ImportRow
    from toolroll_codegraph.resolve.program import Program

_LOAD_ROOTS: Final = ("lib/", "app/", "")
_LOAD_DIRECTORIES: Final = frozenset(("lib", "app", "test", "tests", "spec", "features"))


class RubyRequires:
    """The files that files require, by the load path that programs, gems and tests are run with."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._required: dict[int, set[int]] = {}
        self._leading: dict[int, set[int]] = {}

    def bind(self, index: int, row: ImportRow) -> int | None:
        """Note a require of a file and return the file it means, None for a library's."""
        target = self._find(index, row)
        if target is not None:
            self._required.setdefault(index, set()).add(target)
        return target

    def reached(self, index: int) -> set[int]:
        """A file and all that it requires, however deep."""
        return _closure(index, self._required)

    def leading(self, index: int) -> set[int]:
        """A file and all that lead to it; asked when every require is known."""
        found = self._leading.get(index)
        if found is None:
            found = self._leading[index] = _closure(index, self._requiring)
        return found

    @cached_property
    def _requiring(self) -> Mapping[int, set[int]]:
        """File → the files that require it."""
        found: dict[int, set[int]] = {}
        for index, targets in self._required.items():
            for target in targets:
                found.setdefault(target, set()).add(index)
        return found

    def _find(self, index: int, row: ImportRow) -> int | None:
        by_path = self.program.by_path
        path = row[3]
        if row[1] == ImportKind.REQUIRE_RELATIVE or path.startswith("."):
            directory = posixpath.dirname(self.program.paths[index])
            plain = posixpath.normpath(posixpath.join(directory, path))
            return by_path.get(plain if plain.endswith(".rb") else plain + ".rb")
        name = path if path.endswith(".rb") else path + ".rb"
        for root in _LOAD_ROOTS:
            target = by_path.get(root + name)
            if target is not None:
                return target
        target = self._around(index, name)
        if target is None:
            found = self._libraries.get(name, ())
            target = found[0] if len(found) == 1 else None
        return target

    def _around(self, index: int, name: str) -> int | None:
        """What a path is below a directory around a file that tests or a gem are run with."""
        directory = posixpath.dirname(self.program.paths[index])
        while above := posixpath.basename(directory):
            if above in _LOAD_DIRECTORIES:
                target = self.program.by_path.get(f"{directory}/{name}")
                if target is not None:
                    return target
            directory = posixpath.dirname(directory)
        return None

    @cached_property
    def _libraries(self) -> dict[str, list[int]]:
        """What a path is below each `lib` around it → the files."""
        found: dict[str, list[int]] = {}
        for path, index in self.program.by_path.items():
            at = path.find("/lib/")
            while at >= 0:
                found.setdefault(path[at + 5 :], []).append(index)
                at = path.find("/lib/", at + 4)
        return found


def _closure(index: int, following: Mapping[int, set[int]]) -> set[int]:
    seen, pending = {index}, [index]
    while pending:
        for item in following.get(pending.pop(), ()):
            if item not in seen:
                seen.add(item)
                pending.append(item)
    return seen
