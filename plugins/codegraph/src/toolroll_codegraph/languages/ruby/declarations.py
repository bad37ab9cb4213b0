"""What the body of a Ruby class declares by calling methods: mixins, visibility, files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ImportKind, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.defining import (
    ATTRIBUTES,
    DELEGATING,
    FORWARDED,
    Declaration,
    RubyDefining,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MIXINS: Final = {b"include": "include", b"extend": "extend", b"prepend": "prepend"}
_OF_SINGLETONS: Final = {"include": "extend", "prepend": "singleton_class.prepend"}
VISIBILITIES: Final = (b"private", b"public", b"protected")
_REQUIRES: Final = {
    b"require": ImportKind.LOAD,
    b"load": ImportKind.LOAD,
    b"require_relative": ImportKind.REQUIRE_RELATIVE,
}
_REMOVING: Final = (b"remove_method", b"undef_method")
_HELPING: Final = b"helpers"
"""How Sinatra and Grape include modules in an app: its routes run on an instance of it."""
_OF_BODIES: Final = frozenset(
    (_HELPING, *MIXINS, *VISIBILITIES, *_REMOVING, *FORWARDED, *DELEGATING)
)
"""These declare where a class is read; in a method they are calls like any other."""
_OPENED: Final = frozenset((
    b"Array", b"Hash", b"Integer", b"Kernel", b"Numeric", b"Object", b"Proc", b"String", b"Symbol",
))  # fmt: skip
"""Ruby's own classes that get modules from outside: `String.include Name`."""
_VARIABLES: Final = frozenset(("identifier", "instance_variable", "class_variable"))
_PERHAPS_CLASSES: Final = _VARIABLES | {"conditional", "element_reference"}
"""What is raised where these are written may be a class."""
_SOMETIMES: Final = -1
"""In place of an import's level: a file is required where a condition holds or a method runs."""
_PASSED: Final = frozenset(("call", "class", "module", "body_statement", "program"))


def _always_runs(node: Node) -> bool:
    """Whether a statement runs whenever its file is loaded."""
    current: Node | None = node.parent
    while current is not None and current.type in _PASSED:
        current = current.parent
    return current is None


class RubyDeclarations(RubyDefining):
    """Calls that mix modules in, hide, refine, raise or load a file."""

    def declaration(
        self, frame: Frame, text: bytes, arguments: Node, block: Node | None, line: int
    ) -> int | None:
        """Methods that change a class or load a file; None when `text` is none of them."""
        declare = _DECLARING.get(text)
        if declare is None or (text in _OF_BODIES and self.in_method(frame)):
            return None
        return declare(self, Declaration(frame, text, arguments, block, line))

    def load_file(self, call: Declaration) -> int | None:
        literal = self.literal_key(call.children[0]) if call.children else None
        if literal is None:
            return None
        module, kind = literal.decode("utf-8", "replace"), _REQUIRES[call.text]
        level = 0 if _always_runs(call.arguments) else _SOMETIMES
        self.imports.append((-1, kind, level, module, -1, call.line, call.frame.index))
        if self.lexical_class(call.frame).kind == ScopeKind.MODULE:
            return -1
        return self._own(call, *self.arguments(call.frame, call.arguments, call.block))

    def _own(
        self, call: Declaration, positional: tuple[int, ...], keywords: tuple[int, ...], more: int
    ) -> int:
        """A call of the method that a class may have under a name of Kernel's."""
        flags, name = CallFlag.SAFE_NAME | CallFlag.IMPLICIT | more, self.name(call.text)
        receiver = self.receiver(call.frame)
        return self.call(call.frame, call.line, receiver, name, positional, keywords, flags)

    def mix_in(self, call: Declaration) -> int | None:
        if any(self.literal_key(child) is not None for child in call.children):
            return None  # `prepend :root` is a method of the project
        owner, kind = self.lexical_class(call.frame), MIXINS[call.text]
        if owner.state == 1:  # `class << self`
            kind = _OF_SINGLETONS.get(kind, kind)
        for child in reversed(call.children):
            if child.type == "splat_argument" and child.named_children:
                child = child.named_children[0]  # all that an array has, the first one nearest
            slot = owner.value if child.type == "self" else self.expression(call.frame, child)
            if slot >= 0:
                self.relations.append((kind, owner.index, 0, slot, call.line))
        return -1

    def help(self, call: Declaration) -> None:
        """`helpers Name` includes modules, whatever else it does."""
        owner = self.lexical_class(call.frame)
        for child in reversed(call.children):
            if child.type in ("constant", "scope_resolution") and owner.kind == ScopeKind.CLASS:
                slot = self.expression(call.frame, child)
                if slot >= 0:
                    self.relations.append(("include", owner.index, 0, slot, call.line))

    def set_visibility(self, call: Declaration) -> int:
        owner, private = self.lexical_class(call.frame), call.text == b"private"
        for child in call.children:
            self.expression(call.frame, child)
            for item in child.named_children if child.type.endswith("array") else [child]:
                self._hide(owner, item, private)
        return -1

    def use(self, call: Declaration) -> int | None:
        if not call.children:
            return None
        slot = self.expression(call.frame, call.children[0])
        if slot >= 0:
            owner = self.lexical_class(call.frame)
            self.relations.append(("using", owner.index, 0, slot, call.line))
        return -1

    def raised(self, call: Declaration) -> int | None:
        """`raise Name, "…"` asks for `exception`; `rescue` finds what that gives in `$!`."""
        if not call.children:
            return None
        (_, text, arguments, _, line), node = call, call.children[0]
        frame = call.frame
        positional, keywords, _ = self.arguments(frame, arguments, None)
        own = -1
        if text == b"fail":  # a class may have one of its own
            own = self._own(call, positional, keywords, 0)
        value = positional[0] if positional else -1
        constant = node.type in ("constant", "scope_resolution")
        if constant or node.type in _PERHAPS_CLASSES or self._is_asked(node):
            name = self.name(b"exception")
            flags = 0 if constant else CallFlag.IMPLICIT
            value = self.call(frame, line, value, name, positional[1:], keywords, flags)
        if value >= 0:
            again = int(node.type in _VARIABLES)  # what has been raised before knows where
            self.relations.append(("raise", frame.index, line, value, again))
        return own

    def _is_asked(self, node: Node) -> bool:
        """Whether a method is called that may return a class, as `ERRORS.fetch(code)`."""
        method = node.child_by_field_name("method") if node.type == "call" else None
        return method is not None and self.text(method) not in (b"new", b"exception")

    def _hide(self, owner: Frame, node: Node, private: bool) -> None:
        """`private :name` and `private def name`: of the methods written here."""
        named = node.child_by_field_name("name")
        text = self.literal_key(node) if named is None else self.text(named)
        text = self.text(node) if node.type == "bare_symbol" else text
        method = None if text is None else self.methods.get((owner.index, text))
        if method is not None:
            method.flags &= ~ScopeFlag.PRIVATE
            method.flags |= ScopeFlag.PRIVATE if private else 0
        elif text is not None and not private:
            self.relations.append(("public", owner.index, self.name(text), 0, 0))

    def refine(self, call: Declaration) -> int | None:
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

    def mix_into(self, frame: Frame, node: Node, text: bytes, arguments: Node) -> bool:
        """`Name.include Module`, or `Name.send :include, Module`, as in the body of the class.

        Not so `Name.define_method`, which opens the class all the same.
        """
        modules, name = arguments.named_children, node.child_by_field_name("receiver")
        if name is None or self.text(name) not in _OPENED:
            return False
        if text in (b"send", b"public_send", b"__send__") and modules:
            text, modules = self.literal_key(modules[0]) or b"", modules[1:]
        if text == b"define_method":
            inner = self.open_class(self.module, node, ScopeKind.CLASS, self.name(self.text(name)))
            self.relations.append(("grown", inner.index, 0, 0, 0))
            return False
        outside = self.lexical_class(frame).kind == ScopeKind.MODULE and not self.in_method(frame)
        if text not in MIXINS or not outside:
            return False
        inner = self.open_class(frame, node, ScopeKind.CLASS, self.name(self.text(name)))
        for child in reversed(modules):
            slot = self.expression(frame, child)
            if slot >= 0:
                row = (MIXINS[text], inner.index, 0, slot, node.start_point[0] + 1)
                self.relations.append(row)
        return True

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


_Declare = Callable[[RubyDeclarations, Declaration], int | None]
_DECLARING: Final[dict[bytes, _Declare]] = {
    **dict.fromkeys(_REQUIRES, RubyDeclarations.load_file),
    **dict.fromkeys(MIXINS, RubyDeclarations.mix_in),
    **dict.fromkeys(ATTRIBUTES, RubyDeclarations.declare_attributes),
    **dict.fromkeys(VISIBILITIES, RubyDeclarations.set_visibility),
    **dict.fromkeys(_REMOVING, RubyDeclarations.remove_methods),
    **dict.fromkeys(FORWARDED, RubyDeclarations.forward),
    _HELPING: RubyDeclarations.help,
    **dict.fromkeys(DELEGATING, RubyDeclarations.delegate),
    **dict.fromkeys((b"define_method", b"define_singleton_method"), RubyDeclarations.define_method),
    **dict.fromkeys((b"raise", b"fail"), RubyDeclarations.raised),
    b"alias_method": RubyDeclarations.declare_alias,
    b"module_function": RubyDeclarations.copy_to_module,
    b"scope": RubyDeclarations.define_scope,
    b"using": RubyDeclarations.use,
    b"refine": RubyDeclarations.refine,
}
