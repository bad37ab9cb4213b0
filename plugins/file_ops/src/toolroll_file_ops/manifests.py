"""What a collection calls its own modules: the names that `go.mod` and `pubspec.yaml` declare."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import field, frozen

__all__ = ["MOST_MANIFESTS", "Manifests", "is_manifest"]

MOST_MANIFESTS: Final = 200
"""Manifests that are read of one collection."""

_GO: Final = re.compile(r"^[^\S\n]*module[^\S\n]+\"?([^\s\"]+)", re.MULTILINE)
_DART: Final = re.compile(r"^name:[^\S\n]*['\"]?(\w+)", re.MULTILINE)


def is_manifest(path: str) -> bool:
    """Say whether a file declares what a module of the collection is called."""
    return path.rpartition("/")[2] in {"go.mod", "pubspec.yaml"}


@frozen
class Manifests:
    """The modules of a collection.

    Args:
        go: Directory of each Go module by its path.
        dart: Directory of each Dart package by its name.
    """

    go: Mapping[str, str] = field(factory=dict[str, str])
    dart: Mapping[str, str] = field(factory=dict[str, str])

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Manifests:
        """Return what manifests declare, given their texts by path."""
        go: dict[str, str] = {}
        dart: dict[str, str] = {}
        for path, text in sorted(texts.items()):
            directory, _, name = path.rpartition("/")
            pattern, found = (_GO, go) if name == "go.mod" else (_DART, dart)
            if match := pattern.search(text):
                found.setdefault(match[1], directory)
        return cls(go, dart)

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
