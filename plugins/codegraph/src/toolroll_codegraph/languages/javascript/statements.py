"""Statements, blocks and declarations of JavaScript and TypeScript."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import RETURNED, Frame, ScopeFlag
from toolroll_codegraph.languages.javascript.classes import JavaScriptClasses
from toolroll_codegraph.languages.javascript.documentation import TYPE_TAG
from toolroll_codegraph.languages.javascript.modules import STATEMENTS
from toolroll_codegraph.languages.statements import walk_statements

if TYPE_CHECKING:
    from tree_sitter import Node

_ASSIGNED: Final = re.compile(rb"[;{}(>\n][ \t]*([A-Za-z_$][\w$]*) ?=(?![=>])")
_MOST_ASSIGNED: Final = 20
_FUNCTIONS: Final = (
    "function_declaration", "generator_function_declaration", "function_expression",
    "arrow_function", "generator_function", "method_definition",
)  # fmt: skip
_HOISTED: Final = ("function_declaration", "generator_function_declaration")


class JavaScriptStatements(JavaScriptClasses):
    """Walks statements in order, functions first."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.hoisted: dict[int, int] = {}
        self.assigned: dict[bytes, list[int]] | None = None
        """Name → where it seems to be assigned without being declared."""

    def share_outer(self, node: Node) -> None:
        """Let a variable have, wherever it is read, what functions inside of this one assign it."""
        text = self.text(node)
        if self.assigned is None:
            self.assigned = {}
            for found in _ASSIGNED.finditer(self.source):
                self.assigned.setdefault(found[1], []).append(found.start(1))
        places = self.assigned.get(text)
        if places is None or self.name(text) in self.shared:
            return
        own = _function_around(node)
        root = node
        while root.parent is not None:
            root = root.parent
        for place in places[:_MOST_ASSIGNED]:
            found = root.descendant_for_byte_range(place, place + len(text))
            if found is not None and found.type == "identifier":
                around = _function_around(found)
                if around != own and _is_inside(around, own):
                    self.shared.add(self.name(text))
                    return

    def namespace(self, frame: Frame, node: Node, /) -> bool | None:
        """Walk a namespace of TypeScript."""
        raise NotImplementedError

    def block(self, frame: Frame, node: Node) -> bool:
        """Walk statements, functions first; True when control never passes the end."""
        children = node.named_children
        for child in children:
            kind = child.type
            if kind == "export_statement":
                inner = child.child_by_field_name("declaration")
                if inner is None:
                    continue
                child, kind = inner, inner.type
            if kind in _HOISTED:
                self.hoist(frame, child)
        return walk_statements(self, frame, children)

    def hoist(self, frame: Frame, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            text = self.text(name)
            inner = self.function_value(frame, node, text, ScopeFlag.HOISTED)
            self.hoisted[node.id] = inner.value
            frame.declared.add(self.name(text))
            self.assign(frame, self.name(text), inner.value)

    @STATEMENTS.on(*_HOISTED)
    def function_declaration(self, frame: Frame, node: Node) -> None:
        if node.id not in self.hoisted:
            self.hoist(frame, node)

    @STATEMENTS.on("comment", "empty_statement", "interface_body", "function_signature",
                    "debugger_statement", "hash_bang_line")  # fmt: skip
    def nothing(self, frame: Frame, node: Node) -> None:
        return

    @STATEMENTS.on("expression_statement")
    def expression_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            if child.type == "internal_module":
                self.namespace(frame, child)
            else:
                self.expression(frame, child)
                if child.type == "assignment_expression":
                    self.documented_member(frame, child)

    def documented_member(self, frame: Frame, node: Node) -> None:
        """`/** @type {Type} */ this.name = value`."""
        left, told = node.child_by_field_name("left"), self.documented(node).get(TYPE_TAG)
        if told is None or left is None or left.type != "member_expression":
            return
        owner, name = left.named_children[0], left.named_children[-1]
        if owner.type == "this":
            typed = self.slot()
            self.annotate_text(frame, typed, told)
            line = node.start_point[0] + 1
            self.write(frame, self.receiver(frame), self.name(self.text(name)), typed, line)

    @STATEMENTS.on("statement_block")
    def statement_block(self, frame: Frame, node: Node) -> bool:
        """A block of its own: what `let`, `const` and `class` declare here ends with it."""
        before = dict(frame.env)
        outer, frame.declared = frame.declared, set()
        ends = self.block(frame, node)
        for name in frame.declared:
            if name in before and name in outer:
                frame.env[name] = before[name]
                for exits in frame.exits:
                    for bound in (*exits.left, *exits.again):
                        bound.pop(name, None)
        frame.declared |= outer
        return ends

    @STATEMENTS.on("lexical_declaration", "variable_declaration", "using_declaration")
    def declaration(self, frame: Frame, node: Node) -> None:
        declare = node.type != "variable_declaration"
        for child in node.named_children:
            if child.type != "variable_declarator":
                continue
            target = child.named_children[0]
            source = child.child_by_field_name("value")
            annotation = child.child_by_field_name("type")
            value = -1
            if source is None or source.type in ("null", "undefined"):
                value = self.open_slot()
            else:
                name = self.text(target) if target.type == "identifier" else b""
                value = self.named_value(frame, source, name)
            if annotation is not None:
                typed = self.slot()
                if value >= 0:
                    self.copies += (value, typed)
                self.annotate(frame, typed, annotation)
                value = typed
            elif target.type == "identifier":
                value = self.documented_value(frame, value, self.documented(node).get(TYPE_TAG))
            if target.type == "identifier" and node.children[0].type != "const":
                self.share_outer(target)
            # `var x;` once more leaves the value that x has.
            again = target.type != "identifier" or self.name(self.text(target)) in frame.env
            if declare or source is not None or not again:
                self.target(frame, target, value, declare=True)
            if node.type == "using_declaration":
                self.disposed(frame, node, value)

    @STATEMENTS.on("return_statement")
    def return_statement(self, frame: Frame, node: Node) -> bool:
        for child in node.named_children:
            for value in self.alternatives(frame, child):
                if frame.flags & ScopeFlag.GENERATOR:
                    self.store(frame.env[-1], self.name(RETURNED.encode()), value)
                else:
                    self.give_back(frame, value)
        return True

    @STATEMENTS.on("throw_statement")
    def throw_statement(self, frame: Frame, node: Node) -> bool:
        for child in node.named_children:
            value = self.expression(frame, child)
            if value >= 0:
                self.copies += (value, self.thrown_value())
        return True

    @STATEMENTS.on("break_statement", "continue_statement")
    def leave(self, frame: Frame, node: Node) -> bool:
        label = self.text(node.named_children[0]) if node.named_children else b""
        self.leave_loop(frame, label, again=node.type == "continue_statement")
        return True

    def inner(self, frame: Frame, node: Node | None) -> bool:
        """One statement, which may be a block."""
        if node is None:
            return False
        handler = self.statements[node.kind_id]
        if handler is None:
            self.expression(frame, node)
            return False
        return bool(handler(self, frame, node))

    @STATEMENTS.on("with_statement")
    def with_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            self.inner(frame, child)


def _function_around(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type not in _FUNCTIONS:
        around = around.parent
    return around


def _is_inside(node: Node | None, around: Node | None) -> bool:
    """Whether a function is inside of another; None stands for the file."""
    if node is None or around is None:
        return around is None
    return around.start_byte <= node.start_byte and node.end_byte <= around.end_byte
