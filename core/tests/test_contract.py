"""Contracts as data: they survive being written, and comparing two names what breaks callers."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import attrs
import pytest
from pydantic import BaseModel, Field

import toolroll
from toolroll.contract import Annotations, Contract, ToolContract
from toolroll.contract_changes import Change, ChangeKind, compare


class Arguments(toolroll.Params):
    path: toolroll.ProjectPath
    limit: int = Field(default=5, ge=1)


class Row(BaseModel):
    id: int


class Notes(toolroll.Pack):
    name = "notes"
    errors: ClassVar = {"not_found": "no such note"}
    codes: ClassVar = {toolroll.InvalidArguments: "validation_error"}
    capabilities = frozenset({"project_root", "database"})

    @toolroll.tool(writes=True, destructive=True)
    def remove(self, ctx: toolroll.ToolContext, args: Arguments) -> Row:
        """Remove a note.

        It can't be undone.
        """
        raise NotImplementedError

    @toolroll.tool(title="All notes")
    def all_notes(self, ctx: toolroll.ToolContext, args: Arguments) -> list[Row]:
        """List notes."""
        raise NotImplementedError

    @toolroll.tool(open_world=True)
    async def report(self, ctx: toolroll.ToolContext, args: Arguments) -> toolroll.Markdown:
        """Write a report."""
        raise NotImplementedError


@pytest.fixture
def contract() -> Contract:
    return Notes().contract()


def test_a_contract_says_all_that_a_pack_promises(contract: Contract) -> None:
    assert [tool.name for tool in contract.tools] == ["all_notes", "remove", "report"]
    assert contract.capabilities == ("database", "project_root")
    assert contract.errors["not_found"] == "no such note"
    assert {"internal_error", "output_too_large", "resource_busy"} < contract.errors.keys()
    remove = contract.tool("remove")
    assert remove.title == "Remove"
    assert remove.description == "Remove a note.\n\nIt can't be undone."
    assert remove.annotations == Annotations(
        read_only=False, destructive=True, idempotent=False, open_world=False
    )
    assert remove.project_paths == ("path",)
    assert not remove.wrapped
    assert contract.tool("all_notes").title == "All notes"
    assert contract.tool("all_notes").annotations.read_only
    assert contract.tool("all_notes").annotations.idempotent
    assert contract.tool("all_notes").wrapped
    assert contract.tool("report").markdown
    assert contract.tool("report").annotations.open_world


def test_a_contract_survives_its_file(contract: Contract) -> None:
    text = contract.dumps()
    assert text.endswith("}\n")
    assert Contract.from_json(json.loads(text)) == contract
    assert Contract.from_json(json.loads(text)).dumps() == text


def test_annotations_left_out_mean_what_the_protocol_says() -> None:
    assert Annotations.from_json({}) == Annotations(
        read_only=False, destructive=True, idempotent=False, open_world=True
    )


def test_a_file_of_another_format_is_refused(contract: Contract) -> None:
    with pytest.raises(ValueError, match="format 2 is not 1"):
        Contract.from_json({**contract.to_json(), "format": 2})


def test_an_unknown_tool_has_no_contract(contract: Contract) -> None:
    with pytest.raises(KeyError):
        contract.tool("nope")


def test_equal_contracts_differ_in_nothing(contract: Contract) -> None:
    assert compare(contract, Notes().contract()) == []


OBJECT: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
MORE: dict[str, Any] = {**OBJECT["properties"], "c": {"type": "string"}}


def with_tool(contract: Contract, **changes: Any) -> Contract:
    tool = attrs.evolve(contract.tools[0], input_schema=OBJECT, output_schema=OBJECT)
    return attrs.evolve(contract, tools=(attrs.evolve(tool, **changes), *contract.tools[1:]))


@pytest.mark.parametrize(
    ("changes", "where", "kind"),
    [
        ({"description": "other"}, "all_notes/description", "compatible"),
        ({"title": "other"}, "all_notes/title", "compatible"),
        ({"project_paths": ()}, "all_notes/project_paths", "compatible"),
        ({"wrapped": False}, "all_notes/wrapped", "breaking"),
        ({"markdown": True}, "all_notes/markdown", "breaking"),
        (
            {"annotations": Annotations(False, True, False, True)},
            "all_notes/annotations",
            "breaking",
        ),
        (
            {"input_schema": {**OBJECT, "properties": {"a": {"type": "string"}}}},
            "all_notes/input/b",
            "breaking",
        ),
        (
            {"input_schema": {**OBJECT, "properties": MORE}},
            "all_notes/input/c",
            "compatible",
        ),
        (
            {"input_schema": {**OBJECT, "properties": MORE, "required": ["a", "c"]}},
            "all_notes/input/c",
            "breaking",
        ),
        (
            {"input_schema": {**OBJECT, "required": ["a", "b"]}},
            "all_notes/input/b",
            "breaking",
        ),
        ({"input_schema": {**OBJECT, "required": []}}, "all_notes/input/a", "compatible"),
        (
            {
                "input_schema": {
                    **OBJECT,
                    "properties": {**OBJECT["properties"], "b": {"type": "number"}},
                }
            },
            "all_notes/input/b",
            "breaking",
        ),
        (
            {
                "input_schema": {
                    **OBJECT,
                    "properties": {**OBJECT["properties"], "b": {"type": "integer", "title": "B"}},
                }
            },
            "all_notes/input/b",
            "compatible",
        ),
        ({"input_schema": {**OBJECT, "description": "other"}}, "all_notes/input", "compatible"),
        (
            {"input_schema": {**OBJECT, "additionalProperties": True}},
            "all_notes/input",
            "breaking",
        ),
        ({"output_schema": {**OBJECT, "properties": MORE}}, "all_notes/output/c", "compatible"),
        ({"output_schema": {**OBJECT, "required": []}}, "all_notes/output/a", "breaking"),
        (
            {"output_schema": {**OBJECT, "required": ["a", "b"]}},
            "all_notes/output/b",
            "compatible",
        ),
        (
            {"output_schema": {**OBJECT, "properties": {"a": {"type": "string"}}}},
            "all_notes/output/b",
            "breaking",
        ),
    ],
)
def test_a_changed_tool_breaks_callers_or_does_not(
    contract: Contract, changes: dict[str, Any], where: str, kind: str
) -> None:
    [change] = compare(with_tool(contract), with_tool(contract, **changes))
    assert (change.where, change.kind) == (where, kind)


@pytest.mark.parametrize("where", ["a", "a/items", "$defs/a"])
def test_what_an_object_inside_gets_and_loses_is_judged_by_its_name(
    contract: Contract, where: str
) -> None:
    def tool(inner: dict[str, Any], side: str) -> Contract:
        schema: dict[str, Any] = {**OBJECT, "properties": {"a": inner}}
        if where == "a/items":
            schema["properties"] = {"a": {"type": "array", "items": inner}}
        elif where == "$defs/a":
            schema |= {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": inner}}
        return with_tool(contract, **{f"{side}_schema": schema})

    more = {**OBJECT, "properties": MORE, "required": ["a", "c"]}
    for side, kinds in (
        ("output", ("compatible", "breaking")),
        ("input", ("breaking", "breaking")),
    ):
        for before, after, kind in zip((OBJECT, more), (more, OBJECT), kinds, strict=True):
            [change] = compare(tool(before, side), tool(after, side))
            assert (change.where, change.kind) == (f"all_notes/{side}/{where}/c", kind)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"properties": {"title": {"type": "string"}}}, {"properties": {}}),
        ({"enum": ["a", {"title": "b"}]}, {"enum": ["a", {}]}),
        ({"anyOf": [{"type": "string", "title": "a"}]}, {"anyOf": [{"type": "null"}]}),
    ],
)
def test_names_and_values_are_no_words_about_a_schema(
    contract: Contract, old: dict[str, Any], new: dict[str, Any]
) -> None:
    def schema(inner: dict[str, Any]) -> dict[str, Any]:
        return {**OBJECT, "properties": {"a": inner}}

    before = with_tool(contract, input_schema=schema(old))
    [change] = compare(before, with_tool(contract, input_schema=schema(new)))
    assert (change.kind, change.what) == ("breaking", "schema changed")


def test_a_removed_tool_breaks_and_an_added_one_does_not(contract: Contract) -> None:
    fewer = attrs.evolve(contract, tools=contract.tools[1:])
    assert compare(contract, fewer) == [Change(ChangeKind.BREAKING, "all_notes", "tool removed")]
    assert compare(fewer, contract) == [Change(ChangeKind.COMPATIBLE, "all_notes", "tool added")]


def test_another_listing_order_is_named(contract: Contract) -> None:
    turned = attrs.evolve(contract, tools=contract.tools[::-1])
    [change] = compare(contract, turned)
    assert (change.kind, change.where) == ("compatible", "tools")


@pytest.mark.parametrize(
    ("changes", "where", "kind"),
    [
        ({"envelope": toolroll.Envelope.ERROR_CODE}, "envelope", "breaking"),
        ({"api_version": 2}, "api_version", "breaking"),
        ({"pack": "other"}, "pack", "breaking"),
        ({"capabilities": ("database",)}, "capabilities/project_root", "breaking"),
        (
            {"capabilities": ("database", "more", "project_root")},
            "capabilities/more",
            "compatible",
        ),
    ],
)
def test_a_changed_pack_breaks_callers_or_does_not(
    contract: Contract, changes: dict[str, Any], where: str, kind: str
) -> None:
    [change] = compare(contract, attrs.evolve(contract, **changes))
    assert (change.where, change.kind) == (where, kind)


def test_a_removed_code_breaks_an_added_or_reworded_one_does_not(contract: Contract) -> None:
    less = {code: text for code, text in contract.errors.items() if code != "not_found"}
    fewer = attrs.evolve(contract, errors=less)
    other = attrs.evolve(contract, errors={**contract.errors, "not_found": "reworded"})
    assert [c.to_json() for c in compare(contract, fewer)] == [
        {"kind": "breaking", "where": "errors/not_found", "what": "removed"}
    ]
    assert [c.what for c in compare(fewer, contract)] == ["added"]
    assert [c.what for c in compare(contract, other)] == ["reworded"]


def test_breaking_changes_come_first(contract: Contract) -> None:
    changed = attrs.evolve(contract, envelope=toolroll.Envelope.ERROR_CODE, errors={})
    kinds = [change.kind for change in compare(changed, contract)]
    assert kinds == sorted(kinds)
    assert kinds[0] is ChangeKind.BREAKING


def test_a_foreign_server_needs_only_names_and_schemas() -> None:
    tool = ToolContract.from_json({"name": "echo", "inputSchema": {"type": "object"}})
    assert tool.output_schema == {}  # it promises nothing about its results
    assert not tool.annotations.read_only
