"""On SQLite: no second index of paths, which made every write touch a page more.

On PostgreSQL it finds the newest change below a directory without touching the rows (manual 7).
"""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.drop_index("idx_mcp_files_prefix", "mcp_files")
