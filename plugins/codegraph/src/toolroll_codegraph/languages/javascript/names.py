"""Names, members, `this` and keys of JavaScript and TypeScript to slots."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ObjectKind, ParamKind, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS, STAR
from toolroll_codegraph.languages.javascript.specifiers import JavaScriptSpecifiers

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT: Final = re.compile(
    rb"(?:@@)?[A-Za-z_$][\w$-]{0,39}\Z|(?:\.{0,2}/){0,3}[A-Za-z_$][\w$./:-]{0,38}\Z"
    rb"|[-+/%<>=!&|^~?]{1,3}\Z|[(){},;:#]\Z|[a-z/:.*]{0,8}" + STAR + rb"\Z"
)
"""Names, paths, what words with colons between them name, operators and other single signs."""
_SHARED_SYMBOL: Final = re.compile(rb"Symbol\.for\(['\"]([^'\"]+)['\"]\)\Z")


class JavaScriptNames(JavaScriptSpecifiers):
    """Evaluates expressions to the slot of their value, -1 when it is never of interest."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.expressions = EXPRESSIONS.table(dialect)
        self.constructor = self.name(b"constructor")
        self.to_string, self.to_number = self.name(b"toString"), self.name(b"@@number")
        self.has, self.delete_property = self.name(b"@@has"), self.name(b"@@deleteProperty")
        self.routed: dict[int, tuple[bytes, int]] = {}
        """What `router.route(path)` returns → the path, and the slot of the router."""
        self.rejecting = {self.name(text): text for text in (b"then", b"catch", b"reject")}
        self.module_exports, self.bind = self.name(b"module.exports"), self.name(b"bind")
        self.thrown = -1
        self.pragma: bytes | None = None
        self.common = False
        """Whether `exports`, and `this` outside of functions, is what the file exports."""

    def read(self, frame: Frame, name: int) -> int:
        if frame.kind == ScopeKind.NAMESPACE and frame.parent is not None and name not in frame.env:
            return self.read(frame.parent, name)  # it runs in line, and joins what has its name
        return super().read(frame, name)

    @EXPRESSIONS.on("identifier", "shorthand_property_identifier", "type_identifier")
    def identifier(self, frame: Frame, node: Node) -> int:
        text = self.text(node)
        if text == b"exports" and self.common and self.is_of_file(frame, text):
            return self.common_exports()[0]
        if text == b"arguments":
            return self.arguments_object(frame)
        return self.read(frame, self.name(text))

    def arguments_object(self, frame: Frame) -> int:
        """`arguments` is one more parameter, which collects all positional values."""
        scope = self.around(frame)
        if scope.kind == ScopeKind.MODULE:
            return -1
        name = self.name(b"arguments")
        for known, slot, shape in scope.params:
            if known == name and shape == ParamKind.KEYWORDS:
                return slot
        slot = self.slot()
        scope.params.append((name, slot, ParamKind.KEYWORDS))
        return slot

    def around(self, frame: Frame) -> Frame:
        """The function around that has `arguments`, or the module."""
        while frame.parent is not None and (frame.flags & ScopeFlag.ARROW or frame.kind not in
                                            (ScopeKind.FUNCTION, ScopeKind.LAMBDA)):  # fmt: skip
            frame = frame.parent
        return frame

    def common_exports(self) -> tuple[int, int]:
        """The slots of `exports` and `module.exports`, made when a file first uses them."""
        if self.exports_slot < 0:
            self.exports_slot = self.container(self.module, ObjectKind.RECORD)
            slot = self.slot()
            self.copies += (self.exports_slot, slot)
            self.module.members[self.module_exports] = slot
        return self.exports_slot, self.module.members[self.module_exports]

    @EXPRESSIONS.on(
        "number", "true", "false", "null", "undefined", "regex", "comment", "string_fragment",
        "predefined_type", "type_annotation", "type_arguments", "super", "jsx_text",
        "html_comment", "jsx_closing_element", "type_parameters", "escape_sequence",
    )  # fmt: skip
    def opaque(self, frame: Frame, node: Node) -> int:
        return -1

    @EXPRESSIONS.on("meta_property")
    def meta(self, frame: Frame, node: Node) -> int:
        """`new.target` is the class that is made."""
        if self.text(node) != b"new.target":
            return -1
        name = self.name(b"constructor")
        return self.load(frame, self.receiver(frame), name, node.start_point[0] + 1)

    @EXPRESSIONS.on("string")
    def string(self, frame: Frame, node: Node) -> int:
        text = self.written(node)
        return self.constant(text) if _CONSTANT.match(text) else -1

    @EXPRESSIONS.on("this")
    def this(self, frame: Frame, node: Node) -> int:
        return self.receiver(frame)

    def receiver(self, frame: Frame) -> int:
        scope: Frame | None = frame
        while scope is not None:
            if scope.this >= 0:
                return scope.this
            function = scope.kind == ScopeKind.FUNCTION or scope.kind == ScopeKind.LAMBDA
            if function and not scope.flags & ScopeFlag.ARROW:
                scope.this = self.slot()
                return scope.this
            scope = scope.parent
        return self.common_exports()[0] if self.common else -1

    def is_module_exports(self, frame: Frame, node: Node) -> bool:
        return (
            node.type == "member_expression"
            and self.text(node) == b"module.exports"
            and self.is_of_file(frame, b"module")
        )

    def is_of_file(self, frame: Frame, name: bytes) -> bool:
        """Whether `module` or `exports` is that of the file, and no variable.

        What `define(function (require, exports, module) {…})` is given is that of the file too.
        """
        binder = frame.binder(self.name(name))
        if binder is None:
            return True
        asks = binder.params[:1] and binder.params[0][0] == self.name(b"require")
        return bool(asks) and not self.is_bundled(frame, name)

    @EXPRESSIONS.on("member_expression")
    def member(self, frame: Frame, node: Node) -> int:
        if self.is_module_exports(frame, node):
            return self.common_exports()[1]
        if self.text(node) == b"arguments.callee":
            return self.around(frame).value
        children = node.named_children
        if self.text(children[0]) == b"Symbol" and self.name(b"Symbol") not in frame.env:
            return self.constant(b"@@" + self.text(children[-1]))
        name = self.name(self.text(children[-1]))
        if children[0].type == "super":
            return self.super_member(frame, node, name)
        base = self.expression(frame, children[0])
        if base < 0:
            return -1
        return self.load(frame, base, name, children[-1].start_point[0] + 1)

    def super_member(self, frame: Frame, node: Node, name: int, source: int | None = None) -> int:
        """`super.name`, read or written."""
        flags = CallFlag.SUPER | CallFlag.READ | CallFlag.IMPLICIT
        positional = () if source is None else (source,)
        line = node.start_point[0] + 1
        return self.call(frame, line, self.receiver(frame), name, positional, flags=flags)

    @EXPRESSIONS.on("subscript_expression")
    def subscript(self, frame: Frame, node: Node) -> int:
        base = self.expression(frame, node.named_children[0])
        index = node.child_by_field_name("index")
        if index is None:
            return -1
        key = self.literal_key(index)
        if key is not None:
            return self.load(frame, base, self.name(key), node.start_point[0] + 1)
        return self.element_of(frame, base, index)

    def element_of(self, frame: Frame, base: int, index: Node) -> int:
        """Read what an object has under a key that is computed."""
        slot = self.expression(frame, index)
        if base < 0:
            return -1
        if self.is_number(frame, index):
            result = self.load(frame, base, self.any_number, index.start_point[0] + 1)
            if slot >= 0:
                self.copied[result] = (slot, base)
            return result
        pattern = self.pattern(index)
        if pattern:
            slot = self.constant(pattern)
        if slot < 0:
            return self.load(frame, base, self.any_key, index.start_point[0] + 1)
        result = self.slot()
        self.dynamic += (result, base, slot, -1, frame.index + 1)
        if not self._is_of_module(frame, index):  # that is one name, and none of many
            self.copied[result] = (slot, base)
        return result

    def _is_of_module(self, frame: Frame, node: Node) -> bool:
        """Whether a function reads what its module has for a name."""
        if node.type != "identifier" or frame.parent is None:
            return False
        binder = frame.binder(self.name(self.text(node)))
        return binder is not None and binder.parent is None

    def written(self, node: Node) -> bytes:
        """What a text says; a star at its end has a form of its own: one ends gaps."""
        text = self.source[node.start_byte + 1 : node.end_byte - 1]
        return text[:-1] + STAR if text.endswith(b"*") else text

    def literal_key(self, node: Node) -> bytes | None:
        """The property a literal names; array positions are kept as `[0`."""
        if node.type == "string":
            return self.written(node)
        if node.type == "number":
            return b"[" + self.text(node)
        if node.type == "template_string" and b"${" not in self.text(node):
            return self.source[node.start_byte + 1 : node.end_byte - 1]
        if node.type == "member_expression" and self.text(node).startswith(b"Symbol."):
            return b"@@" + self.text(node)[7:]
        if node.type == "call_expression":
            found = _SHARED_SYMBOL.match(self.text(node))
            return None if found is None else b"@@" + found[1]
        return None
