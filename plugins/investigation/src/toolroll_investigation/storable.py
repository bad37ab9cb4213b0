"""Texts that every database and every UTF-8 stream takes."""

from __future__ import annotations

import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\ud800-\udfff\x00]")
"""Lone surrogates and NUL."""


def storable(text: str) -> str:
    """Return a text in which what can't be stored is U+FFFD, as in any strict decoder."""
    return _UNSTORABLE.sub("\ufffd", text)
