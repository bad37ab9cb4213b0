"""Words of a query with one slip: what stands nowhere is read as what does.

A word that is in no chunk says nothing to a lexical index, and only noise to word vectors.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Final

from toolroll.search.tokens import tokenize

__all__ = ["respelt"]

SHORTEST: Final = 6
"""Letters of a word that may have a slip: too many shorter ones are alike."""
LONGEST: Final = 48
FEWEST: Final = 2
"""Chunks that hold a plain word: what one alone holds may be a slip itself."""
MOST: Final = 4
"""Words of a query that are looked at: each takes some 50 look-ups a letter, of 15 us."""

_WORD: Final = re.compile(rf"(?<![\w/.-])[A-Za-z_]{{{SHORTEST},{LONGEST}}}(?![\w/-])")


def respelt(
    query: str,
    counts: Callable[[Sequence[str]], Mapping[str, int]],
    known: Callable[[Sequence[str]], Set[str]] | None = None,
) -> str:
    """Return a query with those words that stand nowhere spelt as the most frequent like them.

    Two words are alike if one letter, behind the first, is too many, missing, another, or swapped
    with the next (Norvig, How to write a spelling corrector).

    Args:
        query: What is asked.
        counts: Returns in how many chunks each token is; those in none may be left out.
        known: Returns those of some plain words that are spelt right, wherever they stand: without
            it `several` was read as `semveral`, which is stemmed as `semver` is.
    """
    firsts = {word: token for word in _WORD.findall(query) if (token := _first(word))}
    if not firsts:
        return query
    held = counts(list(firsts.values()))
    absent = [word for word, token in firsts.items() if not held.get(token)]
    if known is not None and absent:
        right = known([word for word in absent if not _is_identifier(word)])
        absent = [word for word in absent if word not in right]
    for word in absent[:MOST]:
        like: dict[str, str] = {}
        for other in _slips(word):
            like.setdefault(_first(other), other)
        fewest = 1 if _is_identifier(word) else FEWEST
        there = {token: count for token, count in counts(list(like)).items() if count >= fewest}
        if there:
            best = min(there, key=lambda token: (-there[token], token))
            query = re.sub(rf"\b{word}\b", like[best], query)
    return query


def _is_identifier(word: str) -> bool:
    return "_" in word.strip("_") or re.search("[a-z][A-Z]", word) is not None


def _first(word: str) -> str:
    """Return what `tokenize` makes of a word first, "" where it makes nothing of it."""
    if _is_identifier(word):
        return word.strip("_").lower()  # not stemmed, and so spared being cut into its parts
    return next(iter(tokenize(word)), "")


def _slips(word: str) -> Iterator[str]:
    letters = string.ascii_lowercase + "_" * ("_" in word)
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in letters)
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in letters)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
