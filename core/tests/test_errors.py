"""The error tree and the three envelopes."""

from __future__ import annotations

from typing import ClassVar

import jsonschema
import pytest

import toolroll
from toolroll.errors import ToolError, UnknownTool

KINDS = sorted(ToolError.__subclasses__(), key=lambda kind: kind.__name__)
CODES = ("invalid_arguments", "not_found")


@pytest.mark.parametrize(
    ("envelope", "rendered"),
    [
        ("error_code", {"error": "no such file", "code": "not_found"}),
        ("coded", {"code": "not_found", "message": "no such file", "retryable": False}),
        ("success_flag", {"success": False, "error": "no such file"}),
    ],
)
def test_an_envelope_is_exactly_what_the_documents_print(
    envelope: str, rendered: dict[str, object]
) -> None:
    shape = toolroll.Envelope(envelope)
    assert shape.render(toolroll.NotFound("no such file"), "not_found") == rendered
    jsonschema.validate(rendered, shape.schema(CODES))


def test_details_are_shown_by_the_coded_envelope_only() -> None:
    error = toolroll.RateLimited("later", details={"retry_after_seconds": 3})
    assert toolroll.Envelope.CODED.render(error, "rate_limited") == {
        "code": "rate_limited",
        "message": "later",
        "retryable": True,
        "details": {"retry_after_seconds": 3},
    }
    assert "details" not in toolroll.Envelope.ERROR_CODE.render(error, "rate_limited")
    assert "details" not in toolroll.Envelope.SUCCESS_FLAG.render(error, "rate_limited")


def test_a_message_that_quotes_a_huge_argument_keeps_its_ends() -> None:
    message = toolroll.NotFound(f"no {'x' * 300_000}; list_files shows what there is").message
    assert len(message) < 6_000
    assert message.startswith("no xxx")
    assert message.endswith("xxx; list_files shows what there is")


def test_the_schema_of_an_envelope_refuses_other_codes_and_fields() -> None:
    schema = toolroll.Envelope.CODED.schema(CODES)
    good = {"code": "not_found", "message": "x", "retryable": False}
    jsonschema.validate(good, schema)
    for bad in ({**good, "code": "other"}, {**good, "more": 1}, {**good, "message": ""}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_has_a_code_of_its_own(kind: type[ToolError]) -> None:
    assert [other for other in KINDS if other.default_code == kind.default_code] == [kind]
    assert kind("x").code is None
    assert kind("x").retryable is kind.default_retryable


def test_only_what_may_succeed_later_is_retryable_by_default() -> None:
    assert {kind.__name__ for kind in KINDS if kind.default_retryable} == {
        "DeadlineExceeded",
        "RateLimited",
        "ResourceBusy",
    }
    assert ToolError("x", retryable=True).retryable


def test_an_unknown_tool_is_no_tool_error() -> None:
    assert not issubclass(UnknownTool, ToolError)
    assert str(UnknownTool("nope")) == "Unknown tool: nope"


def test_a_pack_chooses_the_code_of_a_class_and_its_subclasses() -> None:
    class Chooses(toolroll.Pack):
        name = "chooses"
        codes: ClassVar = {ToolError: "failure", toolroll.NotFound: "missing"}

    class FileNotFound(toolroll.NotFound):
        pass

    pack = Chooses()
    assert pack.code_of(FileNotFound("x")) == "missing"
    assert pack.code_of(toolroll.InvalidPath("x")) == "failure"
    assert pack.code_of(ToolError("x", code="own")) == "own"
