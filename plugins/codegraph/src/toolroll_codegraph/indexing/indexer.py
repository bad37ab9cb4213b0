"""Indexing a project: walk, parse what changed, resolve, write what differs."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

import toolroll
from toolroll.counting import counted
from toolroll.processes import worker_processes
from toolroll_codegraph.indexing.collector import without_collector
from toolroll_codegraph.indexing.comparison import Comparison
from toolroll_codegraph.indexing.edits import Edits
from toolroll_codegraph.indexing.layout import read_layout
from toolroll_codegraph.indexing.parsing import MANY, Parsed, parse_files
from toolroll_codegraph.indexing.resolution import LARGE, Resolver
from toolroll_codegraph.indexing.rows import COUNTS, GraphRows
from toolroll_codegraph.indexing.walk import walk
from toolroll_codegraph.indexing.writing import Writer, compressed
from toolroll_codegraph.languages.registry import FAMILIES
from toolroll_codegraph.storage import store

if TYPE_CHECKING:
    from toolroll.context import Progress
    from toolroll.storage import Database


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
    files_not_read: Mapping[str, int]
    """Code files of other languages, by language or suffix."""
    tests_left_out: int
    directories_left_out: Sequence[str]
    """Those that git does not ignore, but builds and environments are called so."""
    provisional: bool
    """Whether the calls of files that were edited last are still to be reconciled."""


class Indexer:
    """Indexes projects into one database."""

    def __init__(
        self,
        database: Database,
        *,
        processes: int,
        log: logging.Logger,
        check: Callable[[], None],
    ) -> None:
        """`check` is called every moment, and raises to stop: then nothing was changed."""
        self._database = database
        self._processes = processes
        self._log = log
        self._check = check

    def index(
        self,
        root: Path,
        languages: Sequence[str],
        *,
        include_tests: bool,
        provisionally: bool = False,
        progress: Progress,
    ) -> IndexReport:
        """Bring the index of a project up to date.

        The index afterwards is exactly that of the given languages. Files are compared by size
        and time of change, then by content; only changed ones are parsed. Readers see the old
        graph or the new one. The caller holds the project's lock.

        `provisionally`, what a few edited files of a large program call is told by them and what
        is near to them, and the rest stays as it was until `reconcile` resolves the program.

        Raises:
            NoCodeFiles: There is no code file of these languages; nothing was changed.
        """
        started = time.perf_counter()
        wanted = tuple(sorted(set(languages)))
        self._check()
        listing = walk(root, frozenset(wanted), include_tests=include_tests)
        found, unread = listing.files, listing.unread
        for path in unread:
            self._log.warning(
                "left out %s: the directory may not be read; let the host read it, and index again",
                path,
            )
        if all(file.language == "configuration" for file in found):
            hidden = counted(len(unread), "directory", "directories")
            perhaps = f"; {hidden} may not be read" if unread else ""
            raise NoCodeFiles(f"No code files found{perhaps}")
        with self._database.read() as session:
            project = store.find_project(session, str(root))
            known = store.load_files(session, project.id) if project is not None else {}
        comparison = Comparison(root, found, project, known)
        writer = Writer(
            self._database, comparison, wanted, include_tests=include_tests, check=self._check
        )
        stats, counts, provisional = self._update(
            comparison, writer, progress, provisionally=provisionally
        )
        elapsed = max(1, round((time.perf_counter() - started) * 1000))
        all_left_out = {"files_skipped": stats["files_skipped"] + len(unread)}
        return IndexReport(
            **{**stats, **all_left_out}, duration_ms=elapsed,
            files_changed=counts[0], files_removed=counts[1], provisional=provisional,
            files_not_read=listing.others, tests_left_out=listing.tests,
            directories_left_out=listing.directories,
        )  # fmt: skip

    def _update(
        self, comparison: Comparison, writer: Writer, progress: Progress, *, provisionally: bool
    ) -> tuple[Mapping[str, int], tuple[int, int], bool]:
        """Parse, resolve and write.

        Returns:
            The counts of the index, those of the change, and whether something is provisional.
        """
        project = comparison.project
        jobs = comparison.jobs()
        steps = len(jobs) + 2
        many = self._processes > 1 and sum(size for *_, size in jobs) > MANY
        with ExitStack() as stack:
            workers = stack.enter_context(worker_processes(self._processes)) if many else None
            soon = _largest((language, size) for _, language, _, size in jobs) if many else ""
            resolver = stack.enter_context(Resolver(self._processes, soon=soon))
            files = parse_files(
                comparison.root, jobs, workers=workers, progress=self._parsing(progress, steps)
            )
            parsed = {item.path: item for item in files}
            if workers is not None:
                workers.shutdown(
                    wait=False
                )  # they end, and their memory goes, while others resolve
            changed = comparison.changed(parsed)
            counts = comparison.counts(parsed, changed)
            for path in sorted(changed):
                self._warn(parsed[path])
            pending = project is not None and bool(project.provisional)
            if comparison.same_layout and (provisionally or not pending):
                told = self._tell_soon(
                    comparison, writer, parsed, changed, provisionally=provisionally
                )
                if told is not None:
                    stats, provisional = told
                    return stats, counts, provisional or pending
            progress(steps - 1, steps, "resolving")
            families = comparison.touched(changed)
            self._start(comparison, parsed, families, resolver)
            # While a worker resolves facts they are compressed here, and then needed no more.
            facts = compressed(parsed, changed, self._check)
            parsed = {path: item._replace(facts=b"") for path, item in parsed.items()}
            rows = resolver.finish(self._check) | _kept(comparison, families)
            for family, found in rows.items():
                for fault in found.faults:
                    self._log.error(
                        "some calls of %s may be missing, please report this fault: %s",
                        family, fault,
                    )  # fmt: skip
            stats = writer.write_graph(rows, parsed, facts, changed)
        progress(steps, steps, "indexed")
        return stats, counts, False

    def _parsing(self, progress: Progress, steps: int) -> Callable[[int], None]:
        def tell(done: int) -> None:
            self._check()
            progress(done, steps, "parsing")

        return tell

    def _tell_soon(
        self,
        comparison: Comparison,
        writer: Writer,
        parsed: Mapping[str, Parsed],
        changed: Sequence[str],
        *,
        provisionally: bool,
    ) -> tuple[Mapping[str, int], bool] | None:
        """Write what needs no resolution, or none yet: the counts, and whether that is so."""
        project = comparison.project
        assert project is not None
        if not changed and not comparison.removed:
            return writer.write_times(project, parsed), False
        with without_collector(), self._database.read() as session:
            edits = Edits(session, project, comparison, parsed, changed)
            moved = edits.moved()
            soon = moved is None and provisionally and edits.are_few()
            told = edits.provisional() if soon else None
        if moved is not None:
            return writer.write_moved(project, moved, parsed), False
        return (writer.write_provisional(project, *told, parsed), True) if told else None

    def _warn(self, item: Parsed) -> None:
        if item.reason:
            self._log.warning("left out %s: %s", item.path, item.reason)
        elif item.parse_errors:
            self._log.warning("syntax errors in %s: %d", item.path, item.parse_errors)

    def _start(
        self,
        comparison: Comparison,
        parsed: Mapping[str, Parsed],
        touched: set[str],
        resolver: Resolver,
    ) -> None:
        """Let the touched families of languages be resolved."""
        found = [
            (file.language, file.size)
            for file in comparison.found.values()
            if FAMILIES[file.language] in touched
        ]
        if sum(size for _, size in found) > 2 * LARGE:
            resolver.be_ready(_largest(found))  # of so much source a family's facts are large
        families = self._packed(comparison, parsed, touched)
        configuration = comparison.configuration if FAMILIES["javascript"] in families else ()
        layout = read_layout(comparison.root, [file.path for file in configuration])
        stored = {path: file.graph_digest for path, file in comparison.known.items()}
        resolver.start(families, layout, str(comparison.root), stored)

    def _packed(
        self, comparison: Comparison, parsed: Mapping[str, Parsed], touched: set[str]
    ) -> dict[str, list[tuple[str, bytes]]]:
        """Packed facts of every file of some families; those not parsed now stay compressed."""
        families: dict[str, list[tuple[str, bytes]]] = {name: [] for name in sorted(touched)}
        keep: dict[str, str] = {}
        for path, file in comparison.found.items():
            family, item = FAMILIES[file.language], parsed.get(path)
            if family in families:
                if item is None or not (item.facts or item.reason):
                    keep[path] = family
                elif item.facts:
                    families[family].append((path, item.facts))
        if comparison.project is not None and keep:
            languages = [language for language, name in FAMILIES.items() if name in families]
            with self._database.read() as session:
                known = store.load_facts(session, comparison.project.id, languages=languages)
                for path, data in known:
                    if path in keep:
                        families[keep[path]].append((path, data))
        return families


def _largest(files: Iterable[tuple[str, int]]) -> str:
    """The family that most of the source of some files, by language and size, is of."""
    sizes: Counter[str] = Counter()
    for language, size in files:
        sizes[FAMILIES[language]] += size
    return sizes.most_common(1)[0][0]


def _kept(comparison: Comparison, touched: set[str]) -> dict[str, GraphRows]:
    """The rows of the other families as they are stored: none of them differs."""
    project, known = comparison.project, comparison.known
    rows: dict[str, GraphRows] = {}
    if project is None:
        return rows
    for family in sorted({*FAMILIES.values()} - touched):
        digests = {
            path: known[path].graph_digest for path, file in comparison.found.items()
            if FAMILIES[file.language] == family and not known[path].reason
        }  # fmt: skip
        counts = project.families[family]
        rows[family] = GraphRows({}, digests, *(counts[name] for name in COUNTS), faults=())
    return rows
