"""Branches, loops, `try` and `switch` of JavaScript and TypeScript."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.javascript.modules import STATEMENTS
from toolroll_codegraph.languages.javascript.statements import JavaScriptStatements

if TYPE_CHECKING:
    from tree_sitter import Node


class JavaScriptControlFlow(JavaScriptStatements):
    """Joins what variables hold where paths meet."""

    @STATEMENTS.on("if_statement")
    def if_statement(self, frame: Frame, node: Node) -> bool:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self.expression(frame, condition)
        first = node.child_by_field_name("consequence")
        otherwise = node.child_by_field_name("alternative")
        checked = None if condition is None else self.checked(frame, condition)
        branches = [self.branch(frame, partial(self.checked_branch, frame, first, checked))]
        self.forget(branches[0])
        if otherwise is not None:
            branches.append(self.branch(frame, partial(self.else_clause, frame, otherwise)))
        else:
            branches.append({})
        self.merge(frame, branches)
        return all(branch is None for branch in branches)

    def checked_branch(
        self, frame: Frame, node: Node | None, checked: tuple[int, int] | None
    ) -> bool:
        if checked is not None:
            self.assign(frame, *checked)
        return self.inner(frame, node)

    def checked(self, frame: Frame, node: Node) -> tuple[int, int] | None:
        """A variable and its slot where `variable instanceof Name` holds, alone or with `&&`."""
        while node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        if node.type != "binary_expression":
            return None
        left, right = node.named_children[0], node.named_children[-1]
        operator = node.child_by_field_name("operator")
        kind = "" if operator is None else operator.type
        if kind == "&&":
            return self.checked(frame, left) or self.checked(frame, right)
        if kind != "instanceof" or left.type != "identifier":
            return None
        known, name = self.expression(frame, right), self.name(self.text(left))
        before = frame.env.get(name, -1)
        if known < 0 or before < 0:
            return None
        slot = self.told(before, [known])
        self.narrowed[slot] = name
        return name, slot

    def else_clause(self, frame: Frame, node: Node) -> bool:
        ends = False
        for child in node.named_children:
            ends = self.inner(frame, child) or ends
        return ends

    @STATEMENTS.on("for_statement", "while_statement", "do_statement", "for_in_statement")
    def loop(self, frame: Frame, node: Node) -> None:
        element = -1
        target = None
        if node.type == "for_in_statement":
            target = node.child_by_field_name("left")
            source = node.child_by_field_name("right")
            value = self.expression(frame, source) if source is not None else -1
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type == "of":
                element = self.element(frame, value, node)
        start = node.child_by_field_name("initializer")
        if start is not None:
            self.inner(frame, start)
        self.open_loop(frame)

        def walk() -> bool:
            if target is not None:
                declared = node.child_by_field_name("kind") is not None
                self.target(frame, target, element, declare=declared)
            for field in ("condition", "body", "increment"):
                part = node.child_by_field_name(field)
                if part is not None:
                    self.inner(frame, part)
            return False

        self.merge(frame, [self.branch(frame, walk), {}])
        self.close_loop(frame)

    @STATEMENTS.on("try_statement")
    def try_statement(self, frame: Frame, node: Node) -> bool:
        body = node.child_by_field_name("body")
        ends = self.inner(frame, body)
        handler = node.child_by_field_name("handler")
        if handler is not None:
            caught = self.branch(frame, partial(self.catch_clause, frame, handler))
            self.merge(frame, [caught, {}])
            ends = ends and caught is None
        last = node.child_by_field_name("finalizer")
        if last is not None:
            ends = self.inner(frame, last.child_by_field_name("body")) or ends
        return ends

    def catch_clause(self, frame: Frame, node: Node) -> bool:
        parameter = node.child_by_field_name("parameter")
        if parameter is not None:
            self.target(frame, parameter, self.thrown_value(), declare=True)
        return self.inner(frame, node.child_by_field_name("body"))

    @STATEMENTS.on("switch_statement")
    def switch_statement(self, frame: Frame, node: Node) -> None:
        value = node.child_by_field_name("value")
        if value is not None:
            self.expression(frame, value)
        body = node.child_by_field_name("body")
        branches: list[dict[int, int] | None] = [{}]
        for case in body.named_children if body is not None else ():
            branches.append(self.branch(frame, partial(self.switch_case, frame, case)))
        self.merge(frame, branches)

    def switch_case(self, frame: Frame, node: Node) -> bool:
        returns = False
        for child in node.named_children:
            self.inner(frame, child)
            returns = returns or child.type in ("return_statement", "throw_statement")
        return returns
