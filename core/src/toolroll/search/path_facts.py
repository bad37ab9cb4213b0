"""What the path of a file tells before anything is read: its name, and what kind of file it is."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Final

from attrs import frozen

from toolroll.search.tokens import split_identifier, words

__all__ = ["PathFacts", "path_facts", "sourced_headers"]

REMEMBERED: Final = 20_000
"""Paths remembered: about 10 MB."""

_SIDE_NAMES: Final = """
    test tests testing spec specs __tests__ testdata fixtures mocks example examples sample samples
    skel skeleton skeletons demo demos bench benches benchmark benchmarks vendor vendored
    third_party third-party legacy dist generated __generated__ _build _sources"""
_SIDE: Final = frozenset(_SIDE_NAMES.split())
_TESTS: Final = frozenset({"test", "tests"})
"""What test directories begin or end with that say what is tested: `Json.Tests`, `androidTest`."""
_SIDE_NAME: Final = re.compile(
    r"(?:^test[_-]|^tests?\.|[_-]tests?\.|[_-]spec\.|\.test\.|\.spec\.|Tests?\.|\.min\.|\.pb\.|_pb2\."
    r"|\.tsbuildinfo$|\.[cm]?(?:js|ts|css)\.map$|[.-]lock(?:\.\w+)?$|^go\.sum$|\.(?:patch|diff)$)"
)
_TRANSLATION: Final = re.compile(
    r"(?:^|/)(?:locales?|i18n|l10n|translations?|lang(?:uage)?s?)/"
    r".*\.(?:json5?|ya?ml|properties|toml|xml|php|txt)$"
    r"|\.(?:pot?|arb|xliff?|resx|ftl|strings)$|(?:^|/)values-\w[\w-]*/strings\.xml$"
)
_DOCUMENTATION: Final = re.compile(
    r"(?:^|/)(?:(?i:docs?|documentation|changelogs?)|typings|man)/|(?:^|/)(?:PKG-INFO|CHANGE|NEWS|AUTHORS|HISTORY|LICEN[CS]E|COPYING|NOTICE)[^/]*$"
    r"|\.(?:md|mdx|rst|adoc|txt|html?|pod|pyi|d\.[mc]?ts|[1-8])$"
)
_HEADER: Final = re.compile(r"\.(?:h|hh|hpp|hxx|pyi)$")
_INTERFACE: Final = re.compile(r"[a-z]Interface\.\w+$")
_STYLE: Final = re.compile(r"\.(?:css|scss|sass|less|styl)$")
_GATHERING: Final = re.compile(
    r"(?:^|/)(?:__init__\.pyi?|index\.[cm]?[jt]sx?|autoload\.php|(?:mod|lib)\.rs)$"
)


@frozen
class PathFacts:
    """One path.

    Args:
        stem: The file's name up to its first dot.
        spoken: The words of the stem, without numbers and single letters; "" where there are none.
        directory: The name of the directory it is in; "" at the top.
        side: Whether it is a test, an example, vendored, generated, locked or old.
        documentation: Whether it is documentation or type stubs.
        header: Whether it declares what another file defines.
        interface: Whether its name says that it only declares.
        style: Whether it is a style sheet.
        translation: Whether it holds what programs say, in one language of many.
        gathering: Whether it mostly passes on what others define, such as `__init__.py`.
    """

    stem: str
    spoken: str
    directory: str
    side: bool
    documentation: bool
    header: bool
    interface: bool
    style: bool
    translation: bool
    gathering: bool


@functools.lru_cache(maxsize=REMEMBERED)
def path_facts(path: str) -> PathFacts:
    """Return what a path tells."""
    *directories, name = path.split("/")
    stem = name.partition(".")[0] if not name.startswith(".") else name
    parts = [part for word in words(stem) for part in split_identifier(word)]
    return PathFacts(
        stem=stem,
        spoken=" ".join(part for part in parts if len(part) > 1 and not part.isdigit()),
        directory=directories[-1] if directories else "",
        side=any(map(_is_side, directories)) or _SIDE_NAME.search(name) is not None,
        documentation=_DOCUMENTATION.search(path) is not None,
        header=_HEADER.search(name) is not None,
        interface=_INTERFACE.search(name) is not None,
        translation=_TRANSLATION.search(path) is not None,
        style=_STYLE.search(name) is not None,
        gathering=_GATHERING.search(path) is not None,
    )


@functools.lru_cache(maxsize=REMEMBERED)
def _is_side(directory: str) -> bool:
    """Say whether a directory's name is one of tests, examples and the like."""
    if directory.lower() in _SIDE:
        return True
    parts = [part.lower() for word in words(directory) for part in split_identifier(word)]
    return len(parts) > 1 and not _TESTS.isdisjoint((parts[0], parts[-1]))


def sourced_headers(paths: Iterable[str]) -> set[str]:
    """Return the headers among some paths whose source, by its name, is among them too."""
    known = {path: path_facts(path) for path in paths}
    sources = {facts.stem for facts in known.values() if not facts.header}
    return {path for path, facts in known.items() if facts.header and facts.stem in sources}
