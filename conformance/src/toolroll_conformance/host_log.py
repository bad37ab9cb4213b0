"""What a host logged of what failed inside: an answer names the call and says no more.

Of a worker no answer tells at all: what waits for it waits in vain. Every host that the suite
starts logs to files in its workspace, the one in process too, so that one search finds the
traceback whatever the way in. A failure that never comes again is worth nothing without it.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

__all__ = ["handler_in", "is_log", "logged", "new_log"]

_FORMAT: Final = "%(levelname)s %(name)s: %(message)s"
"""As `toolroll serve` writes it."""
_PREFIX, _SUFFIX = "stderr-", ".log"
_CALL: Final = re.compile(r"the log has it as call ([0-9a-f]{16})")
_STATEMENT: Final = "the database refused the statement"
"""The whole of such an answer; the log has its cause, but not its call."""
_CAUSE: Final = "ERROR toolroll.storage: the database refused a statement: "
_WORKER: Final = "ERROR toolroll.worker."
_RECORD: Final = re.compile(r"^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) [\w.-]+: ", re.MULTILINE)
_LONGEST: Final = 20_000
"""Characters shown of one record; its end, where the exception stands, is kept."""


def new_log(directory: Path) -> tuple[int, Path]:
    """Make a log file of its own for a server that starts; return its descriptor and path."""
    descriptor, name = tempfile.mkstemp(dir=directory, prefix=_PREFIX, suffix=_SUFFIX)
    return descriptor, Path(name)


def handler_in(directory: Path) -> logging.Handler:
    """Return what logs the errors of a host in this process, in the way of one that is started.

    Its file is made with the first error. Of hosts that run side by side each hears all: what is
    looked for is told apart by the call.
    """
    file = directory / f"{_PREFIX}{os.getpid()}{_SUFFIX}"
    handler = logging.FileHandler(file, encoding="utf-8", errors="backslashreplace", delay=True)
    handler.setLevel(logging.ERROR)
    handler.setFormatter(logging.Formatter(_FORMAT))
    return handler


def is_log(file: Path) -> bool:
    """Say whether a file is a log of a host that the suite started."""
    return file.name.startswith(_PREFIX) and file.name.endswith(_SUFFIX)


def logged(directory: Path, findings: Iterable[str]) -> list[str]:
    """Return what hosts logged of the calls and workers that failed inside, of each once.

    Args:
        directory: Where their log files lie.
        findings: Texts with the answers of those calls.
    """
    said = list(findings)
    calls = dict.fromkeys(call for text in said for call in _CALL.findall(text))
    refused = any(_STATEMENT in text for text in said)
    records = _records(directory)
    of_calls = [record for call in calls if (record := _of_call(records, call))]
    causes = dict.fromkeys(record for record in records if refused and record.startswith(_CAUSE))
    # one with a traceback is a defect; that a database is away, say, is told on a line
    failed = [record for record in records if record.startswith(_WORKER) and "\n" in record]
    workers = {record.partition(": ")[0]: _cut(record) for record in reversed(failed)}
    return [*of_calls, *causes, *workers.values()]


def _records(directory: Path) -> list[str]:
    """Return what stands in the log files, each record with the lines that follow it."""
    records: list[str] = []
    for file in directory.glob(f"{_PREFIX}*{_SUFFIX}"):
        log = file.read_text("utf-8", "replace")
        starts = [match.start() for match in _RECORD.finditer(log)]
        records += [log[start:end].rstrip() for start, end in pairwise((*starts, len(log)))]
    return records


def _of_call(records: Iterable[str], call: str) -> str:
    """Return the record of a call with its traceback; "" if there is none."""
    for record in records:
        if record.partition("\n")[0].endswith(f"call {call}"):
            return _cut(record)
    return ""


def _cut(record: str) -> str:
    return record if len(record) <= _LONGEST else f"…{record[-_LONGEST:]}"
