"""The audit log: one line for each call, and no secret in it."""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolroll.audit import MOST_ITEMS, PREVIEW_BYTES, CallRecord, FileAuditLog, redact

SECRET = "hunter2-4711"
TODAY = date(2026, 1, 1)
RECORD = CallRecord(
    time="2026-01-01T00:00:00.000+00:00",
    call_id="c1",
    pack="notes",
    tool="add",
    tenant="0123456789ab",
    duration_ms=1.5,
    outcome="ok",
    code="",
    arguments={"text": "é"},
)


def log_in(directory: Path) -> FileAuditLog:
    return FileAuditLog(directory, retention_days=30, today=lambda: TODAY)


def test_short_texts_and_numbers_are_shown() -> None:
    arguments = {"text": "hi", "limit": 5, "exact": True, "none": None, "deep": {"a": ["b", 1.5]}}
    assert redact(arguments, frozenset(), arguments) == arguments


def test_a_long_text_is_reduced_to_its_length_and_hash() -> None:
    text = "é" * PREVIEW_BYTES
    shown = redact({"text": text}, frozenset(), ["text"])
    assert shown == {
        "text": {
            "length": 2 * PREVIEW_BYTES,
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
    }


def test_a_private_value_is_never_shown_whatever_its_type() -> None:
    values: list[Any] = [SECRET, {"a": SECRET}, [SECRET], {"a": {"b": [SECRET]}}, 4711, True]
    for value in values:
        shown = json.dumps(redact({"key": value}, frozenset({"key"}), ["key"]))
        assert SECRET not in shown
        assert "4711" not in shown


def test_what_comes_under_an_unknown_name_is_hidden() -> None:
    assert SECRET not in json.dumps(redact({"keyy": SECRET}, frozenset({"key"}), ["key"]))


def test_a_long_name_is_cut_off() -> None:
    [name] = redact({"x" * 10_000: 1}, frozenset(), [])
    assert len(name) == PREVIEW_BYTES


def test_many_items_and_deep_nesting_are_cut_off() -> None:
    deep: Any = "bottom"
    for _ in range(5000):
        deep = [deep]
    shown = redact({"list": list(range(1000)), "deep": deep}, frozenset(), ["list", "deep"])
    assert len(shown["list"]) == MOST_ITEMS
    assert "bottom" not in json.dumps(shown)


def test_what_json_cannot_hold_is_named_by_type() -> None:
    assert redact({"x": object()}, frozenset(), ["x"]) == {"x": "[object]"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=20), json_values, max_size=5))
def test_any_arguments_can_be_logged(arguments: dict[str, Any]) -> None:
    line = json.dumps(redact(arguments, frozenset(), arguments))
    assert "\n" not in line
    line.encode("ascii")


def test_records_are_appended_as_lines_to_a_private_file_of_the_day(tmp_path: Path) -> None:
    log = log_in(tmp_path / "audit")
    log.write(RECORD)
    log.write(attrs.evolve(RECORD, outcome="error"))
    log.close()
    [file] = (tmp_path / "audit").iterdir()
    assert file.name == "2026-01-01.jsonl"
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "audit").stat().st_mode & 0o777 == 0o700
    rows = [json.loads(line) for line in file.read_text("ascii").splitlines()]
    assert rows[0] == attrs.asdict(RECORD)
    assert rows[1]["outcome"] == "error"


def test_old_files_are_removed_and_others_kept(tmp_path: Path) -> None:
    old, recent = (tmp_path / f"{TODAY - timedelta(days=n)}.jsonl" for n in (31, 29))
    old.touch()
    recent.touch()
    log = log_in(tmp_path)
    log.write(RECORD)
    log.close()
    assert not old.exists()
    assert recent.exists()


def test_a_disk_that_fails_does_not_fail_the_call(tmp_path: Path) -> None:
    (tmp_path / "audit").write_text("in the way", "utf-8")
    log = log_in(tmp_path / "audit")
    log.write(RECORD)
    (tmp_path / "audit").unlink()
    log.write(RECORD)
    log.close()
    [file] = (tmp_path / "audit").iterdir()
    assert len(file.read_text("ascii").splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a process")
@pytest.mark.parametrize("restarted", [False, True])
def test_a_line_that_had_no_room_takes_no_other_with_it(tmp_path: Path, restarted: bool) -> None:
    import resource

    log = log_in(tmp_path)
    log.write(RECORD)
    [file] = tmp_path.iterdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 9, before[1]))
    try:
        log.write(RECORD)
        log.write(RECORD)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    if restarted:
        log.close()
        log = log_in(tmp_path)
    log.write(RECORD)
    log.close()
    first, torn, last = file.read_text("ascii").splitlines()
    assert json.loads(first) == json.loads(last) == attrs.asdict(RECORD)
    assert first.startswith(torn)


def test_a_clock_that_jumps_ahead_costs_two_days_and_not_all(tmp_path: Path) -> None:
    files = [tmp_path / f"{TODAY - timedelta(days=n)}.jsonl" for n in range(900, 905)]
    for file in files:
        file.touch()
    for _ in range(2):  # the second host of the day finds its file
        log = log_in(tmp_path)
        log.write(RECORD)
        log.close()
    assert [file.exists() for file in files] == [True, True, True, False, False]
