"""Case files: what they mean, and what is said about those that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolroll_conformance.case import CallStep, FileSpec
from toolroll_conformance.case_files import CaseFileError, load_cases

GOOD = """
- id: one
  title: a case
  steps: [{call: t}]
"""


def load(tmp_path: Path, *texts: str) -> list[str]:
    """Write case files and return the ids of their cases."""
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.yaml").write_text(text, "utf-8")
    return [case.id for case in load_cases(tmp_path)]


def test_files_are_read_by_name_and_cases_in_their_order(tmp_path: Path) -> None:
    second = GOOD.replace("one", "three") + GOOD.replace("one", "two")
    assert load(tmp_path, GOOD, second) == ["one", "three", "two"]


def test_no_directory_and_empty_files_have_no_cases(tmp_path: Path) -> None:
    assert load_cases(tmp_path / "none") == []
    assert load(tmp_path, "") == []


def test_scalars_are_those_of_json(tmp_path: Path) -> None:
    text = """
- id: one
  title: a case
  steps:
    - call: t
      args: {date: 2024-01-01, yes: no, on: off, number: 1e3, octal: 010, none: null, flag: true}
"""
    (tmp_path / "a.yaml").write_text(text)
    step = load_cases(tmp_path)[0].steps[0]
    assert isinstance(step, CallStep)
    assert step.args == {
        "date": "2024-01-01",
        "yes": "no",
        "on": "off",
        "number": 1000.0,
        "octal": "010",
        "none": None,
        "flag": True,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id: one", "0.yaml:1: a case file is a list"),
        ("- id: [", "0.yaml:1: expected the node content"),
        ("- {id: one, id: two}", "0.yaml:1: the key 'id' stands here twice"),
        ("- {1: one}", "0.yaml:1: the key 1 is not a text"),
        (GOOD + GOOD, "0.yaml:6: case id 'one' is also used at 0.yaml:2"),
        ("- {id: one, title: t}", "0.yaml:1: case one: steps: Field required"),
        ("- {id: a b, title: t, steps: [{call: t}]}", "case a b: id: String should match"),
        ("- {id: a, title: t, steps: []}", "case a: steps: Tuple should have at least 1"),
        ("- {id: a, title: t, steps: [{cal: t}]}", "steps.0: a step is one of call, command"),
        ("- {id: a, title: t, steps: [{call: t, arg: {}}]}", "steps.0.call.arg: Extra inputs"),
        (
            "- {id: a, title: t, steps: [{call: t, error: x, expect: {}}]}",
            "expect, error and protocol_error exclude one another",
        ),
        ("- {id: a, title: t, steps: [{call: t, error: {}}]}", "give a code, a schema or both"),
        (
            "- {id: a, title: t, given: {files: {f: {text: a, base64: b}}}, steps: [{call: t}]}",
            "give exactly one of text, base64, symlink and directory",
        ),
        ("- {id: a, title: t, steps: [{repeat: 2}]}", "steps.0.repeat.steps: Field required"),
        ("- {id: a, title: t, steps: [{restart: later}]}", "restart: Input should be 'kill'"),
        ("- 5", "0.yaml:1: case ?: the case: Input should be a valid"),
        ('- "\\x"', "0.yaml:1:"),
    ],
)
def test_a_bad_file_is_explained_with_file_line_and_case(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(CaseFileError) as raised:
        load(tmp_path, text)
    assert message in str(raised.value)


def test_every_bad_file_is_told_of_at_once(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError) as raised:
        load(tmp_path, "id: one", GOOD, "- {id: a, title: t}")
    assert len(str(raised.value).splitlines()) == 2


def test_steps_imply_what_a_way_in_must_be_able_to_do(tmp_path: Path) -> None:
    text = """
- id: one
  title: a case
  requires: [search]
  given: {settings: {a: {b: 1}}, files: {a: b}}
  steps:
    - repeat: 2
      steps: [{parallel: [{call: t, as: second}]}, {restart: kill}, {command: [a]}]
"""
    (tmp_path / "a.yaml").write_text(text)
    needed = {"search", "files", "settings", "tenants", "kill", "commands"}
    assert load_cases(tmp_path)[0].needs() == needed


def test_a_file_is_one_thing() -> None:
    assert FileSpec(text="").text == ""
    with pytest.raises(ValueError, match="exactly one"):
        FileSpec()
