"""Which files were built from others: `lib/app.js` where there is `src/app.ts`."""

from __future__ import annotations

import functools
import re
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
_JOINT: Final = re.compile("[-_.]")
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
        below: The same without the directory right below output, where another is left: a compiler
            keeps it whose root is above the source. Else ().
        output: Whether there were some that say output.
        source: Whether there was one that says source.
    """

    where: tuple[str, ...]
    below: tuple[str, ...]
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
        and (
            any(_made_of(place, source) for source in sources.get(place.where, ()))
            or any(
                source.source and _made_of(place, source) for source in sources.get(place.below, ())
            )
        )
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
    telling = (i for i, name in enumerate(directories) if name in _SOURCE or _is_output(name))
    start = next(telling, None)  # `src/lib` is source, `lib/src` output
    if start is None or directories[start] in _SOURCE:
        inner = () if start is None else directories.pop(start)
        return _Place((*directories, stem), (), language, False, bool(inner))
    end = start + 1
    while end < len(directories) and directories[end] in _OUTPUT_KINDS:
        end += 1
    above, inside = directories[:start], directories[end:]
    kept = inside[:1] and (inside[1:] or _SOURCE.intersection(inside))
    below = (*above, *inside[1:], stem) if kept else ()
    return _Place((*above, *inside, stem), below, language, True, False)


def _is_output(directory: str) -> bool:
    """Say whether a directory is called output, or that with its kind: `dist`, `build-module`."""
    name, *kinds = _JOINT.split(directory)
    return name in _OUTPUT and _OUTPUT_KINDS.issuperset(kinds)
