"""Statements that run often: compiled once, and on SQLite handed to the driver as they are.

There SQLAlchemy takes several times as long over a small statement as the database does: it looks
the compiled form up, builds contexts, cursors and rows. What a statement means, and how values are
written and read, is SQLAlchemy's here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen
from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import Connection, Dialect, Executable

__all__ = ["Prepared", "on_driver", "rows_on_driver"]

Change = Callable[[Any], Any]


@frozen
class _Plan:
    """A statement as SQLite's driver takes it.

    Attributes:
        names: Of the values, in the order of the `?`.
        defaults: What stands in the statement itself.
        inputs: For each `?`, what makes a value one that the driver takes.
        outputs: For each column, what gives a value its type.
    """

    sql: str
    names: tuple[str, ...]
    defaults: dict[str, Any]
    inputs: tuple[tuple[int, Change], ...]
    outputs: tuple[tuple[int, Change], ...]

    @classmethod
    def of(cls, statement: Any, columns: list[str] | None, dialect: Dialect) -> _Plan:
        """Compile a statement."""
        compiled = statement.compile(dialect=dialect, column_keys=columns)
        binds = [compiled.binds[name] for name in compiled.positiontup or ()]
        kinds = [bind.type.dialect_impl(dialect).bind_processor(dialect) for bind in binds]
        selected = statement.selected_columns if statement.is_select else ()
        outputs = [
            column.type.dialect_impl(dialect).result_processor(dialect, None) for column in selected
        ]
        return cls(
            sql=compiled.string,
            names=tuple(bind.key for bind in binds),
            defaults={bind.key: bind.value for bind in binds if not bind.required},
            inputs=tuple((at, change) for at, change in enumerate(kinds) if change),
            outputs=tuple((at, change) for at, change in enumerate(outputs) if change),
        )

    def values(self, bound: Mapping[str, Any]) -> list[Any]:
        """Return the values of every `?`; KeyError where one is missing."""
        given = {**self.defaults, **bound}
        values = [given[name] for name in self.names]
        for at, change in self.inputs:
            values[at] = change(values[at])
        return values

    def row(self, found: Sequence[Any]) -> Sequence[Any]:
        """Return a row in the types of its columns."""
        if not self.outputs:
            return found
        row = list(found)
        for at, change in self.outputs:
            row[at] = change(row[at])
        return row


class Prepared:
    """A statement of SQLAlchemy Core that is run often.

    Args:
        statement: Without `expanding` parameters; or one for each dialect by its name.
        columns: Those that an INSERT gets; absent where the statement says so itself.
    """

    def __init__(
        self, statement: Executable | Mapping[str, Executable], columns: Sequence[str] = ()
    ) -> None:
        self._statements = statement
        self._columns = list(columns) or None
        self._plan: _Plan | None = None

    def all(self, connection: Connection, bound: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        """Return every row."""
        if (plan := self._plan_for(connection)) is None:
            return connection.execute(self._for(connection.dialect.name), bound).all()
        return [plan.row(row) for row in _execute(connection, plan, bound).fetchall()]

    def first(self, connection: Connection, bound: Mapping[str, Any]) -> Sequence[Any] | None:
        """Return the first row, or None."""
        if (plan := self._plan_for(connection)) is None:
            return connection.execute(self._for(connection.dialect.name), bound).first()
        cursor = _execute(connection, plan, bound)
        found = cursor.fetchone()
        cursor.close()  # a cursor half read would keep the snapshot
        return None if found is None else plan.row(found)

    def run(self, connection: Connection, *bound: Mapping[str, Any]) -> None:
        """Change something, once for each set of parameters."""
        if (plan := self._plan_for(connection)) is None:
            given = bound[0] if len(bound) == 1 else list(bound)
            connection.execute(self._for(connection.dialect.name), given)
        elif len(bound) == 1:
            _execute(connection, plan, bound[0])
        elif bound:
            rows = [plan.values(values) for values in bound]
            _on_driver(_begun(connection), "executemany", plan.sql, rows)

    def _for(self, dialect: str) -> Executable:
        found = self._statements
        return found[dialect] if isinstance(found, Mapping) else found

    def _plan_for(self, connection: Connection) -> _Plan | None:
        if connection.dialect.name != "sqlite":
            return None
        if self._plan is None:
            self._plan = _Plan.of(self._for("sqlite"), self._columns, connection.dialect)
        return self._plan


def _execute(connection: Connection, plan: _Plan, bound: Mapping[str, Any]) -> sqlite3.Cursor:
    return _on_driver(_begun(connection), "execute", plan.sql, plan.values(bound))


def _begun(connection: Connection) -> Connection:
    if not connection.in_transaction():
        connection.begin()
    return connection


def rows_on_driver(connection: Connection, sql: str, values: Sequence[Any] = ()) -> list[Any]:
    """Return every row of a statement as SQLite's driver gives it, in the connection's transaction.

    Raises:
        DBAPIError: The driver refused it.
    """
    return _on_driver(_begun(connection), "execute", sql, values).fetchall()


def on_driver(connection: Connection, sql: str) -> None:
    """Run a statement on SQLite's driver as it is, with SQLAlchemy's errors.

    Raises:
        DBAPIError: The driver refused it.
    """
    _on_driver(connection, "execute", sql, ())


def _on_driver(connection: Connection, how: str, sql: str, values: Sequence[Any]) -> Any:
    error: Any = connection.dialect.loaded_dbapi.Error
    try:
        return getattr(connection.connection.dbapi_connection, how)(sql, values)
    except error as refused:
        raise DBAPIError.instance(
            sql, None, refused, error, dialect=connection.dialect
        ) from refused
