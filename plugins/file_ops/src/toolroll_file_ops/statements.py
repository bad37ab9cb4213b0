"""Statements that are run as they stand, written once for both databases.

SQLAlchemy's own would cost more to build than these take to run.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import text

from toolroll.storage.prepared import rows_on_driver

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

__all__ = ["Members", "alone", "reserve", "run", "together"]

_MARK: Final = "IN MEMBERS(?)"
"""In a statement: one of a list of values, which is given as `Members`."""

_MEMBERS: Final = {
    "sqlite": "IN (SELECT value FROM json_each(?))",
    "postgresql": "= ANY(%s)",
}
_BLOBS: Final = 7_163_094_275_168_822
"""The advisory lock between writers of files and whoever deletes bytes that no file has."""
_IDS: Final = 7_163_094_275_168_823
"""The advisory lock of those who reserve ids, which must follow one another."""


class Members(list[Any]):
    """Values that a column is compared with, whatever their number."""


def run(connection: Connection, statement: str, *values: object) -> list[Any]:
    """Return the rows of a statement with a `?` for each value, `IN MEMBERS(?)` for `Members`.

    They are the driver's: SQLAlchemy's would take five times as long.
    """
    dialect = connection.dialect.name
    statement = statement.replace(_MARK, _MEMBERS[dialect])
    if dialect == "sqlite":
        given = tuple(json.dumps(v) if isinstance(v, Members) else v for v in values)
        return rows_on_driver(connection, statement, given)
    given = tuple(list(v) if isinstance(v, Members) else v for v in values)
    found: Any = connection.exec_driver_sql(statement.replace("?", "%s"), given)
    return found.cursor.fetchall()


def reserve(session: Session, table: str, count: int) -> int:
    """Return the first of `count` consecutive ids that no row of a table has ever had.

    Other processes may still know deleted ones. On PostgreSQL several collections are written at
    once, so ids are taken from the table's sequence, which no rollback gives back.
    """
    connection = session.connection()
    if connection.dialect.name == "sqlite":
        used = connection.exec_driver_sql(
            "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
        )
        return (used.scalar() or 0) + 1
    connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _IDS})
    try:
        return connection.execute(
            text(
                "SELECT setval(s, nextval(s) + :count) - :count FROM pg_get_serial_sequence"
                "(:table, 'id') AS s"
            ),
            {"table": table, "count": max(count, 1)},
        ).scalar_one()
    finally:
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _IDS})


def together(session: Session) -> None:
    """Let others store files meanwhile, but nobody delete bytes that this transaction needs."""
    _hold(session, "pg_advisory_xact_lock_shared")


def alone(session: Session) -> None:
    """Wait until nobody stores files, and keep them waiting until the end."""
    _hold(session, "pg_advisory_xact_lock")


def _hold(session: Session, function: str) -> None:
    connection = session.connection()
    if connection.dialect.name != "sqlite":  # which has one writer at a time anyway
        connection.execute(text(f"SELECT {function}(:lock)"), {"lock": _BLOBS})
