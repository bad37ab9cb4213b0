"""JavaScript and TypeScript expressions to slots and calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    PREFIX,
    RETURNED,
    SENT,
    CallFlag,
    Frame,
    ImportKind,
    ObjectKind,
    ParamKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.javascript_literals import (
    EXPRESSIONS,
    FUNCTIONS,
    JavaScriptLiterals,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT: Final = re.compile(rb"[A-Za-z_$][\w$-]{0,39}\Z")
_TEXTS: Final = ("string", "template_string", "binary_expression", "number")
_SHARED_SYMBOL: Final = re.compile(rb"Symbol\.for\(['\"]([^'\"]+)['\"]\)\Z")
_BEGINNING: Final = re.compile(rb"['\"`]([A-Za-z_$][\w$]{1,39})(?:['\"]\Z|\$\{)")


class JavaScriptExpressions(JavaScriptLiterals):
    """Evaluates expressions to the slot of their value, -1 when it is never of interest."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.expressions = EXPRESSIONS.table(dialect)
        self.constructor = self.name(b"constructor")
        self.to_string = self.name(b"toString")
        self.rejecting = {self.name(text): text for text in (b"then", b"catch", b"reject")}
        self.module_exports, self.bind = self.name(b"module.exports"), self.name(b"bind")
        self.thrown = -1
        self.common = False
        """Whether `this` outside of functions is what the file exports (CommonJS)."""

    def expression(self, frame: Frame, node: Node) -> int:
        handler = self.expressions[node.kind_id]
        if handler is not None:
            return handler(self, frame, node)
        for child in node.named_children:
            self.expression(frame, child)
        return -1

    def read(self, frame: Frame, name: int) -> int:
        slot = frame.env.get(name)
        if slot is not None and not frame.loops:
            return slot
        return super().read(frame, name)

    # names and members

    @EXPRESSIONS.on("identifier", "shorthand_property_identifier", "type_identifier")
    def identifier(self, frame: Frame, node: Node) -> int:
        text = self.text(node)
        if text == b"exports" and self.name(text) not in self.module.versions:
            return self.common_exports()[0]
        if text == b"arguments":
            return self.arguments_object(frame)
        return self.read(frame, self.name(text))

    def arguments_object(self, frame: Frame) -> int:
        """`arguments` is one more parameter, which collects all positional values."""
        scope: Frame | None = frame
        while scope is not None and (scope.flags & ScopeFlag.ARROW or scope.kind not in
                                     (ScopeKind.FUNCTION, ScopeKind.LAMBDA)):  # fmt: skip
            scope = scope.parent
        if scope is None:
            return -1
        name = self.name(b"arguments")
        for known, slot, shape in scope.params:
            if known == name and shape == ParamKind.KEYWORDS:
                return slot
        slot = self.slot()
        scope.params.append((name, slot, ParamKind.KEYWORDS))
        return slot

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
        "predefined_type", "type_annotation", "type_arguments", "super", "meta_property",
        "jsx_text", "jsx_closing_element", "type_parameters", "html_comment", "escape_sequence",
    )  # fmt: skip
    def opaque(self, frame: Frame, node: Node) -> int:
        return -1

    @EXPRESSIONS.on("string")
    def string(self, frame: Frame, node: Node) -> int:
        text = self.source[node.start_byte + 1 : node.end_byte - 1]
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

    def is_module_exports(self, node: Node) -> bool:
        return (
            node.type == "member_expression"
            and self.text(node) == b"module.exports"
            and self.name(b"module") not in self.module.versions
        )

    @EXPRESSIONS.on("member_expression")
    def member(self, frame: Frame, node: Node) -> int:
        if self.is_module_exports(node):
            return self.common_exports()[1]
        children = node.named_children
        name = self.name(self.text(children[-1]))
        if children[0].type == "super":
            return self.super_member(frame, node, name)
        base = self.expression(frame, children[0])
        if base < 0:
            return -1
        return self.load(frame, base, name, node.start_point[0] + 1)

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
        slot = self.expression(frame, index)
        if base < 0:
            return -1
        if slot < 0:
            return self.load(frame, base, self.any_key, node.start_point[0] + 1)
        result = self.slot()
        self.dynamic += (result, base, slot, -1, 0)
        self.copied[result] = (slot, base)
        return result

    def literal_key(self, node: Node) -> bytes | None:
        """The property a literal names; array positions are kept as `[0`."""
        if node.type == "string":
            return self.source[node.start_byte + 1 : node.end_byte - 1]
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

    # calls

    @EXPRESSIONS.on("call_expression")
    def call_expression(self, frame: Frame, node: Node) -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return -1
        while function.type in ("parenthesized_expression", "non_null_expression"):
            if function.named_child_count != 1:
                break
            function = function.named_children[0]
        line = node.start_point[0] + 1
        kind = function.type
        name, flags, callee = -1, 0, -1
        if kind == "member_expression" and not self.is_module_exports(function):
            if self.text(function) == b"Symbol.for":
                return self.symbol(arguments)
            children = function.named_children
            name = self.name(self.text(children[-1]))
            line = children[-1].start_point[0] + 1
            if children[0].type == "super":
                flags, callee = CallFlag.SUPER, self.receiver(frame)
            else:
                callee = self.expression(frame, children[0])
        elif kind == "subscript_expression":
            index = function.child_by_field_name("index")
            key = None if index is None else self.literal_key(index)
            if key is not None:
                name = self.name(key)
                callee = self.expression(frame, function.named_children[0])
            else:
                callee = self.expression(frame, function)
        elif kind == "super":
            flags, name, callee = CallFlag.SUPER, self.constructor, self.receiver(frame)
        elif kind == "import":
            return self.import_call(frame, arguments, line, ImportKind.MODULE)
        elif kind == "identifier" and self.text(function) == b"require":
            found = self.import_call(frame, arguments, line, ImportKind.REQUIRE)
            if found >= 0:
                return found
            callee = self.expression(frame, function)
        elif self.text(function) == b"Symbol":
            return self.symbol(arguments)
        else:
            callee = self.expression(frame, function)
        positional = self.arguments(frame, arguments)
        if kind == "identifier" and positional and self.text(function) == b"String":
            self.as_text(frame, node, positional[0])
        result = self.call(frame, line, callee, name, positional, (), flags)
        if name in self.rejecting:
            self.rejected(frame, line, self.rejecting[name], positional)
            if self.text(function) == b"Promise.reject" and positional and positional[0] >= 0:
                self.copies += (positional[0], self.thrown_value())
        if callee in self.copied and name == self.bind:
            self.copied[result] = self.copied[callee]
        return result

    def import_call(self, frame: Frame, arguments: Node | None, line: int, kind: int) -> int:
        if arguments is None or not arguments.named_children:
            return -1
        source = arguments.named_children[0]
        key = self.module_specifier(source)
        if key is None:
            return -1
        slot = self.slot()
        row = (slot, kind, 0, key.decode("utf-8", "replace"), -1, line, frame.index)
        self.imports.append(row)
        return slot

    def module_specifier(self, node: Node) -> bytes | None:
        """What a `require` names; `"./parts/" + name` any module of a directory."""
        if node.type == "binary_expression":
            first = node.named_children[0]
            key = self.literal_key(first) if first.type == "string" else None
            inside = key is not None and key.startswith(b".") and key.endswith(b"/")
            return key + b"*" if inside and key is not None else None
        return None if node.type == "number" else self.literal_key(node)

    def symbol(self, arguments: Node | None) -> int:
        """`Symbol("name")`: a key, told from others by its description."""
        children = arguments.named_children if arguments is not None else []
        key = self.literal_key(children[0]) if children else None
        return self.constant(b"@@" + (b"%d" % self.slots if key is None else key))

    def arguments(self, frame: Frame, node: Node | None) -> tuple[int, ...]:
        if node is None:
            return ()
        if node.type == "template_string":  # a tagged template: the strings come first
            return (-1, *(self.expression(frame, child) for child in node.named_children
                          if child.type == "template_substitution"))  # fmt: skip
        found: list[int] = []
        for child in node.named_children:
            if child.type == "spread_element":
                value = self.expression(frame, child.named_children[0])
                if value >= 0:
                    found.append(-value - 2)
                    break
            elif child.type != "comment":
                found.append(self.expression(frame, child))
        return tuple(found)

    @EXPRESSIONS.on("new_expression")
    def new_expression(self, frame: Frame, node: Node) -> int:
        constructor = node.child_by_field_name("constructor")
        callee = -1 if constructor is None else self.expression(frame, constructor)
        positional = self.arguments(frame, node.child_by_field_name("arguments"))
        line = node.start_point[0] + 1
        if (
            len(positional) == 1
            and constructor is not None
            and self.text(constructor) == b"Promise"
        ):
            positional = (*positional, self.thrown_value())  # what `reject` is given goes there
        return self.call(frame, line, callee, -1, positional, (), CallFlag.NEW)

    def thrown_value(self) -> int:
        """One slot for everything that a file throws: any `catch` of it may get that."""
        if self.thrown < 0:
            self.thrown = self.slot()
        return self.thrown

    def rejected(self, frame: Frame, line: int, name: bytes, positional: tuple[int, ...]) -> None:
        """What `catch` is given gets what the file throws, later and from nowhere."""
        handler = positional[0] if name == b"catch" and positional else -1
        if name == b"then" and len(positional) > 1:
            handler = positional[1]
        if handler >= 0:
            flags = CallFlag.QUIET | CallFlag.IMPLICIT
            self.call(frame, line, handler, -1, (self.thrown_value(),), (), flags)

    @EXPRESSIONS.on("jsx_opening_element", "jsx_self_closing_element")
    def jsx_element(self, frame: Frame, node: Node) -> int:
        """`<Widget/>` calls the component."""
        name = node.child_by_field_name("name")
        for child in node.named_children:
            if child.type != "identifier" or child != name:
                self.expression(frame, child)
        if name is None or (name.type == "identifier" and self.text(name)[:1].islower()):
            return -1
        callee = self.expression(frame, name)
        return self.call(frame, node.start_point[0] + 1, callee, flags=CallFlag.NEW)

    @EXPRESSIONS.on("jsx_attribute")
    def jsx_attribute(self, frame: Frame, node: Node) -> int:
        for child in node.named_children[1:]:
            self.expression(frame, child)
        return -1

    # assignment

    @EXPRESSIONS.on("assignment_expression")
    def assignment(self, frame: Frame, node: Node) -> int:
        left = node.child_by_field_name("left")
        right = node.child_by_field_name("right")
        if left is None or right is None:
            return -1
        value = self.named_value(frame, right, self.target_name(left))
        self.target(frame, left, value)
        return value

    @EXPRESSIONS.on("augmented_assignment_expression")
    def augmented(self, frame: Frame, node: Node) -> int:
        left, right = node.named_children[0], node.named_children[-1]
        before = self.expression(frame, left)
        value = self.named_value(frame, right, self.target_name(left))
        if node.children[1].type in ("||=", "&&=", "??="):
            value = self.join((before, value))
            self.target(frame, left, value)
            return value
        return before

    def target_name(self, node: Node) -> bytes:
        """What a function assigned here is called by its readers."""
        if node.type == "identifier":
            return self.text(node)
        if node.type == "member_expression":
            text = self.text(node)
            for prefix in (b"module.exports.", b"exports.", b"this."):
                text = text.removeprefix(prefix)
            text = text.replace(b".prototype.", b".")
            return text if text.replace(b".", b"").replace(b"$", b"").isalnum() or b"_" in text \
                else self.text(node.named_children[-1])  # fmt: skip
        return b""

    def named_value(self, frame: Frame, node: Node, name: bytes) -> int:
        """Evaluate a value; a function or class without a name of its own takes `name`."""
        while node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        if name and node.type in FUNCTIONS and node.child_by_field_name("name") is None:
            return self.function_value(frame, node, name).value
        if name and node.type == "object":
            return self.object_literal(frame, node, name)
        if name and node.type == "class" and node.child_by_field_name("name") is None:
            return self.class_value(frame, node, name)
        return self.expression(frame, node)

    def class_value(self, frame: Frame, node: Node, name: bytes) -> int:
        raise NotImplementedError

    # the rest

    @EXPRESSIONS.on(*FUNCTIONS)
    def function_expression(self, frame: Frame, node: Node) -> int:
        name = node.child_by_field_name("name")
        return self.function_value(frame, node, b"" if name is None else self.text(name)).value

    @EXPRESSIONS.on("class")
    def class_expression(self, frame: Frame, node: Node) -> int:
        name = node.child_by_field_name("name")
        return self.class_value(frame, node, b"<class>" if name is None else self.text(name))

    @EXPRESSIONS.on("ternary_expression")
    def ternary(self, frame: Frame, node: Node) -> int:
        slots = [self.expression(frame, child) for child in node.named_children]
        return self.join(slots[1:])

    @EXPRESSIONS.on("binary_expression")
    def binary(self, frame: Frame, node: Node) -> int:
        slots = [self.expression(frame, child) for child in node.named_children]
        operator = node.child_by_field_name("operator")
        if operator is None:
            return -1
        if operator.type in ("||", "??"):
            return self.join(slots)
        if operator.type == "instanceof" and slots[-1] >= 0:
            line, name = node.start_point[0] + 1, self.name(b"@@hasInstance")
            self.call(frame, line, slots[-1], name, (slots[0],), flags=CallFlag.IMPLICIT)
        if operator.type == "+":
            first, last = node.named_children[0], node.named_children[-1]
            if first.type in _TEXTS and last.type not in _TEXTS:
                self.as_text(frame, node, slots[-1])
            elif last.type in _TEXTS and first.type not in _TEXTS:
                self.as_text(frame, node, slots[0])
            return slots[0] if first.type == "binary_expression" else self.beginning(first)
        return slots[-1] if operator.type == "&&" else -1

    def beginning(self, node: Node) -> int:
        """A name of which only the beginning is written: `"on" + kind`, `on${kind}`."""
        found = None
        if node.type in ("string", "template_string"):
            found = _BEGINNING.match(self.source, node.start_byte, node.end_byte)
        return -1 if found is None else self.constant(found[1] + PREFIX.encode())

    @EXPRESSIONS.on("template_string")
    def template(self, frame: Frame, node: Node) -> int:
        children = [child for child in node.named_children if child.type == "template_substitution"]
        for child in children:
            self.as_text(frame, child, self.expression(frame, child))
        return self.beginning(node) if children else -1

    def as_text(self, frame: Frame, node: Node, value: int) -> None:
        """A value that becomes part of a text is asked for `toString`."""
        if value >= 0:
            line = node.start_point[0] + 1
            self.call(frame, line, value, self.to_string, flags=CallFlag.IMPLICIT)

    @EXPRESSIONS.on("sequence_expression", "parenthesized_expression", "await_expression",
                    "non_null_expression", "spread_element", "jsx_expression",
                    "computed_property_name", "template_substitution")  # fmt: skip
    def last(self, frame: Frame, node: Node) -> int:
        value = -1
        for child in node.named_children:
            if child.type != "comment":
                value = self.expression(frame, child)
        return value

    @EXPRESSIONS.on("as_expression", "satisfies_expression")
    def typed(self, frame: Frame, node: Node) -> int:
        value = self.expression(frame, node.named_children[0])
        if value < 0 and len(node.named_children) > 1:
            value = self.slot()
            self.annotate(frame, value, node.named_children[-1])
        return value

    @EXPRESSIONS.on("type_assertion")
    def type_assertion(self, frame: Frame, node: Node) -> int:
        return self.expression(frame, node.named_children[-1])

    def open_generator(self, frame: Frame) -> None:
        """A generator function returns an object that holds what its body yields."""
        frame.flags |= ScopeFlag.GENERATOR
        frame.globals[-1] = frame
        frame.env[-1] = self.container(frame, ObjectKind.GENERATOR)
        self.copies += (frame.env[-1], frame.ret)

    @EXPRESSIONS.on("yield_expression")
    def yielded(self, frame: Frame, node: Node) -> int:
        value = self.last(frame, node)
        if frame.ret < 0 or not frame.flags & ScopeFlag.GENERATOR:
            return -1
        line = node.start_point[0] + 1
        if value >= 0 and len(node.children) > 1 and node.children[1].type == "*":
            delegate = value
            value = self.element(frame, delegate, node)
            result = self.load(frame, delegate, self.name(RETURNED.encode()), line)
        else:
            result = self.load(frame, frame.env[-1], self.name(SENT.encode()), line)
        self.store(frame.env[-1], self.any_key, value)
        return result
