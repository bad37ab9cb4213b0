"""Indexing a project: walk, parse what changed, resolve, write what differs."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import evolve, frozen

import toolroll
from toolroll.processes import worker_processes
from toolroll_codegraph.facts import decode_facts
from toolroll_codegraph.facts.model import FACTS_VERSION
from toolroll_codegraph.indexing.layout import read_layout
from toolroll_codegraph.indexing.parsing import MANY, Parsed, parse_files
from toolroll_codegraph.indexing.resolution import resolve_packed
from toolroll_codegraph.indexing.rows import COUNTS, FileRows, GraphRows
from toolroll_codegraph.indexing.shifts import line_shift
from toolroll_codegraph.indexing.walk import FoundFile, walk
from toolroll_codegraph.languages.registry import FAMILIES
from toolroll_codegraph.resolve.layout import ProjectLayout
from toolroll_codegraph.storage import store
from toolroll_codegraph.storage.store import StoredFile, StoredProject

if TYPE_CHECKING:
    from toolroll.storage import Database

_FRESH: Final = 2_000_000_000
"""Nanoseconds: a file changed so shortly before it was indexed may have changed again within the
clock's resolution, so that its content is compared."""

_MOST_MOVED: Final = 50
"""Changed files for which it is tried to only renumber lines."""

Progress = Callable[[float, float | None, str | None], None]


class NoCodeFiles(toolroll.NotFound):
    """The directory holds no code file of the languages asked for; the index stays as it was."""


@frozen
class IndexReport:
    """What an index run found; the counts describe the whole index, not the change."""

    files_indexed: int
    functions_indexed: int
    classes_indexed: int
    calls_indexed: int
    imports_indexed: int
    duration_ms: int
    parse_errors: int
    files_skipped: int
    files_changed: int
    files_removed: int


class Indexer:
    """Indexes projects into one database."""

    def __init__(self, database: Database, *, processes: int, log: logging.Logger) -> None:
        self._database = database
        self._processes = processes
        self._log = log

    def index(
        self, root: Path, languages: Sequence[str], *, include_tests: bool, progress: Progress
    ) -> IndexReport:
        """Bring the index of a project up to date.

        The index afterwards is exactly that of the given languages. Files are compared by size
        and time of change, then by content; only changed ones are parsed. Readers see the old
        graph or the new one. The caller holds the project's lock.

        Raises:
            NoCodeFiles: There is no code file of these languages; nothing was changed.
        """
        started = time.perf_counter()
        wanted = tuple(sorted(set(languages)))
        found = walk(root, frozenset(wanted), include_tests=include_tests)
        configuration = [file for file in found if file.language == "configuration"]
        found = [file for file in found if file.language != "configuration"]
        if not found:
            raise NoCodeFiles("No code files found")
        run = _Run(self, root, wanted, include_tests, found, configuration, progress)
        with self._database.read() as session:
            run.project = store.find_project(session, str(root))
            if run.project is not None:
                run.known = store.load_files(session, run.project.id)
        return run.execute(started)

    @property
    def database(self) -> Database:
        return self._database

    @property
    def processes(self) -> int:
        return self._processes

    @property
    def log(self) -> logging.Logger:
        return self._log


class _Run:
    def __init__(
        self,
        indexer: Indexer,
        root: Path,
        languages: tuple[str, ...],
        include_tests: bool,
        found: list[FoundFile],
        configuration: list[FoundFile],
        progress: Progress,
    ) -> None:
        self.indexer = indexer
        self.root = root
        self.languages = languages
        self.include_tests = include_tests
        self.found = {file.path: file for file in found}
        self.configuration = configuration
        self.progress = progress
        self.project: StoredProject | None = None
        self.known: dict[str, StoredFile] = {}

    def execute(self, started: float) -> IndexReport:
        now = time.time_ns()
        layout_key = json.dumps(
            [FACTS_VERSION, *([file.path, file.size, file.modified] for file in self.configuration)]
        )
        same_layout = self.project is not None and self.project.layout == layout_key
        stale_facts = self.project is not None and json.loads(self.project.layout)[:1] != [
            FACTS_VERSION
        ]
        jobs = self._jobs(everything=stale_facts)
        removed = sorted(self.known.keys() - self.found.keys())
        processes = self.indexer.processes
        many = processes > 1 and sum(size for *_, size in jobs) > MANY
        with worker_processes(processes) if many else nullcontext() as workers:
            parsed = {
                item.path: item
                for item in parse_files(
                    self.root,
                    jobs,
                    workers=workers,
                    progress=lambda done: self.progress(done, len(jobs) + 2, "parsing"),
                )
            }
            changed = [
                path for path, item in parsed.items()
                if path not in self.known or item.digest != self.known[path].digest or stale_facts
            ]  # fmt: skip
            for path in sorted(changed):
                self._warn(parsed[path])
            if self.project is not None and same_layout and not changed and not removed:
                return self._touch(self.project, parsed, layout_key, now, started)
            if self.project is not None and same_layout and not removed and not stale_facts:
                moved = self._moved_lines(self.project, parsed, changed)
                if moved is not None:
                    return self._write_moved(self.project, moved, parsed, layout_key, now, started)
            fresh = stale_facts or self.project is None
            wanted = None if fresh else self._touched(changed, removed, same_layout=same_layout)
            # A thread compresses facts while a worker resolves them and the host has nothing to do.
            with ThreadPoolExecutor(1) as aside:
                packed = [(path, parsed[path].facts) for path in changed if parsed[path].facts]
                facts = aside.submit(store.compress_facts, packed)
                rows = self._resolve(parsed, wanted, len(jobs), workers)
        return self._write(rows, parsed, facts.result(), changed, removed, layout_key, now, started)

    def _touched(self, changed: list[str], removed: list[str], *, same_layout: bool) -> set[str]:
        """The families of languages that what is stored says nothing of any more."""
        assert self.project is not None
        touched = {FAMILIES[self.found[path].language] for path in changed}
        touched |= {FAMILIES[self.known[path].language]
                    for path in (*changed, *removed) if path in self.known}  # fmt: skip
        touched |= FAMILIES.values() - self.project.families.keys()
        return touched if same_layout else touched | {FAMILIES["javascript"]}

    def _jobs(self, *, everything: bool) -> list[tuple[str, str, str, int]]:
        indexed_at = self.project.indexed_at if self.project is not None else 0
        jobs: list[tuple[str, str, str, int]] = []
        for path, file in self.found.items():
            known = self.known.get(path)
            if known is None or everything or known.language != file.language:
                jobs.append((path, file.language, "", file.size))
            elif (
                known.size != file.size
                or known.modified != file.modified
                or file.modified > indexed_at - _FRESH
            ):
                jobs.append((path, file.language, known.digest, file.size))
        return jobs

    def _warn(self, item: Parsed) -> None:
        log = self.indexer.log
        if item.reason:
            log.warning("left out %s: %s", item.path, item.reason)
        elif item.parse_errors:
            log.warning("syntax errors in %s: %d", item.path, item.parse_errors)

    def _resolve(
        self,
        parsed: dict[str, Parsed],
        wanted: set[str] | None,
        jobs: int,
        workers: ProcessPoolExecutor | None,
    ) -> dict[str, GraphRows]:
        """Resolve the wanted families of languages, or all, and take the others as stored."""
        self.progress(jobs + 1, jobs + 2, "resolving")
        families: dict[str, list[tuple[str, bytes]]] = {
            name: [] for name in sorted({*FAMILIES.values()}) if wanted is None or name in wanted
        }
        languages = [language for language, name in FAMILIES.items() if name in families]
        for path, item in parsed.items():
            if item.facts:
                families[FAMILIES[self.found[path].language]].append((path, item.facts))
        keep = {
            path: FAMILIES[file.language] for path, file in self.found.items()
            if file.language in languages
        }  # fmt: skip
        for path, item in parsed.items():
            if item.facts or item.reason:
                keep.pop(path, None)
        if self.project is not None and keep:
            with self.indexer.database.read() as session:
                known = store.load_facts(session, self.project.id, languages=languages)
                for path, data in known:
                    if path in keep:
                        families[keep[path]].append((path, data))
        layout = (
            read_layout(self.root, [file.path for file in self.configuration])
            if self.configuration and FAMILIES["javascript"] in families
            else ProjectLayout()
        )
        stored = {path: file.graph_digest for path, file in self.known.items()}
        rows = resolve_packed(
            families, layout, str(self.root), stored, workers, self.indexer.processes
        )
        if self.project is not None:
            for name in sorted({*FAMILIES.values()} - families.keys()):
                rows[name] = self._kept(self.project, name)
        return rows

    def _kept(self, project: StoredProject, family: str) -> GraphRows:
        """The rows of a family as they are stored: none of them differs."""
        digests = {
            path: self.known[path].graph_digest for path, file in self.found.items()
            if FAMILIES[file.language] == family and not self.known[path].reason
        }  # fmt: skip
        return GraphRows({}, digests, **project.families[family])

    def _stored(self, path: str, item: Parsed | None, graph_digest: str) -> StoredFile:
        file = self.found[path]
        known = self.known.get(path)
        if item is None or (not item.facts and not item.reason and known is not None):
            assert known is not None
            return evolve(known, size=file.size, modified=file.modified, graph_digest=graph_digest)
        return StoredFile(
            path, file.language, file.size, file.modified, item.digest, item.parse_errors,
            item.reason, graph_digest,
        )  # fmt: skip

    def _touch(
        self, project: StoredProject, parsed: dict[str, Parsed], layout: str, now: int,
        started: float,
    ) -> IndexReport:  # fmt: skip
        """Nothing changed but times, perhaps the set of languages that happens to be the same."""
        moved = [
            self._stored(path, item, self.known[path].graph_digest)
            for path, item in sorted(parsed.items())
            if self.known[path].modified != self.found[path].modified
            or self.known[path].size != self.found[path].size
        ]
        with self.indexer.database.begin(lock=str(self.root)) as session:
            if moved:
                _replace_file_rows(session, project.id, moved)
            store.save_project(
                session, str(self.root), languages=self.languages,
                include_tests=self.include_tests, now=now, layout=layout, stats=project.stats,
                families=project.families,
            )  # fmt: skip
        return _report(project.stats, started, 0, 0)

    def _moved_lines(
        self, project: StoredProject, parsed: dict[str, Parsed], changed: list[str]
    ) -> dict[str, FileRows] | None:
        """The renumbered rows of changed files, if all that changed is where lines are."""
        if len(changed) > _MOST_MOVED or any(
            path not in self.known or not parsed[path].facts or self.known[path].reason
            for path in changed
        ):
            return None
        moved: dict[str, FileRows] = {}
        with self.indexer.database.read() as session:
            for path, data in store.load_facts(session, project.id, paths=changed):
                old, new = decode_facts(data), decode_facts(parsed[path].facts)
                shift = line_shift(old, new) if old is not None and new is not None else None
                rows = None
                if shift is not None:
                    rows = shift.apply(store.load_graph(session, project.id, path))
                if rows is None:
                    return None
                moved[path] = rows
        return moved if len(moved) == len(changed) else None

    def _write_moved(
        self, project: StoredProject, moved: dict[str, FileRows], parsed: dict[str, Parsed],
        layout: str, now: int, started: float,
    ) -> IndexReport:  # fmt: skip
        paths = sorted(moved)
        stored = [self._stored(path, parsed[path], moved[path].digest()) for path in paths]
        others = [
            self._stored(path, item, self.known[path].graph_digest)
            for path, item in sorted(parsed.items())
            if path not in moved
        ]
        with self.indexer.database.begin(lock=str(self.root)) as session:
            store.remove_graph(session, project.id, paths)
            store.remove_files(session, project.id, paths)
            store.save_files(session, project.id, stored)
            facts = store.compress_facts((path, parsed[path].facts) for path in paths)
            store.save_facts(session, project.id, facts)
            store.save_graph(session, project.id, moved)
            _replace_file_rows(session, project.id, others)
            store.save_project(
                session, str(self.root), languages=self.languages,
                include_tests=self.include_tests, now=now, layout=layout, stats=project.stats,
                families=project.families,
            )  # fmt: skip
        return _report(project.stats, started, len(paths), 0)

    def _write(
        self, resolved: dict[str, GraphRows], parsed: dict[str, Parsed],
        facts: list[tuple[str, bytes]], changed: list[str], removed: list[str], layout: str,
        now: int, started: float,
    ) -> IndexReport:  # fmt: skip
        digests = {path: digest for rows in resolved.values()
                   for path, digest in rows.digests.items()}  # fmt: skip
        graph = {path: rows for part in resolved.values() for path, rows in part.files.items()}
        families = {name: rows.counts() for name, rows in resolved.items()}
        stored = {
            path: self._stored(path, parsed.get(path), digests.get(path, "")) for path in self.found
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
            if path not in self.known or self.known[path].graph_digest != digests.get(path, "")
        ]  # fmt: skip
        outdated = [path for path in stored if self.known.get(path) != stored[path]]
        with self.indexer.database.begin(lock=str(self.root)) as session:
            project = store.save_project(
                session, str(self.root), languages=self.languages,
                include_tests=self.include_tests, now=now, layout=layout, stats=stats,
                families=families,
            )  # fmt: skip
            store.remove_files(session, project, removed)
            store.remove_graph(
                session, project, [*removed, *(path for path in rewritten if path in self.known)]
            )
            replaced = [path for path in changed if path in self.known]
            store.remove_files(session, project, replaced)
            rest = [path for path in outdated if path in self.known and path not in parsed]
            _replace_file_rows(session, project, [stored[path] for path in rest])
            gone = set(replaced)
            moved = [path for path in outdated if path in parsed and path in self.known]
            _replace_file_rows(
                session, project, [stored[path] for path in moved if path not in gone]
            )
            new = [path for path in stored if path not in self.known or path in gone]
            store.save_files(session, project, [stored[path] for path in new])
            store.save_facts(session, project, facts)
            store.save_graph(
                session, project, {path: graph[path] for path in rewritten if path in digests}
            )
        self.progress(1, 1, "indexed")
        return _report(stats, started, len(changed), len(removed))


def _replace_file_rows(session: object, project: int, rows: list[StoredFile]) -> None:
    import sqlalchemy as sa
    from sqlalchemy.orm import Session

    from toolroll_codegraph.storage.tables import files

    assert isinstance(session, Session)
    if rows:
        statement = (
            sa.update(files)
            .where(files.c.project == project, files.c.path == sa.bindparam("key"))
            .values(
                size=sa.bindparam("new_size"), modified=sa.bindparam("new_modified"),
                graph_digest=sa.bindparam("new_graph_digest"),
            )
        )  # fmt: skip
        session.connection().execute(
            statement,
            [
                {"key": row.path, "new_size": row.size, "new_modified": row.modified,
                 "new_graph_digest": row.graph_digest}
                for row in rows
            ],
        )  # fmt: skip


def _report(stats: object, started: float, changed: int, removed: int) -> IndexReport:
    from typing import cast

    counts = cast("dict[str, int]", stats)
    elapsed = max(1, round((time.perf_counter() - started) * 1000))
    return IndexReport(**counts, duration_ms=elapsed, files_changed=changed, files_removed=removed)
