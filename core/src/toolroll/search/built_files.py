"""Which files were built from others: `lib/app.js` where there is `src/app.ts`."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final, NamedTuple

__all__ = ["built_files"]

REMEMBERED: Final = 20_000
"""Paths remembered."""

_OUTPUT: Final = frozenset(
    {"lib", "libs", "dist", "build", "built", "out", "output", "es", "esm", "cjs", "umd"}
)
_KINDS: Final = """
    es es5 es6 es2015 esm esnext cjs umd amd iife system commonjs module modules typescript types
    typings modern legacy node browser web production development release debug"""
_OUTPUT_KINDS: Final = _OUTPUT | frozenset(_KINDS.split())
"""What directories of output are called whose own directory is one of output."""
_SOURCE: Final = frozenset({"src", "source", "sources"})
_SCRIPTS: Final = frozenset({"js", "cjs", "mjs", "jsx"})
_TYPED: Final = frozenset({"ts", "tsx", "mts", "cts"})
_MADE_OF: Final = {
    **dict.fromkeys(_SCRIPTS, _TYPED | {"coffee", "vue", "svelte"}),
    **dict.fromkeys(("d.ts", "d.mts", "d.cts"), _TYPED | _SCRIPTS),
    "css": frozenset({"scss", "sass", "less", "styl"}),
}
"""Languages of what a file may be compiled from, by its own; scripts also from scripts in `src`."""


class _Place(NamedTuple):
    """Where a file is, without the directories that say source or output.

    Attributes:
        output: Whether there were some that say output.
        source: Whether there was one that says source.
    """

    where: tuple[str, ...]
    language: str
    output: bool
    source: bool


def built_files(paths: Iterable[str]) -> set[str]:
    """Return the files among some paths whose source, by its place and name, is among them too."""
    known = {path: _place(path) for path in paths}
    sources: dict[tuple[str, ...], list[_Place]] = {}
    for place in known.values():
        if not place.output:
            sources.setdefault(place.where, []).append(place)
    return {
        path
        for path, place in known.items()
        if place.language in _MADE_OF
        and any(_made_of(place, source) for source in sources.get(place.where, ()))
    }


def _made_of(place: _Place, source: _Place) -> bool:
    if source.language in _MADE_OF[place.language]:
        return place.output or place.source == source.source
    return place.output and source.source and {place.language, source.language} <= _SCRIPTS


@functools.lru_cache(maxsize=REMEMBERED)
def _place(path: str) -> _Place:
    *directories, name = path.split("/")
    stem, _, language = name.rpartition(".")
    if stem.endswith(".d"):
        stem, language = stem[:-2], f"d.{language}"
    output, source = _cut(directories, _OUTPUT, _OUTPUT_KINDS), False
    if output is None:
        inner = _cut(directories, _SOURCE, frozenset())
        source = inner is not None
        directories = directories if inner is None else inner
    else:
        directories = output
    return _Place((*directories, stem), language, output is not None, source)


def _cut(directories: list[str], names: frozenset[str], below: frozenset[str]) -> list[str] | None:
    """Leave out the first directory with such a name, and those right below; None without one."""
    start = next((i for i, name in enumerate(directories) if name in names), None)
    if start is None:
        return None
    end = start + 1
    while end < len(directories) and directories[end] in below:
        end += 1
    return directories[:start] + directories[end:]
