"""A file searched in windows has the matches that it has as a whole."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from fileio_host import Failed, Host
from hypothesis import given
from hypothesis import strategies as st

from toolroll_fileio import grepping
from toolroll_fileio.grepping import compile_pattern
from toolroll_fileio.scanning import Scan

NEVER = math.inf


class Small(Scan):
    """Has windows of 64 bytes."""

    def __init__(self, pattern: Any, data: bytes, at: int) -> None:
        super().__init__(pattern, data, at)
        self._size = 64


def spans(pattern: str, data: bytes, size: int, until: float = NEVER) -> list[tuple[int, int]]:
    scan = Scan(compile_pattern(pattern, ignore_case=False), data, 0)
    scan._size = size
    found: list[tuple[int, int]] = []
    while not scan.done:
        before = scan.at
        found += scan.window(until)
        assert scan.at > before
    return found


@given(
    st.text(alphabet="ab\né€", max_size=60),
    st.sampled_from(["a", "ab", "a+", "^b", "b$", "é|€", "a\nb", "a*", r"\bb", "(?i)AB"]),
    st.integers(8, 40),
)
def test_windows_find_what_the_whole_has(text: str, pattern: str, size: int) -> None:
    whole = [m.span() for m in re.finditer(f"(?m){pattern}".encode(), text.encode())]
    assert spans(pattern, text.encode(), size) == [s for s in whole if s[0] < s[1]]


@pytest.mark.parametrize("size", [8, 64, 1_000])
def test_a_long_match_is_followed_out_of_its_window(size: int) -> None:
    data = b"-" * 5 + b"a" * 700 + b"-" * 5
    assert spans("a+", data, size) == [(5, 705)]


def test_a_long_match_is_cut_when_there_is_no_time() -> None:
    found = spans("a+", b"a" * 1_000, 8, until=0.0)
    assert found[0][0] == 0
    assert found[-1][1] == 1_000
    assert len(found) > 1


def test_each_call_gets_further_however_little_time_there_is(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grepping, "Scan", Small)
    real = grepping.grep
    monkeypatch.setattr(grepping, "grep", lambda *a: real(*a[:5], -1.0, a[6]))
    host.write("/a", "x heron\n" * 100)
    host.write("/b", "heron")
    found: list[tuple[str, int]] = []
    cursor, calls = "", 0
    while True:
        answer = host.call("file_grep", pattern="heron", limit=1_000, cursor=cursor)
        found += [(m["file_path"], m["line"]) for m in answer["matches"]]
        calls += 1
        if not (cursor := answer["next_cursor"]):
            break
    assert found == [*(("/a", line) for line in range(1, 101)), ("/b", 1)]
    assert calls > 3


def test_a_pattern_that_costs_too_much_is_refused(host: Host) -> None:
    host.write("/a")
    with pytest.raises(Failed, match="too large") as caught:
        host.call("file_grep", pattern=".{900}.{900}")
    assert caught.value.code == "INVALID_QUERY"
