"""Branches, loops, `try` and `switch` of JavaScript and TypeScript."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame
from toolroll_codegraph.languages.javascript.conditions import Known
from toolroll_codegraph.languages.javascript.modules import STATEMENTS
from toolroll_codegraph.languages.javascript.statements import JavaScriptStatements

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOPS: Final = ("for_statement", "while_statement", "do_statement", "for_in_statement")
_TRUE: Final = (b"true", b"1")
_LEFT: Final = re.compile(rb"\b(?:break|return)\b")
"""What ends a loop before its iterator does."""


class JavaScriptControlFlow(JavaScriptStatements):
    """Joins what variables hold where paths meet."""

    @STATEMENTS.on("if_statement")
    def if_statement(self, frame: Frame, node: Node) -> bool:
        condition = node.child_by_field_name("condition")
        holds, fails = ([], []) if condition is None else self.condition(frame, condition)
        first = node.child_by_field_name("consequence")
        otherwise = node.child_by_field_name("alternative")
        constant = None if condition is None else self.decided(frame, condition)
        walk = partial(self.branch_of, frame, holds, first)
        if constant is False:
            walk = partial(self.unreached, walk)
        branches = [self.branch(frame, walk)]
        walk = partial(self.branch_of, frame, fails, otherwise)
        if constant:
            if otherwise is not None:
                branches.append(self.branch(frame, partial(self.unreached, walk)))
        else:
            branches.append(self.branch(frame, walk))
        if sum(branch is not None for branch in branches) > 1:
            for branch in branches:
                self.forget(branch)
        self.merge(frame, branches)
        return all(branch is None for branch in branches)

    def branch_of(self, frame: Frame, known: list[Known], node: Node | None) -> bool:
        """Walk a branch, in which a condition tells something of variables."""
        for item in known:
            self.learn(frame, item)
        if node is not None and node.type == "else_clause":
            return self.else_clause(frame, node)
        return self.inner(frame, node)

    def else_clause(self, frame: Frame, node: Node) -> bool:
        ends = False
        for child in node.named_children:
            ends = self.inner(frame, child) or ends
        return ends

    @STATEMENTS.on(*_LOOPS)
    def loop(self, frame: Frame, node: Node) -> bool:
        element = -1
        target = None
        if node.type == "for_in_statement":
            target = node.child_by_field_name("left")
            source = node.child_by_field_name("right")
            value = self.expression(frame, source) if source is not None else -1
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type == "of":
                early = _LEFT.search(self.source, node.start_byte, node.end_byte)
                element = self.element(frame, value, node, CallFlag.ENTER if early else 0)
                self.entries.note_loop(value, target)
        start = node.child_by_field_name("initializer")
        if start is not None:
            self.inner(frame, start)
        condition = node.child_by_field_name("condition")
        endless = _is_endless(node.type, condition)
        around = node.parent
        label = b""
        if around is not None and around.type == "labeled_statement":
            label = self.text(around.named_children[0])
        repeats = node.type == "do_statement"
        self.open_loop(frame, label)

        def walk() -> bool:
            if target is not None:
                declared = node.child_by_field_name("kind") is not None
                self.target(frame, target, element, declare=declared)
            if condition is not None and not repeats:
                self.inner(frame, condition)
            ends = self.inner(frame, node.child_by_field_name("body"))
            for part in (node.child_by_field_name("increment"), condition if repeats else None):
                if part is not None:
                    self.inner(frame, part)
            return ends

        left = self.close_loop(frame, self.branch(frame, walk), endless=endless)
        self.merge(frame, [*left] if endless else [{}, *left])
        return endless and not left

    @STATEMENTS.on("labeled_statement")
    def labeled(self, frame: Frame, node: Node) -> bool:
        label, body = node.named_children[0], node.named_children[-1]
        if body.type in _LOOPS:
            return self.inner(frame, body)
        self.open_exits(frame, self.text(label))
        ends = self.inner(frame, body)
        left = self.close_exits(frame)
        self.merge(frame, [*left] if ends else [{}, *left])
        return ends and not left

    @STATEMENTS.on("try_statement")
    def try_statement(self, frame: Frame, node: Node) -> bool:
        body = node.child_by_field_name("body")
        before = len(frame.journal)
        ends = self.inner(frame, body)
        handler = node.child_by_field_name("handler")
        if handler is not None:
            caught = self.branch(frame, partial(self.catch_clause, frame, handler, before))
            self.merge(frame, [caught] if ends else [caught, {}])
            ends = ends and caught is None
        last = node.child_by_field_name("finalizer")
        if last is not None:
            ends = self.inner(frame, last.child_by_field_name("body")) or ends
        return ends

    def catch_clause(self, frame: Frame, node: Node, before: int) -> bool:
        self.rewind_join(frame, before)
        parameter = node.child_by_field_name("parameter")
        if parameter is not None:
            self.target(frame, parameter, self.thrown_value(), declare=True)
        return self.inner(frame, node.child_by_field_name("body"))

    @STATEMENTS.on("switch_statement")
    def switch_statement(self, frame: Frame, node: Node) -> bool:
        value = node.child_by_field_name("value")
        if value is not None:
            self.expression(frame, value)
        body = node.child_by_field_name("body")
        self.open_exits(frame)
        before: dict[int, int] | None = None
        complete = False
        for case in body.named_children if body is not None else ():
            before = self.branch(frame, partial(self.switch_case, frame, case, before))
            complete = complete or case.type == "switch_default"
        left: list[dict[int, int] | None] = [*self.close_exits(frame), before]
        if not complete:
            left.append({})
        self.merge(frame, left)
        return all(branch is None for branch in left)

    def switch_case(self, frame: Frame, node: Node, before: dict[int, int] | None) -> bool:
        """Walk a case, which may run on from the end of the one before."""
        if before is not None:
            self.merge(frame, [{}, before])
        ends = False
        for child in node.named_children:
            ends = self.inner(frame, child) or ends
        return ends


def _is_endless(kind: str, condition: Node | None) -> bool:
    if condition is None or condition.type == "empty_statement":
        return kind == "for_statement"
    return _bare(condition).text in _TRUE


def _bare(node: Node) -> Node:
    """An expression without the parentheses around it."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node
