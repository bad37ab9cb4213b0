"""Write modes and character boundaries."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolroll import ToolError
from toolroll_fileio.content import WriteMode, apply, forward

texts = st.text(st.sampled_from("aé€😀"), max_size=12)


@given(old=texts, payload=texts, offset=st.integers(0, 40), mode=st.sampled_from(WriteMode))
def test_the_result_is_always_utf8_and_refused_only_if_it_would_not_be(
    old: str, payload: str, offset: int, mode: WriteMode
) -> None:
    before, new = old.encode(), payload.encode()
    spliced = before[:offset] + new + before[offset + len(new) :]
    valid = offset <= len(before) and spliced.decode("utf-8", "ignore").encode() == spliced
    if mode is WriteMode.OVERWRITE and not valid:
        with pytest.raises(ToolError) as caught:
            apply(mode, before, new, offset)
        assert caught.value.code == "INVALID_OFFSET"
        return
    after = apply(mode, before, new, offset)
    after.decode()
    if mode is WriteMode.OVERWRITE:
        assert after == spliced


@given(text=texts, cuts=st.lists(st.integers(0, 50), max_size=6))
def test_ranges_moved_forward_tile_the_text(text: str, cuts: list[int]) -> None:
    data = text.encode()
    ends = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    parts = [
        data[forward(data, start) : forward(data, end)].decode()
        for start, end in itertools.pairwise(ends)
    ]
    assert "".join(parts) == text
