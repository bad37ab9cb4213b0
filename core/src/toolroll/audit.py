"""The audit log: one JSON line for each call, arguments redacted.

File content, artifacts, keys and search text never reach it: a private or long text is reduced to
its length and SHA-256, others to at most 256 bytes of preview (design 4).
"""

from __future__ import annotations

import hashlib
import itertools
import os
import threading
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Protocol, cast

from attrs import fields, frozen
from pydantic_core import to_json

__all__ = ["AuditLog", "CallRecord", "FileAuditLog", "redact"]

PREVIEW_BYTES: Final = 256
"""Longest text, in UTF-8 bytes, that is logged as it is."""
MOST_ITEMS: Final = 20
"""Most items of a list or object that are logged."""
MOST_PURGED: Final = 2
"""Most files of old days that go when a new one is begun: one is due, another makes up for days on
which nobody called."""
MOST_LEVELS: Final = 8
"""Deepest nesting that is logged."""


@frozen
class CallRecord:
    """What is kept of one call."""

    time: str
    call_id: str
    pack: str
    tool: str
    tenant: str
    duration_ms: float
    outcome: str
    code: str
    arguments: dict[str, Any]

    def values(self) -> dict[str, Any]:
        """Return every field by name, in order; `attrs.asdict` would copy the arguments too."""
        return {name: getattr(self, name) for name in _FIELDS}


_FIELDS: Final = tuple(attribute.name for attribute in fields(CallRecord))


class AuditLog(Protocol):
    """Where call records go."""

    def write(self, record: CallRecord) -> None:
        """Keep one record; never raises for a full disk, which must not fail the call."""
        ...


def redact(
    arguments: Mapping[str, Any], private: frozenset[str], known: Collection[str]
) -> dict[str, Any]:
    """Return arguments as a log may show them.

    Args:
        arguments: As the caller sent them, valid or not.
        private: Parameters whose values are never previewed, however deep inside.
        known: The tool's parameters. What came under another name is hidden as well: a slip in
            the name of a private one must not publish its value.
    """
    return {
        _name(name): _value(value, MOST_LEVELS, hide=name in private or name not in known)
        for name, value in itertools.islice(arguments.items(), MOST_ITEMS)
    }


def _value(value: Any, levels: int, *, hide: bool) -> Any:
    match value:
        case str():
            return _text(value, hide=hide)
        case dict() | list() if hide or not levels:
            return f"[{type(cast('object', value)).__name__} of {len(cast('list[Any]', value))}]"
        case dict():
            items = cast("dict[str, Any]", value)
            return {
                _name(key): _value(item, levels - 1, hide=False)
                for key, item in itertools.islice(items.items(), MOST_ITEMS)
            }
        case list():
            values = cast("list[Any]", value)
            return [_value(item, levels - 1, hide=False) for item in values[:MOST_ITEMS]]
        case int() | float() | bool() | None:
            return "[private]" if hide else value
        case _:
            return f"[{type(value).__name__}]"


def _name(text: str) -> str:
    """Return a key as the log may show it, its end cut off where it is long."""
    return text.encode("utf-8", "backslashreplace")[:PREVIEW_BYTES].decode("utf-8", "ignore")


def _text(text: str, *, hide: bool) -> Any:
    data = text.encode("utf-8", "surrogatepass")
    if not hide and len(data) <= PREVIEW_BYTES:
        return data.decode("utf-8", "backslashreplace")
    return {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}


class FileAuditLog:
    """Writes `audit/YYYY-MM-DD.jsonl` (UTC), appending whole lines; several processes may share it.

    Args:
        directory: Made with mode 0700; files get 0600.
        retention_days: Older files are removed when a new day's file is begun, two of them at most:
            to a clock that has jumped ahead all of them are old.
        today: Tells which day it is, in UTC.
    """

    def __init__(
        self,
        directory: Path,
        *,
        retention_days: int = 30,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._directory = directory
        self._retention = timedelta(days=retention_days)
        self._today = today
        self._lock = threading.Lock()
        self._day: date | None = None
        self._descriptor = -1

    def write(self, record: CallRecord) -> None:
        """Append one record as a line; a failing disk is the disk's problem, not the call's."""
        line = to_json(record.values(), ensure_ascii=True) + b"\n"
        with self._lock:
            try:
                self._open_for(self._today())
                if os.write(self._descriptor, line) < len(line):  # the disk is full
                    self._day = None
            except OSError:
                self._day = None  # try to open again at the next call

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._descriptor, self._day = -1, None

    def _open_for(self, day: date) -> None:
        if day == self._day:
            return
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        self._directory.mkdir(mode=0o700, exist_ok=True)
        path = self._directory / f"{day.isoformat()}.jsonl"
        if not path.exists():
            oldest = (day - self._retention).isoformat()
            old = sorted(one for one in self._directory.glob("*.jsonl") if one.stem < oldest)
            for file in old[:MOST_PURGED]:
                file.unlink(missing_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._end_line()
        self._day = day

    def _end_line(self) -> None:
        """End a line that had no room for its end, so that the next record has one to itself."""
        if not os.fstat(self._descriptor).st_size:
            return
        os.lseek(self._descriptor, -1, os.SEEK_END)
        if os.read(self._descriptor, 1) != b"\n":
            os.write(self._descriptor, b"\n")
