"""Files related to a file by imports and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from toolroll_codegraph.storage.tables import relations

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

RELATIONSHIPS: Final = ("imports", "imported_by", "calls", "called_by")
_INVERSE: Final = {"imports": "imported_by", "calls": "called_by"}


def related_files(
    session: Session, project: int, path: str, relationship: str
) -> list[tuple[str, str, int]]:
    """Return (file, relationship, strength), the strongest first.

    Strength is the number of imported names, or of distinct pairs of caller and callee. A file
    appears once for each relationship, and never as related to itself.
    """
    table = relations.c
    outgoing = sa.select(table.target, table.kind, table.strength).where(
        table.project == project, table.source == path
    )
    incoming = sa.select(table.source, table.kind, table.strength).where(
        table.project == project, table.target == path
    )
    found = [(other, kind, strength) for other, kind, strength in session.execute(outgoing)]
    found += [
        (other, _INVERSE[kind], strength) for other, kind, strength in session.execute(incoming)
    ]
    wanted = RELATIONSHIPS if relationship == "all" else (relationship,)
    found = [row for row in found if row[1] in wanted and row[0] != path]
    found.sort(key=lambda row: (-row[2], row[0], RELATIONSHIPS.index(row[1])))
    return found
