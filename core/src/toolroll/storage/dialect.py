"""What differs between SQLite and PostgreSQL, as `Database` sees it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

__all__ = ["Dialect"]


class Dialect(Protocol):
    """One kind of database server."""

    name: str

    def is_made(self) -> bool:
        """Say whether something may have been stored."""
        ...

    def is_at_hand(self, *, writing: bool) -> bool:
        """Say whether neither a server nor another writer of this process is waited for."""
        ...

    def engine(self) -> Engine:
        """Make the engine; called once."""
        ...

    def needs_migration(self, engine: Engine, fingerprint: int) -> bool:
        """Say whether the schema may be older than the migrations with this fingerprint."""
        ...

    def migrated(self, connection: Connection, fingerprint: int) -> None:
        """Note that the schema is that of the migrations with this fingerprint."""
        ...

    def migration_lock(self) -> AbstractContextManager[None]:
        """Exclude every other process that would migrate the same database."""
        ...

    def reading(self, engine: Engine) -> AbstractContextManager[Connection]:
        """Give a connection that reads in one snapshot."""
        ...

    def writing(
        self, engine: Engine, lock: str | None, timeout: float
    ) -> AbstractContextManager[Connection]:
        """Give a connection in a writing transaction that holds the lock of `lock`, if any.

        It commits when the block ends, and rolls back if it raises.
        """
        ...

    def is_busy(self, error: Any) -> bool:
        """Say whether a driver error means that somebody else held a lock for too long."""
        ...

    def is_away(self, error: Any) -> bool:
        """Say whether a driver error means that the server is gone, for now, and nothing was done.

        A connection that breaks while a change is committed is no such error.
        """
        ...

    def is_full(self, error: Any) -> bool:
        """Say whether the server of an error that `is_away` is there, with too many connections."""
        ...

    def exceeds(self, error: Any) -> str:
        """Say what a caller has to shorten where a driver error tells of that; else ""."""
        ...

    def trouble(self, error: Any) -> str:
        """Say what an operator has to mend where a driver error tells of that; "" for a defect."""
        ...

    def probe(self, connection: Connection) -> None:
        """Change nothing in a writing transaction, in a way that is written all the same.

        Raises:
            InternalError: The server says that it takes no changes.
        """
        ...

    def compact(self, engine: Engine) -> None:
        """Give back what removed rows took, if the server doesn't by itself."""
        ...
