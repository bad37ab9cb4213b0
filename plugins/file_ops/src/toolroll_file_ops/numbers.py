"""Whole numbers and ranges of arguments; the schema says `number`, as the document does."""

from __future__ import annotations

from typing import Final

from toolroll_file_ops.failures import invalid_parameter

__all__ = ["ranged", "whole"]

_LONGEST: Final = 10**15
"""Numbers beyond it are described in refusals, not shown: one may have thousands of digits."""


def ranged(value: float, name: str, least: float, most: float) -> float:
    """Return the value if it lies in the range, ends included.

    Raises:
        ToolError: InvalidParameter, naming parameter and range.
    """
    if not least <= value <= most:
        raise invalid_parameter(name, f"must be between {least:g} and {most:g}, got {_text(value)}")
    return value


def whole(value: float, name: str, least: int, most: int | None = None) -> int:
    """Return the value as an integer if it is one and lies in the range, ends included.

    Raises:
        ToolError: InvalidParameter, naming parameter and range.
    """
    wanted = f"between {least} and {most}" if most is not None else f"at least {least}"
    inside = value >= least and (most is None or value <= most)
    if not inside or value % 1 != 0:
        raise invalid_parameter(name, f"must be a whole number {wanted}, got {_text(value)}")
    return int(value)


def _text(value: float) -> str:
    if -_LONGEST <= value <= _LONGEST:
        return f"{value:.15g}"
    return "a number above 1e15" if value > 0 else "a number below -1e15"
