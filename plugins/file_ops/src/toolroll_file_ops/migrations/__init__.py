"""Alembic migrations of the pack."""
