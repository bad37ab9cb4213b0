"""What the body of a Ruby class declares by calling methods: mixins, attributes, methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from toolroll_codegraph.facts import CallFlag, Frame, ImportKind, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.arguments import RubyArguments

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
_FORWARDED: Final = {
    b"def_delegator": True, b"def_instance_delegator": True, b"def_delegators": False,
    b"def_instance_delegators": False, b"instance_delegate": False,
}  # fmt: skip
"""Whether what follows the accessor is one method and its new name, or methods."""
_OF_BODIES: Final = frozenset((*MIXINS, *VISIBILITIES, *_REMOVING, *_FORWARDED))
"""These declare where a class is read; in a method they are calls like any other."""
_VARIABLES: Final = frozenset(("identifier", "instance_variable", "class_variable"))


class _Declaration(NamedTuple):
    """A call without a receiver that may declare something."""

    frame: Frame
    text: bytes
    arguments: Node
    block: Node | None
    line: int

    @property
    def children(self) -> list[Node]:
        return self.arguments.named_children


class RubyDeclarations(RubyArguments):
    """Calls that change a class or load a file."""

    def declaration(
        self, frame: Frame, text: bytes, arguments: Node, block: Node | None, line: int
    ) -> int | None:
        """Methods that change a class or load a file; None when `text` is none of them."""
        declare = _DECLARING.get(text)
        if declare is None or (text in _OF_BODIES and self.in_method(frame)):
            return None
        return declare(self, _Declaration(frame, text, arguments, block, line))

    def load_file(self, call: _Declaration) -> int | None:
        literal = self.literal_key(call.children[0]) if call.children else None
        if literal is None:
            return None
        module, kind = literal.decode("utf-8", "replace"), _REQUIRES[call.text]
        self.imports.append((-1, kind, 0, module, -1, call.line, call.frame.index))
        return -1

    def mix_in(self, call: _Declaration) -> int:
        owner, kind = self.lexical_class(call.frame), MIXINS[call.text]
        if kind == "include" and owner.state == 1:
            kind = "extend"
        for child in reversed(call.children):
            slot = owner.value if child.type == "self" else self.expression(call.frame, child)
            if slot >= 0:
                self.relations.append((kind, owner.index, 0, slot, call.line))
        return -1

    def declare_attributes(self, call: _Declaration) -> int:
        owner, ways = self.lexical_class(call.frame), _ATTRIBUTES[call.text]
        for child in call.children:
            literal = self.literal_key(child)
            if literal is not None:
                name = self.name((b"." if owner.state == 1 else b"") + literal)
                self.relations.append(("attr", owner.index, name, ways, 0))
        return -1

    def set_visibility(self, call: _Declaration) -> int:
        owner, private = self.lexical_class(call.frame), call.text == b"private"
        for child in call.children:
            self.expression(call.frame, child)
            for item in child.named_children if child.type.endswith("array") else [child]:
                self._hide(owner, item, private)
        return -1

    def remove_methods(self, call: _Declaration) -> int:
        owner, undefined = self.lexical_class(call.frame), call.text == b"undef_method"
        self.remove(owner, call.children, undefined)
        return -1

    def declare_alias(self, call: _Declaration) -> int | None:
        if len(call.children) != 2:
            return None
        new, old = (self.literal_key(child) for child in call.children)
        if not new or not old:
            return None
        self.alias_method(call.frame, new, old)
        return -1

    def copy_to_module(self, call: _Declaration) -> int:
        """`module_function :name`."""
        owner = self.lexical_class(call.frame)
        for child in call.children:
            literal = self.literal_key(child)
            if literal is not None:
                self.copy_method(owner, b"." + literal, literal)
            else:
                self.expression(call.frame, child)
        return -1

    def define_scope(self, call: _Declaration) -> int | None:
        """`scope :name, -> { … }` of Rails."""
        if len(call.children) != 2 or call.children[1].type != "lambda":
            return None
        self.define_method(call._replace(block=None))
        name, receiver = self.name(call.text), self.receiver(call.frame)
        return self.call(call.frame, call.line, receiver, name, flags=CallFlag.SAFE_NAME)

    def use(self, call: _Declaration) -> int | None:
        if not call.children:
            return None
        slot = self.expression(call.frame, call.children[0])
        if slot >= 0:
            owner = self.lexical_class(call.frame)
            self.relations.append(("using", owner.index, 0, slot, call.line))
        return -1

    def remove(self, owner: Frame, names: list[Node], undefined: bool) -> None:
        """Take methods of a class away."""
        raise NotImplementedError

    def define_method(self, call: _Declaration) -> int | None:
        if not call.children:
            return None
        frame, named = call.frame, call.children[0]
        literal = self.literal_key(named)
        key = -1 if literal is not None else self.expression(frame, named)
        owner = self.lexical_class(frame)
        singleton = call.text != b"define_method" or owner.state == 1
        if call.block is not None:
            this = self.slot()
            self.defining[this] = literal, key
            inner = self.block(frame, call.block, call.block, this=this)
            if not singleton:
                inner.flags |= ScopeFlag.METHOD
            value = inner.value
        elif len(call.children) > 1:
            value = self.expression(frame, call.children[1])
        else:
            return None
        if literal is not None and value >= 0:
            later = int(self.in_method(frame))  # if that is called at all
            self.alternatives += later
            self.define(owner, literal, value, singleton)
            self.alternatives -= later
        elif literal is None and key >= 0 and value >= 0:
            self._define_told(frame, named, key, value, singleton)
        return -1

    def _define_told(
        self, frame: Frame, named: Node, key: int, value: int, singleton: bool
    ) -> None:
        """A method under a name that only values tell."""
        owner, in_method = self.lexical_class(frame), self.in_method(frame)
        self.relations.append(("naming", 0, 0, key, 0))
        if key in self.taken:
            self._wrap(frame, key)
        if in_method:  # of whatever class runs that
            name = self.name(b"define_singleton_method" if singleton else b"define_method")
            line, given = named.start_point[0] + 1, (key, value)
            self.call(frame, line, self.receiver(frame), name, given, flags=CallFlag.IMPLICIT)
        if owner.kind == ScopeKind.NAMESPACE or not in_method:
            self.relations.append(("define", owner.index, key, value, int(singleton)))

    def _wrap(self, frame: Frame, key: int) -> None:
        """Note that a method replaces those that it is given the names of by others around them."""
        method = self.outside_blocks(frame)
        if method.kind == ScopeKind.FUNCTION:
            slots = [slot for _, slot, _ in method.params]
            position = slots.index(key) if key in slots else -1
            self.relations.append(("wraps", method.index, method.name, position, 0))

    def raised(self, call: _Declaration) -> int | None:
        """`raise Name, "…"` asks for `exception`; `rescue` finds what that gives in `$!`."""
        if not call.children:
            return None
        (_, text, arguments, _, line), node = call, call.children[0]
        frame = call.frame
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

    def _hide(self, owner: Frame, node: Node, private: bool) -> None:
        """`private :name` and `private def name`: of the methods written here."""
        named = node.child_by_field_name("name")
        text = self.literal_key(node) if named is None else self.text(named)
        text = self.text(node) if node.type == "bare_symbol" else text
        method = None if text is None else self.methods.get((owner.index, text))
        if method is not None:
            method.flags &= ~ScopeFlag.PRIVATE
            method.flags |= ScopeFlag.PRIVATE if private else 0

    def forward(self, call: _Declaration) -> int | None:
        """Forwardable's declarations: of one method, with its new name, or of several."""
        owner, text, children = self.lexical_class(call.frame), call.text, call.children
        if not children:
            return None
        pairs: list[tuple[Node, Node]] = []  # methods, accessor
        if children[0].type == "pair":
            pairs = [(child.named_children[0], child.named_children[-1]) for child in children]
        else:
            last = 2 if _FORWARDED[text] else len(children)
            pairs = [(child, children[0]) for child in children[1:last]]
        for methods, accessor in pairs:
            reached = self.literal_key(accessor)
            plain = methods.type not in ("array", "symbol_array")
            for item in [methods] if plain else methods.named_children:
                name = self.text(item) if item.type == "bare_symbol" else self.literal_key(item)
                if name is None or reached is None or item.type == "pair":
                    continue
                known = self.literal_key(children[2]) if _FORWARDED[text] and len(children) > 2 \
                    else name  # fmt: skip
                row = self.name(known or name), self.name(reached), self.name(name)
                self.relations.append(("forward", owner.index, *row))
        return -1

    def refine(self, call: _Declaration) -> int | None:
        frame, block = call.frame, call.block
        if block is None or not call.children:
            return None
        target = call.children[0]
        name = self.name(self.text(target).replace(b"::", b"."))
        inner = self.open_frame(ScopeKind.CLASS, name, self.lexical_class(frame), frame.line)
        inner.line, inner.end = block.start_point[0] + 1, block.end_point[0] + 1
        inner.this = inner.value
        slot = self.constant_slot(frame, target)
        if slot >= 0:
            self.relations.append(("refine", inner.index, 0, slot, 0))
        self.run_body(inner, block)
        return -1

    def reopen(self, frame: Frame, node: Node, name: Node, block: Node) -> int:
        """`Name.class_eval do … end` defines methods as the class's own body does."""
        self.expression(frame, name)
        inner = self.open_class(frame, node, ScopeKind.CLASS, self.name(self.text(name)))
        self.run_body(inner, block)
        return -1

    def concern_methods(self, frame: Frame, block: Node) -> None:
        """`class_methods do … end` of a concern is its module `ClassMethods`."""
        inner = self.open_class(frame, block, ScopeKind.NAMESPACE, self.name(b"ClassMethods"))
        self.run_body(inner, block)

    def run_body(self, inner: Frame, node: Node) -> None:
        """Read the body of a class, or of a block that stands for one, in its scope."""
        body = node.child_by_field_name("body")
        if body is not None:
            self.body(inner, body)

    def open_class(self, frame: Frame, node: Node, kind: int, name: int) -> Frame:
        """Open the scope of a class or module."""
        inner = self.open_frame(kind, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        inner.this = inner.value
        self.opened.setdefault((frame.index, name), []).append(inner)
        return inner


_Declare = Callable[[RubyDeclarations, _Declaration], int | None]
_DECLARING: Final[dict[bytes, _Declare]] = {
    **dict.fromkeys(_REQUIRES, RubyDeclarations.load_file),
    **dict.fromkeys(MIXINS, RubyDeclarations.mix_in),
    **dict.fromkeys(_ATTRIBUTES, RubyDeclarations.declare_attributes),
    **dict.fromkeys(VISIBILITIES, RubyDeclarations.set_visibility),
    **dict.fromkeys(_REMOVING, RubyDeclarations.remove_methods),
    **dict.fromkeys(_FORWARDED, RubyDeclarations.forward),
    **dict.fromkeys((b"define_method", b"define_singleton_method"), RubyDeclarations.define_method),
    **dict.fromkeys((b"raise", b"fail"), RubyDeclarations.raised),
    b"alias_method": RubyDeclarations.declare_alias,
    b"module_function": RubyDeclarations.copy_to_module,
    b"scope": RubyDeclarations.define_scope,
    b"using": RubyDeclarations.use,
    b"refine": RubyDeclarations.refine,
}
