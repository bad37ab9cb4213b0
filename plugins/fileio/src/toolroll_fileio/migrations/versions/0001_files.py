"""Files, jobs, chunks, and what is derived from files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
TENANT = sa.CHAR(64)
PROJECT = sa.String(128)
PATH = sa.String(1024).with_variant(sa.String(1024, collation="C"), "postgresql")
TIME = sa.DateTime(timezone=True)
ACTIVE = sa.text("deleted = false")
GONE = sa.text("deleted = true")
ACTIVE_LITE = sa.text("deleted = 0")
GONE_LITE = sa.text("deleted = 1")


def upgrade() -> None:
    op.create_table(
        "mcp_files",
        sa.Column("id", ID, primary_key=True),
        sa.Column("apikey_hash", TENANT, nullable=False),
        sa.Column("project", PROJECT, nullable=False),
        sa.Column("path", PATH, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("content_hash", sa.CHAR(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("deleted", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("deleted_at", TIME),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_mcp_files_active",
        "mcp_files",
        ["apikey_hash", "project", "path"],
        unique=True,
        sqlite_where=ACTIVE_LITE,
        postgresql_where=ACTIVE,
    )
    op.create_index(
        "idx_mcp_files_prefix",
        "mcp_files",
        ["apikey_hash", "project", "path", "updated_at"],
        sqlite_where=ACTIVE_LITE,
        postgresql_where=ACTIVE,
        postgresql_ops={"path": "text_pattern_ops"},
    )
    op.create_index(
        "idx_mcp_files_deleted",
        "mcp_files",
        ["apikey_hash", "project", "path", "deleted_at"],
        sqlite_where=GONE_LITE,
        postgresql_where=GONE,
    )
    op.create_index(
        "idx_mcp_files_deleted_at",
        "mcp_files",
        ["deleted_at"],
        sqlite_where=GONE_LITE,
        postgresql_where=GONE,
    )
    op.create_table(
        "mcp_file_projects",
        sa.Column("apikey_hash", TENANT, primary_key=True),
        sa.Column("project", PROJECT, primary_key=True),
        sa.Column("file_count", sa.BigInteger, nullable=False),
        sa.Column("total_bytes", sa.BigInteger, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("trimmed_seq", sa.BigInteger, nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mcp_file_times",
        sa.Column("apikey_hash", TENANT, primary_key=True),
        sa.Column("project", PROJECT, primary_key=True),
        sa.Column("path", PATH, primary_key=True),
        sa.Column("updated_at", TIME, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mcp_file_index_jobs",
        sa.Column("id", ID, primary_key=True),
        sa.Column("apikey_hash", TENANT, nullable=False),
        sa.Column("project", PROJECT, nullable=False),
        sa.Column("file_path", PATH, nullable=False),
        sa.Column("operation", sa.String(16), nullable=False),
        sa.Column("file_updated_at", TIME),
        sa.Column("status", sa.String(16), nullable=False, server_default="pending"),
        sa.Column("retry_count", sa.Integer, nullable=False, server_default="0"),
        sa.Column("available_at", TIME, nullable=False),
        sa.Column("lease_until", TIME),
        sa.Column("last_error", sa.String(128), nullable=False, server_default=""),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "idx_mcp_file_index_jobs_pending",
        "mcp_file_index_jobs",
        ["status", "available_at", "id"],
    )
    op.create_index(
        "idx_mcp_file_index_jobs_file",
        "mcp_file_index_jobs",
        ["apikey_hash", "project", "status", "file_path"],
    )
    op.create_table(
        "mcp_file_chunks",
        sa.Column("id", ID, primary_key=True),
        sa.Column("apikey_hash", TENANT, nullable=False),
        sa.Column("project", PROJECT, nullable=False),
        sa.Column("file_path", PATH, nullable=False),
        sa.Column("chunk_index", sa.Integer, nullable=False),
        sa.Column("start_byte", sa.BigInteger, nullable=False),
        sa.Column("end_byte", sa.BigInteger, nullable=False),
        sa.Column("chunk_content", sa.Text, nullable=False),
        sa.Column("content_hash", sa.CHAR(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("last_served_at", TIME),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_mcp_file_chunks",
        "mcp_file_chunks",
        ["apikey_hash", "project", "file_path", "chunk_index"],
        unique=True,
    )
    op.create_table(
        "mcp_file_chunk_embeddings",
        sa.Column(
            "chunk_id",
            ID,
            sa.ForeignKey("mcp_file_chunks.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("embedding", sa.LargeBinary, nullable=False),
        sa.Column("model", sa.String(128), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
    )
    op.create_table(
        "mcp_file_chunk_bm25",
        sa.Column(
            "chunk_id",
            ID,
            sa.ForeignKey("mcp_file_chunks.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("tokens", sa.JSON, nullable=False),
        sa.Column("token_count", sa.Integer, nullable=False),
        sa.Column("tokenizer", sa.String(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
    )
    op.create_table(
        "mcp_file_index_changes",
        sa.Column("seq", ID, primary_key=True),
        sa.Column("apikey_hash", TENANT, nullable=False),
        sa.Column("project", PROJECT, nullable=False),
        sa.Column("chunk_id", ID, nullable=False),
        sa.Column("change", sa.String(8), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "idx_mcp_file_index_changes",
        "mcp_file_index_changes",
        ["apikey_hash", "project", "seq"],
    )
