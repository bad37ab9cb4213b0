"""The fingerprint that makes two failures the same symptom."""

from __future__ import annotations

from typing import Final

_OFFSET: Final = 14_695_981_039_346_656_037
_PRIME: Final = 1_099_511_628_211
_MASK: Final = 0xFFFF_FFFF_FFFF_FFFF


def fingerprint(test_name: str, error_message: str, component: str) -> str:
    """FNV-1a (64 bits) of the three texts joined by `|`, as 16 lower-case hex digits.

    Nothing is normalised: another process id in the message is another fingerprint.
    """
    digest = _OFFSET
    for byte in f"{test_name}|{error_message}|{component}".encode():
        digest = ((digest ^ byte) * _PRIME) & _MASK
    return f"{digest:016x}"
