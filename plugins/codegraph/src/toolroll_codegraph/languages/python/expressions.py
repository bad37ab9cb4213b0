"""Python expressions to slots and calls."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    RETURNED,
    SENT,
    CallFlag,
    Frame,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.python.containers import EXPRESSIONS
from toolroll_codegraph.languages.python.evaluated import EVALUATING, PythonEvaluated
from toolroll_codegraph.languages.python.formats import (
    BEGINNING,
    BESIDE,
    PACKAGE,
    braces,
    literal,
    names_parameters,
)
from toolroll_codegraph.languages.python.records import named_tuple
from toolroll_codegraph.languages.python.spelled import note_text
from toolroll_codegraph.languages.python.web import ALONE, WEB_WORDS, note_hook, note_request

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANT: Final = re.compile(rb"[^\s\\{}%*]{1,40}\Z")
_NAME: Final = re.compile(rb"[A-Za-z_]\w*\Z")
_LOCALS: Final = (b"locals()", b"vars()")
_FORMAT: Final = re.compile(rb"[fF]?" + BEGINNING + rb"(?:\{|%s)")
_BESIDE: Final = re.compile(rb"""[fF]["']\{""" + PACKAGE + rb"\}" + BESIDE + rb"\{")


class PythonExpressions(PythonEvaluated):
    """Evaluates expressions to the slot of their value, -1 when it is never of interest."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.expressions = EXPRESSIONS.table()
        self.class_names: dict[int, bytes] = {}
        self.defined: dict[int, Frame] = {}
        """The functions and classes that values are, decorated or not."""
        self.own_methods = {}

    @EXPRESSIONS.on("identifier")
    def identifier(self, frame: Frame, node: Node) -> int:
        return self.read(frame, self.name(self.source[node.start_byte : node.end_byte]))

    @EXPRESSIONS.on("integer")
    def integer(self, frame: Frame, node: Node) -> int:
        start, end = node.start_byte, node.end_byte
        return self.constant(self.source[start:end]) if end - start <= 2 else -1

    @EXPRESSIONS.on("float", "true", "false", "none", "ellipsis", "comment")
    def opaque(self, frame: Frame, node: Node) -> int:
        return -1

    @EXPRESSIONS.on("string")
    def string(self, frame: Frame, node: Node) -> int:
        start = node.start_byte
        source = self.source
        first = source[start]
        if first != 34 and first != 39:  # a prefix: only f-strings hold expressions
            if b"f" in source[start : start + 2].lower():
                parts = [
                    (child, self.interpolation(frame, child))
                    for child in node.named_children
                    if child.type == "interpolation"
                ]
                if parts and all(self.text_of(slot) is not None for _, slot in parts):
                    return self.fragments(node, dict(parts))
                formatted = _FORMAT.match(source, start, node.end_byte)
                begun = self.prefix(formatted or _BESIDE.match(source, start, node.end_byte), node)
                return (
                    self.around(frame, node, parts[0][1]) if begun < 0 < len(parts) < 2 else begun
                )
            return -1
        text = source[start + 1 : node.end_byte - 1]
        if frame.kind == ScopeKind.CLASS or b"." in text or b":" in text:
            note_text(self, frame, node, text)
        if _CONSTANT.match(text) or names_parameters(node, text):
            return self.constant(b"'" + text if text.isdigit() else text)
        return self.prefix(_FORMAT.match(source, start, node.end_byte), node)

    def is_super(self, frame: Frame, node: Node) -> bool:
        """Whether an expression is `super()` of the class that it is written in.

        `super(Other, object)` with another class of the file is a call like any other.
        """
        if node.type != "call" or node.named_children[0].text != b"super":
            return False
        given = node.named_children[-1].named_children
        named = given[0].text if len(given) > 1 else b""
        scope: Frame | None = frame
        while scope is not None and scope.kind != ScopeKind.CLASS:
            scope = scope.parent
        own = self.class_names.get(scope.index) if scope is not None else None
        return named == own or named not in self.class_names.values()

    @EXPRESSIONS.on("attribute")
    def attribute(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        if len(children) < 2:
            return -1
        name = children[-1]
        text = self.source[name.start_byte : name.end_byte]
        line = name.start_point[0] + 1
        if self.is_super(frame, children[0]):
            flags = CallFlag.SUPER | CallFlag.READ
            return self.call(frame, line, self.receiver(frame), self.name(text), flags=flags)
        base, member = self.expression(frame, children[0]), self.member_name(frame, text)
        if self.paths and (told := self.told_attribute(frame, base, member)) >= 0:
            return told
        return self.load(frame, base, member, line)

    @EXPRESSIONS.on("call")
    def call_expression(self, frame: Frame, node: Node) -> int:
        function, arguments = node.named_children[0], node.named_children[-1]
        line = node.start_point[0] + 1
        kind, text = function.type, b""
        name, flags, hooked = -1, 0, False
        if kind == "attribute":
            children = function.named_children
            base, attribute = children[0], children[-1]
            hooked = self.source[base.end_byte - 5 : base.end_byte] == b".hook"
            text = self.source[attribute.start_byte : attribute.end_byte]
            name = self.member_name(frame, text)
            if self.is_super(frame, base):
                flags = CallFlag.SUPER
                callee = self.receiver(frame)
            else:
                callee = self.expression(frame, base)
        elif kind == "identifier":
            callee = self.identifier(frame, function)
            text = self.source[function.start_byte : function.end_byte]
            if text == b"getattr" and arguments.type == "argument_list":
                return self.getattr_call(frame, arguments, callee, line)
            if text == b"setattr" and arguments.named_child_count == 3:
                self.setattr_call(frame, arguments)
            elif text in EVALUATING and arguments.named_child_count:
                known = self.evaluated(frame, arguments)
                if known is not None:
                    return known
            elif arguments.named_child_count == 3 and self.is_class_made(text, arguments):
                metaclass = -1 if text == b"type" else callee
                return self.made_class(frame, node, arguments.named_children, metaclass)
        else:
            callee = self.expression(frame, function)
        if self.source[function.end_byte - 5 : function.end_byte] in (b"tuple", b"Tuple"):
            made = named_tuple(self, frame, node, callee)
            if made >= 0:
                return made
        listed, positional, keywords = arguments.type == "argument_list", (), ()
        if not listed:  # f(x for x in y)
            positional = (self.expression(frame, arguments),)
        elif arguments.named_child_count:
            positional, keywords = self.arguments(frame, arguments)
        self.kept.clear()  # what is called may assign others
        if self.paths and name >= 0:
            self.forget_attributes(frame, callee, line)
        if not listed or (not arguments.named_child_count and text not in ALONE and not hooked):
            return self.call(frame, line, callee, name, positional, keywords, flags)
        if self.source[function.end_byte - 7 : function.end_byte] == b".format":
            template = literal(function.named_children[0])
            if template is not None:
                self.formatted(frame, template, braces(template.text or b""), positional, keywords)
        elif self.source[function.end_byte - 13 : function.end_byte] == b"import_module":
            module = self.literal_key(arguments.named_children[0])
            if module and b"." in module:
                positional = (self.constant(module), *positional[1:])
        elif self.source[function.end_byte - 11 : function.end_byte] == b"__setattr__":
            if flags or function.named_children[0].text == b"object":
                self.set_plainly(frame, arguments, (callee, *positional)[-3:])
        elif self.source[function.end_byte - 4 : function.end_byte] == b"cast" and positional:
            named = self.quoted_class(frame, arguments.named_children[0], positional[0])
            positional = (named, *positional[1:])
        result = self.call(frame, line, callee, name, positional, keywords, flags)
        if hooked:
            note_hook(self, frame, node, result)
        elif text in WEB_WORDS:
            note_request(self, frame, node, callee, result, positional, keywords)
        return result

    def member_name(self, frame: Frame, text: bytes) -> int:
        """The name of a member; `__private` ones are those of the class around alone."""
        if text.startswith(b"__") and not text.endswith(b"__"):
            scope: Frame | None = frame
            while scope is not None and scope.kind != ScopeKind.CLASS:
                scope = scope.parent
            if scope is not None:
                text = b"_%s%s" % (self.class_names.get(scope.index, b"").lstrip(b"_"), text)
        return self.name(text)

    def receiver(self, frame: Frame) -> int:
        scope: Frame | None = frame
        while scope is not None and scope.this < 0:
            scope = scope.parent
        return -1 if scope is None else scope.this

    def arguments(self, frame: Frame, node: Node) -> tuple[tuple[int, ...], tuple[int, ...]]:
        positional: list[int] = []
        keywords: list[int] = []
        spread = False
        for child in node.named_children:
            kind = child.type
            if kind == "keyword_argument":
                name, value = child.named_children[0], child.named_children[-1]
                keywords += (self.name(name.text or b""), self.expression(frame, value))
            elif kind == "dictionary_splat":
                keywords += (-1, self.expression(frame, child.named_children[0]))
            elif kind == "list_splat":
                value = self.expression(frame, child.named_children[0])
                if value < 0:
                    spread = True
                elif not spread:
                    positional.append(-value - 2)
            elif kind != "comment":
                value = self.expression(frame, child)
                if value in self.lengths:
                    self.hand_over(node, value)
                if not spread:
                    positional.append(value)
        return tuple(positional), tuple(keywords)

    @EXPRESSIONS.on("subscript")
    def subscript(self, frame: Frame, node: Node) -> int:
        children = node.named_children
        if self.source[node.start_byte : node.end_byte] == b"sys.modules[__name__]":
            return self.frames[0].value
        base = self.expression(frame, children[0])
        if len(children) != 2:
            several = self.literal_keys(children[1:])
            if several is not None:
                return self.load(frame, base, self.name(b"[" + several), node.start_point[0] + 1)
            line = node.start_point[0] + 1
            self.implicit(frame, line, base, b"__getitem__", self.keys(frame, children[1:]))
            return self.load(frame, base, self.any_key, line)
        key = self.key_of(children[0], base, children[1])
        if key is not None:
            if children[0].text in _LOCALS and _NAME.match(key):
                return self.read(frame, self.name(key))
            name = self.name(b"[" + key)
            if self.kept and (kept := self.kept.get((frame.index, base, name))) is not None:
                return kept
            value = self.load(frame, base, name, node.start_point[0] + 1)
            return self.limited(frame, value, self.item(frame, children[0]))
        if children[1].type == "slice":
            self.expression(frame, children[1])
            return self.part(frame, children[0], base, children[1])
        if children[1].text == b"__name__" and children[0].text == b"sys.modules":
            return self.frames[0].value
        if (children[0].text or b"").endswith(b".__dict__"):
            owner = children[0].named_children[0]
            if (member := self.member_under(frame, owner, children[1])) >= 0:
                return member
        value = self.dynamic_read(frame, base, children[1])
        return self.limited(frame, value, self.item(frame, children[0]))

    @EXPRESSIONS.on("await")
    def awaited(self, frame: Frame, node: Node) -> int:
        value = self.inner(frame, node)
        line = node.start_point[0] + 1
        self.kept.clear()
        waited = self.implicit(frame, line, value, b"__await__")
        return self.join((value, self.load(frame, waited, self.name(RETURNED.encode()), line)))

    @EXPRESSIONS.on("yield")
    def yielded(self, frame: Frame, node: Node) -> int:
        value = self.inner(frame, node)
        if frame.ret < 0:
            return -1
        if not frame.flags & ScopeFlag.GENERATOR:
            self.open_generator(frame)
        self.kept.clear()
        result, line = -1, node.start_point[0] + 1
        used = node.parent is not None and node.parent.type != "expression_statement"
        if value >= 0 and len(node.children) > 1 and node.children[1].type == "from":
            if used:
                result = self.load(frame, value, self.name(RETURNED.encode()), line)
            value = self.element(frame, value, node)
        elif used:
            result = self.load(frame, frame.env[-1], self.name(SENT.encode()), line)
        self.store(frame.env[-1], self.any_key, value)
        return result

    @EXPRESSIONS.on("lambda")
    def lambda_expression(self, frame: Frame, node: Node) -> int:
        line = node.start_point[0] + 1
        inner = self.open_frame(ScopeKind.LAMBDA, self.lambda_name(frame), frame, line)
        inner.end = node.end_point[0] + 1
        inner.flags |= ScopeFlag.ARROW
        parameters = node.child_by_field_name("parameters")
        body = node.child_by_field_name("body")
        if parameters is not None:
            self.parameters(frame, inner, parameters)
        if body is not None:
            self.deferred.append(partial(self.lambda_body, inner, body))
        return inner.value

    def lambda_body(self, frame: Frame, body: Node) -> None:
        frame.ret = self.slot()
        value = self.expression(frame, body)
        self.note_predicate(frame, body)
        if value >= 0:
            self.copies += (value, frame.ret)
