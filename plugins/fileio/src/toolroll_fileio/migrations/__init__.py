"""Alembic migrations of the fileio pack."""
