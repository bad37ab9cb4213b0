"""Reading a source file: which files to leave out, and every encoding to UTF-8."""

from __future__ import annotations

import codecs
import re
from typing import Final

LARGEST: Final = 2_000_000
"""Bytes; larger files are generated."""
_LONGEST_LINE: Final = 50_000
_LONGEST_MEAN_LINE: Final = 500
_SMALL: Final = 10_000
_COOKIE: Final = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as the next one does
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Unsuitable(Exception):
    """A file that is left out; the message says why."""


def to_utf8(path: str, data: bytes) -> bytes:
    """Return the text of a source file in UTF-8.

    Raises:
        Unsuitable: The file is binary, generated or minified.
    """
    if len(data) > LARGEST:
        raise Unsuitable(f"larger than {LARGEST} bytes")
    if ".min." in path.rpartition("/")[2]:
        raise Unsuitable("minified")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _checked(data[len(mark) :].decode(encoding, "replace").encode())
    if b"\0" in data[:8192]:
        raise Unsuitable("binary")
    cookie = _COOKIE.match(data) if b"coding" in data[:400] else None
    if cookie is not None:
        try:
            name = codecs.lookup(cookie[1].decode("ascii", "replace")).name
            if name != "utf-8":
                return _checked(data.decode(name).encode())
        except (LookupError, UnicodeError, TypeError):
            pass  # an unknown or wrong declaration says nothing; guess as without it
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        data = data.decode("latin-1").encode()
    return _checked(data)


def _checked(data: bytes) -> bytes:
    if b"\n" not in data:  # the parsers count lines by these alone
        data = data.replace(b"\r", b"\n")
    if len(data) > _SMALL:
        lines = data.count(b"\n") + 1
        if len(data) / lines > _LONGEST_MEAN_LINE:
            raise Unsuitable("minified")
        if len(data) > _LONGEST_LINE and max(map(len, data.split(b"\n"))) > _LONGEST_LINE:
            raise Unsuitable("a line is too long")
    return data
