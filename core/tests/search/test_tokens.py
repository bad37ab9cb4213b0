"""The one tokeniser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolroll.search.tokens import (
    MAX_TOKEN_LENGTH,
    document_tokens,
    query_tokens,
    split_identifier,
    tokenize,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("parseHTTPHeader2", ["parsehttpheader2", "pars", "http", "header", "2"]),
        ("running_man", ["running_man", "run", "man"]),
        ("__init__", ["init"]),
        ("the cat and a dog", ["cat", "dog"]),
        ("self.fooBar()", ["self", "foobar", "foo", "bar"]),
        ("größeÄnderung", ["grosseanderung", "gross", "anderung"]),
        ("cafe\u0301 café CAFÉ", ["cafe", "cafe", "cafe"]),
        ("Ægir søker Łódź", ["aegir", "soker", "lodz"]),
        ("thé à the", ["thé", "à"]),
        ("ёлка αβγά й", ["ёлка", "αβγά", "й"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("漢字仮名", ["漢字", "字仮", "仮名"]),
        ("世界x", ["世界", "x"]),
        ("字", ["字"]),
        ("___", []),
        ("", []),
    ],
)
def test_a_text_gives_whole_words_and_their_parts(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("word", "parts"),
    [("ABCdef", ["AB", "Cdef"]), ("i18n", ["i", "18", "n"]), ("ÄÖÜx_y", ["ÄÖ", "Üx", "y"])],
)
def test_an_identifier_is_split_at_case_digits_and_underscores(word: str, parts: list[str]) -> None:
    assert split_identifier(word) == parts


def test_query_tokens_are_distinct_and_in_order() -> None:
    assert query_tokens("header parse header") == ["header", "pars"]


def test_path_and_symbols_can_be_found() -> None:
    found = document_tokens("x", path="src/rate_limit.py", symbols=["takeToken"]).split()
    assert {"src", "rate", "limit", "taketoken", "token"} <= set(found)


@given(st.text(max_size=300))
def test_any_text_gives_plain_bounded_tokens(text: str) -> None:
    tokens = tokenize(text)
    assert all(0 < len(token) <= MAX_TOKEN_LENGTH for token in tokens)
    assert all('"' not in token and not token.isspace() for token in tokens)
    assert " ".join(tokens).split() == tokens
    assert tokenize(text) == tokens


def test_a_word_of_a_megabyte_is_cut() -> None:
    assert tokenize("a" * 1_000_000) == ["a" * MAX_TOKEN_LENGTH]
