"""Ruby syntax to facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import (
    CallFlag,
    FileFacts,
    Frame,
    ObjectKind,
    ParamKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.grammar import Dispatch, count_errors, parser_for
from toolroll_codegraph.languages.ruby_calls import RubyCalls

if TYPE_CHECKING:
    from tree_sitter import Node

_Handler = Callable[["_Ruby", Frame, Any], int]
_NODES: Final[Dispatch[_Handler]] = Dispatch("ruby")


def extract_ruby(source: bytes) -> FileFacts:
    """Turn one Ruby file into facts; a file with syntax errors gives what could be parsed."""
    tree = parser_for("ruby").parse(source)
    return _Ruby(source).run(tree.root_node)


class _Ruby(RubyCalls):
    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.nodes = _NODES.table()
        self.module = self.open_frame(ScopeKind.MODULE, self.name(b"<module>"), None, 1)
        self.module.this = self.module.value

    def run(self, root: Node) -> FileFacts:
        self.module.end = root.end_point[0] + 1
        if root.has_error:
            self.parse_errors = count_errors(root)
        try:
            self.body(self.module, root)
        except RecursionError:
            self.parse_errors += 1
        self.run_deferred()
        for frame in self.frames:
            frame.versions.clear()  # local variables are no members
        return self.finish()

    def expression(self, frame: Frame, node: Node) -> int:
        handler = self.nodes[node.kind_id]
        if handler is not None:
            return handler(self, frame, node)
        value = -1
        for child in node.named_children:
            value = self.expression(frame, child)
        return value

    def body(self, frame: Frame, node: Node) -> int:
        """Statements; the value is that of the last one, joined with those of rescue clauses."""
        value = -1
        others: list[int] = []
        for child in node.named_children:
            kind = child.type
            if kind == "rescue":
                others.append(self.rescue(frame, child))
            elif kind == "ensure":
                self.statements(frame, child)
            elif kind != "comment":
                value = self.expression(frame, child)
        return self.join((value, *others)) if others else value

    @_NODES.on("body_statement", "begin", "begin_block", "end_block", "block_body", "else", "then",
               "parenthesized_statements", "do", "interpolation", "program")  # fmt: skip
    def statements(self, frame: Frame, node: Node) -> int:
        return self.body(frame, node)

    @_NODES.on("comment", "integer", "float", "nil", "true", "false", "regex", "rational",
               "complex", "character", "uninterpreted", "heredoc_beginning", "empty_statement",
               "undef", "encoding", "line", "file", "string_content", "escape_sequence")  # fmt: skip
    def opaque(self, frame: Frame, node: Node) -> int:
        for child in node.named_children:
            if child.type == "interpolation":
                self.expression(frame, child)
        return self.constant(self.text(node)) if node.type == "integer" else -1

    @_NODES.on("string", "subshell", "heredoc_body", "delimited_symbol", "chained_string",
               "bare_string", "bare_symbol")  # fmt: skip
    def string(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        if len(children) == 1 and children[0].type == "string_content":
            return self.constant(self.text(children[0]))
        for child in children:
            if child.type == "interpolation":
                value = self.body(frame, child)
                if value >= 0:
                    name = self.name(b"to_s")
                    line = child.start_point[0] + 1
                    self.call(frame, line, value, name, flags=CallFlag.IMPLICIT)
            elif child.type in ("string", "heredoc_body"):
                self.expression(frame, child)
        return -1

    @_NODES.on("simple_symbol")
    def symbol(self, frame: Frame, node: Node) -> int:
        return self.constant(self.text(node)[1:])

    @_NODES.on("self")
    def self_value(self, frame: Frame, node: Node) -> int:
        return self.receiver(frame)

    @_NODES.on("identifier")
    def identifier(self, frame: Frame, node: Node) -> int:
        text = self.text(node)
        name = self.name(text)
        slot = self.local(frame, name)
        if slot is not None:
            return slot
        return self.bare_call(frame, text, node, None, None)

    @_NODES.on("constant", "scope_resolution")
    def constant_value(self, frame: Frame, node: Node) -> int:
        return self.constant_slot(frame, node)

    @_NODES.on("instance_variable", "class_variable")
    def instance_variable(self, frame: Frame, node: Node) -> int:
        name = self.name(self.text(node))
        return self.load(frame, self.receiver(frame), name, node.start_point[0] + 1)

    @_NODES.on("global_variable")
    def global_variable(self, frame: Frame, node: Node) -> int:
        slot = self.slot()
        self.relations.append(("global", 0, self.name(self.text(node)), slot, 0))
        return slot

    # assignment

    @_NODES.on("assignment")
    def assignment(self, frame: Frame, node: Node) -> int:
        left, right = node.named_children[0], node.named_children[-1]
        kind = left.type
        if kind in ("constant", "scope_resolution"):
            return self.constant_assignment(frame, left, right)
        if kind == "left_assignment_list":
            return self.multiple(frame, left, right)
        value = self.expression(frame, right)
        self.target(frame, left, value)
        return value

    def multiple(self, frame: Frame, left: Node, right: Node) -> int:
        targets = left.named_children
        if right.type == "right_assignment_list":
            sources = [self.expression(frame, child) for child in right.named_children]
            if any(child.type == "splat_argument" for child in right.named_children):
                sources = []
            for index, target in enumerate(targets):
                if target.type == "rest_assignment":
                    break
                self.target(frame, target, sources[index] if index < len(sources) else -1)
            return -1
        value = self.expression(frame, right)
        self.destructure(frame, targets, value)
        return value

    def destructure(self, frame: Frame, targets: list[Node], value: int) -> None:
        for index, target in enumerate(targets):
            if target.type in ("rest_assignment", "splat_parameter"):
                if target.named_children:
                    self.target(frame, target.named_children[0], value)
                continue
            key = self.name(b"[%d" % index)
            self.target(frame, target, self.load(frame, value, key, target.start_point[0] + 1))

    def target(self, frame: Frame, node: Node, value: int) -> None:
        kind = node.type
        if kind == "identifier":
            self.set_local(frame, self.name(self.text(node)), value)
        elif kind in ("instance_variable", "class_variable"):
            name = self.name(self.text(node))
            self.write(frame, self.receiver(frame), name, value, node.start_point[0] + 1)
        elif kind == "global_variable":
            row = ("global", 0, self.name(self.text(node)), value, 1)
            if value >= 0:
                self.relations.append(row)
        elif kind == "call":
            receiver = node.child_by_field_name("receiver")
            method = node.child_by_field_name("method")
            if receiver is not None and method is not None:
                base = self.expression(frame, receiver)
                name = self.name(self.text(method) + b"=")
                self.call(frame, node.start_point[0] + 1, base, name, (value,))
        elif kind == "element_reference":
            base, *keys = (self.expression(frame, child) for child in node.named_children)
            name = self.name(b"[]=")
            arguments = (*keys, value)
            flags = CallFlag.IMPLICIT
            self.call(frame, node.start_point[0] + 1, base, name, arguments, (), flags)
        elif kind in ("destructured_left_assignment", "destructured_parameter"):
            self.destructure(frame, node.named_children, value)

    @_NODES.on("operator_assignment")
    def operator_assignment(self, frame: Frame, node: Node) -> int:
        left, right = node.named_children[0], node.named_children[-1]
        operator = node.child_by_field_name("operator")
        text = b"" if operator is None else self.text(operator)
        if left.type == "constant":
            value = self.constant_assignment(frame, left, right)
            return value
        if left.type == "identifier" and self.local(frame, self.name(self.text(left))) is None:
            before = -1
        else:
            before = self.expression(frame, left)
        value = self.expression(frame, right)
        if text in (b"||=", b"&&="):
            value = self.join((before, value))
        elif before >= 0:
            flags = CallFlag.IMPLICIT
            name = self.name(text[:-1])
            value = self.call(frame, node.start_point[0] + 1, before, name, (value,), (), flags)
        self.target(frame, left, value)
        return value

    def constant_assignment(self, frame: Frame, left: Node, right: Node) -> int:
        text = self.text(left)
        name = self.name(text.replace(b"::", b"."))
        value = self.class_expression(frame, right, name)
        if value < 0:
            value = self.expression(frame, right)
        if value >= 0:
            owner = self.lexical_class(frame)
            self.relations.append(("const", owner.index, name, value, 0))
        return value

    def class_expression(self, frame: Frame, node: Node, name: int) -> int:
        """`Name = Struct.new(:a) do … end` and `Class.new(Base) do … end` are classes."""
        receiver = node.child_by_field_name("receiver") if node.type == "call" else None
        method = node.child_by_field_name("method") if receiver is not None else None
        if receiver is None or method is None:
            return -1
        maker = self.text(receiver) + b"." + self.text(method)
        if maker not in (b"Struct.new", b"Class.new", b"Module.new", b"Data.define"):
            return -1
        kind = ScopeKind.NAMESPACE if maker.startswith(b"Module") else ScopeKind.CLASS
        inner = self.open_class(self.lexical_class(frame), node, kind, name)
        arguments = node.child_by_field_name("arguments")
        for child in arguments.named_children if arguments is not None else ():
            if maker == b"Class.new":
                base = self.expression(frame, child)
                if base >= 0:
                    inner.bases.append(base)
            elif child.type == "simple_symbol":
                attribute = self.name(self.text(child)[1:])
                self.relations.append(("attr", inner.index, attribute, 3, 0))
        block = node.child_by_field_name("block")
        body = None if block is None else block.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)
        return inner.value

    # definitions

    def open_class(self, frame: Frame, node: Node, kind: int, name: int) -> Frame:
        inner = self.open_frame(kind, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        inner.this = inner.value
        return inner

    @_NODES.on("class", "module")
    def class_definition(self, frame: Frame, node: Node) -> int:
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return -1
        text = self.text(identifier).removeprefix(b"::").replace(b"::", b".")
        kind = ScopeKind.CLASS if node.type == "class" else ScopeKind.NAMESPACE
        inner = self.open_class(self.lexical_class(frame), node, kind, self.name(text))
        base = node.child_by_field_name("superclass")
        if base is not None and base.named_children:
            slot = self.expression(frame, base.named_children[0])
            if slot >= 0:
                inner.bases.append(slot)
        body = node.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)
        return -1

    @_NODES.on("singleton_class")
    def singleton_class(self, frame: Frame, node: Node) -> int:
        body = node.child_by_field_name("body")
        value = node.child_by_field_name("value")
        if body is None or value is None:
            return -1
        owner = self.lexical_class(frame)
        if value.type != "self":
            self.expression(frame, value)
            return self.body(frame, body)
        before, owner.state = owner.state, 1
        self.body(owner, body)
        owner.state = before
        return -1

    @_NODES.on("method", "singleton_method")
    def method(self, frame: Frame, node: Node) -> int:
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return -1
        text = self.text(identifier)
        owner = self.lexical_class(frame)
        line = node.start_point[0] + 1
        target = node.child_by_field_name("object")
        inner = self.open_frame(ScopeKind.FUNCTION, self.name(text), owner, line)
        inner.end = node.end_point[0] + 1
        inner.this = self.slot()
        singleton = owner.state == 1
        if target is not None:
            if target.type == "self":
                singleton = owner.kind != ScopeKind.MODULE
            elif target.type in ("constant", "scope_resolution"):
                singleton = True
            else:  # a method of one object
                base = self.expression(frame, target)
                self.write(frame, base, self.name(text), inner.value, line)
                self.deferred.append(partial(self.method_body, inner, node))
                return -1
        if owner.kind != ScopeKind.MODULE:
            inner.flags |= ScopeFlag.METHOD
        if singleton:
            inner.flags |= ScopeFlag.SINGLETON
        self.define(owner, text, inner.value, singleton)
        if owner.state == 2:
            self.define(owner, text, inner.value, True)
        self.deferred.append(partial(self.method_body, inner, node))
        return self.constant(text)

    def method_body(self, frame: Frame, node: Node) -> None:
        frame.ret = self.slot()
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self.parameters(frame, parameters)
        body = node.child_by_field_name("body")
        if body is None:
            return
        value = self.expression(frame, body)
        if value >= 0:
            self.copies += (value, frame.ret)

    @_NODES.on("alias")
    def alias(self, frame: Frame, node: Node) -> int:
        new, old = (self.text(child).lstrip(b":") for child in node.named_children)
        self.alias_method(frame, new, old)
        return -1

    # control flow

    @_NODES.on("if", "unless", "elsif", "conditional", "if_modifier", "unless_modifier",
               "rescue_modifier")  # fmt: skip
    def conditional(self, frame: Frame, node: Node) -> int:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self.expression(frame, condition)
        values: list[int] = []
        branches: list[dict[int, int] | None] = []
        for field in ("consequence", "alternative", "body", "handler"):
            part = node.child_by_field_name(field)
            if part is not None:
                branches.append(self.branch(frame, partial(self.arm, frame, part, values)))
        if len(branches) < 2:
            branches.append({})
        self.merge(frame, branches)
        return self.join(values)

    def arm(self, frame: Frame, node: Node, values: list[int]) -> bool:
        values.append(self.expression(frame, node))
        last = node.named_children[-1] if node.type in ("then", "else") and node.named_children \
            else node  # fmt: skip
        return last.type in ("return", "next", "break")

    @_NODES.on("while", "until", "while_modifier", "until_modifier", "for")
    def loop(self, frame: Frame, node: Node) -> int:
        source = node.child_by_field_name("value")
        element = -1
        if source is not None and source.named_children:
            value = self.expression(frame, source.named_children[0])
            if value >= 0:
                name = self.name(b"each")
                flags = CallFlag.IMPLICIT | CallFlag.ITERATE
                element = self.call(frame, node.start_point[0] + 1, value, name, flags=flags)
        self.open_loop(frame)

        def walk() -> bool:
            pattern = node.child_by_field_name("pattern")
            if pattern is not None:
                self.target(frame, pattern, element)
            for field in ("condition", "body"):
                part = node.child_by_field_name(field)
                if part is not None:
                    self.expression(frame, part)
            return False

        self.merge(frame, [self.branch(frame, walk), {}])
        self.close_loop(frame)
        return -1

    @_NODES.on("case", "case_match")
    def case(self, frame: Frame, node: Node) -> int:
        subject = node.child_by_field_name("value")
        value = -1 if subject is None else self.expression(frame, subject)
        values: list[int] = []
        branches: list[dict[int, int] | None] = [{}]
        for child in node.named_children:
            if child.type in ("when", "in_clause", "else"):
                walk = partial(self.case_arm, frame, child, value, values)
                branches.append(self.branch(frame, walk))
        self.merge(frame, branches)
        return self.join(values)

    def case_arm(self, frame: Frame, node: Node, subject: int, values: list[int]) -> bool:
        if node.type == "else":
            return self.arm(frame, node, values)
        ends = False
        for child in node.named_children:
            if child.type == "then":
                ends = self.arm(frame, child, values)
            elif node.type == "in_clause":
                self.pattern(frame, child, subject)
            else:
                self.expression(frame, child)
        return ends

    def pattern(self, frame: Frame, node: Node, subject: int) -> None:
        if node.type == "identifier":
            self.set_local(frame, self.name(self.text(node)), subject)
            return
        for child in node.named_children:
            self.pattern(frame, child, -1)

    def rescue(self, frame: Frame, node: Node) -> int:
        value = -1
        known: list[int] = []
        for child in node.named_children:
            if child.type == "exceptions":
                known = [self.expression(frame, item) for item in child.named_children]
            elif child.type == "exception_variable":
                slot = self.slot()
                for kind in known:
                    if kind >= 0:
                        self.types += (slot, kind, 1)
                self.target(frame, child.named_children[0], slot)
            elif child.type != "comment":
                value = self.expression(frame, child)
        return value

    @_NODES.on("return", "next", "break")
    def leave(self, frame: Frame, node: Node) -> int:
        value = -1
        for child in node.named_children:
            inner = child.named_children
            items = inner if child.type == "argument_list" else [child]
            for item in items:
                value = self.expression(frame, item)
        scope: Frame | None = frame
        if node.type == "return":
            while scope is not None and scope.flags & ScopeFlag.BLOCK and scope.this < 0:
                scope = scope.parent
        if value >= 0 and scope is not None and scope.ret >= 0:
            self.copies += (value, scope.ret)
        return -1

    # literals and operators

    @_NODES.on("array", "right_assignment_list", "string_array", "symbol_array")
    def array(self, frame: Frame, node: Node) -> int:
        container = self.container(frame, ObjectKind.SEQUENCE)
        for index, child in enumerate(node.named_children):
            value = self.expression(frame, child)
            key = self.any_key if child.type == "splat_argument" else self.name(b"[%d" % index)
            self.store(container, key, value)
        return container

    @_NODES.on("hash")
    def hash(self, frame: Frame, node: Node) -> int:
        container = self.container(frame, ObjectKind.HASH)
        for child in node.named_children:
            if child.type != "pair":
                self.expression(frame, child)
                continue
            key, source = child.named_children[0], child.named_children[-1]
            if source is key or source == key:
                value = self.local(frame, self.name(self.text(key)))
                value = -1 if value is None else value
            else:
                value = self.expression(frame, source)
            literal = self.literal_key(key)
            if literal is None:
                self.expression(frame, key)
            name = self.any_key if literal is None else self.name(b"[" + literal)
            self.store(container, name, value)
        return container

    @_NODES.on("binary")
    def binary(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        left = self.expression(frame, children[0])
        right = self.expression(frame, children[-1])
        operator = node.child_by_field_name("operator")
        text = b"" if operator is None else self.text(operator)
        if text in (b"||", b"or", b"&&", b"and"):
            return self.join((left, right))
        if left < 0:
            return -1
        flags = CallFlag.IMPLICIT
        line = node.start_point[0] + 1
        return self.call(frame, line, left, self.name(text), (right,), (), flags)

    @_NODES.on("unary")
    def unary(self, frame: Frame, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        text = b"" if operator is None else self.text(operator)
        if text == b"defined?":
            return -1
        value = -1
        for child in node.named_children:
            value = self.expression(frame, child)
        if value >= 0 and text in (b"-", b"+", b"!", b"~"):
            name = self.name(text if text in (b"!", b"~") else text + b"@")
            self.call(frame, node.start_point[0] + 1, value, name, flags=CallFlag.IMPLICIT)
        return -1

    @_NODES.on("element_reference")
    def element_reference(self, frame: Frame, node: Node) -> int:
        base, *keys = (self.expression(frame, child) for child in node.named_children)
        if base < 0:
            return -1
        flags = CallFlag.IMPLICIT
        line = node.start_point[0] + 1
        return self.call(frame, line, base, self.name(b"[]"), tuple(keys), (), flags)

    # calls

    @_NODES.on("call")
    def call_node(self, frame: Frame, node: Node) -> int:
        return self.call_expression(frame, node)

    @_NODES.on("super")
    def bare_super(self, frame: Frame, node: Node) -> int:
        return self.super_call(frame, node, None, None)

    @_NODES.on("yield")
    def yielded(self, frame: Frame, node: Node) -> int:
        positional: tuple[int, ...] = ()
        keywords: tuple[int, ...] = ()
        for child in node.named_children:
            positional, keywords, _ = self.arguments(frame, child, None)
        slot = self.block_slot(frame)
        return self.call(frame, node.start_point[0] + 1, slot, -1, positional, keywords)

    @_NODES.on("lambda")
    def lambda_value(self, frame: Frame, node: Node) -> int:
        body = node.child_by_field_name("body")
        return self.block(frame, node, body).value

    @_NODES.on("block_argument", "splat_argument", "hash_splat_argument")
    def splat(self, frame: Frame, node: Node) -> int:
        return self.expression(frame, node.named_children[0]) if node.named_children else -1


__all__ = ["ParamKind", "extract_ruby"]
