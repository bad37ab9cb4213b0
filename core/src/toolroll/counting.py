"""Numbers with their nouns, for what commands print."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 file`, `2 files`, `0 files`.

    Args:
        number: How many.
        noun: The name of one.
        plural: Of several; by default the noun with an s.
    """
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
