"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from toolroll.counting import counted


@pytest.mark.parametrize(
    ("number", "nouns", "said"),
    [
        (0, ("file",), "0 files"),
        (1, ("file",), "1 file"),
        (2, ("file",), "2 files"),
        (1, ("class", "classes"), "1 class"),
        (2, ("class", "classes"), "2 classes"),
    ],
)
def test_a_noun_agrees_with_its_number(number: int, nouns: tuple[str, ...], said: str) -> None:
    assert counted(number, *nouns) == said
