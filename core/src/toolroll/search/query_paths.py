"""Which files a query names: by a path or its end, by a directory on the way, or as a module."""

from __future__ import annotations

import itertools
import re
from typing import Final

__all__ = ["INSIDE", "asked_paths", "named_by"]

WHOLE: Final = 1.1
"""The whole path was given, so that other files whose path ends alike come behind."""
END: Final = 1.0
WITHOUT_EXTENSION: Final = 0.9
ELSEWHERE: Final = 0.9
"""The path was given as it is on another machine, or where the package is installed.

It counts by what it ends in: a half for the name, a quarter more for its directory, and so on. The
name alone says nothing, unless the file is in no directory.
"""
MODULE: Final = 0.3
"""The query is one bare word, which the file is called: a module is what it defines."""
INSIDE: Final = 0.25
"""The file lies in a directory that the query names."""

_AROUND: Final = "`'\"()[]{}<>,;:!?"
_PATH: Final = re.compile(r"[^/]*[^/.][./]+[^/.].*")
_SCHEME: Final = re.compile(r"\A(?!https?:)[\w.+-]+://")
"""What stack traces write before paths, as `file://` and `webpack://`; addresses are no paths."""
_UP: Final = re.compile(r"\A(?:\.{0,2}/)+")
_LINE: Final = re.compile(r"(?::\d+|#L\d+(?:-L?\d+)?)+$")
"""Where in a file, as compilers and links to code say it."""
_MODULE_END: Final = re.compile(r"(?<=[^/])(?:/__init__)?\.[^./]*$")
_EXTENSION: Final = re.compile(r"(?<=[^/])\.[^./]*$")


def asked_paths(query: str) -> list[str]:
    """Return the words of a query that can be paths or names of files.

    `Parser.feed` is among them: only the files there are can tell. So is a query of one bare word.
    """
    if query.strip().isidentifier():
        return [query.strip()]
    found: dict[str, None] = {}
    for word in query.split():
        bare = _SCHEME.sub("", word.strip(_AROUND))
        if "://" in bare:
            continue
        for written in (bare, bare.rpartition("(")[2]):  # as in Java's `feed(Parser.java:3)`
            path = _LINE.sub("", written.rstrip(".").strip(_AROUND)).replace("\\", "/")
            path = _UP.sub("", path.rstrip("./"))
            if _PATH.fullmatch(path):
                found[path] = None
    return list(found)


def named_by(asked: list[str], path: str) -> float:
    """Return how well one of the words names a file, 0 where none does.

    Only bare and dotted words are compared with regard to case: `Query` is no module `query`, and
    `Door.open` not `door/open.py`.
    """
    return max((_named_by(word, path) for word in asked), default=0.0)


def _named_by(word: str, path: str) -> float:
    if word.isidentifier() and _EXTENSION.sub("", f"/{path}").endswith(f"/{word}"):
        return MODULE
    is_module = "." in word and _MODULE_END.sub("", f"/{path}").endswith(
        "/" + word.replace(".", "/")
    )
    word, path = word.lower(), path.lower()
    if path == word:
        return WHOLE
    if path.endswith(f"/{word}"):
        return END
    if "/" not in word:
        return WITHOUT_EXTENSION if is_module else 0.0
    if _EXTENSION.sub("", f"/{path}").endswith(f"/{word}"):
        return WITHOUT_EXTENSION
    asked, there = word.split("/"), path.split("/")
    shared = _shared(asked, there)
    if shared > 1 or shared == len(there):
        return ELSEWHERE * (1 - 0.5**shared)
    return INSIDE if f"/{word}/" in f"/{path}" else 0.0


def _shared(one: list[str], other: list[str]) -> int:
    """Return how many parts at their ends two paths share."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
