"""What tests of a name's spelling admit: `start_with?`, `end_with?` and simple expressions.

A test becomes a pattern that a whole name matches where the test holds. It begins with `~` where a
name that matches may fail the test all the same.
"""

from __future__ import annotations

import re
from typing import Final

MAYBE: Final = b"~"
_LETTER: Final = rb"(?:[\w=-]|\\[?!=])(?![?*+{])"
_ANY: Final = rb"\(?\.([*+])\)?"
_BEGINS: Final = re.compile(rb"(?:\^|\\A)((?:" + _LETTER + rb")+)(.*)")
_ENDS: Final = re.compile(rb"(?:(?:\^|\\A)?" + _ANY + rb")?((?:" + _LETTER + rb")+)(?:\$|\\[zZ])")
_REST: Final = re.compile(_ANY + rb"(?:\$|\\[zZ])?")
_WHOLE: Final = re.compile(rb"\$|\\[zZ]")


def of_literals(method: bytes, literals: list[bytes]) -> bytes | None:
    """The pattern of `start_with?` or `end_with?`; None for other methods."""
    if method not in (b"start_with?", b"end_with?") or not literals:
        return None
    known = b"(?:%s)" % b"|".join(map(re.escape, literals))
    return known + b".*" if method == b"start_with?" else b".*" + known


def of_expression(source: bytes) -> bytes | None:
    """The pattern of a regular expression, as it is written; None for those that are not simple."""
    if not source.startswith(b"/") or not source.endswith(b"/") or b"|" in source:
        return None  # with options, or with alternatives
    body = source[1:-1]
    ends = _ENDS.fullmatch(body)
    if ends is not None:
        return b"." + (ends[1] or b"*") + _escaped(ends[2])
    begins = _BEGINS.fullmatch(body)
    if begins is None:
        return None
    known, rest = _escaped(begins[1]), begins[2]
    if not rest or _WHOLE.fullmatch(rest):
        return known + (b"" if rest else b".*")
    more = _REST.fullmatch(rest)
    return known + b"." + more[1] if more is not None else MAYBE + known + b".*"


def _escaped(letters: bytes) -> bytes:
    return re.escape(letters.replace(b"\\", b""))
