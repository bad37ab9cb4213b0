"""Which methods override a method, and which ones it overrides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from toolroll_codegraph.storage.store import chunks
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_DEEPEST: Final = 50
"""Methods above one another; the order of a class has some fifty."""


def overridden(session: Session, method: Any) -> list[Any]:
    """The methods that a method overrides, the nearest first."""
    found: dict[int, Any] = {}
    following = method.overrides
    while following is not None and following not in found and len(found) < _DEEPEST:
        row = session.execute(sa.select(functions).where(functions.c.id == following)).first()
        if row is None:
            break
        found[following] = row
        following = row.overrides
    return list(found.values())


def overriders(session: Session, method: Any, most: int) -> list[Any]:
    """The methods that override a method, by file and line, those nearest to it first; some more
    than `most` where there are more."""
    found: dict[int, Any] = {}
    frontier = [method.id]
    while frontier and len(found) <= most:
        rows = [
            row
            for chunk in chunks(frontier)
            for row in session.execute(
                sa.select(functions)
                .where(functions.c.overrides.in_(chunk))
                .order_by(functions.c.path, functions.c.start_line, functions.c.qualified_name)
                .limit(most + 1)
            )
        ]
        frontier = [row.id for row in rows if row.id not in found]
        found |= {row.id: row for row in rows}
    return list(found.values())
