"""Alembic migrations of the codegraph store."""
