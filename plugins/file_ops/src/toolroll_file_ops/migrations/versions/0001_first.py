"""Make the tables for collections, files, bytes and chunks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
BINARY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "collections",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("include", sa.Text, nullable=False),
        sa.Column("exclude", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("indexed_at", sa.String),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_collections", "collections", ["tenant", "name"], unique=True)
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.String, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "files",
        sa.Column("id", ID, primary_key=True),
        sa.Column(
            "collection_id",
            sa.Integer,
            sa.ForeignKey("collections.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("path", BINARY, nullable=False),
        sa.Column("sha256", sa.String, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("inode", sa.BigInteger, nullable=False),
        sa.Column("file_type", sa.String, nullable=False),
        sa.Column("language", sa.String),
        sa.Column("chunk_count", sa.Integer, nullable=False),
        sa.Column("indexed_at", sa.String, nullable=False),
        sa.Column("skipped", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_files", "files", ["collection_id", "path"], unique=True)
    op.create_index("ix_files_by_content", "files", ["sha256"])
    op.create_table(
        "chunks",
        sa.Column("id", ID, primary_key=True),
        sa.Column("collection_id", sa.Integer, nullable=False),
        sa.Column("file_id", ID, sa.ForeignKey("files.id", ondelete="CASCADE"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("start", sa.BigInteger, nullable=False),
        sa.Column("end", sa.BigInteger, nullable=False),
        sa.Column("first_line", sa.Integer, nullable=False),
        sa.Column("last_line", sa.Integer, nullable=False),
        sa.Column("symbols", sa.Text, nullable=False),
        sa.Column("embedder", sa.String, nullable=False),
        sa.Column("vector", sa.LargeBinary),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_chunks_by_file", "chunks", ["file_id", "position"])
    op.create_index("ix_chunks_by_collection", "chunks", ["collection_id", "id", "file_id"])
