"""What a database lacks of what its pack's migrations make: one was edited after it had run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolroll.locks import FileLocks
from toolroll.storage.database import Database
from toolroll.storage.sqlite import SqliteDialect

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["missing"]

_PARTS: Final = """
    SELECT name FROM sqlite_master WHERE sql IS NOT NULL
    UNION SELECT m.name || '.' || c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' ORDER BY 1"""


def missing(database: Database, migrations: str) -> list[str]:
    """Return the tables, columns and indexes that a new database of the pack would have.

    Columns are told as `table.column`. Of SQLite alone: on a server, where there is no database to
    try it on, migrations may make something else.

    Args:
        database: One that is open.
        migrations: Name of the package that holds its migrations.
    """
    if database.dialect != "sqlite" or not migrations:
        return []
    with tempfile.TemporaryDirectory() as place:
        locks = FileLocks(Path(place))
        made = Database(SqliteDialect(Path(place, "new.db"), locks), migrations=migrations)
        try:
            wanted = _parts(made.engine)
        finally:
            made.close()
    there = set(_parts(database.engine))
    return [part for part in wanted if part not in there]


def _parts(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        return list(connection.exec_driver_sql(_PARTS).scalars())
