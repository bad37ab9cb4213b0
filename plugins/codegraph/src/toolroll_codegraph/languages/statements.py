"""Statements in their order, for the languages whose statements have no value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tree_sitter import Node

    from toolroll_codegraph.facts import CallMark, Frame


class Walker(Protocol):
    """What walks the statements of a language."""

    statements: list[Any]
    """Handlers by kind of node; each tells whether control never passes its statement's end."""
    parse_errors: int

    def expression(self, frame: Frame, node: Node) -> int: ...
    def mark_calls(self) -> CallMark: ...
    def forget_calls(self, mark: CallMark) -> None: ...
    def unwind(self, frame: Frame, before: tuple[int, int]) -> None: ...


def walk_statements(walker: Walker, frame: Frame, nodes: Iterable[Node]) -> bool:
    """Walk statements; True when control never passes the end of them.

    Those behind that end are walked for what they define, but call nothing. A statement that is
    nested too deeply is left out alone.
    """
    table = walker.statements
    ends: CallMark | None = None
    open_ways = len(frame.loops), len(frame.exits)
    for node in nodes:
        handler = table[node.kind_id]
        try:
            if handler is None:
                walker.expression(frame, node)
            elif handler(walker, frame, node) and ends is None:
                ends = walker.mark_calls()
        except RecursionError:
            walker.parse_errors += 1
            walker.unwind(frame, open_ways)
    if ends is not None:
        walker.forget_calls(ends)
    return ends is not None
