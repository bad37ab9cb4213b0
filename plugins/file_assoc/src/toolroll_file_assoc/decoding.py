"""The text of an imported file: UTF-8, what its byte order mark says, or what its caller says."""

from __future__ import annotations

import codecs
from typing import Final

__all__ = ["decoded"]

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with the mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)


def decoded(data: bytes, encoding: str = "utf-8") -> str:
    """Return a text without its byte order mark; Windows' shells and spreadsheets write UTF-16.

    Args:
        data: The text, in the encoding that its mark says.
        encoding: The encoding of a text without a mark.

    Raises:
        UnicodeDecodeError: It is in another encoding.
        LookupError: No encoding of texts has this name.
    """
    return data.decode(next((name for mark, name in _MARKS if data.startswith(mark)), encoding))
