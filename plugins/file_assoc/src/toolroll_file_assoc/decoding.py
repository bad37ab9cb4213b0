"""The text of an imported file: UTF-8, or what its byte order mark says."""

from __future__ import annotations

import codecs
from typing import Final

__all__ = ["decoded"]

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decoded(data: bytes) -> str:
    """Return a text without its byte order mark; Windows' shells and spreadsheets write UTF-16.

    Raises:
        UnicodeDecodeError: It is in another encoding.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8-sig")
    return data.decode(encoding)
