"""How the chunks of each file were cut; those cut before this are cut anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("files", sa.Column("analysis", sa.String, nullable=False, server_default=""))
