"""Tests as texts in prefix notation, and the syntax that they are read from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN: Final = "?"
"""A test of which a run alone tells whether it holds."""
THERE: Final = "v"
"""Whether a value is something at all."""
MOST_TOKENS: Final = 24
"""Of a test that is asked of values."""
_WRAPPING: Final = (
    "parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression",
)  # fmt: skip


def returned_tests(body: Node) -> list[tuple[Node | None, Node]] | None:
    """(condition, value) of each `return` of a function that does nothing else."""
    if body.type != "statement_block":
        return [(None, body)]
    found: list[tuple[Node | None, Node]] = []
    for statement in body.named_children:
        condition: Node | None = None
        if statement.type == "comment":
            continue
        if statement.type == "if_statement":
            condition = statement.child_by_field_name("condition")
            inner = statement.child_by_field_name("consequence")
            if inner is None or statement.child_by_field_name("alternative") is not None:
                return None
            if inner.type == "statement_block" and inner.named_child_count == 1:
                inner = inner.named_children[0]
            statement = inner
        if statement.type != "return_statement" or statement.named_child_count != 1:
            return None
        found.append((condition, statement.named_children[0]))
        if condition is None:
            return found
    return None


def arguments_of(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    if arguments is None or arguments.type != "arguments":
        return []
    return [child for child in arguments.named_children if child.type != "comment"]


def negated(test: str) -> str:
    if test == UNKNOWN:
        return test
    return test[2:] if test.startswith("! ") else f"! {test}"


def skip(tokens: list[str], place: int) -> int:
    """Where the test ends that begins at a place."""
    wanted = 1
    while wanted:
        wanted += {"&": 1, "|": 1, "!": 0}.get(tokens[place], -1)
        place += 1
    return place


def tells(tokens: list[str]) -> tuple[bool, bool]:
    """Whether a test may be known not to hold, and whether it may be known to hold."""
    head = tokens[0]
    if head == UNKNOWN:
        return False, False
    if head == THERE:
        return False, True
    if head == "!":
        fails, holds = tells(tokens[1:])
        return holds, fails
    if head not in ("&", "|"):
        return True, True
    first = skip(tokens, 1)
    left, right = tells(tokens[1:first]), tells(tokens[first:])
    if head == "&":
        return left[0] or right[0], left[1] and right[1]
    return left[0] and right[0], left[1] or right[1]


def bare(node: Node) -> Node:
    """An expression without parentheses and types around it."""
    while node.type in _WRAPPING and node.named_child_count:
        node = node.named_children[0]
    return node
