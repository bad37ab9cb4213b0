"""The files that tell most of what calls in a few edited files mean.

They are what these files import that they did not, what they imported when they were resolved last,
where names are defined that they did not mention, what they called, and what all those import.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from toolroll_codegraph.storage import store
from toolroll_codegraph.storage.tables import functions, relations

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from toolroll_codegraph.facts import FileFacts

NEAR: Final = 200_000
"""Bytes of source to resolve twice, before and after an edit: that takes some 0.1 s."""
_LEAST: Final = 4
"""This part of that is left for the neighbours of files that are large themselves."""
_MOST_NEAR: Final = 300
"""Files, however small they are."""
_MOST_FILES: Final = 3
"""A name that more files define, or a module that more may be, tells nothing of where to look."""


class Neighbours:
    """Chooses among the files of one family of a project."""

    def __init__(self, session: Session, project: int, sizes: Mapping[str, int]) -> None:
        """Choose among files by path, with the bytes of their sources."""
        self._session = session
        self._project = project
        self._sizes = sizes
        self._chosen: dict[str, None] = {}
        self._left = NEAR

    def of(self, edited: Mapping[str, FileFacts], before: Mapping[str, FileFacts]) -> list[str]:
        """Return the neighbours of edited files, which themselves are not among them, sorted.

        Args:
            edited: Their facts now.
            before: Those of them that were there before, with the facts that they had.
        """
        self._chosen = dict.fromkeys(edited)
        self._left = max(NEAR - sum(self._sizes[path] for path in edited), NEAR // _LEAST)
        imported = (
            path
            for place, facts in edited.items()
            for path in self._imported(place, facts, before.get(place))
        )
        near = [*self._take(imported), *self._take(self._related(edited, "imports"))]
        near += self._take(self._defining(edited, before))
        near += self._take(self._related(edited, "calls"))
        while near and self._left > 0:
            near = self._take(self._related(near, "imports"))
        return sorted(self._chosen.keys() - edited.keys())

    def _take(self, paths: Iterator[str]) -> list[str]:
        """Choose those for which there is room."""
        taken: list[str] = []
        for path in paths:
            size = self._sizes.get(path)
            if len(self._chosen) >= _MOST_NEAR:
                break
            if size is not None and path not in self._chosen and size <= self._left:
                self._chosen[path] = None
                self._left -= size
                taken.append(path)
        return taken

    def _related(self, paths: Collection[str], kind: str) -> Iterator[str]:
        """What files imported or called when they were resolved last, the most used first."""
        found: dict[str, int] = {}
        rows = self._session.execute(
            sa.select(relations.c.target, relations.c.strength).where(
                relations.c.project == self._project,
                relations.c.source.in_(sorted(paths)),
                relations.c.kind == kind,
            )
        )
        for target, strength in rows:
            found[target] = found.get(target, 0) + strength
        yield from sorted(found, key=lambda path: (-found[path], path))

    def _imported(self, place: str, facts: FileFacts, before: FileFacts | None) -> Iterator[str]:
        """The files that a file's new imports may mean."""
        wanted = _modules(place, facts)
        if before is not None:
            wanted -= _modules(place, before)
        if not wanted:
            return
        lengths = {len(module) for module in wanted}
        found: dict[tuple[str, ...], list[str]] = {module: [] for module in wanted}
        for path in self._sizes:
            parts = _module_of(path)
            for length in lengths:
                if parts[-length:] in found:
                    found[parts[-length:]].append(path)
        for module in sorted(found):
            if len(found[module]) <= _MOST_FILES:
                yield from found[module]

    def _defining(
        self, edited: Mapping[str, FileFacts], before: Mapping[str, FileFacts]
    ) -> Iterator[str]:
        """Where the project defines names that the edited files did not mention before."""
        names: set[str] = set()
        for path, facts in edited.items():
            known = before.get(path)
            names.update(facts.names if known is None else {*facts.names} - {*known.names})
        ordered = sorted(name for name in names if name.isidentifier())
        found: dict[str, set[str]] = {}
        for some in store.chunks(ordered):
            rows = self._session.execute(
                sa.select(functions.c.name, functions.c.path).where(
                    functions.c.project == self._project, functions.c.name.in_(some)
                )  # of one name, to have SQLite look for distinct paths reads all functions
            )
            for name, path in rows:
                found.setdefault(name, set()).add(path)
        for name in sorted(found):
            if len(found[name]) <= _MOST_FILES:
                yield from sorted(found[name])


def _modules(place: str, facts: FileFacts) -> set[tuple[str, ...]]:
    """The ends of the paths that the imports of a file may mean, and what they import from them."""
    found: set[tuple[str, ...]] = set()
    for _, _, level, module, name, *_ in facts.imports:
        text = module.replace(".", "/") if facts.language == "python" else module
        if level > 0 or text.startswith("."):
            above = "../" * (level - 1)
            text = posixpath.normpath(posixpath.join(posixpath.dirname(place), above, text))
        parts = _module_of(text)
        found |= {parts, (*parts, facts.names[name])} if name >= 0 else {parts}
    found.discard(())
    return found


def _module_of(path: str) -> tuple[str, ...]:
    """The parts of a path without its suffix, and without what names the whole directory."""
    *parents, name = [part for part in path.split("/") if part not in ("", ".", "..")] or [""]
    stem = name.partition(".")[0]
    return tuple(parents) if stem in ("__init__", "index", "") else (*parents, stem)
