"""Searching one collection: chunks whose files were compared with the disk just now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from attrs import evolve, frozen

import toolroll
from toolroll.search import EVERYTHING, Scope
from toolroll_file_ops.failures import invalid_parameter
from toolroll_file_ops.ranking import Found, rank
from toolroll_file_ops.services import reranked

if TYPE_CHECKING:
    from toolroll_file_ops.content import Loaded
    from toolroll_file_ops.opened import Opened

__all__ = [
    "Group",
    "Picker",
    "capped",
    "check_query",
    "grouped",
    "search",
    "search_verified",
]

ROUNDS: Final = 3
"""How often a search is repeated because a file changed while it ran."""
MAX_QUERY: Final = 2000
MOST_CANDIDATES: Final = 25_000
"""Where one file owns the best chunks, so many are looked through for other files."""
BEHIND: Final = 0.99
"""What chunks of a further look count at most, in shares of the last of those before."""


Picker = Callable[[list[Found]], list[Found]]
"""Chooses from a ranking what an answer shows."""


@frozen(eq=False)
class Group:
    """A file with its matching chunks, best first."""

    path: str
    score: float
    chunks: tuple[Found, ...]


def check_query(query: str) -> str:
    """Refuse queries without anything to look for.

    Raises:
        ToolError: InvalidParameter.
    """
    if not query.strip():
        raise invalid_parameter("query", "is empty; say what to look for")
    if len(query) > MAX_QUERY:
        raise invalid_parameter("query", f"has more than {MAX_QUERY} characters")
    return query


def search(opened: Opened, query: str, *, files: int = 1) -> list[Found]:
    """Return every candidate of a collection, best first; its index is brought up to date first.

    Args:
        opened: The collection.
        query: What is asked.
        files: Distinct files that are wanted; see `search_verified`.
    """
    opened.refresh()
    return _search(opened, query, EVERYTHING, files)


def verified(opened: Opened, found: Sequence[Found]) -> list[tuple[Found, Loaded]] | None:
    """Return the chunks with their files as they are now; None if one of those changed."""
    try:
        loaded = opened.load_all(list(dict.fromkeys(hit.path for hit in found)))
    except toolroll.ToolError:
        return None
    pairs = [(hit, loaded[hit.path][0]) for hit in found]
    return pairs if all(file.file_id == hit.file_id for hit, file in pairs) else None


def search_verified(
    opened: Opened,
    query: str,
    pick: Picker,
    *,
    scope: Scope = EVERYTHING,
    files: int = 1,
) -> list[tuple[Found, Loaded]]:
    """Search, pick from the ranking, and compare what was picked with the disk.

    A file that changed in between is indexed and the search repeated; what still changes after
    some rounds is left out, and so is what cannot be indexed, so that no stale text is ever shown.

    Args:
        opened: The collection.
        query: What is asked.
        pick: Chooses from the ranking.
        scope: Which files may answer.
        files: Distinct files that are wanted: more candidates are fetched until there are so many,
            or until every chunk that matches is among them.
    """
    opened.refresh()
    picked: list[Found] = []
    changed: set[str] = set()
    for _ in range(ROUNDS):
        found = [hit for hit in _search(opened, query, scope, files) if hit.path not in changed]
        picked = pick(reranked(opened, query, found))
        pairs = verified(opened, picked)
        if pairs is not None:
            return pairs
        opened.refresh(force=True)
        if opened.stale:
            changed.update(hit.path for hit in picked if verified(opened, [hit]) is None)
    settled = (verified(opened, [hit]) for hit in picked)
    return [pair for pairs in settled if pairs is not None for pair in pairs]


def capped(ranked: list[Found], per_file: int | None) -> list[Found]:
    """Keep at most `per_file` chunks of each file, the best ones; None keeps all."""
    if per_file is None:
        return ranked
    seen: dict[str, int] = {}
    kept: list[Found] = []
    for hit in ranked:
        seen[hit.path] = seen.get(hit.path, 0) + 1
        if seen[hit.path] <= per_file:
            kept.append(hit)
    return kept


def grouped(found: Sequence[Found]) -> list[Group]:
    """Group chunks by file; a file is as good as its best chunk, ties by path."""
    by_path: dict[str, list[Found]] = {}
    for hit in found:
        by_path.setdefault(hit.path, []).append(hit)
    groups = [Group(path, hits[0].score, tuple(hits)) for path, hits in by_path.items()]
    return sorted(groups, key=lambda group: (-group.score, group.path))


def _search(opened: Opened, query: str, scope: Scope, files: int) -> list[Found]:
    settings = opened.engine.ranking
    found: list[Found] = []
    while True:
        ranked = rank(opened, query, scope, settings)
        found = _continued(found, ranked)
        enough = len({hit.path for hit in found}) >= files
        if enough or len(ranked) < settings.candidates or settings.candidates >= MOST_CANDIDATES:
            return found
        settings = evolve(settings, candidates=settings.candidates * 5)


def _continued(found: list[Found], ranked: list[Found]) -> list[Found]:
    """Return a ranking with what another of more candidates adds, behind it.

    Scores depend on what a chunk is compared with. Whoever asks for more files sees first what they
    saw when they asked for fewer.
    """
    if not found:
        return ranked
    shown = {hit.chunk_id for hit in found}
    added = [hit for hit in ranked if hit.chunk_id not in shown]
    highest = added[0].score if added else 0.0
    factor = min(1.0, BEHIND * found[-1].score / highest) if highest else 1.0
    return found + [hit._replace(score=round(hit.score * factor, 6)) for hit in added]
