"""What the indexes find for a query, joined with the files as they are now (manual 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen
from sqlalchemy import Connection, Integer, bindparam, cast, func, select

import toolroll
from toolroll.search import SearchError
from toolroll_fileio.causes import cause_of
from toolroll_fileio.failures import failure
from toolroll_fileio.names import Space
from toolroll_fileio.tables import active, chunks, files

if TYPE_CHECKING:
    from toolroll_fileio.settings import SearchSettings
    from toolroll_fileio.shelf import SpaceIndex

__all__ = ["Asked", "Candidate", "Candidates", "find_candidates"]

_chosen = (
    select(chunks).where(chunks.c.id.in_(bindparam("ids", expanding=True))).cte("chosen")
).prefix_with("MATERIALIZED")  # or PostgreSQL may rather read every chunk of the project
_bytes = (
    select(
        func.substr(
            files.c.content,
            cast(_chosen.c.start_byte + 1, Integer),  # PostgreSQL's has no wider numbers
            cast(_chosen.c.end_byte - _chosen.c.start_byte, Integer),
            type_=files.c.content.type,
        )
    )
    .where(
        files.c.apikey_hash == _chosen.c.apikey_hash,
        files.c.project == _chosen.c.project,
        files.c.path == _chosen.c.file_path,
        active,
    )
    .scalar_subquery()  # one file for each chunk: nor need it read every file
)
_FOUND: Final = select(
    _chosen.c.id,
    _chosen.c.file_path,
    _chosen.c.start_byte,
    _chosen.c.end_byte,
    _chosen.c.content_hash,
    _bytes.label("bytes"),
).where(
    _chosen.c.apikey_hash == bindparam("tenant"),
    _chosen.c.project == bindparam("project"),
)


@frozen
class Candidate:
    """A chunk that is still what its file holds."""

    id: int
    path: str
    start: int
    end: int
    text: str


@frozen(eq=False)
class Asked:
    """A query as the indexes take it; its vector, or why it has none."""

    terms: Sequence[str]
    prefix: str
    vector: Any
    failed: SearchError | None


Candidates = tuple[dict[int, float], dict[int, float], dict[int, Candidate]]
"""Scores by words and scores by meaning, by the id of a chunk, and the chunks of both that their
files hold right now."""


def find_candidates(
    context: toolroll.ToolContext,
    connection: Connection,
    index: SpaceIndex,
    space: Space,
    asked: Asked,
    settings: SearchSettings,
) -> Candidates:
    """Return what the indexes of a space find; one way failing leaves the other.

    Raises:
        ToolError: SEARCH_BACKEND_ERROR: neither way of searching works.
    """
    words: dict[int, float] = {}
    meaning: dict[int, float] = {}
    causes = [] if asked.failed is None else [cause_of(asked.failed)]
    try:
        hits = index.words(connection, asked.terms, settings.bm25_candidates, asked.prefix)
        words = {hit.id: hit.score for hit in hits}
    except SearchError as error:
        causes.append(cause_of(error))
    if asked.vector is not None and asked.vector.any():
        meaning = _near(connection, index, asked, words, settings)
    if len(causes) == 2:
        raise failure(
            "SEARCH_BACKEND_ERROR",
            f"search works neither by words nor by meaning ({'; '.join(causes)}); "
            "try again later, or use file_grep",
            retryable=True,
        )
    if causes:
        context.log.warning("search goes on by words or by meaning alone: %s", causes[0])
    return words, meaning, _join(connection, space, sorted({*words, *meaning}), asked.prefix)


def _near(
    connection: Connection,
    index: SpaceIndex,
    asked: Asked,
    words: Mapping[int, float],
    settings: SearchSettings,
) -> dict[int, float]:
    """Return the similarity of the nearest chunks, and of those that were found by their words."""
    hits = index.meaning(connection, asked.vector, settings.vector_candidates, asked.prefix)
    found = {hit.id: hit.score for hit in hits if hit.score >= settings.semantic_floor}
    missing = [i for i in words if i not in found]
    return {**index.nearness(connection, asked.vector, missing), **found}


def _join(
    connection: Connection, space: Space, ids: Sequence[int], prefix: str
) -> dict[int, Candidate]:
    """Return the chunks that active files hold right now, byte for byte; drop all others."""
    if not ids:
        return {}
    bound = {**space.bound, "ids": list(ids)}
    return {
        row.id: Candidate(row.id, row.file_path, row.start_byte, row.end_byte, row.bytes.decode())
        for row in connection.execute(_FOUND, bound)
        if row.bytes is not None  # its file is gone
        and row.file_path.startswith(prefix)
        and sha256(row.bytes).hexdigest() == row.content_hash
    }
