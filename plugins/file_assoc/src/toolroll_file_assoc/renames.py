"""Recognising a renamed file in a scan, so that its findings keep their history and triage.

A path that a scan reports for the first time is the new name of a known file when that file has
left the disk and either had the same bytes at its last scan, or has mostly the same findings now.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from toolroll_file_assoc import counters
from toolroll_file_assoc.disk import Disk
from toolroll_file_assoc.listing import Filters
from toolroll_file_assoc.sarif import Scan
from toolroll_file_assoc.tables import File, Finding

__all__ = ["find"]

LEAST_SHARED: Final = 0.5
"""Part of all findings of both files that both have; git's own threshold for similar content."""
LEAST_COUNT: Final = 3
"""Shared findings that convince when the file's own name changed too: one unused import of `os`
stands in too many files to mean anything."""
MOST_PAIRS: Final = 100_000
"""Pairs of paths that are all compared, in about a second."""
MOST_ALIKE: Final = 50
"""Files of one name, `__init__.py` say, that a path is compared with in a bigger move."""
SAME_BYTES: Final = 2.0

Findings = Counter[tuple[str, str]]
"""How often each rule and message occurs in a file."""


def find(session: Session, disk: Disk, scan: Scan, fresh: Sequence[str]) -> dict[str, File]:
    """Return the known files that new paths are new names of, by new path.

    Args:
        scan: The scan that reports the paths.
        fresh: Its paths that no file has yet, sorted.
    """
    gone = _gone(session, disk, scan)
    if not gone:
        return {}
    before, after = _stored(session, scan, gone), _reported(scan, fresh)
    scored = sorted(
        (
            (-score, path, file.path, file)
            for path, file in _candidates(disk, fresh, gone)
            if (score := _score(disk, path, file, after[path], before[file.id])) > 0
        ),
        key=lambda item: item[:3],
    )
    pairs: dict[str, File] = {}
    taken: set[str] = set()
    for _, path, _, file in scored:
        if path not in pairs and file.id not in taken:
            pairs[path] = file
            taken.add(file.id)
    return pairs


def _candidates(
    disk: Disk, fresh: Sequence[str], gone: Sequence[File]
) -> Iterator[tuple[str, File]]:
    """Yield the pairs worth comparing: all of them, or in a big move those of one name or hash."""
    if len(fresh) * len(gone) <= MOST_PAIRS:
        yield from itertools.product(fresh, gone)
        return
    by_mark: defaultdict[str, list[File]] = defaultdict(list)
    for file in gone:
        by_mark[PurePosixPath(file.path).name].append(file)
        if file.content_sha256:
            by_mark[file.content_sha256].append(file)
    for path in fresh:
        digest = disk.digest(path)
        marks = [PurePosixPath(path).name, *([digest] if digest else [])]
        same = {file.id: file for mark in marks for file in by_mark[mark][:MOST_ALIKE]}
        yield from ((path, file) for file in same.values())


def _gone(session: Session, disk: Disk, scan: Scan) -> list[File]:
    """Return the files with findings of this source that have left the disk."""
    known = session.scalars(
        select(File)
        .where(File.seen_on_disk, *Filters(scan_source=scan.source).conditions())
        .order_by(File.path)
    )
    return [file for file in known if file.path not in scan.covered and not disk.exists(file.path)]


def _stored(session: Session, scan: Scan, files: Iterable[File]) -> dict[str, Findings]:
    found: dict[str, Findings] = {file.id: Counter() for file in files}
    for chunk in counters.chunks(found):
        rows = session.execute(
            select(Finding.file_id, Finding.rule_id, Finding.message).where(
                Finding.file_id.in_(chunk),
                Finding.scan_source == scan.source,
                Finding.status != "fixed",
            )
        )
        for file_id, rule_id, message in rows:
            found[file_id][rule_id, message] += 1
    return found


def _reported(scan: Scan, fresh: Iterable[str]) -> dict[str, Findings]:
    found: dict[str, Findings] = {path: Counter() for path in fresh}
    for finding in scan.findings:
        if finding.path in found:
            found[finding.path][finding.rule_id, finding.message] += 1
    return found


def _score(disk: Disk, path: str, file: File, after: Findings, before: Findings) -> float:
    """Return how sure it is that `path` is the new name of `file`; 0 for not sure enough."""
    same_name = PurePosixPath(path).name == PurePosixPath(file.path).name
    if file.content_sha256 and file.content_sha256 == disk.digest(path):
        return SAME_BYTES + same_name
    shared = (after & before).total()
    part = shared / max((after | before).total(), 1)
    convincing = part >= LEAST_SHARED and (same_name or shared >= LEAST_COUNT)
    return part if convincing else 0.0
