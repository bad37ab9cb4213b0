"""Ids and times, as they are stored and as callers see them."""

from __future__ import annotations

import hashlib
import secrets
import time
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["entry_id", "file_id", "finding_id", "iso", "issue_id", "now"]

_ID_BYTES: Final = 8
"""64 random bits: at a million rows, a collision has odds of one in 37 million, and the primary key
turns it into a unit of work that is rolled back."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> int:
    """Return the time in microseconds since 1970, as the tables store it."""
    return time.time_ns() // 1000


def iso(microseconds: int) -> str:
    """Return a stored time as ISO 8601 in UTC, always with six decimals."""
    return (_EPOCH + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds")


def file_id(prefix: str) -> str:
    """Return a fresh file id, `<prefix>-f-<hex>`."""
    return f"{prefix}-f-{secrets.token_hex(_ID_BYTES)}"


def finding_id(prefix: str) -> str:
    """Return a fresh finding id, `<prefix>-sf-<hex>`."""
    return f"{prefix}-sf-{secrets.token_hex(_ID_BYTES)}"


def issue_id(prefix: str) -> str:
    """Return a fresh issue id, `<prefix>-<hex>`."""
    return f"{prefix}-{secrets.token_hex(_ID_BYTES)}"


def entry_id(kind: str, timestamp: str, source_id: str) -> str:
    """Return the id of a timeline entry: the same for the same entry on every call."""
    return hashlib.sha256(f"{kind}:{timestamp}:{source_id}".encode()).hexdigest()[:12]
