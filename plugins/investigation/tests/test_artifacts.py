"""Artifacts: strict where something is, lenient where nothing is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from toolroll_investigation.artifacts import (
    ARTIFACT_TYPES,
    artifact_schema,
    read_artifact,
    write_artifact,
)
from toolroll_investigation.intake import (
    MAX_BYTES,
    ArtifactTooLarge,
    InvalidArtifact,
    parse_document,
    take_in,
)
from toolroll_investigation.steps import Step


def written(step: Step, document: object) -> object:
    return json.loads(write_artifact(read_artifact(step, document)))


@pytest.mark.parametrize("step", [step for step in ARTIFACT_TYPES if step is not Step.REPORT])
def test_an_empty_object_and_null_are_the_empty_artifact(step: Step) -> None:
    assert written(step, {}) == written(step, None)


def test_unknown_keys_are_dropped_and_null_is_absent() -> None:
    assert written(Step.RECALL, {"match": None, "mood": "good"}) == {
        "match": False,
        "confidence": 0,
        "reasoning": "",
    }


def test_sparse_fields_are_written_only_when_they_say_something() -> None:
    assert written(Step.RECALL, {"match": True, "prior_rca_id": 3, "confidence": 1.0}) == {
        "match": True,
        "prior_rca_id": 3,
        "confidence": 1,
        "reasoning": "",
    }


def test_absent_lists_are_null_and_empty_ones_stay_empty() -> None:
    assert written(Step.INVESTIGATE, {"evidence_refs": []}) == {
        "launch_id": "",
        "case_ids": None,
        "rca_message": "",
        "defect_type": "",
        "convergence_score": 0,
        "evidence_refs": [],
    }


def test_a_report_keeps_what_it_has_with_its_keys_sorted() -> None:
    assert write_artifact(read_artifact(Step.REPORT, {"b": 1, "a": None})) == (
        '{\n  "a": null,\n  "b": 1\n}'
    )


def test_markup_is_escaped_in_stored_text() -> None:
    text = write_artifact(read_artifact(Step.CORRELATE, {"reasoning": "<b>&</b> ünï"}))
    assert "\\u003cb\\u003e\\u0026\\u003c/b\\u003e ünï" in text


@pytest.mark.parametrize(
    ("step", "document"),
    [
        (Step.RECALL, {"match": "true"}),
        (Step.RECALL, {"match": 1}),
        (Step.RECALL, {"prior_rca_id": 1.5}),
        (Step.RECALL, {"prior_rca_id": True}),
        (Step.RECALL, {"prior_rca_id": 2**63}),
        (Step.RECALL, {"confidence": "0.9"}),
        (Step.TRIAGE, {"candidate_repos": "a"}),
        (Step.TRIAGE, {"candidate_repos": [1]}),
        (Step.RESOLVE, {"selected_repos": ["a"]}),
        (Step.INVESTIGATE, {"case_ids": ["1"]}),
        (Step.REVIEW, {"human_override": "yes"}),
        (Step.RECALL, []),
        (Step.REPORT, []),
        (Step.REPORT, "text"),
    ],
)
def test_wrong_types_are_refused(step: Step, document: object) -> None:
    with pytest.raises(ValidationError):
        read_artifact(step, document)


@given(st.sampled_from([s for s in ARTIFACT_TYPES if s is not Step.REPORT]), st.data())
def test_what_was_written_reads_back_the_same(step: Step, data: st.DataObject) -> None:
    fields = ARTIFACT_TYPES[step].model_fields
    texts = {
        name: data.draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
        for name, field in fields.items()
        if field.annotation is str
    }
    artifact = read_artifact(step, texts)
    assert read_artifact(step, json.loads(write_artifact(artifact))) == artifact


@pytest.mark.parametrize("step", list(ARTIFACT_TYPES))
def test_every_step_publishes_a_schema_of_an_object(step: Step) -> None:
    assert artifact_schema(step)["type"] == "object"


@pytest.mark.parametrize(
    "text",
    [
        '{"match": true}',
        '```json\n{"match": true}\n```',
        '\n```\n{"match": true}```\n',
        '```JSON\r\n{"match": true}\r\n```',
    ],
)
def test_json_may_come_in_a_code_block(text: str) -> None:
    assert parse_document(text) == {"match": True}


@pytest.mark.parametrize("text", ["", "{", "```json\n{]\n```", "[" * 100_000, "```python"])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|nested"):
        parse_document(text)


def test_a_megabyte_is_taken_and_one_byte_more_is_not() -> None:
    fits = {"summary": "x" * (MAX_BYTES - len('{"summary":""}'))}
    assert take_in(Step.REPORT, fits)
    with pytest.raises(ArtifactTooLarge, match="1048577 bytes"):
        take_in(Step.REPORT, {"summary": fits["summary"] + "x"})


def test_deep_nesting_is_refused_without_recursion() -> None:
    document: dict[str, object] = {}
    for _ in range(50_000):
        document = {"deeper": document}
    with pytest.raises(InvalidArtifact, match="nested"):
        take_in(Step.REPORT, document)


def test_text_that_cannot_be_stored_becomes_a_replacement_character() -> None:
    artifact = take_in(Step.REPORT, {"a\ud800": ["b\x00", "\ud83d\ude00"]})
    assert json.loads(write_artifact(artifact)) == {"a\ufffd": ["b\ufffd", "\ufffd\ufffd"]}


def test_not_a_number_is_refused() -> None:
    with pytest.raises(InvalidArtifact, match="NaN"):
        take_in(Step.RECALL, {"confidence": float("nan")})


@pytest.mark.parametrize(
    ("step", "document"),
    [
        (Step.RECALL, {"match": True, "confidence": 95}),
        (Step.CORRELATE, {"confidence": -0.1}),
        (Step.INVESTIGATE, {"convergence_score": 1.01}),
    ],
)
def test_a_score_in_percent_is_refused(step: Step, document: dict[str, object]) -> None:
    with pytest.raises(InvalidArtifact, match="must be from 0 to 1"):
        take_in(step, document)
    assert read_artifact(step, document)  # as an older version may have stored it


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({}, "decision must be one of approve, reassess, overturn"),
        ({"decision": "Approve"}, "decision must be"),
        ({"decision": "reassess", "loop_target": "F9"}, "loop_target must be"),
        ({"decision": "reassess", "loop_target": "F5_REVIEW"}, "loop_target must be"),
    ],
)
def test_a_review_speaks_the_vocabulary(document: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidArtifact, match=problem):
        take_in(Step.REVIEW, document)
