"""Which files of a collection a file imports, in any of the common languages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["ImportGraph", "imported_names"]

# Indents are sought within a line: from each of many blank lines one would be sought to their end.
_PATTERNS: Final = {
    "python": [
        re.compile(r"^[^\S\n]*from\s+(\.*[\w.]*)\s+import\s+\(?([\w, \t*]+)", re.MULTILINE),
        re.compile(r"^[^\S\n]*import\s+([\w.]+)", re.MULTILINE),
    ],
    "javascript": [
        re.compile(r"""(?:from|import|require\(|import\()\s*['"]([^'"\n]+)['"]"""),
    ],
    "go": [re.compile(r'^[^\S\n]*(?:import\s+)?(?:[\w.]+\s+)?"([\w./-]+)"', re.MULTILINE)],
    "rust": [
        re.compile(r"^[^\S\n]*(?:pub\s+)?use\s+([\w:]+)", re.MULTILINE),
        re.compile(r"^[^\S\n]*(?:pub\s+)?mod\s+(\w+)\s*;", re.MULTILINE),
    ],
    "java": [re.compile(r"^[^\S\n]*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE)],
    "csharp": [re.compile(r"^[^\S\n]*using\s+([\w.]+)\s*;", re.MULTILINE)],
    "ruby": [re.compile(r"""^[^\S\n]*require(?:_relative)?\s*\(?['"]([^'"\n]+)""", re.MULTILINE)],
    "php": [re.compile(r"^[^\S\n]*use\s+([\w\\]+)", re.MULTILINE)],
    "c": [re.compile(r'^[^\S\n]*#\s*include\s+"([^"\n]+)"', re.MULTILINE)],
    "markdown": [re.compile(r"\]\(([^)#\s:]+)")],
}
_SAME: Final = {
    "typescript": "javascript",
    "tsx": "javascript",
    "vue": "javascript",
    "svelte": "javascript",
    "cpp": "c",
    "kotlin": "java",
    "scala": "java",
}
_OWN_PACKAGE: Final = frozenset({"crate", "self", "super", "@", "~"})
"""First parts that stand for the package itself."""
_PACKAGE_FILES: Final = frozenset({"__init__", "index", "mod", "lib", "main"})


def imported_names(text: str, language: str | None) -> list[tuple[str, ...]]:
    """Return what a file imports as parts of a path, most exact first: `a.b` → ("a", "b").

    A leading "." says that the path is relative to the file's directory.
    """
    names: list[tuple[str, ...]] = []
    for pattern in _PATTERNS.get(_SAME.get(language or "", language or ""), []):
        for match in pattern.finditer(text):
            groups = match.groups()
            module = groups[0]
            if len(groups) == 2:
                names += [
                    _parts(f"{module}.{name.strip()}" if module.strip(".") else module + name)
                    for name in groups[1].split(",")
                    if name.strip().isidentifier()
                ]
            names.append(_parts(module))
    return list(dict.fromkeys(name for name in names if name))


def _parts(name: str) -> tuple[str, ...]:
    relative = name.startswith(".")
    parts = [part for part in re.split(r"[./:\\]+", name) if part]
    return tuple([".", *parts] if relative and parts else parts)


class ImportGraph:
    """Finds the files that import statements mean.

    Args:
        paths: Every path of the collection.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_stem: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for path in paths:
            *directories, name = path.split("/")
            stem = name.partition(".")[0]
            place = (*directories, stem)
            if stem in _PACKAGE_FILES and directories:
                self._by_stem.setdefault(directories[-1], []).append((tuple(directories), path))
            self._by_stem.setdefault(stem, []).append((place, path))

    def targets(self, path: str, text: str, language: str | None) -> set[str]:
        """Return the files that `path` imports, itself left out."""
        found: set[str] = set()
        here = tuple(path.split("/")[:-1])
        for name in imported_names(text, language):
            target = self._resolve(name, here)
            if target is not None and target != path:
                found.add(target)
        return found

    def _resolve(self, name: tuple[str, ...], here: tuple[str, ...]) -> str | None:
        relative = name[0] == "."
        wanted = name[1:] if relative or name[0] in _OWN_PACKAGE else name
        # The last part may be a file's extension or a name inside the module.
        for parts in (wanted, wanted[:-1]):
            candidates = self._by_stem.get(parts[-1], []) if parts else []
            fitting = [
                (self._closeness(place, here), path)
                for place, path in candidates
                if place[-len(parts) :] == parts
            ]
            if fitting:
                return min(fitting, key=lambda item: (-item[0], item[1].count("/"), item[1]))[1]
        return None

    @staticmethod
    def _closeness(place: tuple[str, ...], here: tuple[str, ...]) -> int:
        shared = 0
        for mine, theirs in zip(here, place, strict=False):
            if mine != theirs:
                break
            shared += 1
        return shared
