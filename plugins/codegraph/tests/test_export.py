"""`toolroll codegraph export`: three formats that their readers can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from toolroll_codegraph.commands import commands

if TYPE_CHECKING:
    from conftest import Project

NAMES = ("plain.py", 'quo"te.py', "<tag>&amp;.py", "grüße.py")
EDGES = {(f"{name}::outer", f"{name}::inner") for name in NAMES} | {
    ("control.js::o.con\x01trol", "control.js::inner")
}


@pytest.fixture
def odd(project: Project) -> Project:
    """A project whose files and functions are named in every way that a caller may name them."""
    for name in NAMES:
        project.write(name, "def outer(): inner()\ndef inner(): pass\n")
    project.write(
        "control.js", "const o = { 'con\x01trol'() { inner(); } };\nfunction inner() {}\n"
    )
    project.index("python", "javascript")
    return project


def export(project: Project, *words: str) -> str:
    result = CliRunner().invoke(commands, ["export", *words], obj=project.context)
    assert result.exit_code == 0, result.output
    return result.output


def test_json(odd: Project) -> None:
    document = json.loads(export(odd))
    assert {(edge["caller"], edge["callee"]) for edge in document["edges"]} == EDGES
    assert {edge["confidence"] for edge in document["edges"]} == {"high"}
    ids = {node["id"] for node in document["nodes"]}
    assert {end for edge in EDGES for end in edge} <= ids


def test_graphml(odd: Project) -> None:
    root = ElementTree.fromstring(export(odd, "--format", "graphml"))
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    found = {
        (edge.attrib["source"], edge.attrib["target"])
        for edge in root.iterfind("g:graph/g:edge", space)
    }
    written = {
        tuple(end.replace("\x01", "\\x01") for end in edge) for edge in EDGES
    }  # XML has no control characters
    assert found == written
    ids = [node.attrib["id"] for node in root.iterfind("g:graph/g:node", space)]
    assert len(ids) == len(set(ids))
    assert {end for edge in found for end in edge} <= set(ids)


def test_mermaid(odd: Project) -> None:
    lines = export(odd, "--format", "mermaid").splitlines()
    assert lines[0] == "flowchart LR"
    assert sum(" --> " in line for line in lines) == len(EDGES)
    labels = [line.split('["')[1].removesuffix('"]') for line in lines if '["' in line]
    assert len(labels) == 3 * (len(NAMES) + 1)
    assert not any('"' in label or "<" in label for label in labels)


def test_names_that_mermaid_would_read_otherwise(project: Project) -> None:
    """A label that begins with a backtick is Markdown, `#quot;` a quotation mark."""
    project.write("#quot;/a.rb", "def `(command)\n  run(command)\nend\ndef run(command); end\n")
    project.index("ruby")
    lines = [line.strip() for line in export(project, "--format", "mermaid").splitlines()]
    assert lines[1:4] == ['subgraph f0["#35;quot;/a.rb"]', 'n0["#96;"]', 'n1["run"]']


def test_a_part_of_the_graph(odd: Project, tmp_path: Path) -> None:
    target = tmp_path / "graph.json"
    assert export(odd, "--under", "plain", "--output", str(target)) == ""
    document = json.loads(target.read_text("utf-8"))
    assert {node["file"] for node in document["nodes"]} == {"plain.py"}


def test_two_functions_of_one_name_in_a_file_are_two_nodes(project: Project) -> None:
    project.write("a.py", "def f(): pass\ndef f(): pass\ndef g(): f()\n")
    project.index("python")
    ids = [node["id"] for node in json.loads(export(project))["nodes"]]
    assert len(ids) == len(set(ids))
    assert {"a.py::f", "a.py::f@2"} <= set(ids)
