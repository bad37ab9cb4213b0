"""`${name}` in cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolroll_conformance.substitution import UnknownName, capture, fill, fill_text

NAMES = {"id": 5, "key": "k", "list": [1], "root": "/r"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${id}", 5),
        ("${list}", [1]),
        ("n${id}", "n5"),
        ("${key}${key}", "kk"),
        ("$${id}", "${id}"),
        ("a $${id} ${id}", "a ${id} 5"),
        ({"${key}": ["${id}", {"a": "${key}"}]}, {"k": [5, {"a": "k"}]}),
        (("a", "${key}"), ["a", "k"]),
        ("${not a name} $5 {id}", "${not a name} $5 {id}"),
        (None, None),
    ],
)
def test_names_are_filled_in(value: object, expected: object) -> None:
    assert fill(value, NAMES) == expected


def test_a_name_that_nothing_captured_is_named_with_those_known() -> None:
    with pytest.raises(UnknownName, match=r"\$\{idd\} was never captured; known names: id, key"):
        fill("${idd}", NAMES)


def test_a_files_text_keeps_what_is_its_own() -> None:
    assert fill_text("`${name}` ${root} $${root}", NAMES) == "`${name}` /r ${root}"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_values_without_names_stay_as_they_are(value: object) -> None:
    assert fill(value, {}) == value or "${" in repr(value)


def test_pointers_capture_and_fail_by_name() -> None:
    assert capture({"a": [{"b/c": 1}]}, {"x": "/a/0/b~1c", "all": ""}) == {
        "x": 1,
        "all": {"a": [{"b/c": 1}]},
    }
    with pytest.raises(UnknownName, match="capture x:"):
        capture({"a": 1}, {"x": "/b"})
