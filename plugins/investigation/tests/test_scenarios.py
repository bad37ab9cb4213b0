"""Scenarios: those that ship give the reference figures, and files are read with care."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from toolroll_investigation.scenario import Scenario, ScenarioCase
from toolroll_investigation.scenario_files import (
    ScenarioError,
    UnknownScenario,
    find_scenarios,
    load_scenario,
    read_scenario,
    write_scenario,
)

MINIMAL = {"name": "mine", "cases": [{"id": "C1", "test_name": "t"}]}

# What the stub adapter scores in the reference engine: value, then detail.
FIGURES = {
    "ptp-mock": {
        "M1": (1, "11/11"),
        "M4": (0, "0/6"),
        "M5": (1, "8/8"),
        "M8": (1, "r=1.00 (n=10)"),
        "M9": (1, "avg over 4 cases"),
        "M10": (1, "avg over 1 cases"),
        "M11": (1, "4 cases with Resolve, 0 selected red herring"),
        "M12": (1, "4/4"),
        "M14": (1, "avg over 10 cases"),
        "M15": (10 / 11, "10/11"),
        "M16": (1, "12/12"),
        "M17": (1, "actual=0 expected=0"),
        "M18": (47_000, "~47000 tokens (47 steps, estimated)"),
        "M19": (0.9863636363636363, "weighted avg of M1,M2,M5,M9,M10,M12,M14,M15"),
    },
    "daemon-mock": {
        "M1": (1, "8/8"),
        "M3": (1, "5/5"),
        "M5": (1, "6/6"),
        "M10": (5 / 6, "avg over 2 cases"),
        "M12": (1, "4/4"),
        "M18": (33_000, "~33000 tokens (33 steps, estimated)"),
        "M19": (0.9833333333333333, "weighted avg of M1,M2,M5,M9,M10,M12,M14,M15"),
    },
    "ptp-real-ingest": {
        "M1": (1, "30/30"),
        "M5": (1, "0/0"),
        "M6": (1, "5/5"),
        "M8": (1, "r=1.00 (n=25)"),
        "M14": (1, "avg over 24 cases"),
        "M15": (25 / 30, "25/30"),
        "M18": (170_000, "~170000 tokens (170 steps, estimated)"),
        "M19": (0.975, "weighted avg of M1,M2,M5,M9,M10,M12,M14,M15"),
    },
}
FIGURES["ptp-real"] = FIGURES["daemon-mock"]


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_the_stub_scores_the_reference_figures(make_host: Callable[..., object], name: str) -> None:
    from toolroll.context import LOCAL
    from toolroll_investigation.access import open_investigations

    host = make_host()
    host.answer("start_investigation", scenario=name)
    host.drive(load_scenario(name, []))
    report = open_investigations(host.runtime.context("investigation"), LOCAL.tenant).report()
    assert (report.verdict, report.passed) == ("PASS", 20)
    measured = {metric.id: metric for metric in report.metrics}
    for identifier, (value, detail) in FIGURES[name].items():
        assert measured[identifier].value == pytest.approx(value, abs=1e-9), identifier
        assert measured[identifier].detail == detail


def test_scenarios_that_ship_are_listed() -> None:
    assert [file.name for file in find_scenarios([])] == [
        "daemon-mock",
        "ptp-mock",
        "ptp-real",
        "ptp-real-ingest",
    ]


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".yml"])
def test_files_of_a_directory_come_before_the_package(tmp_path: Path, suffix: str) -> None:
    mine = {**MINIMAL, "name": "ptp-mock"}
    (tmp_path / f"ptp-mock{suffix}").write_text(json.dumps(mine))
    assert len(load_scenario("ptp-mock", [tmp_path]).cases) == 1


def test_an_unknown_name_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownScenario,
        match=r"unknown scenario: X \(available: daemon-mock, ptp-mock, ptp-real, ptp-real-ingest",
    ):
        load_scenario("X", [tmp_path / "missing"])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"cases": []}, "cases"),
        ({"name": "other"}, "holds a scenario named other"),
        ({"cases": [{"id": "../C1"}]}, "cases.0.id"),
        ({"cases": [{"id": "C1"}, {"id": "C1"}]}, "case id C1 is used 2 times"),
        ({"cases": [{"id": "C1", "rca_id": "R1"}]}, "rca R1, which is not defined"),
        ({"cases": [{"id": "C1", "symptom_id": "S1"}]}, "symptom S1, which is not defined"),
        ({"cases": [{"id": "C1", "expected_path": ["F7"]}]}, "unknown steps F7"),
        ({"cases": [{"id": "C1", "version": 4.2}]}, "cases.0.version"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path: Path, change: object, problem: str) -> None:
    assert isinstance(change, dict)
    (tmp_path / "mine.json").write_text(json.dumps({**MINIMAL, **change}))
    with pytest.raises(ScenarioError, match=problem):
        load_scenario("mine", [tmp_path])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", "[" * 100_000),
        ("a.yaml", "name: [\n"),
        ("a.yaml", "!!python/object/apply:os.getcwd []"),
        ("a.yaml", "just text"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ScenarioError, match=name):
        read_scenario(tmp_path / name)


def test_a_scenario_survives_being_written(tmp_path: Path) -> None:
    scenario = load_scenario("ptp-real-ingest", [])
    (tmp_path / "copy.yaml").write_text(write_scenario(scenario), encoding="utf-8")
    assert read_scenario(tmp_path / "copy.yaml") == scenario


@pytest.mark.parametrize(
    "text", ["a\x85b", "a\u2028b\n c", "\u2029", "a\nb: 'c' #\td", "\x7f\ufeff"]
)
def test_every_character_survives_being_written(tmp_path: Path, text: str) -> None:
    case = ScenarioCase(id="C1", test_name=text, error_message=text, siblings=(text,))
    scenario = Scenario(name="odd", cases=(case,))
    (tmp_path / "odd.yaml").write_text(write_scenario(scenario), encoding="utf-8", newline="\n")
    assert read_scenario(tmp_path / "odd.yaml") == scenario


@pytest.mark.parametrize(
    ("name", "escaped"), [("odd.json", r"a\ud800b\u0000"), ("odd.yaml", r"a\0b\x00")]
)
def test_what_no_database_takes_is_replaced_in_a_scenario(
    tmp_path: Path, name: str, escaped: str
) -> None:
    texts = f'"error_message": "{escaped}", "siblings": ["{escaped}"]'
    (tmp_path / name).write_text(f'{{"name": "odd", "cases": [{{"id": "C1", {texts}}}]}}')
    case = load_scenario("odd", [tmp_path]).cases[0]
    assert case.error_message == case.siblings[0] == "a\ufffdb\ufffd"


def test_null_is_absent_in_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(
        json.dumps(
            {**MINIMAL, "cases": [{"id": "C1", "expected_triage": {"candidate_repos": None}}]}
        )
    )
    triage = load_scenario("mine", [tmp_path]).cases[0].expected_triage
    assert triage is not None
    assert triage.candidate_repos == ()
