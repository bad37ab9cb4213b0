"""Ruby calls, blocks and parameters: the part of the Ruby module that meets other methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    CallFlag,
    Frame,
    ImportKind,
    ObjectKind,
    ParamKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.ruby_scopes import RubyScopes

if TYPE_CHECKING:
    from tree_sitter import Node

_ATTRIBUTES: Final = {b"attr_reader": 1, b"attr_writer": 2, b"attr_accessor": 3, b"attr": 1}
_MIXINS: Final = {b"include": "include", b"extend": "extend", b"prepend": "prepend"}
_REOPENING: Final = (b"class_eval", b"class_exec", b"module_eval")
EVALUATED: Final = 3
"""State of a block without parameters: `instance_eval` may give it a receiver of its own."""
_REQUIRES: Final = {
    b"require": ImportKind.LOAD,
    b"load": ImportKind.LOAD,
    b"require_relative": ImportKind.REQUIRE_RELATIVE,
}
_RECEIVER_BLOCKS: Final = frozenset(
    (b"instance_eval", b"instance_exec", b"class_eval", b"module_eval", b"class_exec")
)
_VARIABLES: Final = frozenset(("identifier", "instance_variable", "class_variable"))
_CORE_CLASSES: Final = {
    b"Object": ObjectKind.RECORD,
    b"Hash": ObjectKind.HASH,
    b"Array": ObjectKind.SEQUENCE,
}


class RubyCalls(RubyScopes):
    """Everything with an argument list."""

    # calls

    def call_expression(self, frame: Frame, node: Node) -> int:
        method = node.child_by_field_name("method")
        receiver = node.child_by_field_name("receiver")
        arguments = node.child_by_field_name("arguments")
        block = node.child_by_field_name("block")
        if method is not None and method.type == "super":
            return self.super_call(frame, node, arguments, block)
        text = b"call" if method is None else self.text(method)
        if receiver is None:
            return self.bare_call(frame, text, node, arguments, block)
        if receiver.type == "self" and text in _MIXINS:
            return self.bare_call(frame, text, node, arguments, block)
        if (
            text in _REOPENING
            and block is not None
            and receiver.type == "constant"
            and self.lexical_class(frame).kind == ScopeKind.MODULE
        ):
            return self.reopen(frame, node, receiver, block)
        line = (method or node).start_point[0] + 1
        kind = _CORE_CLASSES.get(self.text(receiver)) if text == b"new" else None
        if kind is not None:
            return self.new_container(frame, kind, line, arguments, block)
        base = self.expression(frame, receiver)
        return self.send(frame, base, text, line, arguments, block)

    def new_container(
        self, frame: Frame, kind: int, line: int, arguments: Node | None, block: Node | None
    ) -> int:
        """`Hash.new { |hash, key| … }`, `Array.new(3) { … }`: a block makes what is inside."""
        made = self.container(frame, kind)
        positional, _, more = self.arguments(frame, arguments, block)
        if more:
            given = (made, -1) if kind == ObjectKind.HASH else (-1,)
            positional, maker = positional[:-1], positional[-1]
            value = self.call(frame, line, maker, -1, given, flags=CallFlag.IMPLICIT)
            self.store(made, self.any_key, value)
        for value in positional:
            if value >= 0 and kind != ObjectKind.RECORD:
                self.store(made, self.any_key, value)
        return made

    def reopen(self, frame: Frame, node: Node, name: Node, block: Node) -> int:
        """`Name.class_eval do … end` defines methods as the class's own body does."""
        self.expression(frame, name)
        inner = self.open_class(frame, node, ScopeKind.CLASS, self.name(self.text(name)))
        body = block.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)
        return -1

    def open_class(self, frame: Frame, node: Node, kind: int, name: int) -> Frame:
        """Open the scope of a class or module."""
        inner = self.open_frame(kind, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        inner.this = inner.value
        return inner

    def send(
        self, frame: Frame, base: int, text: bytes, line: int,
        arguments: Node | None, block: Node | None, flags: int = 0,
    ) -> int:  # fmt: skip
        this = base if text in _RECEIVER_BLOCKS else -1
        positional, keywords, more = self.arguments(frame, arguments, block, this)
        return self.call(frame, line, base, self.name(text), positional, keywords, flags | more)

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        """A call without receiver: a declaration, a keyword-like method or one of self."""
        line = node.start_point[0] + 1
        if arguments is not None:
            special = self.declaration(frame, text, arguments, block, line)
            if special is not None:
                return special
        elif block is None:
            if text == b"module_function":
                self.lexical_class(frame).state = 2
                return -1
            if text in (b"private", b"public", b"protected", b"block_given?", b"binding"):
                return -1
        if text in (b"lambda", b"proc") and block is not None:
            return self.block(frame, block, block).value
        base = self.receiver(frame)
        return self.send(frame, base, text, line, arguments, block, CallFlag.SAFE_NAME)

    def declaration(
        self, frame: Frame, text: bytes, arguments: Node, block: Node | None, line: int
    ) -> int | None:
        """Methods that change a class or load a file; None when `text` is none of them."""
        children = arguments.named_children
        owner = self.lexical_class(frame)
        if text in _REQUIRES and children:
            literal = self.literal_key(children[0])
            if literal is not None:
                module = literal.decode("utf-8", "replace")
                self.imports.append((-1, _REQUIRES[text], 0, module, -1, line, frame.index))
                return -1
        elif text in _MIXINS and not self.in_method(frame):
            for child in reversed(children):
                slot = owner.value if child.type == "self" else self.expression(frame, child)
                if slot >= 0:
                    kind = _MIXINS[text]
                    if kind == "include" and owner.state == 1:
                        kind = "extend"
                    self.relations.append((kind, owner.index, 0, slot, line))
            return -1
        elif text in _ATTRIBUTES:
            for child in children:
                literal = self.literal_key(child)
                if literal is not None:
                    name = self.name((b"." if owner.state == 1 else b"") + literal)
                    self.relations.append(("attr", owner.index, name, _ATTRIBUTES[text], 0))
            return -1
        elif text == b"alias_method" and len(children) == 2:
            new, old = (self.literal_key(child) for child in children)
            if new and old:
                self.alias_method(frame, new, old)
                return -1
        elif text == b"module_function":
            for child in children:
                literal = self.literal_key(child)
                if literal is not None:
                    name = self.name(literal)
                    new = self.name(b"." + literal)
                    self.relations.append(("alias", owner.index, new, name, 0))
                else:
                    self.expression(frame, child)
            return -1
        elif text in (b"define_method", b"define_singleton_method", b"scope") and children:
            return self.define_method(frame, text, children, block)
        elif text == b"raise" and children and children[0].type in ("constant", "scope_resolution"):
            known = self.expression(frame, children[0])
            rest = tuple(self.expression(frame, child) for child in children[1:])
            self.call(frame, line, known, self.name(b"new"), rest)
            return -1
        elif text == b"raise" and children and children[0].type in _VARIABLES:
            known = self.expression(frame, children[0])
            rest = tuple(self.expression(frame, child) for child in children[1:])
            name = self.name(b"exception")
            self.call(frame, line, known, name, rest, flags=CallFlag.IMPLICIT)
            return -1
        elif text == b"refine" and block is not None and children:
            return self.refine(frame, children[0], block)
        return None

    def define_method(
        self, frame: Frame, text: bytes, children: list[Node], block: Node | None
    ) -> int | None:
        literal = self.literal_key(children[0])
        owner = self.lexical_class(frame)
        singleton = text != b"define_method" or owner.state == 1
        if block is not None:
            inner = self.block(frame, block, block, this=self.slot())
            if not singleton:
                inner.flags |= ScopeFlag.METHOD
            value = inner.value
        elif len(children) > 1:
            value = self.expression(frame, children[1])
        else:
            return None
        if literal is not None and value >= 0:
            later = int(self.in_method(frame))  # if that is called at all
            self.alternatives += later
            self.define(owner, literal, value, singleton)
            self.alternatives -= later
        elif literal is None:
            key = self.expression(frame, children[0])
            if key >= 0 and value >= 0:
                self.relations.append(("define", owner.index, key, value, int(singleton)))
        return -1

    def refine(self, frame: Frame, target: Node, block: Node) -> int:
        name = self.name(self.text(target).replace(b"::", b"."))
        inner = self.open_frame(ScopeKind.CLASS, name, self.lexical_class(frame), frame.line)
        inner.line, inner.end = block.start_point[0] + 1, block.end_point[0] + 1
        inner.this = inner.value
        slot = self.constant_slot(frame, target)
        if slot >= 0:
            self.relations.append(("refine", inner.index, 0, slot, 0))
        body = block.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)
        return -1

    def super_call(
        self, frame: Frame, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        scope: Frame = frame
        while scope.flags & ScopeFlag.BLOCK and scope.parent is not None:
            scope = scope.parent
        line = node.start_point[0] + 1
        positional, keywords, flags = self.arguments(frame, arguments, block)
        if arguments is None:  # the caller's own arguments are passed on
            positional = (
                *(slot for _, slot, shape in scope.params if shape == ParamKind.POSITIONAL),
                *positional,
            )
        receiver = self.receiver(frame)
        flags |= CallFlag.SUPER
        return self.call(frame, line, receiver, scope.name, positional, keywords, flags)

    def arguments(
        self, frame: Frame, node: Node | None, block: Node | None, this: int = -1
    ) -> tuple[tuple[int, ...], tuple[int, ...], int]:
        """Positional slots, keyword slots and the flag that the last positional is a block."""
        positional: list[int] = []
        keywords: list[int] = []
        passed = -1
        children = [] if node is None else node.named_children
        if node is not None and node.type != "argument_list":
            children = [node]
        for child in children:
            kind = child.type
            if kind == "pair":
                key, value = child.named_children[0], child.named_children[-1]
                literal = self.literal_key(key)
                if literal is None:
                    self.expression(frame, key)
                    self.expression(frame, value)
                elif value == key:
                    name = self.name(literal)
                    slot = self.local(frame, name)
                    keywords += (name, -1 if slot is None else slot)
                else:
                    keywords += (self.name(literal), self.expression(frame, value))
            elif kind == "block_argument":
                if child.named_children:
                    passed = self.expression(frame, child.named_children[0])
                else:
                    passed = self.block_slot(frame)
            elif kind == "splat_argument":
                slot = self.expression(frame, child)
                if slot >= 0:
                    positional.append(-slot - 2)
            elif kind == "hash_splat_argument":
                keywords += (-1, self.expression(frame, child))
            elif kind == "forward_argument":
                scope = frame
                while scope.flags & ScopeFlag.BLOCK and scope.parent is not None:
                    scope = scope.parent
                for name, slot, shape in scope.params:
                    if shape == ParamKind.REST and self.name(b"...") == name:
                        positional.append(-slot - 2)
            elif kind != "comment":
                positional.append(self.expression(frame, child))
        if block is not None:
            passed = self.block(frame, block, block, this=this).value
        if passed >= 0:
            positional.append(passed)
            return tuple(positional), tuple(keywords), CallFlag.BLOCK
        return tuple(positional), tuple(keywords), 0

    # blocks

    def block(self, frame: Frame, node: Node, body: Node | None, this: int = -1) -> Frame:
        """A block or lambda runs in line: it sees and changes the variables around it."""
        line = node.start_point[0] + 1
        inner = self.open_frame(ScopeKind.LAMBDA, self.lambda_name(frame), frame, line)
        inner.end = node.end_point[0] + 1
        inner.flags |= ScopeFlag.BLOCK
        inner.this = this
        inner.ret = self.slot()
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self.parameters(inner, parameters)
        elif this < 0 and node.type == "do_block":  # may run on another receiver
            inner.this, inner.state = self.slot(), EVALUATED
            outer = self.receiver(frame)
            if outer >= 0:
                self.copies += (outer, inner.this)
        if parameters is None and body is not None:
            for name in (b"it", b"_1", b"_2"):
                if name in self.text(body):
                    slot = self.slot()
                    if name != b"it" or self.local(frame, self.name(name)) is None:
                        inner.params.append((self.name(name), slot, ParamKind.POSITIONAL))
                        self.assign(inner, self.name(name), slot)
                        if name == b"it":
                            break
        if body is not None:
            inside = body.child_by_field_name("body") or (body if node is not body else None)
            if inside is not None:
                value = self.body(inner, inside)
                if value >= 0:
                    self.copies += (value, inner.ret)
        return inner

    def block_slot(self, frame: Frame) -> int:
        """The slot of the block the enclosing method was given."""
        scope = frame
        while scope.flags & ScopeFlag.BLOCK and scope.parent is not None:
            scope = scope.parent
        for _, slot, shape in scope.params:
            if shape == ParamKind.BLOCK:
                return slot
        slot = self.slot()
        scope.params.append((self.name(b"&"), slot, ParamKind.BLOCK))
        return slot

    def parameters(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            kind = child.type
            if kind == "comment" or node.field_name_for_named_child(0) == "locals":
                continue
            name_node = child.child_by_field_name("name")
            if kind == "identifier":
                name_node = child
            text = b"" if name_node is None else self.text(name_node)
            if kind == "forward_parameter":
                text = b"..."
            name, slot = self.name(text), self.slot()
            shape = {
                "splat_parameter": ParamKind.REST,
                "forward_parameter": ParamKind.REST,
                "keyword_parameter": ParamKind.KEYWORD,
                "hash_splat_parameter": ParamKind.KEYWORDS,
                "block_parameter": ParamKind.BLOCK,
            }.get(kind, ParamKind.POSITIONAL)
            frame.params.append((name, slot, shape))
            if text:
                self.assign(frame, name, slot)
            if kind == "destructured_parameter":
                self.target(frame, child, slot)
            default = child.child_by_field_name("value")
            if default is not None:
                value = self.expression(frame, default)
                if value >= 0:
                    self.copies += (value, slot)

    def literal_key(self, node: Node) -> bytes | None:
        kind = node.type
        if kind == "simple_symbol":
            return self.text(node)[1:]
        if kind in ("hash_key_symbol", "integer"):
            return self.text(node)
        if kind in ("string", "delimited_symbol") and node.named_child_count == 1:
            child = node.named_children[0]
            return self.text(child) if child.type == "string_content" else None
        return None
