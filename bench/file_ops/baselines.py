"""What a search for files is compared with: whole files, ranked by their words alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import bm25s
from whoosh.analysis import StemmingAnalyzer
from whoosh.fields import ID, TEXT, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.query import Or, Term

__all__ = ["Ranked", "grep_like", "plain_bm25", "whoosh_bm25"]

Ranked = Callable[[str], list[str]]


def words(text: str) -> list[str]:
    """Return the plain words of a text."""
    return re.findall(r"\w+", text.lower())


def plain_bm25(texts: dict[str, str], most: int) -> Ranked:
    """Return BM25 with plain words (bm25s)."""
    paths = list(texts)
    index = bm25s.BM25()
    index.index([words(text) for text in texts.values()], show_progress=False)

    def ranked(query: str) -> list[str]:
        known = [word for word in words(query) if word in index.vocab_dict]
        if not known:
            return []
        found, _ = index.retrieve([known], k=min(most, len(paths)), show_progress=False)
        return [paths[int(i)] for i in found[0]]

    return ranked


def whoosh_bm25(texts: dict[str, str], most: int) -> Ranked:
    """Return Whoosh's own BM25F with its stemming analyser."""
    analyzer = StemmingAnalyzer()
    schema = Schema(path=ID(stored=True), text=TEXT(analyzer=analyzer))
    index = RamStorage().create_index(schema)
    writer = index.writer()
    for path, text in texts.items():
        writer.add_document(path=path, text=text)
    writer.commit()
    searcher = index.searcher()

    def ranked(query: str) -> list[str]:
        asked = {token.text for token in analyzer(query)}
        found = searcher.search(Or([Term("text", word) for word in sorted(asked)]), limit=most)
        return [hit["path"] for hit in found]

    return ranked


def grep_like(texts: dict[str, str], most: int) -> Ranked:
    """Return what somebody finds who greps, without regard to case.

    Files with the whole query come first, then those with the most of its words as parts of lines,
    then those with the most matches. Words of one or two letters are not looked for.
    """
    lowered = {path: text.lower() for path, text in texts.items()}

    def ranked(query: str) -> list[str]:
        whole = query.lower().strip()
        asked = {word for word in words(query) if len(word) > 2}
        scored: list[tuple[int, int, int, str]] = []
        for path, text in lowered.items():
            counts = [text.count(word) for word in asked]
            held = sum(count > 0 for count in counts)
            if held:
                scored.append((-int(whole in text), -held, -sum(counts), path))
        return [path for *_, path in sorted(scored)[:most]]

    return ranked
