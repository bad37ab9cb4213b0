"""Alembic migrations of the notes pack; the host runs them at first use."""
