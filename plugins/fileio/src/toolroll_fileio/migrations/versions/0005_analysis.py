"""How the stored chunks were made; those made before this are made anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "mcp_file_analysis",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("analysis", sa.String(256), nullable=False),
    )
