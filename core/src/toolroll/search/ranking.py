"""Cheap signals on top of the fused score: the largest gain of all for code search.

With them nDCG@10 over 26 repositories rose from .734 to .848 (retrieval.md, section 3): how many
chunks of a file answer, words of the query in the file's name, the chunk that defines what the
query names, and less for tests, examples and vendored code. What the file is about as a whole adds
as much again to questions in words (bench/file_ops/code_search.py).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import field, frozen

from toolroll.search.fusion import normalized
from toolroll.search.tokens import query_tokens, tokenize

__all__ = ["Candidate", "RankingSettings", "identifiers", "is_symbol", "rank"]


@frozen(kw_only=True)
class RankingSettings:
    """Every number of hybrid search; the defaults are the measured ones.

    Args:
        candidates: Chunks that each side contributes.
        semantic_weight: Weight of the cosine against BM25, 0 … 1.
        symbol_semantic_weight: The same for a query that is one bare symbol.
        feedback_weight: How far the query's vector moves towards the best first answers; 0 for off.
        feedback_chunks: How many answers it moves towards.
        coherence: Bonus for files of which several chunks answer, in shares of the top score.
        coherence_chunks: Best chunks that count for it.
        file_meaning: Bonus for files that are near the query as a whole.
        file_name: Bonus for query words in the file's name; half for its directory's.
        symbol_words: Bonus for query words in a name that the chunk defines.
        definition_symbol: Bonus for the definition of what a bare-symbol query names.
        definition_prose: Bonus for the definition of an identifier inside a query in prose.
        definition_file: Factor on these two where the file has the symbol's name.
        side_path: Factor for tests, examples, vendored and old code.
        documentation: Factor for documentation and type stubs, where code answers too.
    """

    candidates: int = 100
    semantic_weight: float = 0.45
    symbol_semantic_weight: float = 0.3
    feedback_weight: float = 0.3
    feedback_chunks: int = 3
    coherence: float = 0.2
    coherence_chunks: int = 100
    file_meaning: float = 0.8
    file_name: float = 0.6
    symbol_words: float = 0.3
    definition_symbol: float = 3.0
    definition_prose: float = 1.5
    definition_file: float = 1.5
    side_path: float = 0.6
    documentation: float = 0.6


@frozen
class Candidate:
    """A chunk that may answer: where it is, and what it defines.

    Args:
        siblings: Ids of all chunks of its file, itself included; empty where they are not known.
    """

    id: int
    path: str
    symbols: tuple[str, ...] = field(default=())
    siblings: Sequence[int] = field(default=())


REMEMBERED: Final = 20_000
"""Names whose words are remembered, and paths: about 10 MB in all."""

_IDENTIFIER: Final = re.compile(
    r"`([^`\s]+)`|\b(\w+(?:(?:::|\.|#)\w+)+|\w*[a-z]\w*[A-Z]\w*|\w+_\w+|[A-Z]{2,}[a-z]\w*)(?:\(\))?"
)
_SYMBOL: Final = re.compile(r"`?[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[A-Za-z_$][\w$]*)*(?:\(\))?`?")
_SIDE_NAMES: Final = """
    test tests testing spec specs __tests__ testdata fixtures mocks example examples sample samples
    demo demos bench benches benchmark benchmarks vendor vendored third_party third-party legacy"""
_SIDE: Final = frozenset(_SIDE_NAMES.split())
_SIDE_NAME: Final = re.compile(r"(?:^test_|^tests?\.|_test\.|_spec\.|\.test\.|\.spec\.|Tests?\.)")
_SIDE_WORDS: Final = ("test", "exampl", "spec", "fixtur", "mock", "benchmark", "demo")
_DOCUMENTATION: Final = re.compile(
    r"(?:^|/)(?:docs?|changelogs?|typings)/|(?:^|/)(?:PKG-INFO|CHANGE|NEWS|AUTHORS|HISTORY)[^/]*$"
    r"|\.(?:md|mdx|rst|adoc|txt|html?|pod|d\.[mc]?ts)$"
)
_DOCUMENTATION_WORDS: Final = (
    "doc", "document", "guid", "tutori", "readm", "changelog", "instal", "licens", "contribut",
    "faq", "introduct", "overview",
)  # fmt: skip


def is_symbol(query: str) -> bool:
    """Say whether a query is one bare symbol, such as `parse_header` or `Parser.feed`."""
    return _SYMBOL.fullmatch(query.strip()) is not None


def identifiers(query: str) -> list[str]:
    """Return the identifiers that a query names, the last part of dotted ones."""
    if is_symbol(query):
        found = [query.strip()]
    else:
        found = [quoted or bare for quoted, bare in _IDENTIFIER.findall(query)]
    names = (re.split(r"::|\.|#|->", name.strip("`()"))[-1] for name in found)
    return list(dict.fromkeys(name for name in names if name))


def rank(
    query: str,
    scores: Mapping[int, float],
    candidates: Iterable[Candidate],
    settings: RankingSettings,
    *,
    files: Mapping[str, float] | None = None,
) -> dict[int, float]:
    """Return the final score of each candidate; higher is better.

    Args:
        query: What was asked.
        scores: Fused scores by chunk id, 0 … 1.
        candidates: The chunks that still exist; ids without a score are left out.
        settings: The weights.
        files: Cosine of whole files with the query by path, for files of several chunks.
    """
    chunks = [chunk for chunk in candidates if chunk.id in scores]
    if not chunks:
        return {}
    top = max(scores[chunk.id] for chunk in chunks)
    coherence = _coherence(scores, chunks, settings)
    asked = frozenset(query_tokens(query))
    names = {name.lower() for name in identifiers(query)}
    symbol = is_symbol(query)
    definition = settings.definition_symbol if symbol else settings.definition_prose
    best_chunk = _best_chunks(scores, chunks)
    whole = _whole_files(files or {}, best_chunk, scores, top)
    by_path: dict[str, tuple[float, float, str]] = {}
    final: dict[int, float] = {}
    for chunk in chunks:
        path = chunk.path
        if path not in by_path:
            by_path[path] = _path_signals(path, asked, settings)
        named, factor, stem = by_path[path]
        bonus = settings.coherence * coherence[path] if best_chunk[path] == chunk.id else 0.0
        if not symbol:
            bonus += named + settings.symbol_words * _symbol_share(chunk.symbols, asked)
            bonus += settings.file_meaning * whole.get(path, 0.0)
        if names:
            defined = names.intersection(name.lower() for name in chunk.symbols)
            if defined:
                bonus += definition * (settings.definition_file if stem in defined else 1.0)
        final[chunk.id] = (scores[chunk.id] + top * bonus) * factor
    return final


def _whole_files(
    files: Mapping[str, float],
    best_chunk: Mapping[str, int],
    scores: Mapping[int, float],
    top: float,
) -> dict[str, float]:
    """Return how near each file is as a whole, 0 … 1; a file of one chunk is what that chunk is.

    Weighed by the share of files that have several chunks: among short texts there is little to
    gain, and nothing to compare the few long ones with.
    """
    if not files:
        return {}
    weight = len(files) / len(best_chunk)
    whole = {path: scores[id] / top if top else 0.0 for path, id in best_chunk.items()}
    return {path: weight * value for path, value in (whole | normalized(files)).items()}


def _coherence(
    scores: Mapping[int, float], chunks: list[Candidate], settings: RankingSettings
) -> dict[str, float]:
    """Return each file's share of the best file's summed score."""
    best = sorted(chunks, key=lambda chunk: (-scores[chunk.id], chunk.id))
    sums = dict.fromkeys((chunk.path for chunk in chunks), 0.0)
    for chunk in best[: settings.coherence_chunks]:
        sums[chunk.path] += scores[chunk.id]
    highest = max(sums.values())
    return {path: total / highest if highest else 0.0 for path, total in sums.items()}


def _best_chunks(scores: Mapping[int, float], chunks: list[Candidate]) -> dict[str, int]:
    best: dict[str, int] = {}
    for chunk in sorted(chunks, key=lambda chunk: (-scores[chunk.id], chunk.id)):
        best.setdefault(chunk.path, chunk.id)
    return best


def _path_signals(
    path: str, asked: frozenset[str], settings: RankingSettings
) -> tuple[float, float, str]:
    """Return (bonus for words in the name, factor for side paths, stem in lower case)."""
    stem, parent, side, documentation = _path_facts(path)
    share = _share(_words(stem), asked)
    above = _share(_words(parent), asked) if parent else 0.0
    factor = 1.0
    if side and asked.isdisjoint(_SIDE_WORDS):
        factor *= settings.side_path
    if documentation and asked.isdisjoint(_DOCUMENTATION_WORDS):
        factor *= settings.documentation
    return settings.file_name * max(share, above / 2), factor, stem.lower()


@functools.lru_cache(maxsize=REMEMBERED)
def _path_facts(path: str) -> tuple[str, str, bool, bool]:
    """Return (stem, directory, whether it is a side path, whether it is documentation)."""
    *directories, name = path.split("/")
    stem = name.partition(".")[0] if not name.startswith(".") else name
    side = (not _SIDE.isdisjoint(directories)) or _SIDE_NAME.search(name) is not None
    parent = directories[-1] if directories else ""
    return stem, parent, side, _DOCUMENTATION.search(path) is not None


@functools.lru_cache(maxsize=REMEMBERED)
def _words(name: str) -> frozenset[str]:
    return frozenset(tokenize(name))


def _share(words: frozenset[str], asked: frozenset[str]) -> float:
    """Return the share of the query's words that occur in a name."""
    return len(asked & words) / len(asked) if asked else 0.0


def _symbol_share(symbols: tuple[str, ...], asked: frozenset[str]) -> float:
    """Return how well the best of the names matches: share of its words times the query's."""
    best = 0.0
    for symbol in symbols:
        words = _words(symbol)
        common = len(asked & words)
        if common:
            best = max(best, common / len(words) * min(1.0, common / 2))
    return best
