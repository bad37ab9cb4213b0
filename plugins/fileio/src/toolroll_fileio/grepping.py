"""`file_grep`: regular expressions over a project's files, in linear time and bounded.

RE2 never backtracks, and a file is searched in windows (`scanning`), so that no pattern can hold
the host; look-around and back-references are what RE2 can't do, and the error says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, cast

import re2  # pyright: ignore[reportMissingTypeStubs]  # it has none
from attrs import define, frozen
from sqlalchemy import bindparam, select

from toolroll.storage.prepared import Prepared
from toolroll_fileio.content import forward
from toolroll_fileio.failures import failure
from toolroll_fileio.names import ROOT, Span, check_path
from toolroll_fileio.results import Match, Matches
from toolroll_fileio.scanning import Scan
from toolroll_fileio.store import IN_SPACE, IN_SPAN, Files
from toolroll_fileio.tables import active, files

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Place", "compile_pattern", "grep"]

_re2: Final[Any] = re2

LONGEST_PATTERN: Final = 1_000
LARGEST_PROGRAM: Final = 10_000
"""Instructions that RE2 makes of a pattern: each may cost some nanoseconds for each byte."""
LONGEST_LINE: Final = 400
"""Most bytes of a line that are shown."""
FILES_AT_ONCE: Final = 256
_BY_LINES: Final = "(?m)"
"""Before every pattern: `^` and `$` are the ends of lines."""

_PATHS: Final = (
    select(files.c.id, files.c.path)
    .where(IN_SPACE, active, IN_SPAN)
    .order_by(files.c.path)
    .limit(FILES_AT_ONCE)
)
_CONTENT: Final = Prepared(select(files.c.content).where(files.c.id == bindparam("id")))


@frozen
class Place:
    """Where a search goes on: at a byte of a file.

    Its text, the cursor, is `OFFSET:PATH`; "" is the beginning.
    """

    path: str = ""
    offset: int = 0

    @classmethod
    def parse(cls, cursor: str) -> Place:
        """Return the place that a cursor names.

        Raises:
            ToolError: INVALID_QUERY: it is no cursor of ours.
        """
        if not cursor:
            return cls()
        number, _, path = cursor.partition(":")
        if not (number.isascii() and number.isdigit() and len(number) < 12) or not path:
            raise failure(
                "INVALID_QUERY", "cursor is malformed; pass next_cursor of the last answer"
            )
        return cls(check_path(path, "cursor"), int(number))

    def __str__(self) -> str:
        return f"{self.offset}:{self.path}"


def compile_pattern(pattern: str, *, ignore_case: bool) -> Any:
    """Return the compiled pattern.

    Raises:
        ToolError: INVALID_QUERY: RE2 doesn't know it; the message is RE2's own.
    """
    if not pattern:
        raise failure("INVALID_QUERY", "pattern is empty; give a regular expression")
    if len(pattern) > LONGEST_PATTERN:
        raise failure("INVALID_QUERY", f"pattern is longer than {LONGEST_PATTERN} characters")
    options = _re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    try:
        compiled = _re2.compile(f"{_BY_LINES}{pattern}".encode(), options)
    except _re2.error as error:
        cause = cast("Exception", error).args[0]
        said = cause.decode() if isinstance(cause, bytes) else str(cause)
        reason = said.replace(_BY_LINES, "", 1)  # RE2 may quote the whole pattern
        raise failure(
            "INVALID_QUERY",
            f"pattern is not an RE2 expression: {reason} (look-around and back-references don't "
            "exist there)",
        ) from None
    if compiled.programsize > LARGEST_PROGRAM:
        raise failure(
            "INVALID_QUERY", "pattern is too large; repeat fewer characters, or less often"
        )
    return compiled


def grep(
    found: Files,
    pattern: Any,
    path: str,
    limit: int,
    start: Place,
    seconds: float,
    check: Callable[[], None],
) -> Matches:
    """Return matches in byte order of path, then position; empty matches don't count.

    Args:
        found: The project.
        pattern: From `compile_pattern`.
        path: A file or directory; "" for all.
        limit: Most matches.
        start: Where to begin.
        seconds: After so long, the answer is what was found, with a cursor to go on; it may point
            into a file, and each call gets further.
        check: Raises when the caller has gone.

    Raises:
        ToolError: NOT_FOUND: nothing has this path.
    """
    until = time.monotonic() + seconds
    matches: list[Match] = []
    for file_id, name in _each(found, path, start):
        ((data,),) = _CONTENT.all(found.connection, {"id": file_id})
        scan = Scan(pattern, data, start.offset if name == start.path else 0)
        lines = _Lines(data)
        while not scan.done:
            check()
            for first, last in scan.window(until):
                if len(matches) == limit:
                    return Matches(matches=matches, next_cursor=str(Place(name, first)))
                matches.append(_match(name, lines, first, last))
            if time.monotonic() > until:
                on = _behind(found, path, name) if scan.done else str(Place(name, scan.at))
                return Matches(matches=matches, next_cursor=on)
    return Matches(matches=matches, next_cursor="")


def _behind(found: Files, path: str, name: str) -> str:
    """Return the cursor of the file behind `name`, "" if it was the last one."""
    for _, following in _each(found, path, Place(f"{name}!")):
        return str(Place(following))
    return ""


def _each(found: Files, path: str, start: Place) -> Iterator[tuple[int, str]]:
    """Yield id and path of the files to read, in byte order."""
    file = found.get(path) if path != ROOT else None
    if file:
        if file.path >= start.path:
            yield file.id, file.path
        return
    span = Span.below(path)
    if path != ROOT and not found.any_in(span):
        raise failure(
            "NOT_FOUND", "no file or directory has this path; file_list shows those there are"
        )
    low = max(span.low, start.path)
    while rows := _page(found, low, span.high):
        yield from rows
        low = f"{rows[-1][1]}!"


def _page(found: Files, low: str, high: str) -> Sequence[tuple[int, str]]:
    rows = found.connection.execute(_PATHS, {**found.bound, "low": low, "high": high})
    return [(row.id, row.path) for row in rows]


@define
class _Lines:
    """Counts the lines of a file up to places that only go on."""

    data: bytes
    _line: int = 1
    _counted: int = 0

    def number(self, at: int) -> int:
        """Return the number of the line that holds a byte, the first being 1."""
        self._line += self.data.count(b"\n", self._counted, at)
        self._counted = at
        return self._line


def _match(path: str, lines: _Lines, first: int, last: int) -> Match:
    return Match(
        file_path=path,
        line=lines.number(first),
        file_seek_start_bytes=first,
        file_seek_end_bytes=last,
        line_content=_line(lines.data, first),
    )


def _line(data: bytes, at: int) -> str:
    """Return the line that holds a byte, cut to what lies around it if it is long."""
    start = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    end = len(data) if end < 0 else end
    start = forward(data, max(start, at - LONGEST_LINE // 4))
    end = forward(data, min(end, start + LONGEST_LINE))
    return data[start:end].decode()
