"""Alembic migrations of the call log."""
