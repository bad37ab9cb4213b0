"""Let calls say which functions a wrapper is called for: for those stored before, any."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("stands_for", "passes_on"):
        op.add_column("calls", sa.Column(name, sa.Text, nullable=False, server_default=""))
