"""Which files of a Ruby project require which: what runs together, as far as that is written."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ImportKind

if TYPE_CHECKING:
    from toolroll_codegraph.facts.model import ImportRow
    from toolroll_codegraph.resolve.program import Program

_MOST_ROOTS: Final = 64
"""Files that nobody requires and that lead to one: more are not asked what they load first."""
_LOAD_ROOTS: Final = ("lib/", "app/", "")
_LOAD_DIRECTORIES: Final = frozenset(("lib", "app", "test", "tests", "spec", "features"))


class RubyRequires:
    """The files that files require, by the load path that programs, gems and tests are run with."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._required: dict[int, dict[int, bool]] = {}
        """File → those that it requires, in order → whether it always does."""
        self._leading: dict[int, set[int]] = {}
        self._certain: dict[int, set[int]] = {}

    def bind(self, index: int, row: ImportRow) -> int | None:
        """Note a require of a file and return the file it means, None for a library's."""
        target = self._find(index, row)
        if target is not None:
            targets = self._required.setdefault(index, {})
            targets[target] = row[2] == 0 or targets.get(target, False)
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

    def replaces(self, here: int, first: int, last: int) -> bool:
        """Whether whatever runs a file has loaded two others by then, one after the other."""
        before, after = self.leading(first), self._loading(last)
        roots = [file for file in self.leading(here) if file not in self._requiring]
        if first in after or not 0 < len(roots) <= _MOST_ROOTS:
            return False
        return all(
            root in after and (root not in before or self._is_last(root, before, last))
            for root in roots
        )

    def _is_last(self, root: int, before: set[int], last: int) -> bool:
        """Whether it is behind one that some files lead to that a file is required.

        By the file where their ways part: what else a library loads may have loaded it before.
        """
        after, seen = self._loading(last), set[int]()
        while root not in seen and root != last:
            seen.add(root)
            targets = [*self._required.get(root, ())]
            root = next((file for file in targets if file in before or file in after), root)
            if (root in before) != (root in after):
                return root in before and last in targets
        return root in before

    def _loading(self, index: int) -> set[int]:
        """A file and all that load it whenever they are loaded."""
        found = self._certain.get(index)
        if found is None:
            found = self._certain[index] = _closure(index, self._always)
        return found

    @cached_property
    def _always(self) -> Mapping[int, set[int]]:
        """File → the files that always require it."""
        found: dict[int, set[int]] = {}
        for index, targets in self._required.items():
            for target, always in targets.items():
                if always:
                    found.setdefault(target, set()).add(index)
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


def _closure(index: int, following: Mapping[int, Collection[int]]) -> set[int]:
    seen, pending = {index}, [index]
    while pending:
        for item in following.get(pending.pop(), ()):
            if item not in seen:
                seen.add(item)
                pending.append(item)
    return seen
