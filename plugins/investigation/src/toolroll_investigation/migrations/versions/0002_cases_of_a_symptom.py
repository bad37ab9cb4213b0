"""Finding the cases of a symptom without reading every case."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the index."""
    op.create_index("ix_cases_symptom", "cases", ["symptom_id"], unique=False)


def downgrade() -> None:
    """Drop the index."""
    op.drop_index("ix_cases_symptom", "cases")
