"""What a pack's `demo` gets: a guided tour that calls tools for real and tells what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

__all__ = ["NothingToShow", "Tour"]


class NothingToShow(Exception):
    """Ends a pack's demo early: the repository holds nothing that it could go on with.

    The text says what is missing. Tools that were not called by then are no fault.
    """


class Tour(Protocol):
    """Drives `toolroll demo`: each call goes to a real host over stdio, held to its contract."""

    @property
    def root(self) -> Path:
        """The repository the tour stands in; treat it as read-only."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool and return its payload: a JSON value, or text for a Markdown tool.

        An error answer, or one that breaks the contract, is shown and makes the demo fail.
        """
        ...

    def command(self, *arguments: str) -> str:
        """Run `toolroll ARGUMENTS…` on the same data and return its standard output."""
        ...

    def say(self, text: str) -> None:
        """Show a sentence."""
        ...

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Show a table."""
        ...
