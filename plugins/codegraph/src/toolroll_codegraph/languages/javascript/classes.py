"""Classes and interfaces of JavaScript and TypeScript."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from toolroll_codegraph.facts import CallFlag, Frame, ObjectKind, ScopeFlag, ScopeKind, TypeHint
from toolroll_codegraph.languages.javascript.documentation import TYPE_TAG
from toolroll_codegraph.languages.javascript.literals import FALSE, accessor_flags
from toolroll_codegraph.languages.javascript.modules import STATEMENTS, JavaScriptModules

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_Found = TypeVar("_Found")
_CLASSES: Final = ("class_declaration", "abstract_class_declaration")


class JavaScriptClasses(JavaScriptModules):
    """Members, static or not, fields, bases and decorators."""

    def inner(self, frame: Frame, node: Node | None) -> bool:
        """Walk one statement, which may be a block."""
        raise NotImplementedError

    @STATEMENTS.on(*_CLASSES)
    def class_declaration(self, frame: Frame, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            text = self.text(name)
            value = self.class_value(frame, node, text)
            frame.declared.add(self.name(text))
            self.assign(frame, self.name(text), value)

    def class_value(self, frame: Frame, node: Node, name: bytes) -> int:
        line = node.start_point[0] + 1
        inner = self.open_frame(ScopeKind.CLASS, self.name(name), frame, line)
        inner.end = node.end_point[0] + 1
        inner.this = self.slot()
        if node.type == "abstract_class_declaration":
            inner.flags |= ScopeFlag.ABSTRACT
        value = inner.value
        self.assign(inner, self.name(name), value)
        self.declare_parameters(inner, node)
        for child in node.named_children:
            kind = child.type
            if kind == "class_heritage":
                self.heritage(frame, inner, child)
            elif kind == "decorator":
                self.decorator(frame, child, value)
            elif kind == "class_body":
                decorators: list[Node] = []
                for member in child.named_children:
                    if member.type == "decorator":
                        decorators.append(member)
                    elif member.type != "comment":
                        self.class_member(inner, member, decorators)
                        decorators = []
        inner.versions.clear()
        return value

    def heritage(self, frame: Frame, inner: Frame, node: Node) -> None:
        for child in node.named_children:
            if child.type == "implements_clause":
                for known in child.named_children:
                    slot = self.slot()
                    self.annotate(frame, slot, known)
                    self.relations.append(("implements", inner.index, 0, slot, 0))
                    self.declare_bases(inner, inner, known)
                continue
            base = child
            if child.type == "extends_clause":
                found = child.child_by_field_name("value")
                if found is None:
                    continue
                base = found
            slot = self.expression(frame, base)
            if slot >= 0:
                inner.bases.append(slot)
                if child.type == "extends_clause":
                    self.declare_bases(frame, inner, child, slot)

    def decorator(self, frame: Frame, node: Node, value: int) -> None:
        for child in node.named_children:
            callee = self.expression(frame, child)
            flag = CallFlag.DECORATOR
            self.call(frame, node.start_point[0] + 1, callee, -1, (value,), flags=flag)

    def class_member(self, inner: Frame, node: Node, decorators: list[Node]) -> None:
        kind = node.type
        if kind == "method_definition":
            own = [child for child in node.named_children if child.type == "decorator"]
            self.method(inner, node, decorators + own)
            return
        if kind in ("field_definition", "public_field_definition"):
            own = [child for child in node.named_children if child.type == "decorator"]
            key = node.child_by_field_name("property") or node.child_by_field_name("name")
            name = None if key is None else self.property_name(inner, key)
            for decorator in decorators + own:
                given = (self.instance(inner), -1 if name is None else self.constant(name))
                self.decorated(inner, decorator, given)
            self.class_field(inner, node)
        elif kind == "class_static_block":
            self.in_class(inner, partial(self.inner, inner, node.child_by_field_name("body")))

    def replaced(self, inner: Frame, decorators: list[Node], method: int, key: int) -> int:
        """A method, and what its decorators put in its place.

        They are given the method, or its class, key and descriptor; they return what replaces the
        method or the descriptor, or change that.
        """
        frame = inner.parent or inner
        owner, value = self.instance(inner), self.name(b"value")
        for node in reversed(decorators):
            line = node.start_point[0] + 1
            descriptor = self.container(frame, ObjectKind.RECORD)
            self.store(descriptor, value, method)
            given = (self.join((method, owner)), key, descriptor)
            made = self.decorated(inner, node, given)
            changed = [self.load(frame, slot, value, line) for slot in (made, descriptor)]
            new = self.join((made, *changed))
            self.relations.append(("replaced", 0, 0, method, new))
            method = self.join((method, new))
        return method

    def decorated(self, inner: Frame, node: Node, given: tuple[int, ...]) -> int:
        """Call the decorator of a member."""
        frame, made = inner.parent or inner, -1
        for child in node.named_children:
            callee = self.expression(frame, child)
            made = self.call(frame, node.start_point[0] + 1, callee, -1, given)
        return made

    def instance(self, inner: Frame) -> int:
        """The slot of an object of a class."""
        slot = self.slot()
        self.types += (slot, inner.value, TypeHint.CERTAIN)
        return slot

    def in_class(self, inner: Frame, walk: Callable[[], _Found]) -> _Found:
        """Walk what runs once with the class as `this`."""
        inner.this, before = inner.value, inner.this
        found = walk()
        inner.this = before
        return found

    def method(self, inner: Frame, node: Node, decorators: list[Node]) -> None:
        key = node.child_by_field_name("name")
        if key is None:
            return
        name = self.property_name(inner, key)
        flags = accessor_flags(node)
        label = name if name is not None else b"<computed>"
        method = self.function_value(inner, node, label, flags | ScopeFlag.METHOD)
        method.this = self.slot()
        value = method.value
        if decorators:
            label = -1 if name is None else self.constant(name)
            value = self.replaced(inner, decorators, value, label)
        given = node.child_by_field_name("parameters")
        if given is not None and b"@" in (given.text or b""):
            self.decorated_parameters(inner, given, name)
        if name is not None:
            self.member_slot(inner, name, value, flags & ScopeFlag.STATIC)
        else:
            self.computed_member(inner, key, value, flags & ScopeFlag.STATIC)

    def decorated_parameters(self, inner: Frame, given: Node, name: bytes | None) -> None:
        """Call the decorators of a method's parameters, as of a constructor's that is injected."""
        label = -1 if name is None else self.constant(name)
        for parameter in given.named_children:
            for child in parameter.named_children:
                if child.type == "decorator":
                    self.decorated(inner, child, (self.instance(inner), label, -1))

    def computed_member(self, inner: Frame, key: Node, value: int, static: int) -> None:
        """A member under a symbol or another constant: on the class or on its instances."""
        owner = inner.value
        if not static:
            owner = self.instance(inner)
        self.computed_store(inner, owner, key, value)

    def member_slot(self, inner: Frame, name: bytes, value: int, static: int) -> None:
        """Declare a member; static ones are kept under a name with a dot before it."""
        identifier = self.name(b"." + name if static else name)
        known = inner.members.get(identifier)
        if known is None:
            inner.members[identifier] = value
        elif value >= 0:
            inner.members[identifier] = self.join((known, value))

    def class_field(self, inner: Frame, node: Node) -> None:
        key = node.child_by_field_name("property") or node.child_by_field_name("name")
        if key is None:
            return
        name = self.property_name(inner, key)
        source = node.child_by_field_name("value")
        annotation = node.child_by_field_name("type")
        value = -1
        static = any(child.type == "static" for child in node.children)
        if source is not None:
            walk = partial(self.named_value, inner, source, name or b"<computed>")
            value = self.in_class(inner, walk) if static else walk()
        told = self.documented(node).get(TYPE_TAG)
        if annotation is not None or told is not None:
            typed = self.slot()
            if value >= 0:
                self.copies += (value, typed)
            if annotation is not None:
                self.annotate(inner, typed, annotation)
            self.annotate_text(inner, typed, told)
            value = typed
        if name is None:
            return
        if value < 0:
            if source is not None and source.type not in FALSE and not static:
                self.write(inner, inner.this, self.name(name), value, 0)
        elif static:
            self.member_slot(inner, name, value, 1)
        else:
            line = node.start_point[0] + 1
            self.write(inner, inner.this, self.name(name), value, line)

    @STATEMENTS.on("interface_declaration")
    def interface(self, frame: Frame, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        told, body = node.named_children[1:2], node.named_children[-1]
        if told == [body] and self.is_dictionary(body):
            self.name_type(frame, self.text(name), self.type_of_values(frame, body))
            return
        inner = self.open_type(frame, self.text(name), node)
        self.declare_parameters(inner, node)
        for child in node.named_children:
            if child.type == "extends_type_clause":
                for known in child.named_children:
                    bases = [self.type_value(frame, it) for it in self.named_types(known)]
                    inner.bases += [base for base in bases if base >= 0]
                    self.declare_bases(inner, inner, known)
            elif child.type in ("interface_body", "object_type"):
                self.typed_members(inner, child)
        self.name_type(frame, self.text(name), inner.value)

    @STATEMENTS.on("type_alias_declaration")
    def type_alias(self, frame: Frame, node: Node) -> None:
        """Another name of types, or the name of an object type, which is an interface then."""
        name, value = map(node.child_by_field_name, ("name", "value"))
        if name is None or value is None:
            return
        text = self.text(name)
        if value.type == "type_query" and self.text(value.named_children[0]) == text:
            return  # `type Name = typeof Name`: of the value of that name, which tells it
        with self.naming(node):
            known = [
                self.known_type(frame, named, text if named.type == "object_type" else b"")
                for named in self.named_types(value)
            ]
            known.append(self.name_terms(frame, node, value))
        self.name_type(frame, text, self.join(known))

    def name_type(self, frame: Frame, name: bytes, value: int) -> None:
        """Give a type its name, unless a value has it: the two are told apart by where they are."""
        identifier = self.name(name)
        if value >= 0 and identifier not in frame.env:
            self.assign(frame, identifier, value)
