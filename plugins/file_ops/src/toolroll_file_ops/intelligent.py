"""`intelligent_search`: several ways to ask, several collections, no two hits that say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import frozen

import toolroll
from toolroll.search.tokens import query_tokens
from toolroll_file_ops.content import MAX_SIZE_KB, Loaded
from toolroll_file_ops.expansion import expanded
from toolroll_file_ops.ranking import Found
from toolroll_file_ops.search_results import FileContext, IntelligentHit, IntelligentResults
from toolroll_file_ops.searching import capped, search, search_verified
from toolroll_file_ops.summarize import short_summary

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["Merged", "can_fetch", "intelligent_search", "merged"]

EXPANSION_SHARE: Final = 0.1
"""How much of the score for related terms is added to the score for the query itself."""
TOO_ALIKE: Final = 0.8
"""Share of common words from which two hits say the same."""
PER_FILE: Final = 5
"""Chunks of one file that are considered: no file crowds out the others."""
FILES_WANTED: Final = 10
SUMMARIES: Final = 20
"""Hits that carry a summary of their file."""


@frozen(eq=False)
class Merged:
    """A hit with the collection it is from."""

    opened: Opened
    hit: Found
    loaded: Loaded
    score: float
    bonus: float


def intelligent_search(
    places: list[Opened], query: str, limit: int, *, expand: bool, threshold: float
) -> IntelligentResults:
    """Return the best hits over the collections, scores falling.

    Args:
        places: The collections.
        query: What is asked.
        limit: Hits at most.
        expand: Whether related terms count too.
        threshold: Least score.
    """
    found, asked = merged(places, query, 4 * limit, expand=expand)
    above = [item for item in found if item.score >= threshold]
    kept = _distinct(above, limit)
    return IntelligentResults(
        results=[_hit(item, summary=i < SUMMARIES) for i, item in enumerate(kept)],
        metadata={
            "total_queries": asked,
            "collections_searched": len(places),
            "total_results_found": len(found),
            "results_after_dedup": len(kept),
            "final_results_count": len(kept),
        },
    )


def merged(
    places: list[Opened], query: str, limit: int, *, expand: bool
) -> tuple[list[Merged], int]:
    """Return hits of several collections in one order, and how many queries were asked."""
    more = expanded(query) if expand else None
    found: list[Merged] = []
    for opened in places:
        opened.check()
        wanted = min(limit, FILES_WANTED)
        related = search(opened, more, files=wanted) if more else []
        bonus = {hit.chunk_id: hit.score for hit in related}

        def total(hit: Found, bonus: dict[int, float] = bonus) -> float:
            return hit.score + EXPANSION_SHARE * bonus.get(hit.chunk_id, 0.0)

        def pick(ranked: list[Found]) -> list[Found]:
            best = sorted(ranked, key=lambda found: (-total(found), found.chunk_id))
            return capped(best, PER_FILE)[:limit]

        for hit, loaded in search_verified(opened, query, pick, files=wanted):
            extra = EXPANSION_SHARE * bonus.get(hit.chunk_id, 0.0)
            scale = 1 + (EXPANSION_SHARE if more else 0)
            found.append(Merged(opened, hit, loaded, (hit.score + extra) / scale, extra / scale))
    found.sort(key=lambda item: (-item.score, item.opened.name, item.hit.path, item.hit.position))
    return found, (2 if more else 1) * len(places)


def can_fetch(loaded: Loaded) -> bool:
    """Say whether `get_file_content` can return the file whole."""
    return len(loaded.data) <= MAX_SIZE_KB * 1024


def _distinct(found: list[Merged], limit: int) -> list[Merged]:
    """Leave out hits whose span overlaps a better one's, or which use almost the same words."""
    kept: list[Merged] = []
    bags: list[set[str]] = []
    for item in found:
        bag = set(query_tokens(item.hit.text(item.loaded)))
        if any(_same_span(item, other) for other in kept):
            continue
        if any(_jaccard(bag, other) > TOO_ALIKE for other in bags):
            continue
        kept.append(item)
        bags.append(bag)
        if len(kept) == limit:
            break
    return kept


def _same_span(one: Merged, other: Merged) -> bool:
    return (
        one.loaded.file_id == other.loaded.file_id
        and one.hit.start < other.hit.end
        and other.hit.start < one.hit.end
    )


def _jaccard(one: set[str], other: set[str]) -> float:
    union = one | other
    return len(one & other) / len(union) if union else 1.0


def _hit(item: Merged, *, summary: bool) -> IntelligentHit:
    hit, loaded = item.hit, item.loaded
    return IntelligentHit(
        content=hit.text(loaded),
        score=round(item.score, 6),
        collection=item.opened.name,
        doc_id=f"{hit.path}#{hit.position}",
        metadata={
            "file_path": hit.path,
            "chunk_index": hit.position,
            "file_extension": hit.file_type,
            "chunk_size": hit.end - hit.start,
        },
        score_breakdown={
            "lexical": round(hit.lexical, 6),
            "semantic": round(hit.semantic, 6),
            "expansion": round(item.bonus, 6),
            "final_score": round(item.score, 6),
        },
        file_context=FileContext(
            file_path=hit.path,
            chunk_index=hit.position,
            total_chunks=hit.chunk_count,
            file_summary=short_summary(item.opened, loaded) if summary else None,
            can_fetch_full=can_fetch(loaded),
            line_range=hit.lines,
            freshness="fresh",
        ),
    )


def open_names(names: list[str]) -> list[str]:
    """Refuse an empty name among the collections a caller gave."""
    if any(not name.strip() for name in names):
        raise toolroll.ToolError("collections: a name is empty", code="InvalidParameter")
    return list(dict.fromkeys(names))
