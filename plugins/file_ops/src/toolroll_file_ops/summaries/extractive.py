"""The sentences that say most: LexRank over TF-IDF, chosen apart by MMR, in the source's order.

Every sentence is a substring of the source once white space is folded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from operator import add
from typing import TYPE_CHECKING, Final

from toolroll.search.tokens import tokenize, word_count
from toolroll_file_ops.summaries.sentences import linkless, plain, prose, sentences, undescribed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["extract", "key_sentences"]

LEAST_WORDS: Final = 5
MOST_WORDS: Final = 60
MOST_SENTENCES: Final = 400
"""Of longer texts the first half of so many are ranked, and as many spread over the rest."""
MOST_SOUGHT: Final = 2000
"""Sentences looked for in the text, thinned out alike: those that are not there cost most."""
_ENDED: Final = re.compile(r"[.!?…。！？][\])}\"'”’»*_`]*$")
EDGE: Final = 0.1
"""Similarity from which two sentences count as neighbours."""
DAMPING: Final = 0.85
ROUNDS: Final = 30
POSITION: Final = 0.15
"""Bonus of the first sentence, falling to nothing at the last."""
HEADING: Final = 0.1
"""Bonus for sharing every word with the text's first line."""
RELEVANCE: Final = 0.7
"""Weight of the rank against being unlike what is chosen already (MMR)."""


def extract(text: str, language: str | None, count: int) -> str:
    """Return up to `count` sentences of a file, "" where there is no prose.

    Spaces join them, and semicolons what no full stop ends.
    """
    found = key_sentences(text, language, count)
    joints = [" " if _ENDED.search(unit) else "; " for unit in found[:-1]]
    return "".join(map(add, found, [*joints, ""]))


def key_sentences(text: str, language: str | None, count: int) -> list[str]:
    """Return up to `count` sentences of a file in its order, white space folded."""
    units = _units(text, language, count)
    if len(units) <= count:
        return units
    vectors = _vectors(units)
    similar = vectors @ vectors.T
    scores = _rank(similar) + _priors(units, text)
    chosen = _diverse(scores, similar, count)
    return [units[i] for i in sorted(chosen)]


def _units(text: str, language: str | None, count: int) -> list[str]:
    passages = prose(text, language)
    # Nobody learns from a parameter what a file is for.
    units = _told(map(undescribed, passages)) or _told(passages)
    found = _present(_thinned(units, MOST_SOUGHT), plain(text))
    # Short fragments only count where there is nothing better.
    long = [unit for unit in found if word_count(unit) >= LEAST_WORDS]
    found = long or [unit for unit in found if word_count(unit) > 1]
    # So do sentences that a table, a list or a block of code breaks off.
    whole = [unit for unit in found if _ENDED.search(unit)]
    found = whole if len(whole) >= count else found
    return _thinned(found, MOST_SENTENCES)


def _told(passages: Iterable[str]) -> list[str]:
    told = (plain(sentence) for passage in passages for sentence in sentences(passage))
    return list(dict.fromkeys(unit for unit in told if word_count(unit) <= MOST_WORDS))


def _thinned(units: list[str], most: int) -> list[str]:
    """Return the first half of so many units, and as many spread over the rest."""
    if len(units) <= most:
        return units
    half = most // 2
    step = (len(units) - half) / half
    return units[:half] + [units[half + int(i * step)] for i in range(half)]


def _present(units: list[str], folded: str) -> list[str]:
    """Return the units that are in a text, most of which come in its order."""
    found: list[str] = []
    at = 0
    for unit in units:
        place = folded.find(unit, at)
        if place < 0:
            place = folded.find(unit, 0, at + len(unit))
        if place >= 0:
            found.append(unit)
            at = place
    return found


def _vectors(units: list[str]) -> NDArray[np.float64]:
    import numpy as np

    bags = [Counter(tokenize(linkless(unit))) for unit in units]
    spread = Counter(token for bag in bags for token in bag)
    column = {token: i for i, token in enumerate(sorted(spread))}
    rows = np.zeros((len(units), max(len(column), 1)))
    for i, bag in enumerate(bags):
        for token, count in bag.items():
            rows[i, column[token]] = count * math.log(1 + len(units) / spread[token])
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms == 0, 1, norms)


def _rank(similar: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return LexRank: the stationary share of a walk between similar sentences, best is 1."""
    import numpy as np

    size = len(similar)
    edges = np.where(similar > EDGE, similar, 0.0)
    totals = edges.sum(axis=1, keepdims=True)
    walk = np.divide(edges, totals, out=np.full_like(edges, 1 / size), where=totals > 0)
    rank = np.full(size, 1 / size)
    for _ in range(ROUNDS):
        rank = (1 - DAMPING) / size + DAMPING * (walk.T @ rank)
    return rank / rank.max()


def _priors(units: list[str], text: str) -> NDArray[np.float64]:
    import numpy as np

    first = next((line for line in text.splitlines() if line.strip()), "")
    heading = set(tokenize(first))
    shared = [
        len(heading.intersection(tokenize(unit))) / len(heading) if heading else 0.0
        for unit in units
    ]
    place = 1 - np.arange(len(units)) / len(units)
    return POSITION * place + HEADING * np.array(shared)


def _diverse(scores: NDArray[np.float64], similar: NDArray[np.float64], count: int) -> list[int]:
    chosen: list[int] = []
    left = list(range(len(scores)))
    while left and len(chosen) < count:
        best = max(
            left,
            key=lambda i: (
                RELEVANCE * scores[i]
                - (1 - RELEVANCE) * max((similar[i, j] for j in chosen), default=0.0),
                -i,
            ),
        )
        chosen.append(best)
        left.remove(best)
    return chosen
