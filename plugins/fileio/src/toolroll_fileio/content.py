"""Write modes on bytes, and character boundaries: stored content is always valid UTF-8."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from toolroll_fileio.failures import failure

__all__ = ["LONGEST_TAIL", "WriteMode", "apply", "check_encoding", "check_mode", "forward"]

LONGEST_TAIL: Final = 3
"""Most continuation bytes that can follow the first byte of a UTF-8 character."""


class WriteMode(StrEnum):
    """How `file_write` treats what is there (manual 9.3)."""

    APPEND = "APPEND"
    OVERWRITE = "OVERWRITE"
    TRUNCATE = "TRUNCATE"


def check_mode(text: str) -> WriteMode:
    """Return a write mode from its name in any case; "" is APPEND.

    Raises:
        ToolError: INVALID_OFFSET.
    """
    try:
        return WriteMode(text.strip().upper() or WriteMode.APPEND)
    except ValueError:
        names = ", ".join(WriteMode)
        raise failure("INVALID_OFFSET", f"mode is unknown; it is one of {names}") from None


def check_encoding(text: str) -> None:
    """Refuse every encoding but UTF-8; "" means UTF-8.

    Raises:
        ToolError: INVALID_QUERY.
    """
    if text.strip().lower() not in {"", "utf-8"}:
        raise failure("INVALID_QUERY", "content_encoding must be 'utf-8'; files hold text only")


def apply(mode: WriteMode, old: bytes, payload: bytes, offset: int) -> bytes:
    """Return what a file holds after a write.

    Args:
        mode: APPEND ignores `offset`; OVERWRITE keeps what lies behind the payload.
        old: What the file holds, b"" where there is none.
        payload: Valid UTF-8.
        offset: In bytes, not negative.

    Raises:
        ToolError: INVALID_OFFSET: past the end, or the result would not be UTF-8.
    """
    match mode:
        case WriteMode.APPEND:
            return old + payload
        case WriteMode.TRUNCATE:
            return payload
        case WriteMode.OVERWRITE:
            if offset > len(old):
                raise failure(
                    "INVALID_OFFSET", f"offset {offset} is past the end of the file at {len(old)}"
                )
            end = offset + len(payload)
            for at in (offset, end) if payload else ():
                if forward(old, at) != at:
                    raise failure(
                        "INVALID_OFFSET",
                        f"byte {at} lies inside a UTF-8 character; the file would not be text "
                        "any more. Read around it to find where characters begin",
                    )
            return old[:offset] + payload + old[end:]


def forward(data: bytes, at: int) -> int:
    """Return the first character boundary at or behind `at`; positions past the end stay."""
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at
