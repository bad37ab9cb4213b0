"""Comments that tree-sitter's parsers would read again and again, a large file for hours.

They look for the end of each comment that nothing closes, to the end of the file; and Python's
looks over all the comments that follow, from each of them, for how far the next line is indented.
Both are put right byte by byte, so that every position stays.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["with_closed_comments", "with_short_comments"]

_FEW: Final = 20
_LONG: Final = 200
"""Lines of comments in a row: what they cost grows with the square of it."""
_LINES: Final = re.compile(rb"(?:^[ \t]*+(?:#.*+|\r?+)\n){%d,}" % _LONG, re.M)
"""Each line is read in one way alone: were `\r` of a comment or else of its end, as here once, the
lines of a shorter row would be read in 2 to the power of their number."""
_COMMENT: Final = re.compile(rb"#.*")


def with_closed_comments(source: bytes, opener: bytes, closer: bytes, line: bytes) -> bytes:
    """Let openers behind the last closer, if they are many, begin a comment of their line instead.

    `line` begins one and is as long as the opener.
    """
    end = source.rfind(closer) + 1
    if source.count(opener, end) <= _FEW:
        return source
    return source[:end] + source[end:].replace(opener, line)


def with_short_comments(source: bytes) -> bytes:
    """Replace Python's comments by blanks where there are hundreds of lines of them in a row."""
    if source.count(b"#") < _LONG:
        return source
    return _LINES.sub(lambda lines: _COMMENT.sub(_blank, lines[0]), source)


def _blank(comment: re.Match[bytes]) -> bytes:
    return b" " * len(comment[0])
