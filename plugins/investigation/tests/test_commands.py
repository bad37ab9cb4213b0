"""`toolroll investigation …` beside a host on the same data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from toolroll.cli.main import cli
from toolroll.context import Principal, tenant_of

SAMPLES = Path(__file__).parent / "junit_samples"
Run = Callable[..., Result]


@pytest.fixture
def run(host: Any) -> Run:
    """Runs a command of the pack on the host's data."""

    def invoke(*arguments: str, fails: int = 0) -> Result:
        place = ["--root", str(host.root), "--data-dir", str(host.data)]
        result = CliRunner().invoke(cli, ["investigation", *place, *arguments])
        assert result.exit_code == fails, result.output
        return result

    return invoke


def test_junit_results_become_a_scenario_that_can_be_started(host: Any, run: Run) -> None:
    told = run("from-junit", str(SAMPLES / "pytest.xml"), "--version-label", "1.2", "--json")
    assert json.loads(told.output) == {
        "scenario": "pytest",
        "tests": 4,
        "failed": 2,
        "skipped": 1,
        "flaky": 0,
        "unnamed": 0,
    }
    started = host.answer("start_investigation", scenario="pytest")
    assert [case["case_id"] for case in started["cases"]] == ["C1", "C2"]
    prompt = host.answer("get_prompt", case_id="C1", step="F0_RECALL")
    assert "AssertionError: assert 1 == 2" in prompt
    host.submit("C1", "F0_RECALL", {})
    assert "| project |" in host.answer("get_prompt", case_id="C1", step="F1_TRIAGE")


def test_several_files_and_a_name(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "all.yaml"
    files = [str(SAMPLES / f"{name}.xml") for name in ("go", "maven", "jest")]
    told = run("from-junit", *files, "--name", "all", "--output", str(target))
    assert "4 of 6 tests failed" in told.output
    assert "name: all" in target.read_text()


def test_nothing_to_investigate_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "green.xml").write_text('<testsuite name="s"><testcase name="t"/></testsuite>')
    assert "none of 1 tests failed" in run(
        "from-junit", str(tmp_path / "green.xml"), fails=1
    ).output  # fmt: skip
    run("from-junit", str(SAMPLES / "go.xml"), "--name", "../x", fails=2)
    shadow = run("from-junit", str(SAMPLES / "go.xml"), "--name", "ptp-mock", fails=2)
    assert "ptp-mock ships with the pack" in shadow.output


def test_scenarios_are_listed_with_those_that_are_unusable(host: Any, run: Run) -> None:
    folder = host.data / "investigation" / "scenarios"
    folder.mkdir(parents=True)
    (folder / "broken.yaml").write_text("name: broken\n")
    rows = json.loads(run("scenarios", "--json").output)
    assert [row["name"] for row in rows] == [
        "broken", "daemon-mock", "ptp-mock", "ptp-real", "ptp-real-ingest",
    ]  # fmt: skip
    assert rows[0]["description"].startswith("unusable: scenario file broken.yaml: cases")
    assert rows[2] | {"description": ""} == {
        "name": "ptp-mock", "from": "package", "cases": 12, "rcas": 3, "truth": True,
        "description": "",
    }  # fmt: skip


def investigate(host: Any, run: Run) -> None:
    """Investigate one failure of a real run."""
    run("from-junit", str(SAMPLES / "jest.xml"))
    host.answer("start_investigation", scenario="jest")
    host.submit("C1", "F0_RECALL", {})
    host.submit("C1", "F1_TRIAGE", {"symptom_category": "product", "candidate_repos": ["cart"]})
    found = {"rca_message": "Sums twice.", "component": "cart", "convergence_score": 0.75}
    host.submit("C1", "F3_INVESTIGATE", {**found, "defect_type": "pb001"})
    host.submit("C1", "F4_CORRELATE", {})
    host.submit("C1", "F5_REVIEW", {"decision": "approve"})
    host.submit("C1", "F6_REPORT", {})


def test_knowledge_is_listed_and_root_causes_are_kept_up(host: Any, run: Run) -> None:
    assert run("symptoms").output == "There are none.\n"
    investigate(host, run)
    (symptom,) = json.loads(run("symptoms", "--json").output)
    assert (symptom["test"], symptom["seen"], symptom["status"]) == (
        "cart adds items", 1, "active",
    )  # fmt: skip
    changed = run("rcas", "1", "--status", "resolved", "--ticket", "CART-1", "--json")
    (cause,) = json.loads(changed.output)
    assert (cause["status"], cause["ticket"], cause["component"]) == ("resolved", "CART-1", "cart")
    assert cause["cases"] == 1
    assert json.loads(run("rcas", "--json").output) == [cause]
    assert "there is no root cause #2" in run("rcas", "2", "--status", "open", fails=1).output
    run("rcas", "--status", "open", fails=2)
    suites = json.loads(run("suites", "--json").output)
    assert [(row["suite"], row["scenario"], row["finished"]) for row in suites] == [(1, "jest", 1)]


def test_a_report_is_printed_or_written_as_a_page(host: Any, run: Run, tmp_path: Path) -> None:
    investigate(host, run)
    assert run("report").output == host.answer("get_report")
    page = tmp_path / "report.html"
    run("report", "--suite", "1", "--html", str(page))
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "there is no suite 7" in str(run("report", "--suite", "7", fails=1).exception)


def test_replay_shows_where_other_thresholds_lead(host: Any, run: Run) -> None:
    investigate(host, run)
    same = json.loads(run("replay", "--json").output)
    assert same == {"cases": 1, "elsewhere": []}
    other = run("replay", "1", "--set", "convergence_sufficient=0.8", "--json")
    assert json.loads(other.output)["elsewhere"] == [
        {
            "case": "C1",
            "parts_at": 3,
            "recorded": "F3 H9 → F4",
            "other": "F3 H10 → F2",
            "recorded_path": "F0 F1 F3 F4 F5 F6",
            "other_path": "F0 F1 F3 …",
        }
    ]
    assert "is no threshold" in run("replay", "--set", "luck=1", fails=2).output
    assert "thresholds:" in run("replay", "--set", "recall_hit=7", fails=2).output


def test_replay_compares_two_models_on_one_scenario(host: Any, run: Run) -> None:
    investigate(host, run)
    host.answer("start_investigation", scenario="jest")
    host.submit("C1", "F0_RECALL", {"match": True, "confidence": 0.9, "prior_rca_id": 1})
    other = json.loads(run("replay", "1", "--against", "2", "--json").output)
    assert other["elsewhere"][0]["recorded"] == "F0 H2 → F1"
    assert other["elsewhere"][0]["other"] == "F0 H1 → F5"
    host.answer("start_investigation", scenario="ptp-mock")
    assert "compare suites of one scenario" in run("replay", "1", "--against", "3", fails=1).output


def test_a_command_finds_the_only_tenant_or_asks_which(host: Any, run: Run) -> None:
    keys = [Principal(tenant_of(name), name, frozenset({"read", "write"})) for name in "ab"]
    host.answer("start_investigation", keys[0], scenario="ptp-mock")
    assert len(json.loads(run("suites", "--json").output)) == 1
    host.answer("start_investigation", keys[1], scenario="daemon-mock")
    asked = run("suites", "--json", fails=2)
    assert f"name one tenant with --tenant; there are: {keys[0].tenant[:12]}" in asked.output or (
        f", {keys[0].tenant[:12]}" in asked.output
    )
    (row,) = json.loads(run("suites", "--tenant", keys[1].tenant[:8], "--json").output)
    assert row["scenario"] == "daemon-mock"
    run("rcas", "--tenant", "zz", fails=2)
