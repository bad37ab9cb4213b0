"""What the body of a Ruby class declares by calling methods: mixins, attributes, methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ImportKind, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.blocks import RubyBlocks

if TYPE_CHECKING:
    from tree_sitter import Node

_ATTRIBUTES: Final = {b"attr_reader": 1, b"attr_writer": 2, b"attr_accessor": 3, b"attr": 1}
MIXINS: Final = {b"include": "include", b"extend": "extend", b"prepend": "prepend"}
VISIBILITIES: Final = (b"private", b"public", b"protected")
_REQUIRES: Final = {
    b"require": ImportKind.LOAD,
    b"load": ImportKind.LOAD,
    b"require_relative": ImportKind.REQUIRE_RELATIVE,
}
_REMOVING: Final = (b"remove_method", b"undef_method")
FORWARDED: Final = {
    b"def_delegator": True, b"def_instance_delegator": True, b"def_delegators": False,
    b"def_instance_delegators": False, b"instance_delegate": False,
}  # fmt: skip
"""Whether what follows the accessor is one method and its new name, or methods."""
_VARIABLES: Final = frozenset(("identifier", "instance_variable", "class_variable"))


class RubyDeclarations(RubyBlocks):
    """Calls that change a class or load a file."""

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
        elif text in MIXINS and not self.in_method(frame):
            for child in reversed(children):
                slot = owner.value if child.type == "self" else self.expression(frame, child)
                if slot >= 0:
                    kind = MIXINS[text]
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
        elif text in VISIBILITIES and not self.in_method(frame):
            for child in children:
                self.expression(frame, child)
                named = child.named_children if child.type.endswith("array") else [child]
                for item in named:
                    self.hide(owner, item, text == b"private")
            return -1
        elif text in _REMOVING and not self.in_method(frame):
            self.remove(owner, children, undefined=text == b"undef_method")
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
                    self.copy_method(owner, b"." + literal, literal)
                else:
                    self.expression(frame, child)
            return -1
        elif text in (b"define_method", b"define_singleton_method") and children:
            return self.define_method(frame, text, children, block)
        elif text == b"scope" and len(children) == 2 and children[1].type == "lambda":
            self.define_method(frame, text, children, None)
            name, flags = self.name(text), CallFlag.SAFE_NAME
            return self.call(frame, line, self.receiver(frame), name, flags=flags)
        elif text in (b"raise", b"fail") and children:
            return self.raised(frame, text, arguments, line)
        elif text in FORWARDED and children and not self.in_method(frame):
            self.forward(owner, text, children)
            return -1
        elif text == b"using" and children:
            slot = self.expression(frame, children[0])
            if slot >= 0:
                self.relations.append(("using", owner.index, 0, slot, line))
            return -1
        elif text == b"refine" and block is not None and children:
            return self.refine(frame, children[0], block)
        return None

    def remove(self, owner: Frame, names: list[Node], undefined: bool) -> None:
        """Take methods of a class away."""
        raise NotImplementedError

    def define_method(
        self, frame: Frame, text: bytes, children: list[Node], block: Node | None
    ) -> int | None:
        literal = self.literal_key(children[0])
        key = -1 if literal is not None else self.expression(frame, children[0])
        owner = self.lexical_class(frame)
        singleton = text != b"define_method" or owner.state == 1
        if block is not None:
            this = self.slot()
            self.defining[this] = literal, key
            inner = self.block(frame, block, block, this=this)
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
        elif literal is None and key >= 0 and value >= 0:
            self.relations.append(("naming", 0, 0, key, 0))
            if key in self.taken:
                self.wraps(frame, key)
            if self.in_method(frame):  # of whatever class runs that
                line = children[0].start_point[0] + 1
                name = self.name(b"define_singleton_method" if singleton else b"define_method")
                flags = CallFlag.IMPLICIT
                self.call(frame, line, self.receiver(frame), name, (key, value), flags=flags)
            if owner.kind == ScopeKind.NAMESPACE or not self.in_method(frame):
                self.relations.append(("define", owner.index, key, value, int(singleton)))
        return -1

    def wraps(self, frame: Frame, key: int) -> None:
        """Note that a method replaces those that it is given the names of by others around them."""
        while frame.flags & ScopeFlag.BLOCK and frame.parent is not None:
            frame = frame.parent
        if frame.kind == ScopeKind.FUNCTION:
            slots = [slot for _, slot, _ in frame.params]
            position = slots.index(key) if key in slots else -1
            self.relations.append(("wraps", frame.index, frame.name, position, 0))

    def raised(self, frame: Frame, text: bytes, arguments: Node, line: int) -> int:
        """`raise Name, "…"` asks for `exception`; `rescue` finds what that gives in `$!`."""
        node = arguments.named_children[0]
        positional, keywords, _ = self.arguments(frame, arguments, None)
        own = -1
        if text == b"fail":  # a class may have one of its own
            flags, name = CallFlag.SAFE_NAME | CallFlag.IMPLICIT, self.name(text)
            own = self.call(frame, line, self.receiver(frame), name, positional, keywords, flags)
        value = positional[0] if positional else -1
        if node.type in ("constant", "scope_resolution", *_VARIABLES):
            name = self.name(b"exception")
            flags = CallFlag.IMPLICIT if node.type in _VARIABLES else 0
            value = self.call(frame, line, value, name, positional[1:], keywords, flags)
        if value >= 0:
            self.relations.append(("raise", frame.index, line, value, 0))
        return own

    def hide(self, owner: Frame, node: Node, private: bool) -> None:
        """`private :name` and `private def name`: of the methods written here."""
        named = node.child_by_field_name("name")
        text = self.literal_key(node) if named is None else self.text(named)
        text = self.text(node) if node.type == "bare_symbol" else text
        method = None if text is None else self.methods.get((owner.index, text))
        if method is not None:
            method.flags &= ~ScopeFlag.PRIVATE
            method.flags |= ScopeFlag.PRIVATE if private else 0

    def forward(self, owner: Frame, text: bytes, children: list[Node]) -> None:
        """Forwardable's declarations: of one method, with its new name, or of several."""
        pairs: list[tuple[Node, Node]] = []  # methods, accessor
        if children[0].type == "pair":
            pairs = [(child.named_children[0], child.named_children[-1]) for child in children]
        else:
            last = 2 if FORWARDED[text] else len(children)
            pairs = [(child, children[0]) for child in children[1:last]]
        for methods, accessor in pairs:
            reached = self.literal_key(accessor)
            plain = methods.type not in ("array", "symbol_array")
            for item in [methods] if plain else methods.named_children:
                name = self.text(item) if item.type == "bare_symbol" else self.literal_key(item)
                if name is None or reached is None or item.type == "pair":
                    continue
                known = self.literal_key(children[2]) if FORWARDED[text] and len(children) > 2 \
                    else name  # fmt: skip
                row = self.name(known or name), self.name(reached), self.name(name)
                self.relations.append(("forward", owner.index, *row))

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

    def reopen(self, frame: Frame, node: Node, name: Node, block: Node) -> int:
        """`Name.class_eval do … end` defines methods as the class's own body does."""
        self.expression(frame, name)
        inner = self.open_class(frame, node, ScopeKind.CLASS, self.name(self.text(name)))
        body = block.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)
        return -1

    def concern_methods(self, frame: Frame, block: Node) -> None:
        """`class_methods do … end` of a concern is its module `ClassMethods`."""
        inner = self.open_class(frame, block, ScopeKind.NAMESPACE, self.name(b"ClassMethods"))
        body = block.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)

    def open_class(self, frame: Frame, node: Node, kind: int, name: int) -> Frame:
        """Open the scope of a class or module."""
        inner = self.open_frame(kind, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        inner.this = inner.value
        self.opened.setdefault((frame.index, name), []).append(inner)
        return inner
