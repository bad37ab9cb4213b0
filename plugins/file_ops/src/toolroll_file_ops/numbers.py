"""Whole numbers and ranges of arguments; the schema says `number`, as the document does."""

from __future__ import annotations

import math

from toolroll_file_ops.failures import invalid_parameter

__all__ = ["ranged", "whole"]


def ranged(value: float, name: str, least: float, most: float) -> float:
    """Return the value if it lies in the range, ends included.

    Raises:
        ToolError: InvalidParameter, naming parameter and range.
    """
    if not math.isfinite(value) or not least <= value <= most:
        raise invalid_parameter(name, f"must be between {least:g} and {most:g}, got {value:g}")
    return value


def whole(value: float, name: str, least: int, most: int | None = None) -> int:
    """Return the value as an integer if it is one and lies in the range, ends included.

    Raises:
        ToolError: InvalidParameter, naming parameter and range.
    """
    wanted = f"between {least} and {most}" if most is not None else f"at least {least}"
    inside = math.isfinite(value) and value >= least and (most is None or value <= most)
    if not inside or value != int(value):
        raise invalid_parameter(name, f"must be a whole number {wanted}, got {value:g}")
    return int(value)
