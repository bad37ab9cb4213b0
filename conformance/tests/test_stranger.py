"""Any MCP server can be held to a contract; one that knows nothing of Toolroll, with each flaw."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import Future
from importlib.metadata import version
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner

from toolroll_conformance.cli import stranger
from toolroll_conformance.generation import invalid_arguments
from toolroll_conformance.legs import starting
from toolroll_conformance.legs.dialect import ERAS
from toolroll_conformance.legs.stdio import StdioConnection, StdioLeg
from toolroll_conformance.plan import plan
from toolroll_conformance.reply import NoReply
from toolroll_conformance.report import Report
from toolroll_conformance.rules.paths import hostile_paths
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import Session
from toolroll_conformance.target import Target
from toolroll_conformance.workspace import Workspace
from toolroll_zoo.broken import FLAWS

STRANGER = Path(__file__).parents[1] / "zoo" / "stranger"
COMMAND = [sys.executable, str(STRANGER / "server.py")]
LEAK = "repeat_text with {'text': 'ab', 'times': 10}: the error names"


def report_of(flaw: str) -> Report:
    """Run everything there is for the server with a flaw."""
    target = Target.stranger(STRANGER / "contract.json")
    with Session.of_command(target, [*COMMAND, flaw], ERAS) as session:
        return run_checks("stranger", plan(session))


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_breaks_its_rule_alone(flaw: str) -> None:
    report = report_of(flaw)
    assert report.broken_rules() == {flaw}, [item.detail for item in report.failed]


@pytest.mark.parametrize(
    ("flaw", "told"),
    [
        (
            "invalid-arguments",
            r"'times': True\}, which break .* \$\.times: True is not of type 'int",
        ),
        ("unknown-argument", "took the argument 'no_such_argument', which it doesn't know"),
    ],
)
def test_what_is_wrongly_taken_breaks_one_rule_that_says_why(flaw: str, told: str) -> None:
    report = report_of(flaw)
    assert report.broken_rules() == {flaw}, [item.detail for item in report.failed]
    assert all(re.search(told, item.detail) for item in report.failed)


def test_the_command_passes_a_good_server_and_reports_each_check(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "report.json"), "--junit", str(tmp_path / "report.xml")]
    contract = ["--contract", str(STRANGER / "contract.json")]
    result = CliRunner().invoke(stranger, [*contract, *files, "--", *COMMAND])
    assert result.exit_code == 0, result.output
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["ok"] is True
    assert report["counts"]["failed"] == 0
    assert set(report["ways_in"]) == {"contract", *(f"stdio {era}" for era in ERAS)}
    assert 'name="stranger stdio 2026-07-28"' in (tmp_path / "report.xml").read_text()


@pytest.mark.parametrize(
    ("flaw", "check", "told"),
    [
        ("unknown-tool", "unknown-tool", "the unlisted tool 'no_such_tool' gets a result"),
        ("unknown-tool", "unknown-tool", "an unlisted tool gets -32602 (MCP, tools, error handlin"),
        ("no-leaks", "case/again", f"[no-leaks] step 3 (call repeat_text): {LEAK} {COMMAND[1]}"),
        ("read-only", "read-only/repeat_text", "repeat_text says that it only reads"),
    ],
)  # fmt: skip
def test_the_command_fails_a_flawed_server_and_names_the_rule(
    flaw: str, check: str, told: str
) -> None:
    arguments = ["--contract", str(STRANGER / "contract.json"), "--only", check]
    result = CliRunner().invoke(stranger, [*arguments, "--", *COMMAND, flaw])
    assert result.exit_code == 1
    assert f"FAILED stdio/2026-07-28/{check}" in result.output
    assert told in result.output
    assert f'known_failures.yaml, as "*/{check}": the reason' in result.output


def test_what_was_printed_into_an_answer_is_told_where_none_came() -> None:
    target = Target.stranger(STRANGER / "contract.json")
    with (
        Session.of_command(target, [*COMMAND, "stray-output"], ERAS[1:]) as session,
        Workspace.make("") as workspace,
    ):
        connection = session.legs[0].open(workspace)
        assert isinstance(connection, StdioConnection)
        connection.begin("repeat_text", {"text": "a"}).result()
        with pytest.raises(NoReply, match=r"no answer within 0 s; .*calling a tool now"):
            connection.wait(Future(), 0)
        connection.close()


def test_what_a_server_printed_before_it_ended_is_told() -> None:
    words = [sys.executable, "-c", "print('no such option: --root')"]
    made = CliRunner().invoke(stranger, ["--freeze", "never.json", "--", *words])
    assert made.exit_code == 1
    assert "ended before it answered; it said: nothing; on standard output was" in made.output
    assert "no such option: --root" in made.output


def test_a_server_that_runs_on_is_told_without_cases_and_long_waited_for_but_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(starting, "STOP_TIMEOUT", 0.2)
    target = attrs.evolve(Target.stranger(STRANGER / "contract.json"), cases=[])
    with Session.of_command(target, [*COMMAND, "ending"], ERAS[1:]) as session:
        [leg] = session.legs
        assert isinstance(leg, StdioLeg)
        assert isinstance(leg.starter, starting.StrangerServer)
        assert leg.starter.patience.seconds == 0.2
        checks = [check for check in plan(session) if check.rule in {"ending", "listing"}]
        report = run_checks("stranger", checks)
        assert leg.starter.patience.seconds == starting.DEAF_TIMEOUT
    assert report.broken_rules() == {"ending"}
    assert "runs on 60 s after its input was closed" in report.failed[0].detail


@pytest.mark.parametrize("flaw", ["forgets", "kill-restart"])
def test_only_a_server_that_keeps_something_loses_it_by_a_kill(tmp_path: Path, flaw: str) -> None:
    file, cases = tmp_path / "contract.json", tmp_path / "cases"
    cases.mkdir()
    (cases / "a.yaml").write_text(
        "- id: a\n  title: the last text is told\n  steps:\n"
        "    - {call: repeat_text, args: {text: kept}}\n    - {call: text.about}\n"
    )
    made = CliRunner().invoke(stranger, ["--freeze", str(file), "--", *COMMAND, flaw])
    assert made.exit_code == 0, made.output
    with Session.of_command(Target.stranger(file), [*COMMAND, flaw], ERAS[1:]) as session:
        checks = [check for check in plan(session) if check.rule in {"case", "kill-restart"}]
        report = run_checks("stranger", checks)
    assert len(report.results) == 2
    assert report.broken_rules() == {flaw} & {"kill-restart"}, [i.detail for i in report.failed]


def test_a_run_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    """As by a job that is called off: with SIGTERM, here from the server that it waits for."""
    server = "import os, sys; os.kill(int(sys.argv[1]), 15); sys.stdin.read()"
    suite = [sys.executable, "-c", "from toolroll_conformance.cli import main; main()"]
    done = subprocess.run(
        # the last word of the server's command is the number of the suite's process
        ["sh", "-c", 'exec "$@" $$', "sh", *suite, "--freeze", "never.json", "--",
         sys.executable, "-c", server],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", [[], ["plain"]])
def test_a_listing_makes_a_contract_to_begin_with(tmp_path: Path, how: list[str]) -> None:
    file = tmp_path / "contract.json"
    made = CliRunner().invoke(stranger, ["--freeze", str(file), "--", *COMMAND, *how])
    assert (made.exit_code, made.output.partition(";")[0]) == (0, f"{file}: 1 tool"), made.output
    contract = json.loads(file.read_text())
    assert (contract["envelope"], contract["tools"][0]["name"]) == (None, "repeat_text")
    assert bool(contract["tools"][0]["outputSchema"]) is not bool(how)
    held = CliRunner().invoke(stranger, ["--contract", str(file), "--", *COMMAND, *how])
    assert held.exit_code == 0, held.output


def test_a_server_is_held_to_what_mcp_asks_not_to_the_habits_of_packs(tmp_path: Path) -> None:
    """Open schemas, any order of tools, dots in their names, few words about them, hints left out,
    words as text, no cases, one era: no failures.
    """
    file = tmp_path / "contract.json"
    made = CliRunner().invoke(stranger, ["--freeze", str(file), "--", *COMMAND, "loose"])
    assert f"{file}: 2 tools" in made.output
    held = CliRunner().invoke(stranger, ["--contract", str(file), "--", *COMMAND, "loose"])
    assert held.exit_code == 0, held.output
    assert "2026-07-28: the server does not speak it; left out" in held.output
    assert "stdio 2026-07-28:" not in held.output
    assert "skipped 2: needs a case that calls the tool with success" in held.output


def test_cases_expect_and_capture_what_is_structured_where_words_stand_beside_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "contract.json"
    CliRunner().invoke(stranger, ["--freeze", str(file), "--", *COMMAND, "loose"])
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "repeat.yaml").write_text(
        "- id: repeat-1\n  title: a text is repeated\n  steps:\n"
        "    - call: repeat_text\n      args: {text: a, times: 2}\n"
        "      expect: {properties: {text: {const: aa}}, required: [text]}\n"
        "      capture: {twice: /text}\n"
        "    - call: repeat_text\n      args: {text: '${twice}'}\n"
        "      expect: {properties: {text: {const: aa}}, required: [text]}\n"
        "      capture: {lost: /words}\n"
    )
    arguments = ["--contract", str(file), "--only", "/case/", "--", *COMMAND, "loose"]
    result = CliRunner().invoke(stranger, arguments)
    assert result.exit_code == 1
    told = "step 2 (call repeat_text): capture lost: /words leads nowhere in {'text': 'aa'}"
    assert told in result.output


def test_what_a_server_need_not_keep_stands_beside_its_contract(tmp_path: Path) -> None:
    file = tmp_path / "contract.json"
    file.write_text((STRANGER / "contract.json").read_text())
    (tmp_path / "known_failures.yaml").write_text('"*/unknown-tool": the SDK answers so\n')
    cases = ["--cases", str(STRANGER / "cases"), "--only", "unknown-tool", "--era", ERAS[1]]
    result = CliRunner().invoke(
        stranger, ["--contract", str(file), *cases, "--", *COMMAND, "unknown-tool"]
    )
    assert result.exit_code == 0, result.output
    assert "1 known failure" in result.output


def test_a_server_that_asks_its_client_is_answered() -> None:
    contract = ["--contract", str(STRANGER / "contract.json"), "--only", "listing"]
    result = CliRunner().invoke(stranger, [*contract, "--", *COMMAND, "asking"])
    assert result.exit_code == 0, result.output


def test_an_era_that_is_asked_for_is_spoken_all_the_same() -> None:
    contract = ["--contract", str(STRANGER / "contract.json"), "--only", "listing"]
    result = CliRunner().invoke(stranger, [*contract, "--era", ERAS[1], "--", *COMMAND, "loose"])
    assert result.exit_code == 1
    assert f"stdio {ERAS[1]}: 1 failed" in result.output


def test_of_a_stranger_a_backslash_is_part_of_a_name() -> None:
    with Workspace.make("stranger") as workspace:
        battery = {path.text: path.leads_out for path in hostile_paths(workspace, anywhere=False)}
        pack = {path.text: path.leads_out for path in hostile_paths(workspace)}
    assert battery["../"]
    assert battery["link-file"]
    only_of_packs = {text for text in pack if pack[text] and not battery[text]}
    assert only_of_packs == {text for text in pack if pack[text] and set(text) & set("\\:")}


def test_a_project_elsewhere_has_none_of_our_links() -> None:
    with Workspace.make("stranger") as workspace:
        ours = {path.text for path in hostile_paths(workspace) if path.leads_out}
        theirs = {path.text for path in hostile_paths(workspace, linked=False) if path.leads_out}
    assert {text.partition("/")[0] for text in ours - theirs} == {
        "link-file",
        "link-directory",
        "link-up",
    }


def test_the_version_of_the_suite_is_told() -> None:
    told = CliRunner().invoke(stranger, ["--version"]).output
    assert told == f"toolroll-conformance, version {version('toolroll-conformance')}\n"


def test_what_is_sent_is_json() -> None:
    """A server that refuses `Infinity` as no JSON would never answer."""
    schema = {"type": "object", "properties": {"items": {"type": "array"}}, "required": ["items"]}
    for arguments in invalid_arguments(schema, 60):
        json.dumps(arguments, allow_nan=False)


def test_a_server_that_nobody_reaches_is_reported_not_raised() -> None:
    contract = ["--contract", str(STRANGER / "contract.json"), "--only", "listing"]
    result = CliRunner().invoke(stranger, [*contract, "--url", "http://127.0.0.1:1/mcp"])
    assert result.exit_code == 1
    assert "the connection broke" in result.output
    assert "FAILED http/2026-07-28/listing" in result.output


def test_no_contract_is_made_of_a_server_that_does_not_start(tmp_path: Path) -> None:
    file = tmp_path / "contract.json"
    made = CliRunner().invoke(stranger, ["--freeze", str(file), "--", "/no/such/command"])
    assert (made.exit_code, file.exists()) == (1, False)
    assert "cannot be started" in made.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--freeze", "new.json", "--", "x"], "give either --contract, or --freeze"),
        ([], "give either --url, or a command"),
        (["--url", "http://127.0.0.1:1/mcp", "--", "x"], "give either --url, or a command"),
        (["--url", "127.0.0.1:1/mcp"], "--url begins with http:// or https://, got '127.0.0.1:1"),
        (["--json", "/no/such/report", "--", "x"], "there is no directory '/no/such' for it"),
        (["--freeze", "/no/such/contract", "--", "x"], "there is no directory '/no/such' for it"),
        (["--freeze", "--", "x"], "name the file before --"),
        (["--only", "nothing like it", "--", "x"], "no check's id holds 'nothing like it'"),
    ],
)
def test_the_command_says_what_is_missing(arguments: list[str], message: str) -> None:
    contract = ["--contract", str(STRANGER / "contract.json")]
    result = CliRunner().invoke(stranger, [*contract, *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_a_contract_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "contract.json").write_text('{"format": 1}')
    arguments = ["--contract", str(tmp_path / "contract.json"), "--", "x"]
    result = CliRunner().invoke(stranger, arguments)
    assert result.exit_code == 2
    assert "contract.json is no contract: it has no 'pack'" in result.output


def test_files_in_the_command_are_those_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(STRANGER)
    words = ["--contract", "contract.json", "--only", "unknown-cursor", "--era", ERAS[1], "--"]
    held = CliRunner().invoke(stranger, [*words, sys.executable, "server.py"])
    assert held.exit_code == 0, held.output
    gone = CliRunner().invoke(stranger, [*words, sys.executable, "no-server.py"])
    assert gone.exit_code == 1
    assert "the server ended before it answered; it said: " in gone.output
    assert "can't open file" in gone.output


def test_what_a_command_is_given_is_there() -> None:
    words = ["--contract", str(STRANGER / "contract.json"), "--only", "unknown-cursor", "--"]
    script = 'cd "$1" && cd "$2" && test -f "$3" && cd "$1" && exec "$4" "$5"'
    server = ["sh", "-c", script, "sh", "{root}", "{data}", "{config}", *COMMAND]
    held = CliRunner().invoke(stranger, [*words, *server])
    assert held.exit_code == 0, held.output


def test_a_server_that_does_not_start_is_reported_not_raised() -> None:
    target = Target.stranger(STRANGER / "contract.json")
    with Session.of_command(target, ["/no/such/command"], ERAS) as session:
        report = run_checks("stranger", [c for c in plan(session) if c.rule == "listing"])
    assert report.broken_rules() == {"serves"}
    assert "cannot be started" in report.failed[0].detail
