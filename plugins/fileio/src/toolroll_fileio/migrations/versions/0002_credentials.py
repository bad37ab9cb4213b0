"""A reference to the sealed key of an index job."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("mcp_file_index_jobs", sa.Column("credential_ref", sa.String(128)))
