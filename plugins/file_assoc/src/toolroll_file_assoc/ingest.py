"""Storing a scan: the life of findings from one scan to the next (reference 2.2).

    (new) → open → acknowledged | fixed | false_positive         by hand
    open, acknowledged → unseen_in_latest                        the scans of the file lack it
    fixed, unseen_in_latest → open                               seen again
    acknowledged, false_positive                                 stay when seen again

A finding is the same one when file, source, rule and first line are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from attrs import define, field
from sqlalchemy import Row, Table, bindparam, insert, select, update
from sqlalchemy.orm import Session

import toolroll
from toolroll_file_assoc import counters, files, identity, renames
from toolroll_file_assoc.disk import Disk
from toolroll_file_assoc.listing import Filters
from toolroll_file_assoc.sarif import Scan, ScannedFinding
from toolroll_file_assoc.stored_json import dumps
from toolroll_file_assoc.tables import File, Finding

__all__ = ["Counts", "Ingest"]

REOPENED: Final = frozenset({"fixed", "unseen_in_latest"})
"""Statuses that end when the finding is seen again."""
UNSEEN: Final = frozenset({"open", "acknowledged"})
"""Statuses that end when a scan lacks the finding."""

_FINDINGS: Final = cast("Table", Finding.__table__)
_BY_ID: Final = update(_FINDINGS).where(_FINDINGS.c.id == bindparam("key"))

Key = tuple[str, str, int]
"""What a finding of one source is known by: file id, rule, first line (-1 without one)."""


@define
class Counts:
    """What storing scans did; files and findings are counted once each for every scan."""

    files_created: int = 0
    files_updated: int = 0
    files_renamed: int = 0
    findings_created: int = 0
    findings_updated: int = 0
    findings_reopened: int = 0
    findings_unseen: int = 0
    findings_merged: int = 0
    """Results with the same file, rule and line as another; the last one is kept."""


@define(kw_only=True)
class Ingest:
    """Stores scans in one unit of work.

    Attributes:
        prefix: Starts new ids.
        now: The time of everything that is stored, in microseconds.
        disk: The project's files.
        mark_unseen: Findings that no scan of their source has become `unseen_in_latest`, in the
            files that those scans cover.
        complete: The scans of a source covered the whole project, also files they don't name.
    """

    session: Session
    prefix: str
    now: int
    disk: Disk
    mark_unseen: bool = False
    complete: bool = False
    counts: Counts
    _seen: set[str] = field(factory=set[str], init=False)
    """Ids of the findings that the scans have."""
    _covered: defaultdict[str, set[str]] = field(
        factory=lambda: defaultdict[str, set[str]](set), init=False
    )
    """Ids of the files that the scans of each source cover."""

    def store(self, scans: Sequence[Scan]) -> None:
        """Store scans, those of one source as one: a log has a run for each language, say.

        Raises:
            InvalidArguments: Unseen findings are to be marked, but a scan covers no file: such a
                log says nothing, unless it covers the whole project.
        """
        for scan in scans:
            self._scan(scan)
        if self.mark_unseen:
            failed = {scan.source for scan in scans if scan.failed}
            for source, file_ids in self._covered.items():
                if source not in failed:
                    self._mark_unseen(source, file_ids)

    def _scan(self, scan: Scan) -> None:
        if self.mark_unseen and not scan.covered and not self.complete and not scan.failed:
            raise toolroll.InvalidArguments(
                f"the scan of {scan.source} names no project file, so that nothing in it can be "
                "unseen; if it covered the whole project, say so with --complete"
            )
        reported = sorted({finding.path for finding in scan.findings})
        known = self._known(scan.covered)
        fresh = [path for path in reported if path not in known]
        known |= self._renamed(scan, fresh)
        changed = self._files(scan, reported, known)
        self._findings(scan, known)
        self._covered[scan.source] |= {file.id for file in known.values()}
        counters.recount_findings(self.session, changed)

    def _mark_unseen(self, source: str, file_ids: set[str]) -> None:
        """Mark the findings of a source that its scans looked for and don't have."""
        if self.complete:
            of_source = Filters(scan_source=source).conditions()
            file_ids = set(self.session.scalars(select(File.id).where(*of_source)))
        gone = [
            row
            for row in self._stored(source, file_ids).values()
            if row.id not in self._seen and row.status in UNSEEN
        ]
        if gone:
            values = {"status": "unseen_in_latest", "updated_at": self.now}
            self.session.connection().execute(_BY_ID, [{"key": row.id, **values} for row in gone])
        self.counts.findings_unseen += len(gone)
        counters.recount_findings(self.session, {row.file_id for row in gone})

    def _known(self, paths: Iterable[str]) -> dict[str, File]:
        found: dict[str, File] = {}
        for chunk in counters.chunks(paths):
            rows = self.session.scalars(select(File).where(File.path.in_(chunk)))
            found.update((file.path, file) for file in rows)
        return found

    def _renamed(self, scan: Scan, fresh: list[str]) -> dict[str, File]:
        pairs = renames.find(self.session, self.disk, scan, fresh) if fresh else {}
        for path, file in pairs.items():
            files.change(self.session, file, "path", path, self.now)
        self.counts.files_renamed += len(pairs)
        self.session.flush()
        return pairs

    def _files(self, scan: Scan, reported: list[str], known: dict[str, File]) -> set[str]:
        """Create or touch the files with findings; return their ids."""
        for path in reported:
            language, file = scan.languages.get(path, ""), known.get(path)
            digest = self.disk.digest(path)
            if file is None:
                self.counts.files_created += 1
                known[path] = file = File(
                    id=identity.file_id(self.prefix), path=path, first_seen=self.now
                )
                file.extra, file.language, file.file_type = "{}", language, ""
                self.session.add(file)
            else:
                self.counts.files_updated += 1
                file.language = language or file.language
            file.updated_at = self.now
            file.content_sha256 = digest or file.content_sha256 or ""
            file.seen_on_disk = bool(file.seen_on_disk) or digest is not None
        self.session.flush()
        return {known[path].id for path in reported}

    def _findings(self, scan: Scan, known: Mapping[str, File]) -> None:
        """Create and update findings."""
        seen: dict[Key, ScannedFinding] = {}
        for finding in scan.findings:
            line = -1 if finding.line_start is None else finding.line_start
            seen[known[finding.path].id, finding.rule_id, line] = finding
        self.counts.findings_merged += len(scan.findings) - len(seen)
        stored = self._stored(scan.source, {file_id for file_id, _, _ in seen})
        created = [self._new(scan, key, item) for key, item in seen.items() if key not in stored]
        updated = [
            self._seen_again(scan, stored[key], item) for key, item in seen.items() if key in stored
        ]
        connection = self.session.connection()
        if created:
            connection.execute(insert(_FINDINGS), created)
        if updated:
            connection.execute(_BY_ID, updated)
        self.counts.findings_created += len(created)
        self.counts.findings_updated += len(updated)
        self._seen |= {row["id"] for row in created} | {row["key"] for row in updated}

    def _stored(self, source: str, file_ids: set[str]) -> dict[Key, Row[Any]]:
        """Return the findings of a source in some files."""
        found: dict[Key, Row[Any]] = {}
        for chunk in counters.chunks(file_ids):
            rows = self.session.execute(
                select(
                    Finding.id,
                    Finding.file_id,
                    Finding.rule_id,
                    Finding.line_start,
                    Finding.status,
                    Finding.seen_count,
                    Finding.scan_run_id,
                ).where(Finding.file_id.in_(chunk), Finding.scan_source == source)
            )
            for row in cast("Iterable[Row[Any]]", rows):
                line = -1 if row.line_start is None else row.line_start
                found[row.file_id, row.rule_id, line] = row
        return found

    def _new(self, scan: Scan, key: Key, finding: ScannedFinding) -> dict[str, Any]:
        return {
            "id": identity.finding_id(self.prefix),
            "file_id": key[0],
            "issue_id": None,
            "scan_source": scan.source,
            "rule_id": finding.rule_id,
            "line_start": finding.line_start,
            "status": "open",
            "scan_run_id": scan.run_id,
            "seen_count": 1,
            "first_seen": self.now,
            **self._latest(finding),
        }

    def _seen_again(self, scan: Scan, row: Row[Any], finding: ScannedFinding) -> dict[str, Any]:
        reopened = row.status in REOPENED
        self.counts.findings_reopened += reopened
        return {
            "key": row.id,
            "status": "open" if reopened else row.status,
            "scan_run_id": row.scan_run_id or scan.run_id,  # the first run that is named stays
            "seen_count": row.seen_count + 1,
            **self._latest(finding),
        }

    def _latest(self, finding: ScannedFinding) -> dict[str, Any]:
        """Return what every scan overwrites."""
        return {
            "severity": finding.severity,
            "message": finding.message,
            "suggestion": finding.suggestion,
            "line_end": finding.line_end,
            "metadata": dumps(finding.metadata),
            "updated_at": self.now,
            "last_seen_at": self.now,
        }
