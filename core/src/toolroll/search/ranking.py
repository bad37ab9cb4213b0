"""Cheap signals on top of the fused score: the largest gain of all for code search.

With them nDCG@10 over 26 repositories rose from .734 to .848 (retrieval.md, section 3): how many
chunks of a file answer, words of the query in the file's name, the chunk that defines what the
query names, and less for tests, examples and vendored code. What the file is about as a whole adds
as much again to questions in words (bench/file_ops/code_search.py).
"""

from __future__ import annotations

import functools
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from attrs import frozen

from toolroll.search.built_files import built_files
from toolroll.search.fusion import normalized
from toolroll.search.initialisms import initialisms
from toolroll.search.named_definitions import NamedDefinitions
from toolroll.search.path_facts import path_facts, sourced_headers
from toolroll.search.query_paths import asked_paths, named_by
from toolroll.search.query_symbols import is_symbol
from toolroll.search.tokens import query_tokens, tokenize

__all__ = ["Candidate", "RankingSettings", "rank"]


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
        name_meaning: Bonus for files whose name is near the query, where the embedder knows words.
        file_path: Bonus for files that the query names by path.
        quoted: Bonus for chunks that hold the query word for word.
        symbol_words: Bonus for query words in a name that the chunk defines.
        definition_symbol: Bonus for the definition of what a bare-symbol query names.
        definition_prose: Bonus for the definition of an identifier inside a query in prose.
        definition_file: Factor on these two where the file has the symbol's name.
        side_path: Factor for tests, examples, vendored, generated and old code, translations, and
            what was compiled from a file that answers too.
        declaration: Factor for headers whose source answers too, and for interfaces.
        gathering: Factor for files that mostly pass on what others define, such as `__init__.py`.
        documentation: Factor for documentation and type stubs, where code answers too.
        style: Factor for style sheets, unless looks are asked for.
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
    name_meaning: float = 0.3
    file_path: float = 5.0
    quoted: float = 5.0
    symbol_words: float = 0.3
    definition_symbol: float = 3.0
    definition_prose: float = 1.5
    definition_file: float = 1.5
    side_path: float = 0.6
    declaration: float = 0.8
    gathering: float = 0.9
    documentation: float = 0.6
    style: float = 0.7


class Candidate(NamedTuple):
    """A chunk that may answer: where it is, and what it defines.

    Attributes:
        siblings: Ids of all chunks of its file, itself included; empty where they are not known.
    """

    id: int
    path: str
    symbols: tuple[str, ...] = ()
    siblings: Sequence[int] = ()


REMEMBERED: Final = 20_000
"""Names whose words and parts are remembered: about 10 MB in all."""

_SIDE_WORDS: Final = ("test", "exampl", "spec", "fixtur", "mock", "benchmark", "demo")
_DOCUMENTATION_WORDS: Final = (
    "doc", "document", "guid", "tutori", "readm", "changelog", "instal", "licens", "contribut",
    "faq", "introduct", "overview",
)  # fmt: skip
_TRANSLATION_WORDS: Final = ("translat", "local", "languag", "lang", "i18n", "l10n", "messag")
_STYLE_WORDS: Final = (
    "css", "style", "stylesheet", "scss", "sass", "less", "color", "colour", "font", "theme",
    "layout", "align", "margin", "pad", "border", "background", "respons", "width", "height",
    "posit", "look", "appear", "dark", "print", "icon",
)  # fmt: skip
_DECLARATION_WORDS: Final = ("header", "declar", "interfac", "stub", "prototyp")


def rank(
    query: str,
    scores: Mapping[int, float],
    candidates: Iterable[Candidate],
    settings: RankingSettings,
    *,
    files: Mapping[str, float] | None = None,
    names: Mapping[str, float] | None = None,
    quoting: Container[int] = (),
    begun: bool = False,
) -> dict[int, float]:
    """Return the final score of each candidate; higher is better.

    Args:
        query: What was asked.
        scores: Fused scores by chunk id, 0 … 1.
        candidates: The chunks that still exist; ids without a score are left out.
        settings: The weights.
        files: Cosine of whole files with the query by path, for files of several chunks.
        names: Cosine of the files' names with the query by path.
        quoting: Ids of the chunks that hold the query word for word.
        begun: The query is a symbol that is not written to its end.
    """
    chunks = [chunk for chunk in candidates if chunk.id in scores]
    if not chunks:
        return {}
    chunks.sort(key=lambda chunk: (-scores[chunk.id], chunk.id))
    top = scores[chunks[0].id]
    coherence = _coherence(scores, chunks, settings)
    asked = frozenset(query_tokens(query))
    definitions = NamedDefinitions(query, chunks, settings, begun=begun)
    best_chunk: dict[str, int] = {}
    for chunk in chunks:
        best_chunk.setdefault(chunk.path, chunk.id)
    whole = _whole_files(files or {}, best_chunk, scores, top)
    paths = asked_paths(query)
    named = {path: named_by(paths, path) for path in best_chunk} if paths else {}
    factors = _factors(best_chunk, asked, settings)
    short = initialisms(query)
    about = {}
    if not is_symbol(query):
        about = _about(best_chunk, asked, short, names or {}, whole, settings)
    heads = heads_of((*asked, *short))
    final: dict[int, float] = {}
    for chunk in chunks:
        path = chunk.path
        bonus = settings.coherence * coherence[path] if best_chunk[path] == chunk.id else 0.0
        if about:
            bonus += about[path]
            if chunk.symbols and may_hold("\n".join(chunk.symbols), heads):
                bonus += settings.symbol_words * _symbol_share(chunk.symbols, asked, short, heads)
        if definitions.wanted:
            bonus += definitions.bonus(chunk)
        if best_chunk[path] == chunk.id:
            bonus += settings.file_path * named.get(path, 0.0)
        if chunk.id in quoting:
            bonus += settings.quoted
        final[chunk.id] = (scores[chunk.id] + top * bonus) * factors[path]
    return final


def _about(
    paths: Iterable[str],
    asked: frozenset[str],
    short: Mapping[str, frozenset[str]],
    names: Mapping[str, float],
    whole: Mapping[str, float],
    settings: RankingSettings,
) -> dict[str, float]:
    """Return each file's bonus for what its name and the whole of it are about."""
    found: dict[str, float] = {}
    for path in paths:
        facts = path_facts(path)
        named = _meant(_words(facts.stem), asked, short)
        above = (_words(facts.directory) & asked) - named
        share = (len(named) + len(above) / 2) / len(asked) if asked else 0.0
        found[path] = (
            settings.file_name * share
            + settings.name_meaning * max(0.0, names.get(path, 0.0))
            + settings.file_meaning * whole.get(path, 0.0)
        )
    return found


def _factors(
    paths: Iterable[str], asked: frozenset[str], settings: RankingSettings
) -> dict[str, float]:
    """Return each file's factor: less for files that seldom are what is looked for."""
    factors = dict.fromkeys(paths, 1.0)
    headers, built = sourced_headers(factors), built_files(factors)
    for path in factors:
        facts = path_facts(path)
        if (
            (facts.side and asked.isdisjoint(_SIDE_WORDS))
            or (facts.translation and asked.isdisjoint(_TRANSLATION_WORDS))
            or path in built
        ):
            factors[path] *= settings.side_path
        if facts.documentation and asked.isdisjoint(_DOCUMENTATION_WORDS):
            factors[path] *= settings.documentation
        if (facts.interface or path in headers) and asked.isdisjoint(_DECLARATION_WORDS):
            factors[path] *= settings.declaration
        if facts.gathering:
            factors[path] *= settings.gathering
        if facts.style and asked.isdisjoint(_STYLE_WORDS):
            factors[path] *= settings.style
    return factors


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
    """Return each file's share of the best file's summed score; the best chunk comes first."""
    sums = dict.fromkeys((chunk.path for chunk in chunks), 0.0)
    for chunk in chunks[: settings.coherence_chunks]:
        sums[chunk.path] += scores[chunk.id]
    highest = max(sums.values())
    return {path: total / highest if highest else 0.0 for path, total in sums.items()}


@functools.lru_cache(maxsize=REMEMBERED)
def _words(name: str) -> frozenset[str]:
    return frozenset(tokenize(name))


def heads_of(tokens: Iterable[str]) -> tuple[str, ...]:
    """Return what a word must hold to have one of these tokens.

    Stemming cuts a word, and what it puts in place of the end differs from the word in the last
    character alone, which is an e, i or l then.
    """
    return tuple(token[:-1] if token[1:] and token[-1] in "eil" else token for token in tokens)


def may_hold(text: str, heads: Iterable[str]) -> bool:
    """Say whether names can have a token with one of these beginnings (`heads_of`); False is sure.

    So most names are told from a query's words without being cut into their own.
    """
    return not text.isascii() or any(map(text.lower().__contains__, heads))


def _meant(
    words: frozenset[str], asked: frozenset[str], short: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """Return the words of the query that a name has, or stands for by their first letters."""
    return (words & asked).union(*(short[word] for word in words if word in short))


def _symbol_share(
    symbols: tuple[str, ...],
    asked: frozenset[str],
    short: Mapping[str, frozenset[str]],
    heads: Iterable[str],
) -> float:
    """Return how well the best of the names matches: share of its words times the query's."""
    best = 0.0
    for name in symbols:
        if not may_hold(name, heads):
            continue
        words = _words(name)
        if common := len(words & asked.union(short)):
            meant = len(_meant(words, asked, short))
            best = max(best, common / len(words) * min(1.0, meant / 2))
    return best
