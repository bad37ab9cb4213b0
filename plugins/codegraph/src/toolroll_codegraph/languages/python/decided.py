"""Conditions that the source decides: constants, and which of Python 2 and 3 runs it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

TRUE: Final = (b"True", b"1")
_FALSE: Final = (b"False", b"0", b"None")
_OPERATOR: Final = rb"\s*([<>]=?|[!=]=)\s*"
_WHOLE: Final = re.compile(
    rb"sys\.version(?:_info" + _OPERATOR + rb"\(\s*([23])\s*(?:,\s*0?\s*)*\)"
    rb"|" + _OPERATOR + rb"""(["'])([23])(?:\.0?)?\4)"""
)  # fmt: skip
_MAJOR: Final = re.compile(
    rb"sys\.version(?:_info(?:\[0\]|\.major)|(\[0\]))" + _OPERATOR + rb"""(["']?)([23])\3"""
)
_NAMED: Final = re.compile(
    rb"\n(\w++)[ \t]*+=[ \t]*+(\(?)((?:sys\.v|six\.P|not )[^\n#]+?)[ \t]*(?:#.*)?$", re.MULTILINE
)  # `\n` is looked for in a fifth of the time that `^` is
_CHECKING: Final = re.compile(rb"(not\s+)?(?:\w+\.)?TYPE_CHECKING")
_SIX: Final = {b"six.PY2": False, b"six.PY3": True}


def decided(condition: bytes, names: Mapping[bytes, bool]) -> bool | None:
    """Whether a condition always holds (True) or never (False); None where a run tells.

    `names` are those that stand for such a condition.
    """
    if condition in TRUE:
        return True
    if condition in _FALSE:
        return False
    if condition in names:
        return names[condition]
    if condition.startswith(b"not "):
        inner = decided(condition[4:].strip(), names)
        return None if inner is None else not inner
    if not condition.startswith(b"sys.v"):
        return _SIX.get(condition)
    whole = _WHOLE.fullmatch(condition)
    if whole is not None:  # 3 with what follows is greater than any of the two, and equals none
        return (whole[1] or whole[3]).decode() in (">", ">=", "!=")
    major = _MAJOR.fullmatch(condition)
    if major is None or bool(major[1]) != bool(major[3]):
        return None
    number = int(major[4])
    return {b"<": number > 3, b"<=": number >= 3, b">": number < 3, b">=": number <= 3,
            b"==": number == 3, b"!=": number != 3}[major[2]]  # fmt: skip


def version_names(source: bytes) -> dict[bytes, bool]:
    """The names that a module gives to such conditions, and to nothing else: `PY3 = …`."""
    found: dict[bytes, bool] = {}
    for name, opened, condition in _NAMED.findall(b"\n" + source):
        known = decided(condition[:-1].strip() if opened else condition, found)
        if known is not None and len(re.findall(rb"\b%s[ \t]*=(?!=)" % name, source)) == 1:
            found[name] = known
    return found


def for_checkers(condition: bytes) -> bool | None:
    """Whether what follows is what type checkers read (True) or what runs (False); None elsewhere.

    Of what both define the names mean what runs.
    """
    known = _CHECKING.fullmatch(condition) if b"TYPE_" in condition else None
    return None if known is None else known[1] is None
