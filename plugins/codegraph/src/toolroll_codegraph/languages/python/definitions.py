"""Python definitions to facts: functions, methods and classes with their decorators."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ParamKind, ScopeFlag, ScopeKind
from toolroll_codegraph.facts.operators import DELETED
from toolroll_codegraph.languages.python.assignments import BINDING
from toolroll_codegraph.languages.python.imports import PythonImportStatements
from toolroll_codegraph.languages.python.loops import STATEMENTS
from toolroll_codegraph.languages.python.records import TUPLES, makes_record
from toolroll_codegraph.languages.python.signatures import is_abstract
from toolroll_codegraph.languages.python.spelled import methods_in
from toolroll_codegraph.languages.python.type_arguments import quoted
from toolroll_codegraph.languages.python.web import note_hooked

if TYPE_CHECKING:
    from tree_sitter import Node

_METHOD_DECORATORS: Final = {
    **BINDING,
    b"property": ScopeFlag.PROPERTY,
    b"cached_property": ScopeFlag.PROPERTY,
    b"functools.cached_property": ScopeFlag.PROPERTY,
    b"abstractmethod": ScopeFlag.ABSTRACT,
    b"abc.abstractmethod": ScopeFlag.ABSTRACT,
    b"abc.abstractproperty": ScopeFlag.PROPERTY | ScopeFlag.ABSTRACT,
}
_PROPERTIES: Final = {
    b"hybrid_property": "sqlalchemy.ext.hybrid",
    b"reify": "pyramid.decorator",
}
"""Decorators of libraries that make properties, and where they are from."""
_OF_HYBRIDS: Final = (b".expression", b".comparator", b".update_expression")
_ASSIGNED: Final = re.compile(rb"\.(\w+)\s*(?::[^=\n]*)?=[^=]")
_NESTING: Final = ("type", "union_type", "binary_operator", "parenthesized_expression")
_OVERLOADS: Final = (b"overload", b"typing.overload", b"typing_extensions.overload", b"t.overload")


class PythonDefinitions(PythonImportStatements):
    """Opens a frame for each definition; the bodies of functions are walked later."""

    @STATEMENTS.on("decorated_definition")
    def decorated_definition(self, frame: Frame, node: Node) -> None:
        children = node.named_children
        definition = children[-1]
        decorators = [child for child in children if child.type == "decorator"]
        if definition.type == "function_definition":
            self.define_function(frame, definition, decorators)
        elif definition.type == "class_definition":
            self.define_class(frame, definition, decorators)

    @STATEMENTS.on("function_definition")
    def function_definition(self, frame: Frame, node: Node) -> None:
        self.define_function(frame, node, [])

    def define_function(self, frame: Frame, node: Node, decorators: list[Node]) -> None:
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return
        name = self.name(identifier.text or b"")
        inner = self.open_frame(ScopeKind.FUNCTION, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        if frame.kind == ScopeKind.CLASS:
            inner.flags |= ScopeFlag.METHOD
        if node.children[0].type == "async":
            inner.flags |= ScopeFlag.ASYNC
        value = self.decorated(frame, inner, decorators)
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self.parameters(frame, inner, parameters)
        if inner.flags & ScopeFlag.METHOD and not inner.flags & ScopeFlag.STATIC and inner.params:
            inner.this = inner.params[0][1]
        self.defined[value] = inner
        written = identifier.text or b""
        if any(_decorator_name(item).endswith(b".deleter") for item in decorators):
            written = DELETED + written
            name = self.name(written)
        elif self.adds_to_hybrid(decorators):
            value = frame.env.get(name, value)  # of an object it stays what it was
        elif inner.flags & ScopeFlag.SETTER:
            known = [frame.env.get(name, -1), *self.inherited(frame, decorators)]
            value = self.join((*known, value))
        if not any(_decorator_name(item) in _OVERLOADS for item in decorators):
            self.assign(frame, name, value)
            if frame.kind == ScopeKind.CLASS:
                private = self.member_name(frame, written)
                if private != name:
                    self.assign(frame, private, value)
        self.deferred.append(partial(self.function_body, inner, node))

    def decorated(self, frame: Frame, inner: Frame, decorators: list[Node]) -> int:
        value = inner.value
        for decorator in reversed(decorators):
            if not decorator.named_children:
                continue
            expression = decorator.named_children[0]
            text = expression.text or b""
            flags = _METHOD_DECORATORS.get(text) or self.library_property(text)
            if text in _OVERLOADS:
                continue
            if flags is not None and not self.is_own_class(text):
                inner.flags |= flags
                continue
            if text.endswith(b".setter"):
                inner.flags |= ScopeFlag.SETTER | ScopeFlag.PROPERTY
            if text.endswith((b".setter", b".deleter")):
                continue
            callee = self.expression(frame, expression)
            if callee >= 0:
                if text.endswith(b".register"):
                    self.note_classes(frame, inner, decorator)
                line = decorator.start_point[0] + 1
                flag = CallFlag.DECORATOR
                inner.flags |= ScopeFlag.DECORATED
                if text.partition(b"(")[0].endswith(b"hookimpl"):
                    note_hooked(self, inner, frame, expression)
                value = self.call(frame, line, callee, -1, (value,), flags=flag)
        return value

    def note_classes(self, frame: Frame, inner: Frame, decorator: Node) -> None:
        """Note what the first parameter's annotation names: a generic function goes by that."""
        definition = decorator.parent.named_children[-1] if decorator.parent else None
        parameters = definition.child_by_field_name("parameters") if definition else None
        place = 1 if inner.flags & ScopeFlag.METHOD else 0
        if parameters is None or parameters.named_child_count <= place:
            return
        annotation = parameters.named_children[place].child_by_field_name("type")
        for part in () if annotation is None else named_classes(annotation):
            first, *names = part.split(b".")
            known = self.load_path(frame, self.read(frame, self.name(first)), names, frame.line)
            self.relations.append(("registers", inner.index, 0, known, 0))

    def inherited(self, frame: Frame, decorators: list[Node]) -> list[int]:
        """The slots of what `@Base.name.setter` takes of another class."""
        return [
            self.expression(frame, accessor.named_children[0])
            for accessor in (item.named_children[0] for item in decorators if item.named_children)
            if accessor.type == "attribute" and accessor.named_children[0].type == "attribute"
        ]

    def library_property(self, text: bytes) -> int | None:
        """The flags of a library's decorator that makes a property, where it is imported."""
        module = _PROPERTIES.get(text)
        imported = module is not None and any(row[3] == module for row in self.imports)
        return ScopeFlag.PROPERTY if imported else None

    def adds_to_hybrid(self, decorators: list[Node]) -> bool:
        """Whether it is what SQLAlchemy's property is for its class: `@label.expression`."""
        names = (_decorator_name(item) for item in decorators)
        return any(name.endswith(_OF_HYBRIDS) for name in names) and bool(
            self.library_property(b"hybrid_property")
        )

    def is_own_class(self, text: bytes) -> bool:
        """Whether a decorator's name is that of a class of this file: `cached_property` may be."""
        if text != b"cached_property":
            return False
        name = self.name(text)
        return any(one.kind == ScopeKind.CLASS and one.name == name for one in self.frames)

    def function_body(self, frame: Frame, node: Node) -> None:
        frame.ret = self.slot()
        if frame.params and frame.params[-1][2] == ParamKind.KEYWORDS:
            self.literals.add(frame.params[-1][1])
        if (variables := node.child_by_field_name("type_parameters")) is not None:
            self.type_parameters(frame, variables)
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            slots = {name: slot for name, slot, _ in frame.params}
            for child in parameters.named_children:
                self.note_optional(frame, child, slots)
                annotation = child.child_by_field_name("type")
                if annotation is not None and child.named_children:
                    self.in_parameter = True
                    self.annotate_parameter(frame, child.named_children[0], annotation, slots)
        self.in_parameter = False
        result = node.child_by_field_name("return_type")
        if result is not None:
            self.annotate(frame, frame.ret, result)
            self.note_returned(frame, result)
            self.note_guard(frame, result)
        body = node.child_by_field_name("body")
        if body is None:
            return
        if is_abstract(body):
            frame.flags |= ScopeFlag.ABSTRACT
        self.block(frame, body)
        self.tell_results(frame)
        if self.replacing.get(frame.index):
            frame.flags |= ScopeFlag.REPLACES

    def note_returned(self, frame: Frame, result: Node) -> None:
        """Note what a function returns to one who gives it a type, and where it is given that."""
        if self.note_type("returns", frame, frame.index, 0, result) < 0:
            return
        for name, slot, _ in frame.params:
            annotation = self.generic.get((frame.index, name))
            tree = -1 if annotation is None else self.written(frame, annotation)
            if tree >= 0:
                self.relations.append(("takes", frame.index, 0, tree, slot))

    def annotate_parameter(
        self, frame: Frame, name: Node, annotation: Node, slots: dict[int, int]
    ) -> None:
        """Note what the annotation of a parameter says."""
        if name.type != "identifier":
            inner = name.named_children[-1:]
            slot = slots.get(self.name(inner[0].text or b""), -1) if inner else -1
            if slot >= 0:
                mapping = name.type == "dictionary_splat_pattern"
                self.annotate_rest(frame, slot, annotation, mapping=mapping)
            return
        slot = slots.get(self.name(name.text or b""), -1)
        if slot >= 0 and slot == frame.this:
            before = len(self.types)
            self.annotate(frame, slot, annotation)
            rows = iter(self.types[before:])
            del self.types[before:]
            for _, known, _ in zip(rows, rows, rows, strict=True):
                if known >= 0:
                    self.relations.append(("receiver", frame.index, 0, known, 0))
            return
        self.annotate(frame, slot, annotation)
        self.declare(frame, name, annotation)
        if self.depends(frame, annotation):
            self.generic[frame.index, self.name(name.text or b"")] = annotation

    @STATEMENTS.on("class_definition")
    def class_definition(self, frame: Frame, node: Node) -> None:
        self.define_class(frame, node, [])

    def define_class(self, frame: Frame, node: Node, decorators: list[Node]) -> None:
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return
        name = self.name(identifier.text or b"")
        inner = self.open_frame(ScopeKind.CLASS, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        self.class_names[inner.index] = identifier.text or b""
        if (variables := node.child_by_field_name("type_parameters")) is not None:
            self.type_parameters(inner, variables)
        bases = node.child_by_field_name("superclasses")
        if bases is not None:
            for base in bases.named_children:
                if base.type == "keyword_argument":
                    slot = self.expression(frame, base.named_children[-1])
                    if slot >= 0 and base.named_children[0].text == b"metaclass":
                        self.relations.append(("metaclass", inner.index, 0, slot, 0))
                    continue
                if base.text == b"object":
                    continue
                generic = base if base.type == "subscript" else None  # Generic[T], Base[int]
                if generic is not None:
                    self.expression(frame, base)
                    base = base.named_children[0]
                if base.type == "list_splat":
                    inner.bases += self.spread_bases(frame, base.named_children[0])
                    continue
                if base.text == b"type" or base.text in self.metaclasses:
                    self.metaclasses.add(identifier.text or b"")
                slot = self.expression(frame, base)
                if slot >= 0:
                    inner.bases.append(slot)
                    if generic is not None:
                        self.note_base(inner, generic, slot)
                inner.state = 2 if base.text in TUPLES else inner.state
        inner.state = 1 if makes_record(decorators) else inner.state
        value = self.decorated(frame, inner, decorators)
        self.defined[value] = inner
        body = node.child_by_field_name("body")
        if body is not None:
            self.own_methods[inner.index] = methods_in(body)
            self.block(inner, body)
            if not decorators:
                self.leave_to_getattr(inner, body)
        self.assign(frame, name, value)

    def leave_to_getattr(self, frame: Frame, body: Node) -> None:
        """Let no class that makes its objects itself, and answers for what they lack, have names
        of which it only says the type."""
        special = (self.name(b"__getattr__"), self.name(b"__init__"))
        if not all(name in frame.versions for name in special):
            return
        assigned = {self.name(found[1]) for found in _ASSIGNED.finditer(body.text or b"")}
        for name, versions in list(frame.versions.items()):
            if len(versions) == 1 and versions[0] in self.bare and name not in assigned:
                del frame.versions[name]

    def spread_bases(self, frame: Frame, node: Node) -> list[int]:
        """The slots of the bases of `class Name(*bases)`: in order, where their number is known."""
        slot = self.expression(frame, node)
        items = self.items_of(frame, node, slot)
        return [self.element(frame, slot, node)] if items is None else items


def _decorator_name(decorator: Node) -> bytes:
    children = decorator.named_children
    return (children[0].text or b"") if children else b""


def named_classes(annotation: Node) -> list[bytes]:
    """The classes that an annotation names, one by one."""
    if annotation.type == "string":
        inside = quoted((annotation.text or b"").strip(b"\"'"))
        return [] if inside is None else named_classes(inside)
    if annotation.type in _NESTING:
        return [part for child in annotation.named_children for part in named_classes(child)]
    return [annotation.text or b""] if annotation.type in ("identifier", "attribute") else []
