"""Conditions that the source decides: constants, and which of Python 2 and 3 runs it."""

from __future__ import annotations

import re
from typing import Final

TRUE: Final = (b"True", b"1")
_FALSE: Final = (b"False", b"0", b"None")
_MAJOR: Final = re.compile(
    rb"sys\.version_info(\[0\]|\.major)?\s*([<>]=?|[!=]=)\s*"
    rb"(?:\(\s*([23])\s*(?:,\s*0?\s*)*\)|([23]))"
)
_CHECKING: Final = re.compile(rb"(not\s+)?(?:\w+\.)?TYPE_CHECKING")
_SIX: Final = {b"six.PY2": False, b"six.PY3": True}


def decided(condition: bytes) -> bool | None:
    """Whether a condition always holds (True) or never (False); None where a run tells."""
    if condition in TRUE:
        return True
    if condition in _FALSE:
        return False
    if b"PY" in condition:
        return _SIX.get(condition)
    known = _MAJOR.fullmatch(condition) if condition.startswith(b"sys.v") else None
    if known is None or (known[1] is None) == (known[3] is None):
        return None
    operator, number = known[2].decode(), int(known[3] or known[4])
    if known[1] is None and number == 3:  # a tuple of more numbers is greater, and never equal
        return operator in (">", ">=", "!=")
    return {"<": number > 3, "<=": number >= 3, ">": number < 3, ">=": number <= 3,
            "==": number == 3, "!=": number != 3}[operator]  # fmt: skip


def for_checkers(condition: bytes) -> bool | None:
    """Whether what follows is what type checkers read (True) or what runs (False); None elsewhere.

    Of what both define the names mean what runs.
    """
    known = _CHECKING.fullmatch(condition) if b"TYPE_" in condition else None
    return None if known is None else known[1] is None
