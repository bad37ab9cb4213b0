"""One score from two: words and meaning.

Weighted min-max of BM25 and cosine over the union of both candidate lists. Rank fusion (RRF) loses
.018-.034 nDCG against it on three collections (retrieval.md, section 3).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

__all__ = ["fuse", "normalized"]


K = TypeVar("K", bound=Hashable)


def normalized(scores: Mapping[K, float]) -> dict[K, float]:
    """Return the scores stretched to 0 … 1; all 1 where they are equal and positive."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0 if high > 0 else 0.0)
    return {id: (score - low) / (high - low) for id, score in scores.items()}


def fuse(
    lexical: Mapping[int, float], semantic: Mapping[int, float], *, semantic_weight: float
) -> dict[int, float]:
    """Return one score of 0 … 1 for every chunk that either side knows.

    Args:
        lexical: BM25 by chunk id; a chunk without any of the words counts 0.
        semantic: Cosine by chunk id; give it for the whole union where vectors are at hand. A chunk
            without one counts as the worst.
        semantic_weight: 0 … 1; what is left is the weight of the words.
    """
    union = sorted(lexical.keys() | semantic.keys())
    by_words = normalized({id: lexical.get(id, 0.0) for id in union})
    worst = min(semantic.values(), default=0.0)
    by_meaning = normalized({id: semantic.get(id, worst) for id in union})
    if not semantic:
        return by_words
    if not lexical:
        return by_meaning
    return {
        id: (1 - semantic_weight) * by_words[id] + semantic_weight * by_meaning[id] for id in union
    }
