"""A check that fails because a call failed inside shows what the host logged of it."""

from __future__ import annotations

import logging
from pathlib import Path

import attrs
import pytest

from toolroll_conformance.case import Case
from toolroll_conformance.host_log import handler_in, logged, new_log
from toolroll_conformance.plan import plan
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import Session
from toolroll_conformance.target import Target
from toolroll_zoo.broken import Overwhelmed, Unwell

CALL, OTHER = "0123456789abcdef", "fedcba9876543210"
SAID = [f"it broke: error x failed inside; the log has it as call {CALL}"]
RECORD = f"""\
ERROR toolroll.call: tool x failed, call {CALL}
Traceback (most recent call last):
  File "x.py", line 1, in x
ValueError: a
b"""


def test_the_record_of_the_call_is_found_among_others(tmp_path: Path) -> None:
    _, first = new_log(tmp_path)
    _, second = new_log(tmp_path)
    first.write_text(f"ERROR toolroll.call: tool x failed, call {OTHER}\nTraceback\nKeyError: 1\n")
    second.write_text(f"warming up\nWARNING toolroll: hm\n{RECORD}\nINFO toolroll.host: bye\n")
    assert logged(tmp_path, SAID * 2) == [RECORD]


def test_the_end_of_a_long_record_is_kept(tmp_path: Path) -> None:
    _, log = new_log(tmp_path)
    log.write_text(f"{RECORD}\n{'long ' * 10_000}\nthe end\n")
    (found,) = logged(tmp_path, SAID)
    assert found.startswith("…")
    assert found.endswith("long \nthe end")
    assert len(found) < 25_000


def test_what_the_database_said_is_found_once(tmp_path: Path) -> None:
    _, log = new_log(tmp_path)
    cause = "ERROR toolroll.storage: the database refused a statement: no such table: word"
    log.write_text(f"{cause}\nINFO toolroll.host: bye\n{cause}\n{RECORD}\n")
    said = 'got error {"code":"internal_error","message":"the database refused the statement"}'
    assert logged(tmp_path, [said]) == [cause]
    assert logged(tmp_path, [said, *SAID]) == [RECORD, cause]
    assert logged(tmp_path, ["the database is busy"]) == []


def test_the_first_defect_of_each_worker_is_found_whatever_is_said(tmp_path: Path) -> None:
    _, log = new_log(tmp_path)
    failed = "ERROR toolroll.worker.{0}: worker {0} failed ({1}); next try in 0.5 s"
    boom, later = failed.format("sort", "boom"), failed.format("sort", "bang")
    traced = "\nTraceback\nRuntimeError: boom"
    away = failed.format("send", "the database is away")
    log.write_text(f"{away}\n{boom}{traced}\n{away}\n{boom}\n{later}{traced}\n{RECORD}\n")
    assert logged(tmp_path, ["not within 5 s"]) == [boom + traced]
    assert logged(tmp_path, SAID) == [RECORD, boom + traced]


@pytest.mark.parametrize("leg", ["memory", "stdio"])
def test_a_case_that_waits_in_vain_tells_why_the_worker_failed(leg: str) -> None:
    steps = [{"call": "list_texts", "expect": {"const": ["a"]}, "within": 1}]
    case = Case.model_validate({"id": "one", "title": "one", "source": "here", "steps": steps})
    target = attrs.evolve(Target.of(Unwell()), cases=[case])
    with Session.of_pack(target, [leg], ["2026-07-28"]) as session:
        report = run_checks("shelf", [check for check in plan(session) if check.rule == "case"])
    (failed,) = report.failed
    assert "not within 1 s" in failed.detail
    assert "RuntimeError: there is nobody here" in failed.detail


@pytest.mark.parametrize("said", [[], ["it broke: error {}"], [SAID[0].replace(CALL, OTHER)]])
def test_nothing_is_found_of_calls_that_nobody_logged(tmp_path: Path, said: list[str]) -> None:
    _, log = new_log(tmp_path)
    log.write_text(RECORD)
    assert logged(tmp_path, said) == []


def test_a_host_in_this_process_logs_as_one_that_is_started(tmp_path: Path) -> None:
    handler = handler_in(tmp_path)
    log = logging.getLogger("toolroll.call")
    log.addHandler(handler)
    try:
        log.warning("not this")
        assert list(tmp_path.iterdir()) == []
        try:
            raise ValueError("a \udcff")
        except ValueError:
            log.exception("tool %s failed, call %s", "x", CALL)
    finally:
        log.removeHandler(handler)
        handler.close()
    (found,) = logged(tmp_path, SAID)
    assert found.startswith(f"ERROR toolroll.call: tool x failed, call {CALL}\nTraceback")
    assert found.endswith("ValueError: a \\udcff")


@pytest.mark.parametrize("leg", ["memory", "stdio", "http"])
def test_a_failed_check_tells_the_traceback(leg: str) -> None:
    with Session.of_pack(Target.of(Overwhelmed()), [leg], ["2026-07-28"]) as session:
        checks = [check for check in plan(session) if check.rule == "hostile-text"]
        report = run_checks("shelf", checks)
    assert {item.rules for item in report.failed} == {("hostile-text",)}
    for item in report.failed:
        first, _, rest = item.detail.partition("\n")
        assert first.startswith("[hostile-text] ")
        assert rest.startswith("ERROR toolroll.call: tool ")
        assert "Traceback (most recent call last):" in rest
        assert "broken.py" in rest
