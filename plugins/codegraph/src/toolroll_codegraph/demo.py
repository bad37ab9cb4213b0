"""The pack on a real repository: a function whose callers and callees a reader can check by eye."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import toolroll
from toolroll.counting import counted
from toolroll_codegraph.languages.registry import LANGUAGES

__all__ = ["demo"]

_FEW: Final = range(2, 7)
"""So many callers and callees fit on a screen."""


def demo(tour: toolroll.Tour) -> None:
    """Index the repository, then ask about the function that is easiest to check."""
    project = str(tour.root)
    present = _languages(tour)
    if not present:
        raise toolroll.NothingToShow("There is no code here in a language that the graph knows")
    tour.say(f"Indexing {', '.join(present)} …")
    arguments = {"project_path": project, "languages": present, "include_tests": True}
    stats = tour.call("index_code_graph", arguments)["stats"]
    tour.say(
        f"{counted(stats['files_indexed'], 'file')}, "
        f"{counted(stats['functions_indexed'], 'function')} and "
        f"{counted(stats['calls_indexed'], 'call')} in {stats['duration_ms']} ms."
    )
    again = tour.call("index_code_graph", arguments)["stats"]
    tour.say(f"Once more, nothing having changed: {again['duration_ms']} ms.")
    name = _example(tour)
    if name is None:
        raise toolroll.NothingToShow("No function here has a handful of callers and callees")
    asked = {"project_path": project, "function_name": name, "max_depth": 1}
    context = tour.call("get_function_context", asked)["context"]
    function = context["function"]
    tour.say(
        f"{function['name']} is defined in {function['file']}, lines {function['start_line']} to "
        f"{function['end_line']}. Check these lines by eye:"
    )
    root = tour.root
    callers = [
        (item["name"], f"{item['file']}:{line}", _source(root, item["file"], line))
        for item in context["callers"]
        for line in item["call_lines"]
    ]
    tour.table("Called by", ("function", "where", "source"), callers)
    callees = [
        (item["name"], f"{function['file']}:{line}", _source(root, function["file"], line))
        for item in context["callees"]
        for line in item["call_lines"]
    ]
    tour.table("Calls", ("function", "where", "source"), callees)
    related = tour.call(
        "find_related_code", {"project_path": project, "file_path": function["file"], "limit": 8}
    )["related_files"]
    rows = [(item["file_path"], item["relationship"], item["strength"]) for item in related]
    tour.table(f"Related to {function['file']}", ("file", "relationship", "strength"), rows)


def _languages(tour: toolroll.Tour) -> list[str]:
    from toolroll_codegraph.indexing.walk import walk

    listing = walk(tour.root, frozenset(LANGUAGES), include_tests=True)
    found = {file.language for file in listing.files}
    return [language for language in LANGUAGES if language in found]


def _example(tour: toolroll.Tour) -> str | None:
    """The exported function with a few callers in other files and a few callees."""
    graph = json.loads(tour.command("codegraph", "export", "--format", "json"))
    nodes = {node["id"]: node for node in graph["nodes"]}
    callers: dict[str, list[str]] = {}
    callees: dict[str, list[str]] = {}
    sure = [edge for edge in graph["edges"] if edge["confidence"] == "high"]
    for edge in sure:
        callers.setdefault(edge["callee"], []).append(edge["caller"])
        callees.setdefault(edge["caller"], []).append(edge["callee"])

    def worth(name: str) -> tuple[int, int, str]:
        away = sum(nodes[caller]["file"] != nodes[name]["file"] for caller in callers[name])
        return (-min(away, 3), abs(len(callers[name]) - 3) + abs(len(callees[name]) - 3), name)

    usable = [
        name
        for name in callers
        if len(callers[name]) in _FEW and len(callees.get(name, ())) in _FEW and _plain(nodes[name])
    ]
    return min(usable, key=worth) if usable else None


def _plain(node: Mapping[str, Any]) -> bool:
    return node["kind"] == "function" and node["is_export"] and not node["is_test"]


def _source(root: Path, path: str, line: int) -> str:
    lines: Sequence[str] = (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[line - 1].strip()[:90] if 0 < line <= len(lines) else ""
