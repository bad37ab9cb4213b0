"""Where one host stores: SQLite files of its own, or a PostgreSQL server, with Redis beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll.errors import SettingsError
from toolroll.locks import FileLocks, LockManager
from toolroll.storage.advisory_locks import PostgresLocks
from toolroll.storage.database import Database
from toolroll.storage.redis import SharedRedis
from toolroll.storage.secrets import MemorySecrets
from toolroll.storage.sqlite import SqliteDialect

if TYPE_CHECKING:
    from toolroll.backends import Backend
    from toolroll.data_dir import DataDirectory
    from toolroll.settings import StorageSettings
    from toolroll.storage.dialect import Dialect

__all__ = ["Stores"]


class Stores:
    """Makes the databases and locks of a host as its settings say.

    Args:
        settings: The table `[storage]`.
        directory: Where SQLite's files and the locks beside them lie.
        locks: Makes the locks that `[backends.locks]` chooses, if it does.

    Raises:
        SettingsError: The locks that are chosen cannot be made.
    """

    def __init__(
        self, settings: StorageSettings, directory: DataDirectory, locks: Backend | None
    ) -> None:
        self._settings = settings
        self._directory = directory
        self._file_locks = FileLocks(directory.path / "locks", directory.make)
        self._own_locks = None if locks is None else _made(locks)
        self.redis = SharedRedis(settings.redis_url) if settings.redis_url else None
        self.secrets = self.redis.secrets() if self.redis else MemorySecrets()

    def database(self, name: str, migrations: str) -> Database:
        """Return the database of a pack, not opened yet."""
        settings = self._settings
        busy_timeout = settings.busy_timeout_ms / 1000
        dialect: Dialect
        if settings.url:
            from toolroll.storage.postgres import PostgresDialect

            dialect = PostgresDialect(settings.url, name, pool_size=settings.pool_size)
        else:
            dialect = SqliteDialect(
                self._directory.path / f"{name}.db",
                self._file_locks,
                make_parent=self._directory.make,
                pool_size=settings.pool_size,
                busy_timeout=busy_timeout,
            )
        return Database(dialect, migrations=migrations, busy_timeout=busy_timeout)

    def locks(self, database: Database) -> LockManager:
        """Return locks that hold as far as the data is shared: here, or on the server."""
        if self._own_locks is not None:
            return self._own_locks
        if not self._settings.url:
            return self._file_locks
        return PostgresLocks(lambda: database.engine, database.errors)


def _made(locks: Backend) -> LockManager:
    try:
        return locks()
    except Exception as error:  # the boundary to another distribution
        raise SettingsError(
            f"[backends.locks] cannot be used: {type(error).__name__}: {error}; mend that table, "
            "or leave it out for our own"
        ) from error
