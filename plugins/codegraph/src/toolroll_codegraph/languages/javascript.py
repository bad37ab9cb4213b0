"""JavaScript (with JSX) and TypeScript (with TSX) syntax to facts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    RETURNED,
    FileFacts,
    Frame,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.grammar import count_errors
from toolroll_codegraph.languages.javascript_classes import JavaScriptClasses
from toolroll_codegraph.languages.javascript_literals import FUNCTIONS
from toolroll_codegraph.languages.javascript_modules import STATEMENTS
from toolroll_codegraph.languages.typescript_repairs import parse_typescript

if TYPE_CHECKING:
    from tree_sitter import Node

_DIALECTS: Final = {"ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx"}
_HOISTED: Final = ("function_declaration", "generator_function_declaration")
_MODULE_SYNTAX: Final = ("import_statement", "export_statement")


def dialect_of(path: str) -> str:
    """The grammar for a file name; JSX is part of JavaScript's, not of TypeScript's."""
    return _DIALECTS.get(path.rpartition(".")[2], "javascript")


def extract_javascript(source: bytes, dialect: str = "javascript") -> FileFacts:
    """Turn one file into facts; a file with syntax errors gives what could be parsed."""
    tree, source = parse_typescript(source, dialect)
    return _JavaScript(source, dialect).run(tree.root_node)


class _JavaScript(JavaScriptClasses):
    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.module = self.open_frame(ScopeKind.MODULE, self.name(b"<module>"), None, 1)
        self.hoisted: dict[int, int] = {}

    def run(self, root: Node) -> FileFacts:
        self.module.end = root.end_point[0] + 1
        if root.has_error:
            self.parse_errors = count_errors(root)
        self.common = not any(child.type in _MODULE_SYNTAX for child in root.named_children)
        try:
            self.block(self.module, root)
        except RecursionError:
            self.parse_errors += 1
        self.run_deferred()
        for frame, exported, local in self.late_exports:
            if local in frame.versions:
                frame.members[exported] = self.summary(frame, local)
        return self.finish()

    # statements

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
        table = self.statements
        ends = False
        for child in children:
            handler = table[child.kind_id]
            if handler is None:
                self.expression(frame, child)
            elif handler(self, frame, child):
                ends = True
        return ends

    def hoist(self, frame: Frame, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            text = self.text(name)
            inner = self.function_value(frame, node, text)
            self.hoisted[node.id] = inner.value
            frame.declared.add(self.name(text))
            self.assign(frame, self.name(text), inner.value)

    @STATEMENTS.on(*_HOISTED)
    def function_declaration(self, frame: Frame, node: Node) -> None:
        if node.id not in self.hoisted:
            self.hoist(frame, node)

    @STATEMENTS.on("comment", "empty_statement", "interface_body", "type_alias_declaration",
                    "function_signature", "debugger_statement", "hash_bang_line")  # fmt: skip
    def nothing(self, frame: Frame, node: Node) -> None:
        return

    @STATEMENTS.on("expression_statement")
    def expression_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            if child.type == "internal_module":
                self.namespace(frame, child)
            else:
                self.expression(frame, child)

    @STATEMENTS.on("statement_block")
    def statement_block(self, frame: Frame, node: Node) -> bool:
        """A block of its own: what `let`, `const` and `class` declare here ends with it."""
        before = dict(frame.env)
        outer, frame.declared = frame.declared, set()
        ends = self.block(frame, node)
        for name in frame.declared:
            if name in before and name in outer:
                frame.env[name] = before[name]
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
            if declare or source is not None:
                self.target(frame, target, value, declare=True)
            elif target.type == "identifier":
                frame.versions.setdefault(self.name(self.text(target)), [])

    @STATEMENTS.on("return_statement")
    def return_statement(self, frame: Frame, node: Node) -> bool:
        for child in node.named_children:
            value = self.expression(frame, child)
            if frame.flags & ScopeFlag.GENERATOR:
                self.store(frame.env[-1], self.name(RETURNED.encode()), value)
            elif value >= 0 and frame.ret >= 0:
                self.copies += (value, frame.ret)
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

    @STATEMENTS.on("labeled_statement", "with_statement")
    def labeled(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            if child.type != "statement_identifier":
                self.inner(frame, child)

    # functions and classes

    def function_value(self, frame: Frame, node: Node, name: bytes, flags: int = 0) -> Frame:
        """Open the scope of a function; its body is walked when the enclosing one is done."""
        line = node.start_point[0] + 1
        kind = ScopeKind.FUNCTION if name else ScopeKind.LAMBDA
        label = self.name(name) if name else self.lambda_name(frame)
        inner = self.open_frame(kind, label, frame, line)
        inner.end = node.end_point[0] + 1
        inner.flags |= flags
        if node.type == "arrow_function":
            inner.flags |= ScopeFlag.ARROW
        if node.children[0].type == "async":
            inner.flags |= ScopeFlag.ASYNC
        own = node.child_by_field_name("name") if node.type in FUNCTIONS else None
        if own is not None:
            self.assign(inner, self.name(self.text(own)), inner.value)
        self.deferred.append(partial(self.function_body, inner, node))
        return inner

    def function_body(self, frame: Frame, node: Node) -> None:
        frame.ret = self.slot()
        if any(child.type == "*" for child in node.children):
            self.open_generator(frame)
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        if parameters is not None:
            self.parameters(frame, parameters)
        result = node.child_by_field_name("return_type")
        if result is not None:
            self.annotate(frame, frame.ret, result)
        body = node.child_by_field_name("body")
        if body is None:
            return
        if body.type == "statement_block":
            self.block(frame, body)
            return
        value = self.expression(frame, body)
        if value >= 0:
            self.copies += (value, frame.ret)

    @STATEMENTS.on("enum_declaration")
    def enumeration(self, frame: Frame, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self.assign(frame, self.name(self.text(name)), -1)

    @STATEMENTS.on("internal_module", "module")
    def namespace(self, frame: Frame, node: Node) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None or body is None:
            return
        text = self.text(name)
        line = node.start_point[0] + 1
        inner = self.open_frame(ScopeKind.NAMESPACE, self.name(text), frame, line)
        inner.end = node.end_point[0] + 1
        self.block(inner, body)
        for known in list(inner.versions):
            static = self.name(b"." + next(
                text for text, index in self.name_ids.items() if index == known
            ))  # fmt: skip
            inner.members[static] = self.summary(inner, known)
        if name.type == "identifier":  # joins the function, class or namespace of its name
            known = frame.env.get(self.name(text), -1)
            self.assign(frame, self.name(text), self.join((known, inner.value)))

    @STATEMENTS.on("import_alias")
    def import_alias(self, frame: Frame, node: Node) -> None:
        """`import Short = Outer.Inner`."""
        alias, source = node.named_children[0], node.named_children[-1]
        self.assign(frame, self.name(self.text(alias)), self.qualified(frame, source))

    def qualified(self, frame: Frame, node: Node) -> int:
        if node.type != "nested_identifier":
            return self.expression(frame, node)
        base = self.qualified(frame, node.named_children[0])
        name = self.name(self.text(node.named_children[-1]))
        return self.load(frame, base, name, node.start_point[0] + 1)

    @STATEMENTS.on("ambient_declaration")
    def ambient(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            if child.type in ("statement_block", "interface_declaration"):
                self.inner(frame, child)
