"""What long work calls often, so that it can be stopped between two steps of it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Check", "no_check"]

Check = Callable[[], None]
"""Raises when nobody waits for the work any more."""


def no_check() -> None:
    """Go on: a command or a worker has no caller who could leave."""
