"""When each file was changed in any way; those indexed before this are read once more."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("ctime_ns", sa.BigInteger, nullable=False, server_default="0")
    op.add_column("files", column)
