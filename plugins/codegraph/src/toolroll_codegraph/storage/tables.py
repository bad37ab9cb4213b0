"""The tables: projects, their files with facts, functions, calls, and relations of files.

Function identifiers are hashes of project, path and qualified name, so that they stay the same
when lines move, and rewriting one file's rows needs no look at those of others.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()
BINARY = sa.String().with_variant(sa.String(collation="C"), "postgresql")
IDENTIFIER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""SQLite keeps a table by its `INTEGER` key, and any other key in an index beside it."""

projects = sa.Table(
    "projects",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("path", BINARY, nullable=False, unique=True),
    sa.Column("languages", sa.Text, nullable=False),
    sa.Column("include_tests", sa.Boolean, nullable=False),
    sa.Column("indexed_at", sa.BigInteger, nullable=False),
    sa.Column("layout", sa.Text, nullable=False),
    sa.Column("stats", sa.Text, nullable=False),
)

files = sa.Table(
    "files",
    metadata,
    sa.Column(
        "project", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("path", BINARY, primary_key=True),
    sa.Column("language", BINARY, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("modified", sa.BigInteger, nullable=False),
    sa.Column("digest", BINARY, nullable=False),
    sa.Column("parse_errors", sa.Integer, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("graph_digest", BINARY, nullable=False),
)

facts = sa.Table(
    "facts",
    metadata,
    sa.Column(
        "project", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("path", BINARY, primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)

functions = sa.Table(
    "functions",
    metadata,
    sa.Column("id", IDENTIFIER, primary_key=True, autoincrement=False),
    sa.Column(
        "project", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False
    ),
    sa.Column("path", BINARY, nullable=False),
    sa.Column("name", BINARY, nullable=False),
    sa.Column("qualified_name", BINARY, nullable=False),
    sa.Column("kind", BINARY, nullable=False),
    sa.Column("start_line", sa.Integer, nullable=False),
    sa.Column("end_line", sa.Integer, nullable=False),
    sa.Column("is_export", sa.Boolean, nullable=False),
    sa.Column("is_test", sa.Boolean, nullable=False),
    sa.Column("bases", sa.Text, nullable=False, server_default=""),
    sa.Column("overrides", sa.BigInteger),
    sa.Index("ix_functions_by_name", "project", "name"),
    sa.Index("ix_functions_by_path", "project", "path"),
)
"""`bases` lists the classes that a class asks for what it lacks, nearest first and by identifier,
and behind a semicolon the modules that extend a Ruby class; it is empty for all else. `overrides`
is the nearest method that a method overrides, mostly none."""
_overriding = functions.c.overrides.is_not(None)
sa.Index(
    "ix_functions_by_overrides", functions.c.overrides,
    sqlite_where=_overriding, postgresql_where=_overriding,
)  # fmt: skip

calls = sa.Table(
    "calls",
    metadata,
    sa.Column("caller", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("callee", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("confidence", sa.SmallInteger, nullable=False),
    sa.Column("lines", sa.Text, nullable=False),
    sa.Column("stands_for", sa.Text, nullable=False, server_default=""),
    sa.Column("passes_on", sa.Text, nullable=False, server_default=""),
    sa.Index("ix_calls_by_callee", "callee"),
    sqlite_with_rowid=False,
)
"""Calls belong to the project and file of their caller, which is a row of `functions`.

`stands_for` lists the functions for which the callee is called, which is a wrapper of each, and
`passes_on` those for which the caller calls, which is one. Both are empty for almost every call.
"""

relations = sa.Table(
    "relations",
    metadata,
    sa.Column(
        "project", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("source", BINARY, primary_key=True),
    sa.Column("target", BINARY, primary_key=True),
    sa.Column("kind", BINARY, primary_key=True),
    sa.Column("strength", sa.Integer, nullable=False),
    sa.Index("ix_relations_by_target", "project", "target"),
)
