"""The probe's one table; imported on first use, because sqlalchemy is."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    """The tables of the probe."""


class Entry(Base):
    """One text under its key."""

    __tablename__ = "entry"

    key: Mapped[str] = mapped_column(primary_key=True)
    text: Mapped[str]


def put(session: Session, key: str, text: str) -> None:
    """Store a text."""
    session.merge(Entry(key=key, text=text))


def count(session: Session) -> int:
    """Count texts."""
    return session.scalar(select(func.count()).select_from(Entry)) or 0
