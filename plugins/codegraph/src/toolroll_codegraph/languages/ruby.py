"""Ruby syntax to facts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    CallFlag,
    FileFacts,
    Frame,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.grammar import count_errors, parser_for
from toolroll_codegraph.languages.ruby_calls import EVALUATED
from toolroll_codegraph.languages.ruby_values import NODES, RubyValues

if TYPE_CHECKING:
    from tree_sitter import Node

_DELEGATORS: Final = (b"SimpleDelegator", b"DelegateClass(")


def extract_ruby(source: bytes) -> FileFacts:
    """Turn one Ruby file into facts; a file with syntax errors gives what could be parsed."""
    tree = parser_for("ruby").parse(source)
    return _Ruby(source).run(tree.root_node)


class _Ruby(RubyValues):
    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.nodes = NODES.table()
        self.module = self.open_frame(ScopeKind.MODULE, self.name(b"<module>"), None, 1)
        self.module.this = self.module.value
        self.anonymous = 0
        """How many classes without a name were read."""
        self.single = -1
        """The object whose singleton class is open."""

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
        for position, (kind, owner, new, old, _) in enumerate(self.relations):
            if kind == "alias" and old in self.frames[owner].members:
                # What is defined after its alias is another method than the one that got it.
                self.relations[position] = (kind, owner, new, old, 1)
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

    @NODES.on("body_statement", "begin", "begin_block", "end_block", "block_body", "else", "then",
               "parenthesized_statements", "do", "interpolation", "program")  # fmt: skip
    def statements(self, frame: Frame, node: Node) -> int:
        return self.body(frame, node)

    @NODES.on("self")
    def self_value(self, frame: Frame, node: Node) -> int:
        return self.receiver(frame)

    @NODES.on("identifier")
    def identifier(self, frame: Frame, node: Node) -> int:
        text = self.text(node)
        name = self.name(text)
        slot = self.local(frame, name)
        if slot is not None:
            return slot
        if text == b"__method__":
            return self.own_name(frame)
        return self.bare_call(frame, text, node, None, None)

    @NODES.on("constant", "scope_resolution")
    def constant_value(self, frame: Frame, node: Node) -> int:
        return self.constant_slot(frame, node)

    @NODES.on("instance_variable", "class_variable")
    def instance_variable(self, frame: Frame, node: Node) -> int:
        name = self.name(self.text(node))
        return self.load(frame, self.receiver(frame), name, node.start_point[0] + 1)

    @NODES.on("global_variable")
    def global_variable(self, frame: Frame, node: Node) -> int:
        slot = self.slot()
        self.relations.append(("global", 0, self.name(self.text(node)), slot, 0))
        return slot

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
        if name < 0:
            self.anonymous += 1
            name = self.name(b"<class%d>" % self.anonymous)
        inner = self.open_class(self.lexical_class(frame), node, kind, name)
        arguments = node.child_by_field_name("arguments")
        for child in arguments.named_children if arguments is not None else ():
            if maker == b"Class.new":
                base = self.expression(frame, child)
                if base >= 0:
                    inner.bases.append(base)
            elif child.type == "simple_symbol":
                attribute = self.name(self.text(child)[1:])
                self.relations.append(("attr", inner.index, attribute, 3, 1))
        block = node.child_by_field_name("block")
        body = None if block is None else block.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)
        return inner.value

    # definitions

    @NODES.on("class", "module")
    def class_definition(self, frame: Frame, node: Node) -> int:
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return -1
        text = self.text(identifier).removeprefix(b"::").replace(b"::", b".")
        kind = ScopeKind.CLASS if node.type == "class" else ScopeKind.NAMESPACE
        inner = self.open_class(self.lexical_class(frame), node, kind, self.name(text))
        base = node.child_by_field_name("superclass")
        if base is not None and base.named_children:
            source = base.named_children[0]
            if self.text(source).removeprefix(b"::").startswith(_DELEGATORS):
                self.relations.append(("delegator", inner.index, 0, 0, 0))
            slot = self.class_expression(frame, source, self.name(b"<base>"))
            slot = self.expression(frame, source) if slot < 0 else slot
            if slot >= 0:
                inner.bases.append(slot)
        body = node.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)
        return -1

    @NODES.on("singleton_class")
    def singleton_class(self, frame: Frame, node: Node) -> int:
        body = node.child_by_field_name("body")
        value = node.child_by_field_name("value")
        if body is None or value is None:
            return -1
        owner = self.lexical_class(frame)
        if value.type != "self":
            before, self.single = self.single, self.expression(frame, value)
            self.body(frame, body)
            self.single = before
            return -1
        before, owner.state = owner.state, 1
        self.body(owner, body)
        owner.state = before
        return -1

    @NODES.on("method", "singleton_method")
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
        if self.single >= 0:
            self.write(frame, self.single, self.name(text), inner.value, line)
            self.deferred.append(partial(self.method_body, inner, node))
            return -1
        if target is not None:
            if target.type == "self":
                singleton = owner.kind != ScopeKind.MODULE
            elif target.type in ("constant", "scope_resolution") and self.is_name_of(target, owner):
                singleton = True
            else:  # a method of one object, or of a class named here
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

    def is_name_of(self, node: Node, owner: Frame) -> bool:
        """Whether a constant is the class that it stands in, as in `def Name.make`."""
        text = self.text(node)
        last, whole = text.rpartition(b"::")[2], text.replace(b"::", b".")
        return owner.name in (self.name(last), self.name(whole))

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

    @NODES.on("alias")
    def alias(self, frame: Frame, node: Node) -> int:
        new, old = (self.text(child).lstrip(b":") for child in node.named_children)
        self.alias_method(frame, new, old)
        return -1

    # control flow

    @NODES.on("if", "unless", "elsif", "conditional", "if_modifier", "unless_modifier",
               "rescue_modifier")  # fmt: skip
    def conditional(self, frame: Frame, node: Node) -> int:
        condition = node.child_by_field_name("condition")
        checked: tuple[int, int] | None = None
        if condition is not None:
            self.expression(frame, condition)
            if not node.type.startswith("unless"):
                checked = self.checked(frame, condition)
        values: list[int] = []
        branches: list[dict[int, int] | None] = []
        self.alternatives += 1
        for field in ("consequence", "alternative", "body", "handler"):
            part = node.child_by_field_name(field)
            if part is not None:
                known = checked if field in ("consequence", "body") else None
                walk = partial(self.arm, frame, part, values, known)
                branches.append(self.branch(frame, walk))
                self.forget(branches[-1])
        self.alternatives -= 1
        if len(branches) < 2:
            branches.append({})
        self.merge(frame, branches)
        return self.join(values)

    def arm(
        self, frame: Frame, node: Node, values: list[int], checked: tuple[int, int] | None = None
    ) -> bool:
        if checked is not None:
            self.narrow(frame, *checked)
        values.append(self.expression(frame, node))
        last = node.named_children[-1] if node.type in ("then", "else") and node.named_children \
            else node  # fmt: skip
        return last.type in ("return", "next", "break")

    @NODES.on("while", "until", "while_modifier", "until_modifier", "for")
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

    @NODES.on("case", "case_match")
    def case(self, frame: Frame, node: Node) -> int:
        subject = node.child_by_field_name("value")
        value = -1 if subject is None else self.expression(frame, subject)
        name = None
        if subject is not None and subject.type == "identifier":
            name = self.name(self.text(subject))
            name = None if self.local(frame, name) is None else name
        values: list[int] = []
        branches: list[dict[int, int] | None] = [{}]
        for child in node.named_children:
            if child.type in ("when", "in_clause", "else"):
                walk = partial(self.case_arm, frame, child, value, values, name)
                branches.append(self.branch(frame, walk))
                self.forget(branches[-1])
        self.merge(frame, branches)
        return self.join(values)

    def case_arm(
        self, frame: Frame, node: Node, subject: int, values: list[int], name: int | None
    ) -> bool:
        if node.type == "else":
            return self.arm(frame, node, values)
        ends = False
        known: list[int] = []
        checked: tuple[int, int] | None = None
        for child in node.named_children:
            if child.type == "then":
                if name is not None and known:
                    checked = self.typed(frame, name, known)
                ends = self.arm(frame, child, values, checked)
            elif node.type == "in_clause":
                self.pattern(frame, child, subject)
            else:
                value = self.case_equal(frame, child, subject)
                if child.type == "pattern" and child.named_children:
                    if subject < 0:  # `case` alone: conditions
                        checked = self.checked(frame, child.named_children[0])
                    is_class = child.named_children[0].type in ("constant", "scope_resolution")
                    known += [value] if is_class and value >= 0 else []
        return ends

    def case_equal(self, frame: Frame, node: Node, subject: int) -> int:
        """`when` asks its value's `===`."""
        value = self.expression(frame, node)
        if value >= 0 and node.type == "pattern":
            line = node.start_point[0] + 1
            name = self.name(b"===")
            self.call(frame, line, value, name, (subject,), flags=CallFlag.IMPLICIT)
        return value

    def pattern(self, frame: Frame, node: Node, subject: int) -> None:
        if node.type == "identifier":
            self.set_local(frame, self.name(self.text(node)), subject)
        elif node.type == "array_pattern" and subject >= 0:
            self.take_apart(frame, node, subject)
        elif node.type == "hash_pattern" and subject >= 0:
            self.take_keys(frame, node, subject)
        else:
            for child in node.named_children:
                self.pattern(frame, child, -1)

    def take_apart(self, frame: Frame, node: Node, subject: int) -> None:
        """`in [a, b]` asks an object for `deconstruct`; an array is its own."""
        line = node.start_point[0] + 1
        parts = self.call(frame, line, subject, self.name(b"deconstruct"), flags=CallFlag.IMPLICIT)
        named = node.child_by_field_name("class")
        items = [child for child in node.named_children if child != named]
        for index, child in enumerate(items):
            key = self.name(b"[%d" % index)
            slots = [self.load(frame, base, key, line) for base in (parts, subject)]
            self.pattern(frame, child, self.join(slots))

    def take_keys(self, frame: Frame, node: Node, subject: int) -> None:
        """`in {a:, b: pattern}` asks an object for `deconstruct_keys`; a hash is its own."""
        line, name = node.start_point[0] + 1, self.name(b"deconstruct_keys")
        parts = self.call(frame, line, subject, name, (-1,), flags=CallFlag.IMPLICIT)
        for child in node.named_children:
            key = child.child_by_field_name("key")
            if child.type != "keyword_pattern" or key is None:
                continue
            text = self.text(key).rstrip(b":")
            field = self.name(b"[" + text)
            value = self.join([self.load(frame, base, field, line) for base in (parts, subject)])
            inner = child.child_by_field_name("value")
            if inner is None:
                self.set_local(frame, self.name(text), value)
            else:
                self.pattern(frame, inner, value)

    @NODES.on("test_pattern", "match_pattern")
    def test_pattern(self, frame: Frame, node: Node) -> int:
        subject, pattern = node.named_children[0], node.named_children[-1]
        self.pattern(frame, pattern, self.expression(frame, subject))
        return -1

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

    @NODES.on("return", "next", "break")
    def leave(self, frame: Frame, node: Node) -> int:
        value = -1
        for child in node.named_children:
            inner = child.named_children
            items = inner if child.type == "argument_list" else [child]
            for item in items:
                value = self.expression(frame, item)
        scope: Frame | None = frame
        if node.type == "return":
            while (
                scope is not None
                and scope.flags & ScopeFlag.BLOCK
                and (scope.this < 0 or scope.state == EVALUATED)
            ):
                scope = scope.parent
        if value >= 0 and scope is not None and scope.ret >= 0:
            self.copies += (value, scope.ret)
        return -1

    # calls

    @NODES.on("call")
    def call_node(self, frame: Frame, node: Node) -> int:
        if node.child_by_field_name("block") is not None:
            made = self.class_expression(frame, node, -1)
            if made >= 0:
                return made
        return self.call_expression(frame, node)

    @NODES.on("super")
    def bare_super(self, frame: Frame, node: Node) -> int:
        return self.super_call(frame, node, None, None)

    @NODES.on("yield")
    def yielded(self, frame: Frame, node: Node) -> int:
        positional: tuple[int, ...] = ()
        keywords: tuple[int, ...] = ()
        for child in node.named_children:
            positional, keywords, _ = self.arguments(frame, child, None)
        slot = self.block_slot(frame)
        return self.call(frame, node.start_point[0] + 1, slot, -1, positional, keywords)

    @NODES.on("lambda")
    def lambda_value(self, frame: Frame, node: Node) -> int:
        body = node.child_by_field_name("body")
        return self.block(frame, node, body).value

    @NODES.on("block_argument", "splat_argument", "hash_splat_argument")
    def splat(self, frame: Frame, node: Node) -> int:
        return self.expression(frame, node.named_children[0]) if node.named_children else -1
