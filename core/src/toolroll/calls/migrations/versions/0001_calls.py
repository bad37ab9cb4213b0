"""Make the table of calls."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "calls",
        sa.Column("call_id", sa.String(32), primary_key=True),
        sa.Column("time", sa.String(40), nullable=False),
        sa.Column("pack", sa.String(64), nullable=False),
        sa.Column("tool", sa.String(64), nullable=False),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("duration_ms", sa.Float, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("code", sa.String(64), nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
    )
    op.create_index("calls_by_time", "calls", ["time", "call_id"])
    op.create_index("calls_by_tenant", "calls", ["tenant", "time"])
    op.create_index("calls_by_tool", "calls", ["tool", "time"])
