"""On PostgreSQL: vectors as text that pgvector reads, JSONB terms, and the indexes of section 7.

Whether the column becomes a VECTOR is decided by each host that starts (`server_vectors`): the
extension may be installed after this has run.
"""

from __future__ import annotations

import struct

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ROWS = 1_000
NOW = {
    "mcp_files": ("created_at", "updated_at"),
    "mcp_file_chunks": ("created_at", "updated_at"),
    "mcp_file_chunk_embeddings": ("created_at", "updated_at"),
    "mcp_file_chunk_bm25": ("created_at", "updated_at"),
    "mcp_file_index_jobs": ("available_at", "created_at", "updated_at"),
}


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    _vectors_as_text()
    for statement in (
        "ALTER TABLE mcp_file_chunk_bm25 ALTER COLUMN tokens TYPE JSONB USING tokens::jsonb",
        "CREATE INDEX idx_mcp_file_chunks_prefix"
        " ON mcp_file_chunks (apikey_hash, project, file_path text_pattern_ops)",
        # a search by meaning asks for the ids of a space, and not for the text beside them
        "CREATE INDEX idx_mcp_file_chunks_space ON mcp_file_chunks (apikey_hash, project, id)",
        "ALTER TABLE mcp_files ALTER COLUMN size SET DEFAULT 0",
    ):
        op.execute(statement)
    for table, columns in NOW.items():
        for column in columns:
            op.alter_column(table, column, server_default=sa.func.now())


def _vectors_as_text() -> None:
    """Replace the half floats of each vector by their numbers."""
    table = "mcp_file_chunk_embeddings"
    op.add_column(table, sa.Column("numbers", sa.Text))
    connection, last = op.get_bind(), 0
    read = sa.text(
        "SELECT chunk_id, embedding FROM mcp_file_chunk_embeddings WHERE chunk_id > :last"
        " ORDER BY chunk_id LIMIT :most"
    )
    write = sa.text(
        "UPDATE mcp_file_chunk_embeddings SET numbers = :numbers WHERE chunk_id = :chunk_id"
    )
    while rows := connection.execute(read, {"last": last, "most": ROWS}).all():
        last = rows[-1].chunk_id
        connection.execute(
            write,
            [{"chunk_id": row.chunk_id, "numbers": _numbers(row.embedding)} for row in rows],
        )
    op.drop_column(table, "embedding")
    op.alter_column(table, "numbers", new_column_name="embedding", nullable=False)


def _numbers(data: bytes) -> str:
    found = struct.unpack(f"<{len(data) // 2}e", data)
    return "[" + ",".join(f"{number:.6g}" for number in found) + "]"
