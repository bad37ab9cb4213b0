"""Finding symptoms by names of any length, which only a hash index of PostgreSQL holds."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index one of hashes."""
    _replace("hash")


def downgrade() -> None:
    """Make the index one of names."""
    _replace("btree")


def _replace(kind: str) -> None:
    op.drop_index("ix_symptoms_name", "symptoms")
    op.create_index("ix_symptoms_name", "symptoms", ["name"], postgresql_using=kind)
