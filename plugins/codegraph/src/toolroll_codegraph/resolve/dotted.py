"""Dotted names of what libraries have."""

from __future__ import annotations

from collections.abc import Iterable


def with_modules(names: Iterable[str]) -> set[str]:
    """Functions and classes of libraries, with the modules and objects that they are in."""
    found: set[str] = set()
    for name in names:
        while name:
            found.add(name)
            name = name.rpartition(".")[0]
    return found
