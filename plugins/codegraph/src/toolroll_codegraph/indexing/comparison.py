"""What is on disk of a project, beside what was stored of it."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import evolve

from toolroll_codegraph.facts.model import FACTS_VERSION
from toolroll_codegraph.indexing.layout import extended_files
from toolroll_codegraph.indexing.parsing import Parsed
from toolroll_codegraph.indexing.walk import FoundFile
from toolroll_codegraph.languages.registry import FAMILIES
from toolroll_codegraph.storage.store import StoredFile, StoredProject

_FRESH: Final = 2_000_000_000
"""Nanoseconds: a file changed so shortly before it was indexed may have changed again within the
clock's resolution, so that its content is compared."""
MADE_BY: Final = f"{FACTS_VERSION} {importlib.metadata.version('toolroll-codegraph')}"
"""What another release stored is not what this one would: it may resolve otherwise, too."""


class Comparison:
    """A project's files as found and as stored, and what follows from their difference."""

    def __init__(
        self,
        root: Path,
        found: Sequence[FoundFile],
        project: StoredProject | None,
        known: Mapping[str, StoredFile],
    ) -> None:
        self.root = root
        self.found = {file.path: file for file in found if file.language != "configuration"}
        self.configuration = [file for file in found if file.language == "configuration"]
        self.project = project
        self.known = known
        own = [(file.path, file.size, file.modified) for file in self.configuration]
        extended = extended_files(root, [path for path, *_ in own])
        self.layout = json.dumps(
            [MADE_BY, *own, *((path, *_state(root / path)) for path in extended)]
        )
        self.same_layout = project is not None and project.layout == self.layout
        self.stale_facts = project is not None and json.loads(project.layout)[:1] != [MADE_BY]
        """Whether another release stored them: every file is parsed again."""
        self.removed = sorted(known.keys() - self.found.keys())

    def jobs(self) -> list[tuple[str, str, str, int]]:
        """(path, language, known digest, size) of files that may have changed."""
        indexed_at = self.project.indexed_at if self.project is not None else 0
        jobs: list[tuple[str, str, str, int]] = []
        for path, file in self.found.items():
            known = self.known.get(path)
            if known is None or self.stale_facts or known.language != file.language:
                jobs.append((path, file.language, "", file.size))
            elif (
                known.size != file.size
                or known.modified != file.modified
                or file.modified > indexed_at - _FRESH
                or not known.digest  # it could not be read, and what allows it changes no time
            ):
                jobs.append((path, file.language, known.digest, file.size))
        return jobs

    def changed(self, parsed: Mapping[str, Parsed]) -> list[str]:
        """The parsed files whose content is not the stored one."""
        return [path for path, item in parsed.items() if self._is_changed(path, item)]

    def counts(self, parsed: Mapping[str, Parsed], changed: Sequence[str]) -> tuple[int, int]:
        """How many of the changed files are indexed now, and how many files are no longer.

        A file that is left out, as binary or generated, is not part of the index.
        """
        before = {path for path, file in self.known.items() if not file.reason}
        left_out = {path for path in changed if parsed[path].reason}
        return len(changed) - len(left_out), len(before & {*self.removed, *left_out})

    def _is_changed(self, path: str, item: Parsed) -> bool:
        known = self.known.get(path)
        return (
            known is None
            or item.digest != known.digest
            or known.language != self.found[path].language
            or self.stale_facts
        )

    def touched(self, changed: Sequence[str]) -> set[str]:
        """The families of languages that what is stored says nothing of any more."""
        if self.stale_facts or self.project is None:
            return {*FAMILIES.values()}
        touched = {FAMILIES[self.found[path].language] for path in changed}
        touched |= {FAMILIES[self.known[path].language]
                    for path in (*changed, *self.removed) if path in self.known}  # fmt: skip
        touched |= FAMILIES.values() - self.project.families.keys()
        touched |= self.project.provisional.keys()
        return touched if self.same_layout else touched | {FAMILIES["javascript"]}

    def stored(self, path: str, item: Parsed | None, graph_digest: str) -> StoredFile:
        """The row of a file as it is now."""
        file = self.found[path]
        known = self.known.get(path)
        if item is None or not self._is_changed(path, item):
            assert known is not None
            return evolve(known, size=file.size, modified=file.modified, graph_digest=graph_digest)
        return StoredFile(
            path, file.language, file.size, file.modified, item.digest, item.parse_errors,
            item.reason, graph_digest,
        )  # fmt: skip


def _state(path: Path) -> tuple[int, int]:
    """The size and time of change of a file; of none, what no file has."""
    try:
        state = path.stat()
    except OSError:
        return (-1, -1)
    return (state.st_size, state.st_mtime_ns)
