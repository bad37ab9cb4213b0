"""What a collection calls its own modules, by `go.mod`, `pubspec.yaml` and `package.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from attrs import field, frozen

__all__ = ["MOST_MANIFESTS", "Manifests", "is_manifest"]

MOST_MANIFESTS: Final = 200
"""Manifests that are read of one collection."""

_GO: Final = re.compile(r"^[^\S\n]*module[^\S\n]+\"?([^\s\"]+)", re.MULTILINE)
_DART: Final = re.compile(r"^name:[^\S\n]*['\"]?(\w+)", re.MULTILINE)


def is_manifest(path: str) -> bool:
    """Say whether a file declares what a module of the collection is called."""
    return path.rpartition("/")[2] in {"go.mod", "pubspec.yaml", "package.json"}


@frozen
class Manifests:
    """The modules of a collection.

    Args:
        go: Directory of each Go module by its path.
        dart: Directory of each Dart package by its name.
        npm: Places of each npm package by its name: its directory, then what it says to begin with.
    """

    go: Mapping[str, str] = field(factory=dict[str, str])
    dart: Mapping[str, str] = field(factory=dict[str, str])
    npm: Mapping[str, tuple[str, ...]] = field(factory=dict[str, tuple[str, ...]])

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Manifests:
        """Return what manifests declare, given their texts by path."""
        go: dict[str, str] = {}
        dart: dict[str, str] = {}
        npm: dict[str, tuple[str, ...]] = {}
        for path, text in sorted(texts.items()):
            directory, _, name = path.rpartition("/")
            if name == "package.json":
                for package, begins in _npm(text):
                    npm.setdefault(package, (directory, *begins))
                continue
            pattern, found = (_GO, go) if name == "go.mod" else (_DART, dart)
            if match := pattern.search(text):
                found.setdefault(match[1], directory)
        return cls(go, dart, npm)

    def go_package(self, address: str) -> str | None:
        """Return the directory of a Go package of the collection's own; None for any other's."""
        module = address
        while module:
            if module in self.go:
                inside = address[len(module) :].strip("/")
                return "/".join(part for part in (self.go[module], inside) if part)
            module = module.rpartition("/")[0]
        return None

    def dart_file(self, package: str, inside: str) -> str | None:
        """Return the path of a Dart library of the collection's own; None for any other's."""
        if package not in self.dart:
            return None
        return "/".join(part for part in (self.dart[package], "lib", inside) if part)

    def npm_places(self, address: str) -> list[tuple[str, ...]]:
        """Return where an import of an npm package of the collection's own may lead.

        What is published is often built from what lies in `src`, and is not there itself.
        """
        parts = address.split("/")
        length = 2 if address.startswith("@") else 1
        declared = self.npm.get("/".join(parts[:length]))
        if declared is None:
            return []
        directory, *begins = declared
        inside = "/".join(parts[length:])
        places = [inside, f"src/{inside}"] if inside else [*begins, "src/index", "index"]
        whole = [f"{directory}/{place}".split("/") for place in places]
        return [tuple(part for part in place if part not in {"", "."}) for place in whole]


def _npm(text: str) -> list[tuple[str, list[str]]]:
    """Return the name of an npm package with the files that it begins with, source first."""
    try:
        declared: Any = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(declared, dict):
        return []
    said = cast("dict[str, object]", declared)
    begins = [said.get(key) for key in ("source", "module", "main", "types")]
    name = said.get("name")
    return [(name, [b for b in begins if isinstance(b, str)])] if isinstance(name, str) else []
