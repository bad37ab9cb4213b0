"""Text that `eval` and `exec` run: code of the scope where it stands."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, Frame
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH, TEST_WIDTH
from toolroll_codegraph.languages.grammar import parser_for
from toolroll_codegraph.languages.python.dynamic import PythonDynamic

if TYPE_CHECKING:
    from tree_sitter import Node

EVALUATING: Final = frozenset([b"eval", b"exec"])
_SAME_NAMES: Final = frozenset([b"globals()", b"locals()"])
_LONGEST: Final = 2000
_DEFINES: Final = re.compile(rb"\b(?:def|class|lambda|yield|await|return|global|nonlocal)\b")
_WRITTEN: Final = frozenset(["string", "identifier", "binary_operator", "call"])
"""How a text may stand there that is known without a run."""


class PythonEvaluated(PythonDynamic):
    """Walks such text where all of it is known, and it defines no function of its own."""

    def block(self, frame: Frame, node: Node) -> bool:
        """Walk statements; True when control never passes the end of the block."""
        raise NotImplementedError

    def evaluated(self, frame: Frame, arguments: Node) -> int | None:
        """The slot of what a text is worth; None where it is not known."""
        first, *spaces = arguments.named_children
        if any(space.text not in _SAME_NAMES for space in spaces):
            return None
        code = self._code(frame, first)
        if code is None or len(code) > _LONGEST or _DEFINES.search(code):
            return None
        # Its lines are those of the file.
        code = b"\n" * first.start_point[0] + code.lstrip(b" \t")
        root = parser_for("python").parse(code).root_node
        statements = root.named_children
        if root.has_error or not statements:
            return None
        before, self.source = self.source, code
        marks = [len(found) for found, _, _ in self._lined()]
        try:
            if len(statements) == 1 and statements[0].type == "expression_statement":
                return self.expression(frame, statements[0].named_children[0])
            self.block(frame, root)
        finally:
            self.source = before
            self._keep_within(first.end_point[0] + 1, marks)
        return -1

    def _lined(self) -> tuple[tuple[list[int], int, int], ...]:
        """What has lines: the rows, where in one the line is, and how long each is."""
        return (
            (self.calls, CallColumn.LINE, CallColumn.WIDTH),
            (self.loads, LOAD_WIDTH - 1, LOAD_WIDTH),
            (self.stores, STORE_WIDTH - 1, STORE_WIDTH),
            (self.tests, TEST_WIDTH - 1, TEST_WIDTH),
        )

    def _keep_within(self, last: int, marks: list[int]) -> None:
        """Put what a text has below its own last line on that: `"a()\\nb()"` has two in one."""
        for (found, place, width), mark in zip(self._lined(), marks, strict=True):
            for position in range(mark + place, len(found), width):
                found[position] = min(found[position], last)

    def _code(self, frame: Frame, node: Node) -> bytes | None:
        """The text that an argument is."""
        if node.type not in _WRITTEN:
            return None
        parts = node.named_children
        if node.type == "call":  # compile("…", "<string>", "exec")
            given = parts[-1].named_children
            return self._code(frame, given[0]) if parts[0].text == b"compile" and given else None
        if node.type != "string":
            return self.text_of(self.expression(frame, node))
        try:
            text = literal_eval((node.text or b"").decode())
        except (SyntaxError, ValueError):  # a formatted one
            return None
        return text.encode() if isinstance(text, str) else text
