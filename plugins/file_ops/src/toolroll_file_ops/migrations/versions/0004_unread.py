"""How much of each collection the last full pass might not read; told from the next one on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("unread", sa.Integer, nullable=False, server_default="0")
    op.add_column("collections", column)
