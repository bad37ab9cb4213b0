"""Writing what an index run found, in one transaction: readers see the old index or the new one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolroll_codegraph.indexing.comparison import Comparison
from toolroll_codegraph.indexing.parsing import Parsed
from toolroll_codegraph.indexing.rows import COUNTS, FileRows, GraphRows
from toolroll_codegraph.storage import store
from toolroll_codegraph.storage.store import StoredProject

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from toolroll.storage import Database


class Writer:
    """Writes one run; what it returns are the counts of the whole index."""

    def __init__(
        self, database: Database, comparison: Comparison, languages: Sequence[str],
        *, include_tests: bool,
    ) -> None:  # fmt: skip
        self._database = database
        self._comparison = comparison
        self._languages = languages
        self._include_tests = include_tests
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
            self._save_project(session, project.stats, project.families)
        return project.stats

    def write_moved(
        self, project: StoredProject, moved: Mapping[str, FileRows], parsed: Mapping[str, Parsed]
    ) -> Mapping[str, int]:
        """The rows of some files were renumbered."""
        comparison = self._comparison
        paths = sorted(moved)
        stored = [comparison.stored(path, parsed[path], moved[path].digest()) for path in paths]
        others = [
            comparison.stored(path, item, comparison.known[path].graph_digest)
            for path, item in sorted(parsed.items())
            if path not in moved
        ]
        with self._database.begin(lock=str(comparison.root)) as session:
            store.remove_graph(session, project.id, paths)
            store.remove_files(session, project.id, paths)
            store.save_files(session, project.id, stored)
            facts = store.compress_facts((path, parsed[path].facts) for path in paths)
            store.save_facts(session, project.id, facts)
            store.save_graph(session, project.id, moved)
            store.update_files(session, project.id, others)
            self._save_project(session, project.stats, project.families)
        return project.stats

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
        stats = {
            "files_indexed": len(digests),
            **{
                f"{name}_indexed": sum(counts[name] for counts in families.values())
                for name in COUNTS
            },
            "parse_errors": sum(file.parse_errors > 0 for file in stored.values()),
            "files_skipped": sum(file.reason != "" for file in stored.values()),
        }
        rewritten = [
            path for path in stored
            if path not in known or known[path].graph_digest != digests.get(path, "")
        ]  # fmt: skip
        replaced = {path for path in changed if path in known}
        updated = [file for path, file in stored.items()
                   if path in known and path not in replaced and known[path] != file]  # fmt: skip
        new = [file for path, file in stored.items() if path not in known or path in replaced]
        with self._database.begin(lock=str(comparison.root)) as session:
            project = self._save_project(session, stats, families)
            store.remove_files(session, project, [*comparison.removed, *replaced])
            outdated = (path for path in rewritten if path in known)
            store.remove_graph(session, project, [*comparison.removed, *outdated])
            store.update_files(session, project, updated)
            store.save_files(session, project, new)
            store.save_facts(session, project, facts)
            store.save_graph(
                session, project, {path: graph[path] for path in rewritten if path in digests}
            )
        return stats

    def _save_project(
        self,
        session: Session,
        stats: Mapping[str, int],
        families: Mapping[str, Mapping[str, int]],
    ) -> int:
        return store.save_project(
            session, str(self._comparison.root), languages=self._languages,
            include_tests=self._include_tests, now=self._now, layout=self._comparison.layout,
            stats=stats, families=families,
        )  # fmt: skip
