"""Paths and prefixes."""

from __future__ import annotations

import pytest
from fileio_host import Failed, Host
from hypothesis import given
from hypothesis import strategies as st

from toolroll import ToolError
from toolroll_fileio.names import Span, check_path, check_project, parents_of

paths = st.lists(st.text("aA0_.-", min_size=1, max_size=3), min_size=1, max_size=4).map(
    lambda parts: "/" + "/".join(parts)
)


@given(directory=paths | st.just(""), path=paths)
def test_a_span_holds_exactly_what_lies_below_a_directory(directory: str, path: str) -> None:
    span = Span.below(directory)
    assert (span.low <= path < span.high) == path.startswith(f"{directory}/")


@given(prefix=st.text("/aA0_.-%é", max_size=4), path=paths)
def test_a_prefix_span_holds_exactly_what_starts_with_it(prefix: str, path: str) -> None:
    span = Span.prefixed(prefix)
    assert (span.low <= path < span.high) == path.startswith(prefix)


def test_parents_go_from_the_nearest_to_the_root() -> None:
    assert parents_of("/a/b/c") == ["/a/b", "/a", ""]
    assert parents_of("") == []


@pytest.mark.parametrize(
    "text",
    ["a", "/", "/a/", "//a", "/a//b", "/.", "/a/..", "/a b", "/\x00", "/é", "/a%", "x" * 513],
)
def test_malformed_paths_are_refused_by_parameter(text: str) -> None:
    with pytest.raises(ToolError, match="to_path") as caught:
        check_path(text, "to_path")
    assert caught.value.code == "INVALID_PATH"


@given(st.text(max_size=20))
def test_an_accepted_path_has_only_the_documents_characters(text: str) -> None:
    try:
        path = check_path(text)
    except ToolError:
        return
    assert path == "" or all(
        part and part not in {".", ".."} and part.isascii() for part in path.split("/")[1:]
    )


@pytest.mark.parametrize("text", ["", " ", "a b", "a/b", "é", "a" * 129, "*", "a\n"])
def test_malformed_projects_are_refused(text: str) -> None:
    with pytest.raises(ToolError, match="project"):
        check_project(text)


@pytest.mark.parametrize("cursor", [" ", "a b", "a" * 129])
def test_a_malformed_cursor_of_projects_is_named_as_one(host: Host, cursor: str) -> None:
    with pytest.raises(Failed, match=r"^cursor"):
        host.call("file_list_projects", cursor=cursor)
