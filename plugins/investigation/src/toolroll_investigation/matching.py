"""How a finding is compared with the truth: keywords, evidence, correlation, safe division."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def divide(part: float, whole: float) -> float:
    """`part / whole`; of nothing, everything was right: 1.0 when `whole` is 0."""
    return part / whole if whole else 1.0


def count_keywords(text: str, keywords: Sequence[str]) -> int:
    """How many keywords occur in the text, whatever their case."""
    lowered = text.lower()
    return sum(keyword.lower() in lowered for keyword in keywords)


def count_evidence(actual: Sequence[str], expected: Sequence[str]) -> int:
    """How many expected references were cited.

    One counts as cited when a citation holds its last path component or is part of it. An empty
    citation is part of everything.
    """
    return sum(any(_cites(ref, wanted) for ref in actual) for wanted in expected)


def _cites(ref: str, wanted: str) -> bool:
    return _last_component(wanted) in ref or ref in wanted


def _last_component(ref: str) -> str:
    """The last component as path libraries see it: trailing slashes go, nothing becomes `.`."""
    stripped = ref.rstrip("/")
    if not stripped:
        return "/" if ref else "."
    return stripped.rpartition("/")[2]


def correlate(scores: Sequence[float], correct: Sequence[float]) -> float:
    """Pearson's r between confidence and correctness.

    Fewer than two points give 0. Without variance it is 1.0 when everything was correct, else 0.
    """
    count = len(scores)
    if count < 2:
        return 0.0
    if len(set(scores)) == 1 or len(set(correct)) == 1:
        return 1.0 if all(right == 1 for right in correct) else 0.0
    mean_score, mean_correct = sum(scores) / count, sum(correct) / count
    covariance = spread_score = spread_correct = 0.0
    for score, right in zip(scores, correct, strict=True):
        covariance += (score - mean_score) * (right - mean_correct)
        spread_score += (score - mean_score) ** 2
        spread_correct += (right - mean_correct) ** 2
    return covariance / sqrt(spread_score * spread_correct)
