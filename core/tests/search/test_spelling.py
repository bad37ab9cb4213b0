"""Words with a slip are read as what stands in the chunks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from toolroll.search.spelling import respelt
from toolroll.search.tokens import tokenize

TEXT = "the certificate certificates of write_http_request and parseHeader, parseHeader anewer"


def counts(terms: Sequence[str]) -> dict[str, int]:
    said = tokenize(TEXT)
    return {term: said.count(term) for term in terms if term in said}


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("which certifiactes?", "which certificates?"),
        ("certificattes", "certificates"),
        ("certficate", "certificate"),
        ("wriet_http_request", "write_http_request"),
        ("call parseHaeder()", "call parseHeader()"),
        ("ParsHeader", "ParseHeader"),
    ],
)
def test_a_word_with_one_slip_is_read_as_the_one_that_is_there(asked: str, meant: str) -> None:
    assert tokenize(respelt(asked, counts)) == tokenize(meant)


@pytest.mark.parametrize(
    "query",
    [
        "certificate",  # stands there
        "banana republic",  # nothing is like it
        "hertificate",  # nobody slips at the first letter
        "answer",  # what is like it stands there once, and may be a slip itself
        "/srv/certifiacte/x",  # no word but a path
        "certifi4cate",
        "",
    ],
)
def test_other_words_stay_as_they_are(query: str) -> None:
    assert respelt(query, counts) == query


def test_a_word_that_is_known_to_be_right_is_not_taken_for_another() -> None:
    def known(words: Sequence[str]) -> set[str]:
        return {"delivered"} & set(words)

    def held(terms: Sequence[str]) -> dict[str, int]:
        return {term: 2 for term in terms if term in tokenize("delimiter queues")}

    assert respelt("what is delivered to quueues", held, known) == "what is delivered to queues"


def test_a_long_query_is_looked_up_no_more_often_than_a_short_one() -> None:
    asked: list[int] = []

    def nothing(terms: Sequence[str]) -> dict[str, int]:
        asked.append(len(terms))
        return {}

    respelt(" ".join(f"nonsense{chr(97 + i)}" for i in range(20)), nothing)
    assert len(asked) == 5
