"""Make the tables for projects, files, facts, functions, calls and relations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BINARY = sa.String().with_variant(sa.String(collation="C"), "postgresql")
IDENTIFIER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _project(*, key: bool = False) -> sa.Column[int]:
    reference = sa.ForeignKey("projects.id", ondelete="CASCADE")
    return sa.Column("project", sa.Integer, reference, primary_key=key, nullable=False)


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("path", BINARY, nullable=False, unique=True),
        sa.Column("languages", sa.Text, nullable=False),
        sa.Column("include_tests", sa.Boolean, nullable=False),
        sa.Column("indexed_at", sa.BigInteger, nullable=False),
        sa.Column("layout", sa.Text, nullable=False),
        sa.Column("stats", sa.Text, nullable=False),
    )
    op.create_table(
        "files",
        _project(key=True),
        sa.Column("path", BINARY, primary_key=True),
        sa.Column("language", BINARY, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("modified", sa.BigInteger, nullable=False),
        sa.Column("digest", BINARY, nullable=False),
        sa.Column("parse_errors", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("graph_digest", BINARY, nullable=False),
    )
    op.create_table(
        "facts",
        _project(key=True),
        sa.Column("path", BINARY, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "functions",
        sa.Column("id", IDENTIFIER, primary_key=True, autoincrement=False),
        _project(),
        sa.Column("path", BINARY, nullable=False),
        sa.Column("name", BINARY, nullable=False),
        sa.Column("qualified_name", BINARY, nullable=False),
        sa.Column("kind", BINARY, nullable=False),
        sa.Column("start_line", sa.Integer, nullable=False),
        sa.Column("end_line", sa.Integer, nullable=False),
        sa.Column("is_export", sa.Boolean, nullable=False),
        sa.Column("is_test", sa.Boolean, nullable=False),
    )
    op.create_index("ix_functions_by_name", "functions", ["project", "name"])
    op.create_index("ix_functions_by_path", "functions", ["project", "path"])
    op.create_table(
        "calls",
        sa.Column("caller", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("callee", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("confidence", sa.SmallInteger, nullable=False),
        sa.Column("lines", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_calls_by_callee", "calls", ["callee"])
    op.create_table(
        "relations",
        _project(key=True),
        sa.Column("source", BINARY, primary_key=True),
        sa.Column("target", BINARY, primary_key=True),
        sa.Column("kind", BINARY, primary_key=True),
        sa.Column("strength", sa.Integer, nullable=False),
    )
    op.create_index("ix_relations_by_target", "relations", ["project", "target"])
