"""Rules about the contract itself: they need no server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from jsonschema.exceptions import SchemaError

from toolroll.contract import ToolContract
from toolroll.contract_changes import compare
from toolroll_conformance.check import Skipped
from toolroll_conformance.reply import as_object
from toolroll_conformance.rules.rule import README, Rule, Scene
from toolroll_conformance.schemas import check, dead_references, parameters, resolver
from toolroll_conformance.seeds import find_seeds
from toolroll_conformance.session import Session

__all__ = ["RULES", "is_closed"]

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MCP_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_SHORTEST_DESCRIPTION: Final = 20
_LONGEST_DESCRIPTION: Final = 4096


def tools(session: Session) -> Sequence[str]:
    """Apply a rule to each tool."""
    return [tool.name for tool in session.target.contract.tools]


def tool_names(scene: Scene, subject: str) -> None:
    """Names as MCP wants them, each once; of a pack such as every client takes, and sorted."""
    pattern = _NAME if scene.session.target.is_pack else _MCP_NAME
    names = [tool.name for tool in scene.contract.tools]
    for name in names:
        if not pattern.fullmatch(name):
            raise scene.broken(f"{name!r} is not {pattern.pattern}: some clients refuse it")
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        raise scene.broken(f"listed more than once: {', '.join(twice)}")
    if not scene.session.target.is_pack:
        return  # MCP asks for no order
    for before, name in pairwise(names):
        if name < before:
            raise scene.broken(f"the tools are not sorted: {name} is listed after {before}")


def tool_description(scene: Scene, subject: str) -> None:
    """A description that a model can choose by; a pack's is of some length, and has a title."""
    tool = scene.contract.tool(subject)
    text = tool.description
    if not text.strip():
        raise scene.broken(f"{subject} has no description: no model knows when to call it")
    if not scene.session.target.is_pack:
        return
    if not _SHORTEST_DESCRIPTION <= len(text) <= _LONGEST_DESCRIPTION:
        raise scene.broken(
            f"{subject}: its description has {len(text)} characters, not {_SHORTEST_DESCRIPTION} "
            f"to {_LONGEST_DESCRIPTION}; say what it does, when to use it, and its limits"
        )
    if text != text.strip():
        raise scene.broken(f"{subject}: its description has space around it")
    if not tool.title.strip():
        raise scene.broken(f"{subject}: its title is blank")


def tool_schema(scene: Scene, subject: str) -> None:
    """Input and output schemas that are JSON Schema 2020-12 with objects at the root.

    A pack's input schemas are closed, too; MCP lets a server take arguments that it does not know.
    """
    tool = scene.contract.tool(subject)
    schemas = {"input": tool.input_schema, "output": tool.output_schema}
    for what, schema in schemas.items():
        if what == "output" and not schema:
            continue  # it promises nothing
        try:
            check(schema)
        except SchemaError as error:
            raise scene.broken(
                f"{subject}: the {what} schema is not JSON Schema 2020-12, "
                f"{error.json_path}: {error.message}"
            ) from None
        for problem in _schema_problems(schema):
            raise scene.broken(f"{subject}: the {what} schema {problem}")
    if scene.session.target.is_pack and not is_closed(tool):
        raise scene.broken(
            f"{subject}: the input schema takes unknown arguments; it needs "
            '"additionalProperties": false'
        )


def is_closed(tool: ToolContract) -> bool:
    """Say whether a tool refuses arguments that its schema does not name."""
    return tool.input_schema.get("additionalProperties") is False


def _schema_problems(schema: Mapping[str, Any]) -> Iterator[str]:
    if dead := sorted(dead_references(schema)):
        yield f"has a $ref that leads nowhere: {dead[0]}"
        return
    inside: Any = schema
    while "$ref" in inside:
        inside = resolver(schema).lookup(inside["$ref"]).contents
    if inside.get("type") != "object":
        yield "has no object at its root"
    required: set[str] = set(inside.get("required", ()))
    unknown = required - set(inside.get("properties", {}))
    if unknown:
        yield f"requires what it does not describe: {', '.join(sorted(unknown))}"


def tool_annotations(scene: Scene, subject: str) -> None:
    """Hints that don't contradict one another.

    MCP gives `idempotentHint` of a reader no meaning, so that only a pack owes the right one.
    """
    hints = scene.contract.tool(subject).annotations
    if hints.read_only and hints.destructive:
        raise scene.broken(f"{subject} cannot be both read-only and destructive")
    if hints.read_only and not hints.idempotent and scene.session.target.is_pack:
        raise scene.broken(f"{subject} is read-only, so calling it again changes nothing more")


def path_parameters(scene: Scene, subject: str) -> None:
    """`project_paths` names parameters that hold texts."""
    tool = scene.contract.tool(subject)
    for name in tool.project_paths:
        if not takes_text(tool, name):
            raise scene.broken(f"{subject}: project_paths names {name!r}, which holds no text")


def takes_text(tool: ToolContract, name: str) -> bool:
    """Say whether a parameter is a text or a list of texts."""
    schema = parameters(tool.input_schema).get(name, {})
    items = as_object(schema.get("items")) or {}
    return "string" in (schema.get("type"), items.get("type"))


def error_codes(scene: Scene, subject: str) -> None:
    """Every error code says what it means."""
    if scene.contract.envelope is not None and not scene.contract.errors:
        raise scene.broken("the contract names no error codes")
    for code, meaning in scene.contract.errors.items():
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", code) or not meaning.strip():
            raise scene.broken(f"the code {code!r} is no identifier, or has no meaning")


def frozen_contract(scene: Scene, subject: str) -> None:
    """The frozen contract is the one that the code yields."""
    target = scene.session.target
    if target.live is None or not target.is_installed:
        return
    if target.frozen is None:
        raise scene.broken(f"no contract.json; run 'toolroll packs freeze {target.name}'")
    if target.frozen != target.live:
        changes = compare(target.frozen, target.live)
        named = "; ".join(f"{change.where}: {change.what}" for change in changes[:5])
        raise scene.broken(
            f"contract.json and code differ ({named or 'in what no caller sees'}); run "
            f"'toolroll packs diff {target.name}'"
        )


def case_coverage(scene: Scene, subject: str) -> None:
    """Each tool is called with success by at least one case; nobody owes that of a stranger's."""
    target = scene.session.target
    if subject in find_seeds(target):
        return
    if not target.is_pack:
        raise Skipped(["a case that calls the tool with success"])
    if target.cases:
        raise scene.broken(
            f"no case calls {subject} with success: the rules that need a valid call have none"
        )


def known_failures(scene: Scene, subject: str) -> None:
    """Every entry of the list of known failures names a check that exists."""
    from toolroll_conformance.plan import plan  # the plan is made of rules, this one among them

    known = scene.session.target.known_failures
    if not scene.session.is_complete:
        return  # an entry may be for a check that was left out on request
    if unused := known.unused(check.id for check in plan(scene.session)):
        raise scene.broken(f"no check is named {', '.join(unused)}; mend or remove the entry")


RULES: Final = (
    Rule(
        "tool-names",
        "tool names are valid and unique, a pack's sorted",
        "MCP, tools, tool names",
        tool_names,
    ),
    Rule("tool-description", "a tool says what it does", README, tool_description, tools),
    Rule(
        "tool-schema",
        "schemas are JSON Schema 2020-12",
        "MCP, tools, data types",
        tool_schema,
        tools,
    ),
    Rule(
        "tool-annotations",
        "annotations are consistent",
        "MCP, schema reference, ToolAnnotations",
        tool_annotations,
        tools,
    ),
    Rule("path-parameters", "path parameters exist", README, path_parameters, tools),
    Rule("error-codes", "error codes have meanings", README, error_codes),
    Rule("frozen-contract", "contract.json is what the code yields", README, frozen_contract),
    Rule("case-coverage", "each tool has a case that succeeds", README, case_coverage, tools),
    Rule("known-failures", "the list of known failures is current", README, known_failures),
)
