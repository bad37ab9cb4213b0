"""What search indexes outside of SQL have to follow: chunks that came, went, or got a vector.

The rows of `mcp_file_index_changes` are written in the transaction that changes the chunks. An
index that keeps the last `seq` it has applied needs to read no more than what came after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from attrs import define, field, frozen
from sqlalchemy import Connection, bindparam, func, select

from toolroll_fileio.names import Space
from toolroll_fileio.tables import changes, projects

__all__ = ["Behind", "ChangeLog", "IndexLog", "Place", "behind", "how_many", "place"]

ADD: Final = "add"
REMOVE: Final = "remove"
VECTOR: Final = "vector"

_OF_SPACE: Final = (changes.c.apikey_hash == bindparam("tenant")) & (
    changes.c.project == bindparam("project")
)
_TOP: Final = select(func.max(changes.c.seq)).where(_OF_SPACE)
_TRIMMED: Final = select(projects.c.trimmed_seq).where(
    projects.c.apikey_hash == bindparam("tenant"), projects.c.project == bindparam("project")
)
_BEHIND: Final = (
    select(changes.c.chunk_id, changes.c.change)
    .where(_OF_SPACE, changes.c.seq > bindparam("seq"), changes.c.seq <= bindparam("top"))
    .order_by(changes.c.seq)
)
_HOW_MANY: Final = select(func.count()).where(_OF_SPACE, changes.c.seq > bindparam("seq"))


class IndexLog(Protocol):
    """Is told what happens to the chunks of one space in one transaction."""

    def removed(self, ids: Sequence[int]) -> None:
        """Note that chunks are gone."""
        ...

    def added(self, path: str, terms: Mapping[int, Mapping[str, int]]) -> None:
        """Note new chunks of a file, by id with their counted terms."""
        ...

    def given_vectors(self, ids: Sequence[int]) -> None:
        """Note that chunks which were there already have a vector now."""
        ...

    def flush(self) -> None:
        """Write what was noted; the last call, before the commit."""
        ...


@define(eq=False)
class ChangeLog:
    """Keeps changes for the indexes that follow."""

    connection: Connection
    space: Space
    _noted: list[tuple[str, int]] = field(factory=list[tuple[str, int]], init=False)

    def removed(self, ids: Sequence[int]) -> None:
        """Note that chunks are gone."""
        self._noted += ((REMOVE, number) for number in ids)

    def added(self, path: str, terms: Mapping[int, Mapping[str, int]]) -> None:
        """Note new chunks."""
        self._noted += ((ADD, number) for number in terms)

    def given_vectors(self, ids: Sequence[int]) -> None:
        """Note that chunks have a vector now."""
        self._noted += ((VECTOR, number) for number in ids)

    def flush(self) -> None:
        """Write the rows."""
        if self._noted:
            of = {"apikey_hash": self.space.tenant, "project": self.space.project}
            self.connection.execute(
                changes.insert(),
                [{**of, "chunk_id": number, "change": change} for change, number in self._noted],
            )
            self._noted.clear()


@frozen
class Place:
    """Where the changes of a space stand.

    Attributes:
        top: The newest seq; 0 where nothing was ever indexed.
        oldest: An index that has applied less than this must be filled anew.
    """

    top: int
    oldest: int


@frozen
class Behind:
    """What came after a seq, each sorted."""

    removed: Sequence[int]
    added: Sequence[int]
    given_vectors: Sequence[int]


def place(connection: Connection, space: Space) -> Place:
    """Return where the changes of a space stand, in the connection's snapshot."""
    bound = space.bound
    top = connection.execute(_TOP, bound).scalar() or 0
    trimmed = (connection.execute(_TRIMMED, bound).scalar() or 0) if top else 0
    return Place(top, max(trimmed, 1))


def how_many(connection: Connection, space: Space, seq: int) -> int:
    """Return how many changes came after a seq."""
    return connection.execute(_HOW_MANY, {**space.bound, "seq": seq}).scalar_one()


def behind(connection: Connection, space: Space, seq: int, top: int) -> Behind:
    """Return what has come after `seq`, up to `top`; chunks that came and went are left out."""
    found: dict[str, set[int]] = {ADD: set(), REMOVE: set(), VECTOR: set()}
    for row in connection.execute(_BEHIND, {**space.bound, "seq": seq, "top": top}):
        found[row.change].add(row.chunk_id)
    brief = found[ADD] & found[REMOVE]
    return Behind(
        sorted(found[REMOVE] - brief),
        sorted(found[ADD] - brief),
        sorted(found[VECTOR] - found[REMOVE]),
    )
