"""Finding what a class inherits under a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from toolroll_codegraph.languages.registry import language_of
from toolroll_codegraph.resolve.linearisation import Orders
from toolroll_codegraph.storage.store import chunks
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

_MOST_CLASSES: Final = 50
"""Of one name that are asked for what they inherit; people ask for one."""
_MOST_ABOVE: Final = 1_000
"""Classes above these; Rails' largest have some hundred."""
_SINGLETON: Final = "singleton_method"


class Ancestors:
    """Some classes, and all that they derive from, join or are extended by."""

    def __init__(self, session: Session, project: int, classes: Iterable[Any]) -> None:
        self._session = session
        self._project = project
        self.rows: dict[int, Any] = {row.id: row for row in classes}
        self._extended: dict[int, list[int]] = {}
        self._orders = Orders()
        frontier = list(self.rows.values())
        while frontier and len(self.rows) <= _MOST_ABOVE:
            wanted: dict[int, None] = {}
            for row in frontier:
                self._orders.bases[row.id], self._extended[row.id] = bases_of(row)
                wanted |= dict.fromkeys((*self._orders.bases[row.id], *self._extended[row.id]))
            frontier = [
                row
                for chunk in chunks([item for item in wanted if item not in self.rows])
                for row in session.execute(sa.select(functions).where(functions.c.id.in_(chunk)))
            ]
            self.rows |= {row.id: row for row in frontier}

    def named(self, names: Sequence[str]) -> dict[tuple[str, str], list[Any]]:
        """The functions of these names that the classes define: (class, its file) → functions.

        Ruby's classes are opened in any file, and stand under no file's name.
        """
        found: dict[tuple[str, str], list[Any]] = {}
        holders = {row.qualified_name for row in self.rows.values()}
        wanted = sorted(f"{holder}.{name}" for holder in holders for name in names)
        for chunk in chunks(wanted):
            statement = sa.select(functions).where(
                functions.c.project == self._project,
                functions.c.name.in_(names),
                functions.c.qualified_name.in_(chunk),
                functions.c.kind.in_(("method", "function", "constructor", _SINGLETON)),
            )
            for row in self._session.execute(statement.order_by(functions.c.id)):
                holder = row.qualified_name.rpartition(".")[0]
                found.setdefault((holder, place_of(row.path)), []).append(row)
        return found

    def sides(self, scope: int) -> list[list[tuple[int, bool | None]]]:
        """Who is asked for a class's method, and for one of its objects, in order.

        Each with whether its own methods are meant, those of its objects, or either.
        """
        order = [item for item in self._orders.find(scope) if item in self.rows]
        if place_of(self.rows[scope].path):
            return [[(item, None) for item in order]]
        of_class: list[tuple[int, bool | None]] = []
        for item in order:
            of_class.append((item, True))
            for module in self._extended.get(item, ()):
                of_class += [(known, False) for known in self._orders.find(module)]
        return [of_class, [(item, False) for item in order]]


def inherited(
    session: Session, project: int, classes: Sequence[Any], names: Sequence[str], *, instance: bool
) -> list[Any]:
    """What classes inherit under a name, the nearest definition for each class.

    Of a Ruby class the method of the class, then that of its objects, or the other way round.
    """
    classes = [row for row in classes if row.bases][:_MOST_CLASSES]
    if not classes:
        return []
    ancestors = Ancestors(session, project, classes)
    defined = ancestors.named(names)
    found: dict[int, Any] = {}
    for row in classes:
        sides = ancestors.sides(row.id)
        for side in reversed(sides) if instance else sides:
            method = _nearest(ancestors, defined, side)
            if method is not None:
                found.setdefault(method.id, method)
    return list(found.values())


def _nearest(
    ancestors: Ancestors,
    defined: dict[tuple[str, str], list[Any]],
    side: Sequence[tuple[int, bool | None]],
) -> Any:
    for item, own in side:
        holder = ancestors.rows.get(item)
        if holder is None:
            continue
        for method in defined.get((holder.qualified_name, place_of(holder.path)), ()):
            if own is None or (method.kind == _SINGLETON) == own:
                return method
    return None


def place_of(path: str) -> str:
    """The file that a class is defined in; none for Ruby's, also in scripts without a suffix."""
    return "" if language_of(path.rpartition("/")[2]) in ("ruby", None) else path


def bases_of(row: Any) -> tuple[list[int], list[int]]:
    """The identifiers of the classes that a class derives from, and of what extends it."""
    above, _, extending = row.bases.partition(";")
    return _identifiers(above), _identifiers(extending)


def _identifiers(text: str) -> list[int]:
    return [int(item) for item in text.split(",") if item]
