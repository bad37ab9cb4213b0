"""The order of what was found where there is no reranker: the fused score, and what else is known.

Words and meaning alone put whoever mentions a name before what defines it, and a test of something
before the thing (`toolroll.search.ranking`, retrieval.md section 3).
"""

from __future__ import annotations

from typing import Final

from toolroll.search import Candidate, RankingSettings, fuse, rank
from toolroll.search.chunks import likely_symbols
from toolroll.search.query_symbols import is_symbol
from toolroll_fileio.candidates import Candidates

__all__ = ["by_signals"]

SIGNALS: Final = RankingSettings()


def by_signals(query: str, candidates: Candidates, semantic_share: float) -> dict[int, float]:
    """Return a score of 0 … 1 for each candidate, comparable within one answer.

    Args:
        query: What was asked.
        candidates: Scores by words, scores by meaning, and the chunks.
        semantic_share: Weight of the meaning, 0 … 1; a bare symbol has little.
    """
    words, meaning, found = candidates
    if is_symbol(query):
        semantic_share = min(semantic_share, SIGNALS.symbol_semantic_weight)
    fused = fuse(words, meaning, semantic_weight=semantic_share)
    chunks = [Candidate(it.id, it.path, _symbols(it.text, it.path)) for it in found.values()]
    ranked = rank(query, fused, chunks, SIGNALS)
    return {id: score / (1 + score) for id, score in ranked.items()}


def _symbols(text: str, path: str) -> tuple[str, ...]:
    try:
        return likely_symbols(text.encode(), path)
    except Exception:  # a parser's failure costs a chunk its names, as it does in the index
        return ()
