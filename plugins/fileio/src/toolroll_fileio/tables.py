"""The tables of manual section 7, and three small ones that are derived from them.

`mcp_file_projects` (totals of a project) and `mcp_file_times` (newest change below a directory) are
sums over `mcp_files`, written in the same transaction, so that a quota check and a listing don't
read the whole project. Neither decides whether a directory exists: that is always asked of
`mcp_files`. Imports sqlalchemy: load this module on first use only.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    CHAR,
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    true,
)
from sqlalchemy.types import TypeDecorator

from toolroll_fileio.results import timestamp
from toolroll_fileio.stored_vector import StoredVector

__all__ = [
    "ShownTime",
    "UtcTime",
    "analyses",
    "changes",
    "chunks",
    "embeddings",
    "files",
    "jobs",
    "metadata",
    "projects",
    "terms",
    "times",
]


def _to_sqlite(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat(" ", "microseconds")[:26]


def _from_sqlite(value: Any) -> datetime | None:
    return None if value is None else datetime.fromisoformat(f"{value}+00:00")


class UtcTime(TypeDecorator[datetime]):
    """A time zone aware UTC timestamp; SQLite keeps it as text that sorts like time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Write SQLite's text, six digits of a second and no zone, in one step."""
        if dialect.name != "sqlite":
            return super().bind_processor(dialect)
        return _to_sqlite

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Give SQLite's naive timestamps the zone they were written in, in one step each."""
        if dialect.name != "sqlite":
            return super().result_processor(dialect, coltype)
        return _from_sqlite


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    time = value.replace(" ", "T", 1)  # and six digits of a second, always
    return f"{time[:19]}Z" if time.endswith(".000000") else f"{time}Z"


class ShownTime(UtcTime):
    """A timestamp that is read as the tools show it (`results.timestamp`), without a detour."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        """Turn SQLite's text into RFC 3339, or what another database's driver gives."""
        if dialect.name == "sqlite":
            return _shown
        given = super().result_processor(dialect, coltype)

        def shown(value: Any) -> str | None:
            time = value if given is None else given(value)
            return None if time is None else timestamp(time.astimezone(UTC))

        return shown


metadata: Final = MetaData()

_Id = BigInteger().with_variant(Integer, "sqlite")
_Tenant = CHAR(64)
_Project = String(128)
# byte order, as SQLite has it anyway: ranges and sorting depend on it
_Path = String(1024).with_variant(String(1024, collation="C"), "postgresql")


def _space() -> tuple[Column[Any], Column[Any]]:
    return Column("apikey_hash", _Tenant, nullable=False), Column(
        "project", _Project, nullable=False
    )


files: Final = Table(
    "mcp_files",
    metadata,
    Column("id", _Id, primary_key=True),
    *_space(),
    Column("path", _Path, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content_hash", CHAR(64), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("deleted", Boolean, nullable=False, server_default=false()),
    Column("deleted_at", UtcTime),
    Column("content", LargeBinary, nullable=False),  # last: rows are often read without it
    sqlite_autoincrement=True,
)
active: Final = files.c.deleted == false()
gone: Final = files.c.deleted == true()

Index(
    "uq_mcp_files_active",
    files.c.apikey_hash,
    files.c.project,
    files.c.path,
    unique=True,
    sqlite_where=active,
    postgresql_where=active,
)
Index(
    "idx_mcp_files_deleted",
    files.c.apikey_hash,
    files.c.project,
    files.c.path,
    files.c.deleted_at,
    sqlite_where=gone,
    postgresql_where=gone,
)
Index(
    "idx_mcp_files_deleted_at",
    files.c.deleted_at,
    sqlite_where=gone,
    postgresql_where=gone,
)

projects: Final = Table(
    "mcp_file_projects",
    metadata,
    Column("apikey_hash", _Tenant, primary_key=True),
    Column("project", _Project, primary_key=True),
    Column("file_count", BigInteger, nullable=False),
    Column("total_bytes", BigInteger, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("trimmed_seq", BigInteger, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

times: Final = Table(
    "mcp_file_times",
    metadata,
    Column("apikey_hash", _Tenant, primary_key=True),
    Column("project", _Project, primary_key=True),
    Column("path", _Path, primary_key=True),
    Column("updated_at", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)

jobs: Final = Table(
    "mcp_file_index_jobs",
    metadata,
    Column("id", _Id, primary_key=True),
    *_space(),
    Column("file_path", _Path, nullable=False),
    Column("operation", String(16), nullable=False),
    Column("file_updated_at", UtcTime),
    Column("status", String(16), nullable=False, server_default="pending"),
    Column("retry_count", Integer, nullable=False, server_default="0"),
    Column("available_at", UtcTime, nullable=False),
    Column("lease_until", UtcTime),
    Column("last_error", String(128), nullable=False, server_default=""),
    Column("credential_ref", String(128)),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    sqlite_autoincrement=True,
)
Index("idx_mcp_file_index_jobs_pending", jobs.c.status, jobs.c.available_at, jobs.c.id)
Index(
    "idx_mcp_file_index_jobs_file",
    jobs.c.apikey_hash,
    jobs.c.project,
    jobs.c.status,
    jobs.c.file_path,
)

chunks: Final = Table(
    "mcp_file_chunks",
    metadata,
    Column("id", _Id, primary_key=True),
    *_space(),
    Column("file_path", _Path, nullable=False),
    Column("chunk_index", Integer, nullable=False),
    Column("start_byte", BigInteger, nullable=False),
    Column("end_byte", BigInteger, nullable=False),
    Column("chunk_content", Text, nullable=False),
    Column("content_hash", CHAR(64), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("last_served_at", UtcTime),
    sqlite_autoincrement=True,  # search indexes name chunks by id: none may come twice
)
Index(
    "uq_mcp_file_chunks",
    chunks.c.apikey_hash,
    chunks.c.project,
    chunks.c.file_path,
    chunks.c.chunk_index,
    unique=True,
)

embeddings: Final = Table(
    "mcp_file_chunk_embeddings",
    metadata,
    Column(
        "chunk_id",
        _Id,
        ForeignKey("mcp_file_chunks.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("embedding", StoredVector, nullable=False),
    Column("model", String(128), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

terms: Final = Table(
    "mcp_file_chunk_bm25",
    metadata,
    Column(
        "chunk_id",
        _Id,
        ForeignKey("mcp_file_chunks.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("tokens", JSON, nullable=False),
    Column("token_count", Integer, nullable=False),
    Column("tokenizer", String(64), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

analyses: Final = Table(
    "mcp_file_analysis",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("analysis", String(256), nullable=False),
)
"""One row: how the stored chunks were made."""

changes: Final = Table(
    "mcp_file_index_changes",
    metadata,
    Column("seq", _Id, primary_key=True),
    *_space(),
    Column("chunk_id", _Id, nullable=False),
    Column("change", String(8), nullable=False),
    sqlite_autoincrement=True,
)
"""What the search indexes, which are files and memory, have to follow, in order."""
Index("idx_mcp_file_index_changes", changes.c.apikey_hash, changes.c.project, changes.c.seq)
