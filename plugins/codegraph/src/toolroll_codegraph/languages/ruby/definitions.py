"""Ruby's classes, modules, methods and constants."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.nodes import NODES
from toolroll_codegraph.languages.ruby.redefinition import REPLACED
from toolroll_codegraph.languages.ruby.singles import RubySingles

if TYPE_CHECKING:
    from tree_sitter import Node

_DELEGATORS: Final = (b"SimpleDelegator", b"DelegateClass(")

_BASE: Final = b"<base>"
"""The name of a class that only stands behind another: `class Name < Struct.new(:a)`."""


class RubyDefinitions(RubySingles):
    """What gets a name: each class and method is a scope."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.anonymous = 0
        """How many classes without a name were read."""

    def constant_assignment(self, frame: Frame, left: Node, right: Node) -> int:
        text = self.text(left)
        rows = self.rows(frame, right)
        if rows is not None:
            self.lists[text] = rows
        name = self.name(text.replace(b"::", b"."))
        self.switches[text] = "" if text in self.switches else right.type
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
        maker = self.text(receiver).removeprefix(b"::") + b"." + self.text(method)
        base = -1
        if maker not in (b"Struct.new", b"Class.new", b"Module.new", b"Data.define"):
            if name != self.name(_BASE) or self.text(method) != b"new":
                return -1
            base = self.expression(frame, receiver)  # what makes a class derives from `Struct`
        kind = ScopeKind.NAMESPACE if maker.startswith(b"Module") else ScopeKind.CLASS
        arguments = node.child_by_field_name("arguments")
        block = node.child_by_field_name("block")
        passed = None if arguments is None else self.handed_block(arguments)
        plain = block is None and arguments is not None and arguments.named_child_count
        if (
            name < 0
            and plain
            and arguments is not None
            and passed is None
            and maker == b"Class.new"
        ):
            value = self.expression(frame, arguments.named_children[0])  # with nothing of its own
            if value >= 0:
                self.relations.append(("lent", 0, 0, value, 0))
            return value
        if name < 0:
            self.anonymous += 1
            name = self.name(b"<class%d>" % self.anonymous)
        around = frame if self.in_method(frame) else self.lexical_class(frame)
        inner = self.open_class(around, node, kind, name)
        if base >= 0:
            inner.bases.append(base)
        for child in arguments.named_children if arguments is not None else ():
            if child == passed:
                line, given = node.start_point[0] + 1, (self.expression(frame, child),)
                flags = CallFlag.BLOCK | CallFlag.IMPLICIT
                self.call(frame, line, inner.value, self.name(b"class_eval"), given, flags=flags)
            elif maker == b"Class.new":
                base = self.expression(frame, child)
                if base >= 0:
                    inner.bases.append(base)
            else:
                for field in self._fields(frame, child):
                    self.relations.append(("attr", inner.index, self.name(field), 3, 1))
        body = None if block is None else block.child_by_field_name("body")
        if body is not None:
            self.see_around(frame, inner)
            self.body(inner, body)
        return inner.value

    def _fields(self, frame: Frame, argument: Node) -> list[bytes]:
        """The names of fields in an argument of `Struct.new`: a symbol, or a list taken apart."""
        if argument.type == "simple_symbol":
            return [self.text(argument)[1:]]
        if argument.type != "splat_argument" or not argument.named_children:
            return []
        rows = self.rows(frame, argument.named_children[0])
        return [row[0] for row in rows or () if len(row) == 1]

    def see_around(self, frame: Frame, inner: Frame) -> None:
        """The block that is a class's body sees the variables around it."""
        scope: Frame | None = frame
        while scope is not None:
            inner.env = scope.env | inner.env
            scope = scope.parent if scope.flags & ScopeFlag.BLOCK else None

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
            slot = self.class_expression(frame, source, self.name(_BASE))
            slot = self.expression(frame, source) if slot < 0 else slot
            if slot >= 0:
                inner.bases.append(slot)
        self.run_body(inner, node)
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
        if self.evaluated is not None:
            inner = self.define_evaluated(frame, owner, node, target is not None)
            self.deferred.append(partial(self.method_body, inner, node))
            return self.constant(text)
        single = self.single
        if target is not None and target.type == "identifier":
            single = self.single_object(frame, target)
        owner = self.singles.get(single, owner)
        inner = self.open_frame(ScopeKind.FUNCTION, self.name(text), owner, line)
        inner.end = node.end_point[0] + 1
        inner.this = self.slot()
        singleton = owner.state == 1
        if single >= 0:
            self.write(frame, single, self.name(text), inner.value, line)
            self.deferred.append(partial(self.method_body, inner, node))
            return -1
        if target is not None:
            if target.type == "self":
                around = self.outside_blocks(frame)
                of_object = around.kind == ScopeKind.FUNCTION  # whatever has the method around
                if not of_object or around.flags & ScopeFlag.SINGLETON:
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
            self.methods[owner.index, text] = inner
            if self.hidden.get((owner.index, owner.state)) and target is None:
                inner.flags |= ScopeFlag.PRIVATE
        if singleton:
            inner.flags |= ScopeFlag.SINGLETON
        member = self.name(b"." + text if singleton else text)
        if frame is owner:
            self.define_again(owner, member, node, inner.value)
        handed = frame.flags & ScopeFlag.BLOCK and self.in_method(frame)
        if not handed or member not in owner.members:  # it may be for others: that stays
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
        if frame.state == REPLACED:
            return
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self.parameters(frame, parameters)
        body = node.child_by_field_name("body")
        if body is None:
            return
        if self.only_raises(body):
            frame.flags |= ScopeFlag.ABSTRACT
        always = self.always(body)
        if always:
            self.relations.append(("always", frame.index, 0, int(always == "true"), 0))
        value = self.expression(frame, body)
        if value >= 0:
            self.copies += (value, frame.ret)

    @NODES.on("alias")
    def alias(self, frame: Frame, node: Node) -> int:
        names = [self.text(child).lstrip(b":") for child in node.named_children]
        new, old = names[0], names[-1]  # between them may be a comment or an error
        self.alias_method(frame, new, old)
        return -1
