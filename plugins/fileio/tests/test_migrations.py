"""The migrated schema is the one the code uses."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fileio_host import Host

from toolroll_fileio.tables import metadata


def test_migrations_make_the_tables_of_the_code(host: Host) -> None:
    with host.context.database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_two_active_files_can_not_share_a_path(host: Host) -> None:
    host.write("/a")
    indexes = host.rows("SELECT sql FROM sqlite_master WHERE name = 'uq_mcp_files_active'")
    assert "UNIQUE" in indexes[0].sql
    assert "deleted = 0" in indexes[0].sql
