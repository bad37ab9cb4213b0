"""pgvector in the pack's database: whether it is there, and having it compare the vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    import toolroll

__all__ = ["adopt", "has_pgvector", "remark"]

ADOPT_SECONDS: Final = 60.0
"""How long a host that starts waits for another that is at it."""

_HAS: Final = text("""
    SELECT count(*) FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
    WHERE attrelid = to_regclass('mcp_file_chunk_embeddings') AND attname = 'embedding'
        AND typname = 'vector'""")
_VERSION: Final = text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
_KNOWN: Final = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'")
_REMEDY: Final = "install pgvector, or have an administrator run CREATE EXTENSION vector"
# in the row, not beside it: a search reads every vector of its space
_ADOPT: Final = (
    "CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public",
    """ALTER TABLE mcp_file_chunk_embeddings
        ALTER COLUMN embedding TYPE vector USING embedding::vector,
        ALTER COLUMN embedding SET STORAGE MAIN""",
)


def has_pgvector(connection: Connection) -> bool:
    """Say whether pgvector compares the vectors."""
    return bool(connection.execute(_HAS).scalar_one())


def adopt(context: toolroll.PackContext) -> bool:
    """Give the vectors pgvector's type, if the database has the extension; say whether they have.

    What is stored stays, and hosts that run go on. Where the extension is missing, or may not be
    created by this user, the log says what to do, and vectors are searched in memory.
    """
    with context.database.reading() as connection:
        if has_pgvector(connection):
            return True
    with context.database.writing(lock="pgvector", timeout=ADOPT_SECONDS) as connection:
        if has_pgvector(connection):
            return True
        if not connection.execute(_KNOWN).scalar_one():
            return _without(context, "it is not installed on the database server")
        try:
            with connection.begin_nested():
                for statement in _ADOPT:
                    connection.exec_driver_sql(statement)
        except DBAPIError as error:
            return _without(context, f"the database refused it ({type(error.orig).__name__})")
    return True


def remark(context: toolroll.PackContext) -> str:
    """Say what compares the vectors."""
    if not adopt(context):
        return f"search by meaning: in each host's memory; {_REMEDY}"
    with context.database.reading() as connection:
        version = connection.execute(_VERSION).scalar()
    return f"search by meaning: pgvector {version}"


def _without(context: toolroll.PackContext, cause: str) -> bool:
    context.log.warning(
        "no pgvector: %s; each host keeps the vectors of the projects it searches in memory; %s",
        cause,
        _REMEDY,
    )
    return False
