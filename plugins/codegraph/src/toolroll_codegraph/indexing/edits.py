"""Edits of a few files, of which something can be said before their programs are resolved again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from toolroll_codegraph.facts import FileFacts, decode_facts
from toolroll_codegraph.indexing.comparison import Comparison
from toolroll_codegraph.indexing.layout import read_layout
from toolroll_codegraph.indexing.neighbours import NEAR, Neighbours
from toolroll_codegraph.indexing.parsing import Parsed
from toolroll_codegraph.indexing.provisional import (
    Callee,
    Edited,
    called_as,
    counted,
    provisional_rows,
)
from toolroll_codegraph.indexing.resolution import resolve_rows
from toolroll_codegraph.indexing.rows import FileRows
from toolroll_codegraph.indexing.shifts import line_shift
from toolroll_codegraph.languages.registry import FAMILIES
from toolroll_codegraph.storage import store
from toolroll_codegraph.storage.store import StoredProject
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_MOST_MOVED: Final = 50
"""Changed files for which it is tried to only renumber lines."""
_MOST_EDITED: Final = 20
"""Changed and removed files of which something is told at once: they share their neighbours."""
_PART: Final = 4
"""An edit of large files is told at once if they are no more than this part of their program."""
QUICK: Final = 500_000
"""Bytes of source that are resolved in a second or two: an edit of no more can wait for that."""


class Edits:
    """The files of an indexed project that have changed since, and their rows."""

    def __init__(
        self,
        session: Session,
        project: StoredProject,
        comparison: Comparison,
        parsed: Mapping[str, Parsed],
        changed: Sequence[str],
    ) -> None:
        self._session = session
        self._project = project
        self._comparison = comparison
        self._parsed = parsed
        self._changed = sorted(changed)

    def moved(self) -> dict[str, FileRows] | None:
        """The renumbered rows of the changed files, if all that changed is where lines are."""
        known, parsed = self._comparison.known, self._parsed
        if self._comparison.removed or len(self._changed) > _MOST_MOVED or any(
            path not in known or not parsed[path].facts or known[path].reason
            for path in self._changed
        ):  # fmt: skip
            return None
        rows: dict[str, FileRows] = {}
        for path, old in self._stored_facts(self._changed).items():
            new = decode_facts(parsed[path].facts)
            shift = line_shift(old, new) if new is not None else None
            moved = shift.apply(self._rows(path)) if shift is not None else None
            if moved is None:
                return None
            rows[path] = moved
        return rows if len(rows) == len(self._changed) else None

    def are_few(self) -> bool:
        """Whether they are few files of programs that take long to resolve."""
        comparison = self._comparison
        if len(self._changed) + len(comparison.removed) > _MOST_EDITED:
            return False
        families = comparison.touched(self._changed)
        found = comparison.found.values()
        edited = sum(comparison.found[path].size for path in self._changed)
        whole = sum(file.size for file in found if FAMILIES[file.language] in families)
        return edited <= max(NEAR, whole // _PART) and whole > QUICK

    def provisional(self) -> tuple[dict[str, FileRows], Mapping[str, Mapping[str, int]]]:
        """The rows that can be told of the changed files, and the counts of their families then."""
        comparison = self._comparison
        counts = {name: dict(known) for name, known in self._project.families.items()}
        before = [
            path for path in (*self._changed, *comparison.removed) if path in comparison.known
        ]
        facts = self._stored_facts(before)
        for path in before:
            family = counts[FAMILIES[comparison.known[path].language]]
            for name, count in counted(self._rows(path), facts.get(path)).items():
                family[name] -= count
        rows = {path: FileRows() for path in self._changed}
        for family in sorted({FAMILIES[comparison.found[path].language] for path in rows}):
            edits, told = self._told(family, facts)
            rows |= told
            for edit in edits:
                for name, count in counted(told[edit.path], edit.new).items():
                    counts[family][name] += count
        return rows, counts

    def _told(
        self, family: str, old: Mapping[str, FileFacts]
    ) -> tuple[list[Edited], dict[str, FileRows]]:
        """The edited files of one family with their rows; without those that are left out."""
        comparison = self._comparison
        found = {
            path: file.size for path, file in comparison.found.items()
            if FAMILIES[file.language] == family
        }  # fmt: skip
        packed = {
            path: self._parsed[path].facts for path in self._changed
            if path in found and self._parsed[path].facts
        }  # fmt: skip
        decoded = {path: decode_facts(data) for path, data in packed.items()}
        new = {path: facts for path, facts in decoded.items() if facts is not None}
        near = Neighbours(self._session, self._project.id, found).of(new, old)
        around = self._packed(near)
        root = comparison.root
        layout = read_layout(root, [file.path for file in comparison.configuration])
        counts = self._project.families[family]
        whole = counts["functions"] + counts["classes"]
        before, after = (
            resolve_rows([*{**around, **texts}.items()], layout, str(root), {}, whole)
            for texts in (self._packed([*new]), packed)
        )
        edits = [Edited(path, old.get(path), new[path], self._rows(path)) for path in new]
        return edits, provisional_rows(edits, before, after, self._callees(edits))

    def _packed(self, paths: Sequence[str]) -> dict[str, bytes]:
        """The stored facts of those of some files that have any."""
        return dict(store.load_facts(self._session, self._project.id, paths=paths))

    def _stored_facts(self, paths: Sequence[str]) -> dict[str, FileFacts]:
        facts = {path: decode_facts(data) for path, data in self._packed(paths).items()}
        return {path: known for path, known in facts.items() if known is not None}

    def _rows(self, path: str) -> FileRows:
        return store.load_graph(self._session, self._project.id, path)

    def _callees(self, edits: Sequence[Edited]) -> dict[int, Callee]:
        """What the stored rows call in files that are neither edited nor removed."""
        ids = sorted({row[1] for edit in edits for row in edit.rows.calls})
        gone = {*self._changed, *self._comparison.removed}
        columns = (functions.c.id, functions.c.name, functions.c.qualified_name,
                   functions.c.kind, functions.c.path)  # fmt: skip
        found: dict[int, Callee] = {}
        for some in store.chunks(ids):
            rows = self._session.execute(sa.select(*columns).where(functions.c.id.in_(some)))
            found.update((row[0], called_as(*row[1:])) for row in rows if row.path not in gone)
        return found
