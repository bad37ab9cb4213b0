"""What a question says around what it asks for."""

from __future__ import annotations

import pytest

from toolroll.search.question_frames import without_frame


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("where is the code that retries a call?", "retries a call?"),
        ("Which class or function is responsible for retries", "retries"),
        ("which module implements caching", "caching"),
        ("which part of the code decides about retries", "decides about retries"),
        ("in which file is the lock freed", "the lock freed"),
        ("where can I find the logic for token refresh", "token refresh"),
        ("please show me the functions that parse dates", "parse dates"),
        ("where is the implementation of the cache?", "the cache?"),
        ("Where is retry with backoff implemented?", "Where is retry with backoff"),
        ("How is rate limiting implemented in this repository", "How is rate limiting"),
        ("how does hot reload work?", "how does hot reload"),
    ],
)
def test_the_frame_of_a_question_is_left_out(question: str, about: str) -> None:
    assert without_frame(question) == about


@pytest.mark.parametrize(
    "query",
    [
        "how are plugins discovered",
        "where are files discovered",
        "where is the file written to disk",
        "find the file that an import means",
        "how are class methods bound to instances",
        "what class of service",
        "which types of messages are there",
        "retry until workers work",
        "parse_header",
        "class Signal",
        "where is the code",
        "which code does",
        "",
    ],
)
def test_what_is_asked_for_is_kept(query: str) -> None:
    assert without_frame(query) == query
