"""The whole graph as JSON, GraphML or Mermaid."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape, quoteattr

import sqlalchemy as sa

from toolroll_codegraph.confidence import REFERENCE, WORDS
from toolroll_codegraph.storage.tables import calls, functions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

_ATTRIBUTES: Final = ("name", "file", "kind", "start_line", "end_line")
_MOST_DRAWN: Final = 500
"""Edges: Mermaid's `maxEdges`, unless its viewer says otherwise."""
_ENTITY: Final = re.compile(r"#(?=\w+;)")
"""Where Mermaid reads a character by its name or number, in its own way; a label that begins with
a backtick is Markdown to it."""
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, not even as references; written as Python does."""


def export(session: Session, project: int, form: str, *, prefix: str = "") -> str:
    """Return the graph in one of the formats; `prefix` keeps files below a path only.

    Nodes are named `path::qualified name`; where a file has two of one name, the line is added.
    """
    nodes, edges = _graph(session, project, prefix)
    if form == "json":
        return _json(nodes, edges)
    return _graphml(nodes, edges) if form == "graphml" else _mermaid(nodes, edges)


def below(session: Session, project: int, prefix: str) -> bool:
    """Say whether a function's file has a path that starts so."""
    paths = sa.select(functions.c.path).where(functions.c.project == project).distinct()
    return any(path.startswith(prefix) for path in session.execute(paths).scalars())


def _graph(
    session: Session, project: int, prefix: str
) -> tuple[dict[str, Any], list[tuple[str, str, Any]]]:
    statement = (
        sa.select(functions)
        .where(functions.c.project == project, functions.c.kind != "mixin")
        .order_by(functions.c.path, functions.c.start_line, functions.c.qualified_name,
                  functions.c.id)
    )  # fmt: skip
    names: dict[int, str] = {}
    nodes: dict[str, Any] = {}
    for row in session.execute(statement):
        if not row.path.startswith(prefix):
            continue
        name = f"{row.path}::{row.qualified_name}"
        if name in nodes:
            name = f"{name}@{row.start_line}"
        if name in nodes:
            name = f"{name}.{row.id}"
        nodes[name] = row
        names[row.id] = name
    edges = [
        (names[row.caller], names[row.callee], row)
        for row in session.execute(
            sa.select(calls)
            .join(functions, functions.c.id == calls.c.caller)
            .where(functions.c.project == project, calls.c.confidence != REFERENCE)
        )
        if row.caller in names and row.callee in names
    ]
    edges.sort(key=lambda edge: (edge[0], edge[1]))
    return nodes, edges


def _values(row: Any) -> dict[str, Any]:
    return {
        "name": row.qualified_name,
        "file": row.path,
        "kind": row.kind,
        "start_line": row.start_line,
        "end_line": row.end_line,
    }


def _json(nodes: dict[str, Any], edges: Sequence[tuple[str, str, Any]]) -> str:
    document = {
        "nodes": [
            {"id": name, **_values(row), "is_export": row.is_export, "is_test": row.is_test}
            for name, row in nodes.items()
        ],
        "edges": [
            {
                "caller": caller,
                "callee": callee,
                "confidence": WORDS[row.confidence],
                "lines": [int(line) for line in row.lines.split(",")],
            }
            for caller, callee, row in edges
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _graphml(nodes: dict[str, Any], edges: Sequence[tuple[str, str, Any]]) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    for name in _ATTRIBUTES:
        kind = "int" if name.endswith("_line") else "string"
        lines.append(f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>')
    lines += [
        '<key id="confidence" for="edge" attr.name="confidence" attr.type="string"/>',
        '<graph edgedefault="directed">',
    ]
    for name, row in nodes.items():
        values = "".join(
            f'<data key="{key}">{escape(str(value))}</data>' for key, value in _values(row).items()
        )
        lines.append(f"<node id={quoteattr(name)}>{values}</node>")
    for caller, callee, row in edges:
        confidence = f'<data key="confidence">{WORDS[row.confidence]}</data>'
        lines.append(
            f"<edge source={quoteattr(caller)} target={quoteattr(callee)}>{confidence}</edge>"
        )
    text = "\n".join([*lines, "</graph>", "</graphml>", ""])
    return _NOT_IN_XML.sub(lambda match: ascii(match[0])[1:-1], text)


def _mermaid(nodes: dict[str, Any], edges: Sequence[tuple[str, str, Any]]) -> str:
    """A flowchart of the functions that take part in calls, grouped by file."""
    used = {end for caller, callee, _ in edges for end in (caller, callee)}
    numbers = {name: f"n{index}" for index, name in enumerate(n for n in nodes if n in used)}
    by_file: dict[str, list[str]] = {}
    for name in numbers:
        by_file.setdefault(nodes[name].path, []).append(name)
    lines = ["flowchart LR"]
    if len(edges) > _MOST_DRAWN:
        lines.append(f"  %% {len(edges)} calls; viewers draw {_MOST_DRAWN}: see export --under")
    for index, (path, members) in enumerate(by_file.items()):
        lines.append(f'  subgraph f{index}["{_label(path)}"]')
        lines += [
            f'    {numbers[name]}["{_label(nodes[name].qualified_name)}"]' for name in members
        ]
        lines.append("  end")
    for caller, callee, row in edges:
        arrow = "-->" if row.confidence == 3 else "-.->"
        lines.append(f"  {numbers[caller]} {arrow} {numbers[callee]}")
    return "\n".join([*lines, ""])


def _label(text: str) -> str:
    text = _ENTITY.sub("#35;", " ".join(text.split()))
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(
        ">", "&gt;").replace("`", "#96;")  # fmt: skip
