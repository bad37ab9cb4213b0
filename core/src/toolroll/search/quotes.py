"""Queries that are text of a file themselves: a message of a log, an error, a line of code.

Words found apart are in many chunks; next to one another, in their order, they are in the one that
says them. Compared by tokens, so that case, white space, quotes and marks of comments don't count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import ceil
from typing import Final

from toolroll.search.tokens import document_tokens, words

__all__ = ["quoting"]

FEWEST: Final = 3
"""Words in a row that are no accident, stop words left out."""
SHARE: Final = 0.9
"""Of the query's words; of 500 docstrings half of one in a row led more often to another file than
to its own (nDCG@10 .427 instead of .454)."""
FEWEST_APART: Final = 4
"""The same of a part of the query."""
_APART: Final = re.compile(r"[\[\](){}<>:;|\"“”„«»]|\s[-–—]\s")
MOST_PARTS: Final = 50
MOST_WORDS: Final = 200
"""Of a query; a longer one is looked for by its beginning."""


def quoting(query: str, documents: Iterable[tuple[int, str]]) -> set[int]:
    """Return the ids of the documents in which nearly the whole query stands word for word.

    What no document has doesn't count: a message is logged with a time, a path or a number. A part
    of the query between brackets, quotes or colons will do, if it is long enough to be a message.

    Args:
        query: What is asked.
        documents: Ids with `document_tokens`.
    """
    whole = _words(query)
    if len(whole) < FEWEST:
        return set()
    texts = {id: f" {tokens} " for id, tokens in documents}
    held = {word: any(f" {word} " in text for text in texts.values()) for word in set(whole)}
    rows = _rows(whole, held, FEWEST)
    for part in _APART.split(query)[:MOST_PARTS]:
        if len(part.split()) > 1:  # else it's a name, as that of the class of an error
            rows |= _rows(_words(part), held, FEWEST_APART)
    return {id for id, text in texts.items() if any(row in text for row in rows)}


def _words(text: str) -> list[str]:
    """Return the tokens of each word that has any."""
    return [tokens for word in words(text) if (tokens := document_tokens(word))][:MOST_WORDS]


def _rows(asked: list[str], held: Mapping[str, bool], fewest: int) -> set[str]:
    """Return what stands in a document that has nearly all of these words in a row."""
    length = max(fewest, ceil(SHARE * sum(held.get(word, False) for word in asked)))
    parts = [asked[start : start + length] for start in range(len(asked) - length + 1)]
    return {f" {' '.join(part)} " for part in parts if all(held.get(word) for word in part)}
