"""Storage of the notes pack; imported on first use, because sqlalchemy is."""

from __future__ import annotations

from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    """The tables of this pack."""


class Row(Base):
    """One remembered text."""

    __tablename__ = "note"

    key: Mapped[str] = mapped_column(primary_key=True)
    text: Mapped[str]


def save(session: Session, key: str, text: str) -> None:
    """Store `text` under `key`, replacing what was there."""
    session.merge(Row(key=key, text=text))


def find(session: Session, key: str) -> str | None:
    """Return the text under `key`, or None."""
    row = session.get(Row, key)
    return row.text if row is not None else None
