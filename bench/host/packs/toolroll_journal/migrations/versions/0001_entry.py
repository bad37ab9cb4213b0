"""Make the table of entries."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table("entry", sa.Column("number", sa.Integer(), primary_key=True))
