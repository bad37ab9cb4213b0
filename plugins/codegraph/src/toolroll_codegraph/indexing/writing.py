"""Writing what an index run found, in one transaction: readers see the old index or the new one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from toolroll_codegraph.facts import compress_facts
from toolroll_codegraph.indexing.comparison import Comparison
from toolroll_codegraph.indexing.parsing import Parsed
from toolroll_codegraph.indexing.rows import COUNTS, FileRows, GraphRows
from toolroll_codegraph.storage import store
from toolroll_codegraph.storage.store import StoredFile, StoredProject

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from toolroll.storage import Database

Counts = Mapping[str, Mapping[str, int]]
"""What resolving counts, by family of languages."""


class Writer:
    """Writes one run; what it returns are the counts of the whole index."""

    def __init__(
        self, database: Database, comparison: Comparison, languages: Sequence[str],
        *, include_tests: bool, check: Callable[[], None],
    ) -> None:  # fmt: skip
        self._database = database
        self._comparison = comparison
        self._languages = languages
        self._include_tests = include_tests
        self._check = check
        self._now = time.time_ns()
        """What changes on disk from now on the next run looks at again."""

    def write_times(
        self, project: StoredProject, parsed: Mapping[str, Parsed]
    ) -> Mapping[str, int]:
        """Nothing changed but times, perhaps the set of languages that happens to be the same."""
        comparison = self._comparison
        moved = [
            comparison.stored(path, item, comparison.known[path].graph_digest)
            for path, item in sorted(parsed.items())
            if comparison.known[path].modified != comparison.found[path].modified
            or comparison.known[path].size != comparison.found[path].size
        ]
        with self._database.begin(lock=str(comparison.root)) as session:
            store.update_files(session, project.id, moved)
            self._save_project(session, project.stats, project.families, project.provisional)
        return project.stats

    def write_moved(
        self, project: StoredProject, moved: Mapping[str, FileRows], parsed: Mapping[str, Parsed]
    ) -> Mapping[str, int]:
        """The rows of some files were renumbered."""
        again = dict.fromkeys(project.provisional, self._now)
        return self._write_files(project, moved, parsed, project.families, again)

    def write_provisional(
        self,
        project: StoredProject,
        rows: Mapping[str, FileRows],
        families: Counts,
        parsed: Mapping[str, Parsed],
    ) -> Mapping[str, int]:
        """Some files were edited, and their rows are told without their programs.

        What a removed file called is gone; that others called it is told until they are resolved.
        """
        again = dict.fromkeys(self._comparison.touched(sorted(rows)), self._now)
        return self._write_files(project, rows, parsed, families, again)

    def _write_files(
        self,
        project: StoredProject,
        rows: Mapping[str, FileRows],
        parsed: Mapping[str, Parsed],
        families: Counts,
        provisional: Mapping[str, int],
    ) -> Mapping[str, int]:
        """Write the rows of some files, remove those that are gone, and leave all others."""
        comparison = self._comparison
        stored = {
            path: comparison.stored(
                path, parsed[path], rows[path].digest() if parsed[path].facts else ""
            )
            for path in sorted(rows)
        }
        others = [
            comparison.stored(path, item, comparison.known[path].graph_digest)
            for path, item in sorted(parsed.items())
            if path not in rows
        ]
        outdated = [*comparison.removed, *stored]
        files = {path: file for path, file in comparison.known.items() if path in comparison.found}
        stats = index_stats({**files, **stored}, families)
        facts = compressed(parsed, stored, self._check)
        with self._database.begin(lock=str(comparison.root)) as session:
            store.remove_graph(session, project.id, outdated)
            store.remove_files(session, project.id, outdated)
            store.save_files(session, project.id, list(stored.values()))
            store.save_facts(session, project.id, facts)
            store.save_graph(session, project.id, rows)
            store.update_files(session, project.id, others)
            self._save_project(session, stats, families, provisional)
        return stats

    def write_graph(
        self,
        resolved: Mapping[str, GraphRows],
        parsed: Mapping[str, Parsed],
        facts: Sequence[tuple[str, bytes]],
        changed: Sequence[str],
    ) -> Mapping[str, int]:
        """Families were resolved: write the rows that differ from those stored."""
        comparison, known = self._comparison, self._comparison.known
        digests = {path: digest for rows in resolved.values()
                   for path, digest in rows.digests.items()}  # fmt: skip
        graph = {path: rows for part in resolved.values() for path, rows in part.files.items()}
        families = {name: rows.counts() for name, rows in resolved.items()}
        stored = {
            path: comparison.stored(path, parsed.get(path), digests.get(path, ""))
            for path in comparison.found
        }
        stats = index_stats(stored, families)
        rewritten = [
            path for path in stored
            if path not in known or known[path].graph_digest != digests.get(path, "")
        ]  # fmt: skip
        replaced = {path for path in changed if path in known}
        updated = [file for path, file in stored.items()
                   if path in known and path not in replaced and known[path] != file]  # fmt: skip
        new = [file for path, file in stored.items() if path not in known or path in replaced]
        with self._database.begin(lock=str(comparison.root)) as session:
            project = self._save_project(session, stats, families, {})
            store.remove_files(session, project, [*comparison.removed, *replaced])
            outdated = (path for path in rewritten if path in known)
            store.remove_graph(session, project, [*comparison.removed, *outdated])
            store.update_files(session, project, updated)
            store.save_files(session, project, new)
            store.save_facts(session, project, facts)
            store.save_graph(
                session, project, {path: graph[path] for path in rewritten if path in digests},
                self._check,
            )  # fmt: skip
        return stats

    def _save_project(
        self,
        session: Session,
        stats: Mapping[str, int],
        families: Counts,
        provisional: Mapping[str, int],
    ) -> int:
        return store.save_project(
            session, str(self._comparison.root), languages=self._languages,
            include_tests=self._include_tests, now=self._now, layout=self._comparison.layout,
            stats=stats, families=families, provisional=provisional,
        )  # fmt: skip


def compressed(
    parsed: Mapping[str, Parsed], paths: Iterable[str], check: Callable[[], None]
) -> list[tuple[str, bytes]]:
    """The facts of those of some files that have any, as they are stored."""
    found: list[tuple[str, bytes]] = []
    for path in paths:
        check()
        if facts := parsed[path].facts:
            found.append((path, compress_facts(facts)))
    return found


def write_reconciled(
    session: Session, project: StoredProject, resolved: Mapping[str, GraphRows]
) -> None:
    """Write what some families of a project, whose files are stored, were resolved to."""
    known = store.load_files(session, project.id)
    graph = {path: rows for part in resolved.values() for path, rows in part.files.items()}
    stored = {
        path: evolve(known[path], graph_digest=digest)
        for part in resolved.values()
        for path, digest in part.digests.items()
        if known[path].graph_digest != digest
    }
    families = {
        **project.families, **{name: rows.counts() for name, rows in resolved.items()}
    }  # fmt: skip
    store.remove_graph(session, project.id, stored)
    store.update_files(session, project.id, list(stored.values()))
    store.save_graph(session, project.id, {path: graph[path] for path in stored})
    store.save_project(
        session, project.path, languages=project.languages, include_tests=project.include_tests,
        now=project.indexed_at, layout=project.layout, stats=index_stats(known, families),
        families=families, provisional={},
    )  # fmt: skip


def index_stats(files: Mapping[str, StoredFile], families: Counts) -> Mapping[str, int]:
    """Return the counts of a whole index."""
    return {
        "files_indexed": sum(file.reason == "" for file in files.values()),
        **{f"{name}_indexed": sum(counts[name] for counts in families.values()) for name in COUNTS},
        "parse_errors": sum(file.parse_errors > 0 for file in files.values()),
        "files_skipped": sum(file.reason != "" for file in files.values()),
    }
