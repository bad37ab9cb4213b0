"""The standing rules, on answers as other languages' servers give them."""

from __future__ import annotations

import json
import sys
import sysconfig
from pathlib import Path

import pytest

from toolroll.contract import Contract
from toolroll_conformance.inspection import Inspector
from toolroll_conformance.listing import nothing_promised
from toolroll_conformance.reply import Reply

TRACES = [
    'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\nKeyError: 1',
    'failed in File "app.py", line 3',
    "Error: EISDIR: illegal operation\n    at Object.readFileSync (node:fs:448:35)",
    "TypeError: no\n    at file:///app/server.mjs:22:10",
    "java.lang.IllegalStateException: no\n\tat org.example.Notes.get(Notes.java:12)",
    "panic: no\n\ngoroutine 1 [running]:\nmain.main()",
    "app.rb:12:in `get': no (RuntimeError)",
]
PLAIN = [
    "looked\n at the notes of 10:30",
    "a syntax error\n  at line 3, column 5",
    "no note is at notes/3; see app.rb:12",
    f"ENAMETOOLONG: name too long, stat '/srv{'/x' * 5000}'",
]


def leaks(text: str, sent: str = "", root: Path = Path("/nowhere")) -> set[str]:
    """Return the rules that an error with this text breaks, alone and in JSON."""
    contract = Contract.from_json(
        {
            **nothing_promised("notes").to_json(),
            "tools": [{"name": "get", "description": "", "inputSchema": {"type": "object"}}],
        }
    )
    inspector = Inspector(contract, root)
    texts = (text, json.dumps({"message": text}))
    found = [
        inspector.findings("get", Reply(said, None, True), {"paths": [sent]}) for said in texts
    ]
    return {finding.rule for some in found for finding in some}


def test_a_code_that_is_not_declared_is_told_with_those_that_are() -> None:
    contract = Contract.from_json(
        {
            **nothing_promised("notes").to_json(),
            "envelope": "coded",
            "errors": {"not_found": "there is none"},
            "tools": [{"name": "get", "description": "", "inputSchema": {"type": "object"}}],
        }
    )
    said = json.dumps({"code": "gone", "message": "no", "retryable": False})
    inspector = Inspector(contract, Path("/nowhere"))
    (finding,) = inspector.findings("get", Reply(said, None, True), {})
    assert finding.rule == "error-envelope"
    assert "the code 'gone' is not declared; use one that is (not_found)" in finding.message


def test_structure_of_an_error_that_breaks_the_schema_of_results_is_told() -> None:
    schema = {"type": "object", "required": ["found"]}
    tools = [{"name": "get", "description": "", "inputSchema": {}, "outputSchema": schema}]
    contract = Contract.from_json({**nothing_promised("notes").to_json(), "tools": tools})
    inspector = Inspector(contract, Path("/nowhere"))
    (finding,) = inspector.findings("get", Reply("no", {"code": "gone"}, True), {})
    assert finding.rule == "output-schema"
    assert "'found' is a required property; leave structuredContent out" in finding.message
    assert not inspector.findings("get", Reply("no", None, True), {})
    assert not inspector.findings("get", Reply("no", {"found": 1}, True), {})


@pytest.mark.parametrize("text", TRACES)
def test_a_stack_is_told_in_whatever_language(text: str) -> None:
    assert leaks(text) == {"no-leaks"}


@pytest.mark.parametrize("text", PLAIN)
def test_words_are_no_stack(text: str) -> None:
    assert leaks(text) == set()


@pytest.mark.parametrize("virtual", [True, False])
def test_an_answer_may_hold_a_script_but_not_say_where_packages_are(
    monkeypatch: pytest.MonkeyPatch, virtual: bool
) -> None:
    monkeypatch.setattr(sys, "prefix", "/opt/venv" if virtual else "/usr")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    tools = [{"name": "get", "description": "", "inputSchema": {}}]
    contract = Contract.from_json({**nothing_promised("notes").to_json(), "tools": tools})
    inspector = Inspector(contract, Path("/nowhere"))
    assert not inspector.findings("get", Reply("#!/usr/bin/env python3", None, False), {})
    place = "/opt/venv/bin" if virtual else f"{sysconfig.get_path('purelib')}/notes"
    (finding,) = inspector.findings("get", Reply(f"see {place}/a.py", None, False), {})
    assert finding.rule == "no-leaks"
    assert "which lies outside the project" in finding.message


def test_an_error_may_say_where_a_path_leads_but_not_where_a_link_does(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    text = f"access denied: {outside} is not in {tmp_path / 'root'}"
    for asked in ("../outside", "a/../..//outside/canary.txt"):
        assert leaks(text, asked, tmp_path / "root") == set()
    assert leaks(text, "link", tmp_path / "root") == {"no-leaks"}
