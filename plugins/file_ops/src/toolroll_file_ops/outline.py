"""The tree of a collection, with what to look at first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from attrs import Factory, define

import toolroll
from toolroll.search.path_facts import path_facts
from toolroll_file_ops.catalogue import FileRow, catalogue_of
from toolroll_file_ops.content import size_kb
from toolroll_file_ops.results import (
    DirectoryNode,
    FileNodeInfo,
    KeyFile,
    ProjectOutline,
    ProjectStatistics,
)
from toolroll_file_ops.summarize import short_summary

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["key_reason", "outline_of"]

MAX_SUMMARIES: Final = 100
"""Files whose summary is shown: the key files first; the rest would pass the answer's bound."""

ROOT: Final = "/"
"""The document's name of the uppermost directory."""

_KEY_NAMES: Final = {
    "readme": "describes the project",
    "changelog": "records what changed",
    "changes": "records what changed",
    "contributing": "says how to contribute",
    "license": "the licence",
    "licence": "the licence",
    "copying": "the licence",
    "security": "says how to report vulnerabilities",
    "architecture": "describes the architecture",
}
_KEY_FILES: Final = {
    "pyproject.toml": "package and tool settings (Python)",
    "setup.py": "package definition (Python)",
    "package.json": "package and scripts (JavaScript)",
    "tsconfig.json": "compiler settings (TypeScript)",
    "Cargo.toml": "package definition (Rust)",
    "go.mod": "module definition (Go)",
    "pom.xml": "build definition (Maven)",
    "build.gradle": "build definition (Gradle)",
    "build.gradle.kts": "build definition (Gradle)",
    "Gemfile": "dependencies (Ruby)",
    "composer.json": "package definition (PHP)",
    "CMakeLists.txt": "build definition (CMake)",
    "Makefile": "build commands",
    "justfile": "build commands",
    "Dockerfile": "container image",
    "docker-compose.yml": "services",
    "compose.yaml": "services",
    "tox.ini": "test environments",
    "mkdocs.yml": "documentation site",
    "main.rs": "entry point (Rust)",
    "lib.rs": "crate root (Rust)",
    "main.go": "entry point (Go)",
    "main.py": "entry point (Python)",
    "__main__.py": "entry point (Python)",
    "index.ts": "entry point (TypeScript)",
    "index.js": "entry point (JavaScript)",
    "main.ts": "entry point (TypeScript)",
}
_PROSE: Final = frozenset({"", "md", "rst", "txt", "adoc", "markdown"})


def key_reason(path: str) -> str | None:
    """Return why a file is worth a look first, by its exact name; None for other files.

    Tests, examples and what is vendored or generated have such names for themselves alone.
    """
    name = path.rpartition("/")[2]
    stem, _, kind = name.partition(".")
    prose = kind.lower() in _PROSE and stem.lower() in _KEY_NAMES
    reason = _KEY_NAMES[stem.lower()] if prose else _KEY_FILES.get(name)
    return reason if reason and not path_facts(path).side else None  # few come to the dear part


def outline_of(
    opened: Opened, max_depth: int, *, summaries: bool, highlight: bool
) -> ProjectOutline:
    """Return the answer of `get_project_outline`; statistics count everything, whatever the depth.

    Args:
        opened: The collection.
        max_depth: Levels shown; what lies deeper is counted in its directory.
        summaries: Whether files carry a short summary.
        highlight: Whether key files are marked and listed.
    """
    seq = opened.refresh()
    key = (opened.place.id, seq, max_depth, summaries, highlight)
    outline, _ = opened.engine.outlines.get(
        key, lambda: _outline(opened, max_depth, summaries, highlight)
    )
    return outline


@define
class _Directory:
    directories: dict[str, _Directory] = Factory(dict[str, "_Directory"])
    files: dict[str, FileRow] = Factory(dict[str, FileRow])

    def counts(self) -> tuple[int, int]:
        """Return how many files and directories lie below, however deep."""
        files = directories = 0
        pending: list[_Directory] = [self]
        while pending:
            one = pending.pop()
            files += len(one.files)
            directories += len(one.directories)
            pending.extend(one.directories.values())
        return files, directories


def _outline(opened: Opened, max_depth: int, summaries: bool, highlight: bool) -> ProjectOutline:
    rows = list(catalogue_of(opened).files.values())
    root = _Directory()
    for row in rows:
        *parents, name = row.path.split("/")
        here = root
        for parent in parents:
            here = here.directories.setdefault(parent, _Directory())
        here.files[name] = row
    shown = [row for row in rows if row.path.count("/") < max_depth]
    texts = _summaries(opened, shown) if summaries else {}
    files, directories = root.counts()
    keys = [
        KeyFile(path=row.path, reason=reason, chunk_count=row.chunk_count)
        for row in rows
        if (reason := key_reason(row.path))
    ]
    return ProjectOutline(
        collection=opened.name,
        structure=_node(ROOT, root, max_depth, texts, highlight),
        key_files=sorted(keys, key=lambda file: (file.path.count("/"), file.path))
        if highlight
        else [],
        statistics=ProjectStatistics(
            total_files=files,
            total_directories=directories,
            file_types=dict(sorted(Counter(row.file_type for row in rows).items())),
        ),
    )


def _node(
    name: str, directory: _Directory, depth: int, texts: dict[str, str], highlight: bool
) -> DirectoryNode:
    if depth == 0:
        files, directories = directory.counts()
        return DirectoryNode(
            name=name,
            type="directory",
            children=[],
            truncated=True,
            file_count=files,
            directory_count=directories,
        )
    children = [
        _node(inner_name, inner, depth - 1, texts, highlight)
        for inner_name, inner in sorted(directory.directories.items())
    ]
    for file_name, row in sorted(directory.files.items()):
        is_key = highlight and key_reason(row.path) is not None
        children.append(
            DirectoryNode(
                name=file_name,
                type="file",
                file_info=FileNodeInfo(
                    chunks=row.chunk_count, size_kb=size_kb(row.size), summary=texts.get(row.path)
                ),
                is_key_file=True if is_key else None,
            )
        )
    return DirectoryNode(name=name, type="directory", children=children)


def _summaries(opened: Opened, rows: list[FileRow]) -> dict[str, str]:
    """Return short summaries: of every file where those are few, else of the key files first."""
    ordered = sorted(rows, key=lambda row: (key_reason(row.path) is None, row.path.count("/")))
    found: dict[str, str] = {}
    for row in ordered[:MAX_SUMMARIES]:
        opened.check()
        try:
            loaded, _ = opened.load(row.path)
        except toolroll.ToolError:  # it went or changed kind since the look a moment ago
            continue
        found[row.path] = short_summary(opened, loaded)
    return found
