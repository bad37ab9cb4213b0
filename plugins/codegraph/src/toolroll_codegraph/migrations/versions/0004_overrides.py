"""Let methods say what they override: those stored before say nothing until an index run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("functions", sa.Column("overrides", sa.BigInteger))
    some = sa.text("overrides IS NOT NULL")
    op.create_index(
        "ix_functions_by_overrides", "functions", ["overrides"],
        sqlite_where=some, postgresql_where=some,
    )  # fmt: skip
