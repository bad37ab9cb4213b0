"""Bearer keys for HTTP: made by `toolroll keys`, stored as hashes, read again when they change."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from attrs import asdict, field, frozen

from toolroll.context import tenant_of
from toolroll.errors import NotFound, SettingsError
from toolroll.locks import FileLocks
from toolroll.paths import can_be_named

__all__ = ["KeyRecord", "KeyStore"]

PREFIX: Final = "tr_"
SCOPES: Final = ("read", "write")


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


@frozen
class KeyRecord:
    """One key, without the key itself.

    Attributes:
        name: Unique; names the key in `toolroll keys list`.
        tenant: SHA-256 of the key, in hex.
        scopes: `read`, `write`.
        created_at: UTC, ISO 8601.
        expires_at: UTC, ISO 8601; "" for never.
        roots: Directories that the key is limited to, absolute; none for every allowed root.
    """

    name: str
    tenant: str
    scopes: tuple[str, ...] = field(converter=_in_order)
    created_at: str
    expires_at: str = ""
    roots: tuple[str, ...] = field(default=(), converter=_in_order)

    def is_live(self, now: datetime) -> bool:
        """Say whether the key may still be used."""
        return not self.expires_at or now < datetime.fromisoformat(self.expires_at)


class KeyStore:
    """The keys of one data directory, in `keys.json` (mode 0600).

    A host reads the file again whenever it changes, so that a revoked key ends at once.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "keys.json"
        self._writers = FileLocks(data_dir / "locks")
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._records: dict[str, KeyRecord] = {}

    def list(self) -> tuple[KeyRecord, ...]:
        """Return every key, by name."""
        return tuple(sorted(self._load().values(), key=lambda record: record.name))

    def create(
        self,
        name: str,
        *,
        scopes: tuple[str, ...] = SCOPES,
        days: float | None = None,
        roots: tuple[Path, ...] = (),
    ) -> str:
        """Make a key and return it; this is the only time that it can be seen.

        Args:
            name: Must not be in use.
            scopes: What the key allows.
            days: Lifetime; None for unlimited.
            roots: Directories that the key is limited to; none for every allowed root.

        Raises:
            SettingsError: The name is empty, unprintable or in use, a scope is unknown, or no
                calendar has the day on which the key would end.
            ResourceBusy: Others changed the keys all the while.
        """
        if not name.strip():
            raise SettingsError("a key needs a name")
        if not can_be_named(name):
            raise SettingsError("a key's name is UTF-8 without control characters; choose another")
        if unknown := sorted(set(scopes) - set(SCOPES)):
            raise SettingsError(f"unknown scope {unknown[0]!r}; known: {', '.join(SCOPES)}")
        key = PREFIX + secrets.token_urlsafe(32)
        now = datetime.now(UTC)
        record = KeyRecord(
            name=name,
            tenant=tenant_of(key),
            scopes=tuple(sorted(set(scopes))),
            created_at=now.isoformat(timespec="seconds"),
            expires_at="" if days is None else _after(now, days),
            roots=tuple(str(root.resolve()) for root in roots),
        )
        with self._changing() as records:
            if any(record.name == name for record in records.values()):
                raise SettingsError(
                    f"a key named {name!r} exists; revoke it or choose another name"
                )
            records[record.tenant] = record
        return key

    def revoke(self, name: str) -> None:
        """Forget a key; hosts refuse it from their next request on.

        Raises:
            NotFound: No key has this name.
            ResourceBusy: Others changed the keys all the while.
        """
        with self._changing() as records:
            named = [tenant for tenant, record in records.items() if record.name == name]
            if not named:
                known = ", ".join(sorted(record.name for record in records.values())) or "none"
                raise NotFound(f"no key is named {name!r}; keys: {known}")
            for tenant in named:
                del records[tenant]

    def verify(self, key: str) -> KeyRecord | None:
        """Return the record of a live key, or None."""
        record = self._load().get(tenant_of(key))
        return record if record is not None and record.is_live(datetime.now(UTC)) else None

    def _load(self) -> dict[str, KeyRecord]:
        with self._lock:
            try:
                status = self._path.stat()
                stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                if stamp != self._stamp:
                    self._records = self._parse(self._path.read_text("utf-8"))
                    self._stamp = stamp
            except FileNotFoundError:
                self._stamp, self._records = None, {}
            return self._records

    def _parse(self, text: str) -> dict[str, KeyRecord]:
        try:
            rows: list[dict[str, Any]] = json.loads(text)["keys"]
            records = [KeyRecord(**row) for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise SettingsError(
                f"{self._path.name} is damaged: {error}; move it away and make new keys"
            ) from None
        return {record.tenant: record for record in records}

    @contextmanager
    def _changing(self) -> Generator[dict[str, KeyRecord]]:
        """Give the keys to change, and save them when the block ends without an error.

        One process at a time: of two that read the same keys, the one that saves last would undo
        the other's change, and a key that was revoked would be live again.
        """
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._writers.project("keys", timeout=30.0):
            records = dict(self._load())
            yield records
            self._save(records)

    def _save(self, records: dict[str, KeyRecord]) -> None:
        """Replace the file as a whole: a reader sees the old keys or the new ones."""
        rows = [asdict(record) for record in sorted(records.values(), key=lambda r: r.name)]
        descriptor, temporary = tempfile.mkstemp(dir=self._path.parent, prefix=".keys-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:  # mkstemp makes it 0600
            json.dump({"keys": rows}, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(self._path)


def _after(now: datetime, days: float) -> str:
    try:
        return (now + timedelta(days=days)).isoformat(timespec="seconds")
    except (OverflowError, ValueError):  # past the year 9999, or no number
        raise SettingsError(
            f"a key cannot live {days:g} days; choose fewer, or leave it out for no end"
        ) from None
