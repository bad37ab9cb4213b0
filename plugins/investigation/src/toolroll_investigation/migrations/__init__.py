"""Alembic migrations of the investigation database."""
