"""The document, word for word: what it prints is what the pack advertises and answers."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from typing import Any

import pytest

from toolroll_file_assoc import FileAssoc

LIMIT = {"type": "integer", "minimum": 1, "maximum": 10000}
OFFSET = {"type": "integer", "minimum": 0, "default": 0}
TEXT = {"type": "string"}
SEVERITIES = ["critical", "high", "medium", "low", "info"]

PRINTED: dict[str, dict[str, Any]] = {
    "list_files": {
        "type": "object",
        "properties": {
            "limit": {**LIMIT, "default": 100},
            "offset": OFFSET,
            "language": TEXT,
            "path_prefix": TEXT,
            "min_findings": {"type": "integer", "minimum": 0},
            "has_severity": {"type": "string", "enum": SEVERITIES},
            "scan_source": TEXT,
            "sort": {
                "type": "string",
                "enum": ["updated_at", "first_seen", "path", "language"],
                "default": "updated_at",
            },
            "direction": {"type": "string", "enum": ["asc", "desc", "ASC", "DESC"]},
        },
    },
    "get_file": {"type": "object", "properties": {"file_id": TEXT}, "required": ["file_id"]},
    "get_file_timeline": {
        "type": "object",
        "properties": {
            "file_id": TEXT,
            "limit": {**LIMIT, "default": 50},
            "offset": OFFSET,
            "event_type": {
                "type": "string",
                "enum": ["finding", "association", "file_metadata_update"],
            },
        },
        "required": ["file_id"],
    },
    "get_issue_files": {
        "type": "object",
        "properties": {"issue_id": TEXT},
        "required": ["issue_id"],
    },
    "add_file_association": {
        "type": "object",
        "properties": {
            "file_id": TEXT,
            "issue_id": TEXT,
            "assoc_type": {
                "type": "string",
                "enum": ["bug_in", "task_for", "scan_finding", "mentioned_in"],
            },
        },
        "required": ["file_id", "issue_id", "assoc_type"],
    },
    "register_file": {
        "type": "object",
        "properties": {
            "path": TEXT,
            "language": TEXT,
            "file_type": TEXT,
            "metadata": {"type": "object"},
        },
        "required": ["path"],
    },
}


def test_the_six_tools_are_all_there_are() -> None:
    assert {tool.name for tool in FileAssoc().tools()} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_the_input_schema_is_the_printed_one(name: str) -> None:
    advertised = FileAssoc().contract().tool(name).input_schema
    assert advertised == {**PRINTED[name], "additionalProperties": False}


@pytest.mark.parametrize("name", PRINTED)
def test_the_parameters_stand_in_the_printed_order(name: str) -> None:
    advertised = FileAssoc().contract().tool(name).input_schema
    assert list(advertised["properties"]) == list(PRINTED[name]["properties"])


@pytest.mark.parametrize("name", PRINTED)
def test_what_the_document_answers_is_promised(name: str) -> None:
    promised = FileAssoc().contract().tool(name).output_schema
    assert promised["required"] == list(promised["properties"])


def test_the_path_parameter_is_marked_for_the_path_battery() -> None:
    assert FileAssoc().contract().tool("register_file").project_paths == ("path",)


def test_only_the_two_writers_are_not_read_only() -> None:
    writers = {t.name for t in FileAssoc().contract().tools if not t.annotations.read_only}
    assert writers == {"add_file_association", "register_file"}


def test_the_frozen_contract_is_the_live_one() -> None:
    frozen = resources.files("toolroll_file_assoc").joinpath("contract.json").read_text("utf-8")
    assert json.loads(frozen) == FileAssoc().contract().to_json()


@pytest.mark.parametrize("module", ["toolroll_file_assoc", "toolroll_file_assoc.commands"])
def test_importing_the_pack_imports_no_database(module: str) -> None:
    """`toolroll packs list` and `--help` stay quick: sqlalchemy alone costs half a second."""
    heavy = "{'sqlalchemy', 'alembic', 'mcp', 'rich'} & set(sys.modules)"
    code = f"import sys, {module}; sys.exit(str({heavy}) if {heavy} else 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
