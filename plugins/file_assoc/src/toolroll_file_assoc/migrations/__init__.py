"""Alembic migrations of the pack's database."""
