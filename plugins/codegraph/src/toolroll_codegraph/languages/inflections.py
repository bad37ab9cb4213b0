"""The commonest of Rails' inflections, by which it finds classes, tables and routes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SINGULAR: Final = (
    (re.compile(rb"people$"), b"person"), (re.compile(rb"children$"), b"child"),
    (re.compile(rb"(m|wom)en$"), rb"\1an"), (re.compile(rb"(matr|vert|ind)ices$"), rb"\1ix"),
    (re.compile(rb"statuses$"), b"status"), (re.compile(rb"([^aeiou])ies$"), rb"\1y"),
    (re.compile(rb"(ss|sh|ch|x|z)es$"), rb"\1"), (re.compile(rb"([^s])s$"), rb"\1"),
)  # fmt: skip
_PLURAL: Final = (
    (re.compile(rb"([^aeiou])y$"), rb"\1ies"), (re.compile(rb"(s|x|ch|sh)$"), rb"\1es"),
    (re.compile(rb"$"), b"s"),
)  # fmt: skip


def singular(name: bytes) -> bytes:
    """The singular of a name, or the name if it looks like none in the plural."""
    return _changed(name, _SINGULAR)


def plural(name: bytes) -> bytes:
    """The plural of a name."""
    return _changed(name, _PLURAL)


def _changed(name: bytes, inflections: Iterable[tuple[re.Pattern[bytes], bytes]]) -> bytes:
    for pattern, changed in inflections:
        found, count = pattern.subn(changed, name)
        if count:
            return found
    return name
