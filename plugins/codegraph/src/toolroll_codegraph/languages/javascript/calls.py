"""Calls, imports as calls and `new` of JavaScript and TypeScript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ImportKind
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS
from toolroll_codegraph.languages.javascript.names import JavaScriptNames
from toolroll_codegraph.languages.javascript.web import WEB_WORDS, note_request

if TYPE_CHECKING:
    from tree_sitter import Node

_OWN_PROTOTYPES: Final = frozenset(
    (b"Object.getPrototypeOf(this)", b"this.constructor.prototype", b"this.__proto__")
)

_READ_BEFORE: Final = ("binary_expression", "unary_expression", "await_expression")
"""What the grammar takes for the callee in `1 + read<T>()`, `!is<T>()` and `await get<T>()`, where
it is only the last part."""


class JavaScriptCalls(JavaScriptNames):
    """What is called, with what, and where what it throws goes."""

    @EXPRESSIONS.on("call_expression")
    def call_expression(self, frame: Frame, node: Node) -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return -1
        while function.type in _READ_BEFORE:
            for operand in function.named_children[:-1]:
                self.expression(frame, operand)
            function = function.named_children[-1]
        while function.type in ("parenthesized_expression", "non_null_expression"):
            if function.named_child_count != 1:
                break
            function = function.named_children[0]
        line = node.start_point[0] + 1
        kind, text = function.type, self.text(function)
        name, word, flags, callee = -1, text, 0, -1
        if kind == "member_expression" and not self.is_module_exports(frame, function):
            if text == b"Symbol.for":
                return self.symbol(arguments)
            if text == b"Object.create" and self.is_own_prototype(arguments):
                return self.receiver(frame)
            children = function.named_children
            word = self.text(children[-1])
            name = self.name(word)
            line = children[-1].start_point[0] + 1
            if children[0].type == "super":
                flags, callee = CallFlag.SUPER, self.receiver(frame)
            elif text == b"arguments.callee":
                name, callee = -1, self.expression(frame, function)
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
                if callee >= 0 and self.dynamic[-5:-4] == [callee]:
                    self.dynamic[-1] *= -1  # `this` is what it is read from
        elif kind == "super":
            flags, name, callee = CallFlag.SUPER, self.constructor, self.receiver(frame)
        elif kind == "import":
            return self.import_call(frame, arguments, line, ImportKind.MODULE)
        elif kind == "identifier" and text == b"require" and not self.is_bundled(frame, text):
            found = self.import_call(frame, arguments, line, ImportKind.REQUIRE)
            if found >= 0:
                return found
            callee = self.expression(frame, function)
        elif text == b"Symbol":
            return self.symbol(arguments)
        else:
            callee = self.expression(frame, function)
        self.entries.note_callback(word, callee, arguments)
        positional = self.arguments(frame, arguments)
        if kind == "identifier" and positional and text == b"String":
            self.as_text(frame, node, positional[0])
        result = self.call(frame, line, callee, name, positional, (), flags)
        self.note_arguments(frame, result, node)
        self.entries.note_call(text, word, callee, positional, result)
        if word in WEB_WORDS:
            note_request(self, frame, node, line, word, callee, result, positional)
        if name in self.rejecting:
            self.rejected(frame, line, self.rejecting[name], positional)
            if text == b"Promise.reject" and positional and positional[0] >= 0:
                self.copies += (positional[0], self.thrown_value())
        if kind == "member_expression" and len(positional) > 1:
            self.described(frame, line, text, positional, result)
            if positional[0] >= 0 and text == b"Object.assign":
                return positional[0]
        if kind == "identifier":
            asked = self.asked(frame, node, text)
            if asked >= 0:
                return asked
        if callee in self.copied and name == self.bind:
            self.copied[result] = self.copied[callee]
        return result

    def described(
        self, frame: Frame, line: int, name: bytes, positional: tuple[int, ...], result: int
    ) -> None:
        """`Object.defineProperty(to, key, Object.getOwnPropertyDescriptor(from, key))` copies."""
        if name.endswith(b".getOwnPropertyDescriptor"):
            self.descriptors[result] = (positional[1], positional[0])
        elif name.endswith(b".defineProperty") and len(positional) > 2:
            key, base = self.descriptors.get(positional[2], (-1, -1))
            if key == positional[1] and min(key, base, positional[0]) >= 0:
                flags = CallFlag.IMPLICIT
                self.call(frame, line, positional[0], self.name(b"...="), (base,), flags=flags)

    def import_call(self, frame: Frame, arguments: Node | None, line: int, kind: int) -> int:
        children = arguments.named_children if arguments is not None else ()
        first = next((child for child in children if child.type != "comment"), None)
        if first is None:
            return -1
        specifier, name = self.module_specifier(first)
        if not specifier:
            return -1
        slot = self.slot()
        row = (slot, kind, 0, specifier.decode("utf-8", "replace"), -1, line, frame.index)
        self.imports.append(row)
        if name is None:
            return slot
        self.directories.add(slot)
        return self.element_of(frame, slot, name)

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
            elif child.type != "comment":
                found.append(self.expression(frame, child))
        return tuple(found)

    @EXPRESSIONS.on("new_expression")
    def new_expression(self, frame: Frame, node: Node) -> int:
        constructor = node.child_by_field_name("constructor")
        made_by = b"" if constructor is None else self.text(constructor)
        callee = -1 if constructor is None else self.expression(frame, constructor)
        positional = self.arguments(frame, node.child_by_field_name("arguments"))
        line = node.start_point[0] + 1
        if len(positional) == 1 and made_by == b"Promise":
            positional = (*positional, self.thrown_value())  # what `reject` is given goes there
        made = self.call(frame, line, callee, -1, positional, (), CallFlag.NEW)
        self.annotate_made(frame, made, node)
        self.note_arguments(frame, made, node)
        word = made_by.rpartition(b".")[2]
        if word in WEB_WORDS:
            note_request(self, frame, node, line, word, callee, made, positional)
        return self.receiver(frame) if made_by == b"this.constructor" else made

    def is_own_prototype(self, arguments: Node | None) -> bool:
        """Whether `Object.create` makes another object of the receiver's class.

        So does `new this.constructor`. Who calls a method that returns such an object gets one of
        that class, as if the method returned its receiver.
        """
        children = arguments.named_children if arguments is not None else []
        return bool(children) and self.text(children[0]) in _OWN_PROTOTYPES

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

    def as_text(self, frame: Frame, node: Node, value: int) -> None:
        """A value that becomes part of a text is asked for `toString`."""
        if value >= 0:
            line = node.start_point[0] + 1
            self.call(frame, line, value, self.to_string, flags=CallFlag.IMPLICIT)
