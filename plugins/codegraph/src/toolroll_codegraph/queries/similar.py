"""Names that one which nobody defines may have been meant for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from toolroll_codegraph.queries.definitions import NO_TEXT, SELECTABLE, plain_name
from toolroll_codegraph.queries.paths import files_meant
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_MOST_COMPARED: Final = 1000
"""Characters: longer ones are like no name, and to compare them takes minutes."""


def similar_names(session: Session, project: int, query: str) -> list[str]:
    """Return up to five names of the project that a query nobody defines may have meant."""
    from difflib import get_close_matches

    if len(query) > _MOST_COMPARED or NO_TEXT.search(query):
        return []
    statement = (
        sa.select(functions.c.qualified_name)
        .where(functions.c.project == project, functions.c.kind.in_(SELECTABLE))
        .distinct()
    )
    for path in files_meant(session, project, query.strip().removesuffix("::")):  # a file's alone
        inside = statement.where(functions.c.path == path).order_by(functions.c.qualified_name)
        return [f"{path}::{name}" for name in session.execute(inside.limit(5)).scalars()]
    wanted = plain_name(query.rpartition("/")[2].partition("::")[2] or query.strip())
    qualified = sorted(session.execute(statement).scalars())
    parts = wanted.split(".")
    for start in range(len(parts)):
        owner = ".".join(parts[start:])
        methods = [name for name in qualified if f".{owner}." in f".{name}"]
        if methods:  # of a class that nobody calls, or that inherits its constructor
            return methods[:5]
    classes = sa.select(functions.c.qualified_name).where(
        functions.c.project == project, functions.c.kind == "class"
    )
    qualified = sorted({*qualified, *session.execute(classes).scalars()})
    simple = wanted.rpartition(".")[2].lower()
    parts = {part for name in qualified for part in name.lower().split(".")}  # classes among them
    close = set(get_close_matches(simple, parts, n=5, cutoff=0.75))
    near = [name for name in qualified if not close.isdisjoint(name.lower().split("."))]
    return get_close_matches(wanted, near, n=5, cutoff=0.0)
