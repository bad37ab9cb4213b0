"""Python assignments to facts: what is bound to names, attributes, items and parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    OWN_NAME,
    CallFlag,
    Frame,
    ObjectKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.facts.names import IN_PLACE
from toolroll_codegraph.languages.python.annotations import is_type, stands_for
from toolroll_codegraph.languages.python.containers import EXPRESSIONS
from toolroll_codegraph.languages.python.expressions import PythonExpressions
from toolroll_codegraph.languages.python.records import is_field
from toolroll_codegraph.languages.python.spelled import note_attribute

if TYPE_CHECKING:
    from tree_sitter import Node

BINDING: Final = {b"staticmethod": ScopeFlag.STATIC, b"classmethod": ScopeFlag.CLASSMETHOD}
"""What a class does with a method, as a decorator or as a call of its name."""


class PythonAssignments(PythonExpressions):
    """Binds targets to values."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.bare: set[int] = set()
        """Slots of the names that are only said to be of no class of the project."""

    @EXPRESSIONS.on("assignment")
    def assignment(self, frame: Frame, node: Node) -> int:
        left = node.named_children[0]
        right = node.child_by_field_name("right")
        if right is not None and left.text == b"__all__":
            self.export(right)
        if right is not None and frame.kind == ScopeKind.CLASS and makes_property(right):
            self.relations.append(("property", frame.index, self.name(left.text or b""), 0, 0))
        annotation = node.child_by_field_name("type")
        value = -1
        if right is not None:
            pairs = self.parallel(left, right)
            if pairs:
                values = [self.expression(frame, source) for _, source in pairs]
                for (target, _), item in zip(pairs, values, strict=True):
                    self.target(frame, target, item)
                return -1
            if self.starred(frame, left, right) or self.decorated_by_hand(frame, left, right):
                return -1
            opened = len(self.frames)
            value = self.open_slot() if right.type == "none" else self.expression(frame, right)
            if right.type == "lambda" and frame.kind == ScopeKind.CLASS:
                method = self.frames[opened]
                if method.params:
                    method.flags |= ScopeFlag.METHOD
                    method.this = method.params[0][1]
            if frame.kind == ScopeKind.CLASS:
                note_attribute(self, frame, right, value)
        if right is not None and left.type == "identifier" and frame.kind != ScopeKind.FUNCTION:
            named = b"TypeAlias" in (annotation.text or b"") if annotation is not None else False
            if named or (annotation is None and is_type(right)):
                value = self.join((value, self.alias(frame, right)))
                annotation = None
            elif known := stands_for(right):
                value = self.join((value, self.alias(frame, *known)))
            if right.type == "call" and (right.named_children[0].text or b"").endswith(b"TypeVar"):
                variable = self.slot()
                value = self.join((value, variable))
                self.variables.add(self.name(left.text or b""))
                self.note_variable(frame, variable, self.choice(frame, stands_for(right)))
        if annotation is not None:
            value = self.annotated_value(frame, left, annotation, value, right)
        elif right is not None and right.type == "identifier" and left.type == "attribute":
            self.note_kept(frame, left, right)
        if frame.state and left.type == "identifier" and is_field(annotation, right):
            row = ("field", frame.index, self.name(left.text or b""), frame.state - 1, 0)
            self.relations.append(row)
        if right is not None and right.type == left.type == "identifier":
            value = self.member_of_its_own(frame, value)
        if right is not None or annotation is not None:
            self.target(frame, left, value)
        return value

    def annotated_value(
        self, frame: Frame, left: Node, annotation: Node, value: int, right: Node | None
    ) -> int:
        """The slot of a value that is bound to what has an annotation."""
        typed = self.slot()
        types, copies, applied = len(self.types), len(self.copies), len(self.applied)
        self.annotate(frame, typed, annotation)
        self.declare(frame, left, annotation)
        self.note_attribute(frame, left, annotation, applied=len(self.applied) > applied)
        is_bare = right is None and len(self.copies) == copies
        if value >= 0 and self.applied.isdisjoint(self.types[types + 1 :: 3]):
            self.copies += (value, typed)
        elif value >= 0:
            self.relations.append(("limited", frame.index, 0, typed, value))
        if is_bare and max(self.types[types + 1 :: 3], default=-1) < 0:
            self.bare.add(typed)
        return typed

    def member_of_its_own(self, frame: Frame, value: int) -> int:
        """A slot for another name of a value: what is assigned to it is none of the first one's."""
        if value < 0 or frame.kind != ScopeKind.CLASS:  # elsewhere keys follow the one slot
            return value
        own = self.open_slot()
        self.copies += (value, own)
        return own

    def export(self, node: Node) -> None:
        """Note the names in a literal `__all__`."""
        for child in node.named_children:
            name = self.literal_key(child)
            if name is not None:
                self.exported.append(self.name(name))
            elif child.type in ("list", "tuple", "binary_operator"):
                self.export(child)

    def parallel(self, left: Node, right: Node) -> list[tuple[Node, Node]] | None:
        """Pair `a, b = c, d` item by item; None when it is no such assignment."""
        if left.type != "pattern_list" or right.type not in ("expression_list", "tuple", "list"):
            return None
        targets, sources = left.named_children, right.named_children
        if any(map(self.is_spread, (*targets, *sources))):
            return None
        if len(targets) != len(sources):
            return None
        return list(zip(targets, sources, strict=True))

    def decorated_by_hand(self, frame: Frame, left: Node, right: Node) -> bool:
        """Do for `name = wrap(name)` behind a definition what a decorator does.

        Until then nobody but the wrapper has had the definition.
        """
        if left.type != "identifier" or right.type != "call":
            return False
        function, arguments = right.named_children[0], right.named_children[-1]
        if arguments.named_child_count != 1:
            return False
        if frame.kind == ScopeKind.CLASS and function.text in BINDING:
            slot = frame.env.get(self.name(arguments.named_children[0].text or b""), -1)
            inner = self.defined.get(slot)
            if inner is not None and inner.parent is frame:
                inner.flags |= BINDING[function.text or b""]
                inner.this = -1 if inner.flags & ScopeFlag.STATIC else inner.this
        if arguments.named_children[0].text != left.text:
            return False
        name = self.name(left.text or b"")
        slot = frame.env.get(name, -1)
        if slot not in self.defined or name in frame.summaries:
            return False
        if function.text in BINDING or function.text == b"property":
            return False
        callee = self.expression(frame, function)
        versions = frame.versions.get(name, [])
        if callee < 0 or slot not in versions:
            return False
        versions.remove(slot)
        self.defined[slot].flags |= ScopeFlag.DECORATED
        line = right.start_point[0] + 1
        value = self.call(frame, line, callee, -1, (slot,), flags=CallFlag.DECORATOR)
        self.target(frame, left, value)
        return True

    def starred(self, frame: Frame, left: Node, right: Node) -> bool:
        """Bind `a, *rest, b = …` where the items are written; False where it is none."""
        if left.type != "pattern_list" or right.type not in ("expression_list", "tuple", "list"):
            return False
        targets, sources = left.named_children, right.named_children
        stars = [node.type == "list_splat_pattern" for node in targets]
        if sum(stars) != 1 or len(targets) > len(sources) + 1:
            return False
        if any(node.type == "comment" or self.is_spread(node) for node in sources):
            return False
        values = [self.expression(frame, source) for source in sources]
        begin, behind = stars.index(True), len(targets) - stars.index(True) - 1
        rest = self.container(frame, ObjectKind.SEQUENCE)
        middle = values[begin : len(values) - behind]
        for index, value in enumerate(middle):
            self.store(rest, self.name(b"[%d" % index), value)
        values[begin : len(values) - behind] = [rest]
        for target, value in zip(targets, values, strict=True):
            parts = target.named_children
            starred = target.type == "list_splat_pattern"
            self.target(frame, parts[0] if starred and parts else target, value)
        return True

    def target(self, frame: Frame, node: Node, value: int) -> None:
        """Bind an assignment target."""
        kind = node.type
        if kind == "identifier":
            text = self.source[node.start_byte : node.end_byte]
            self.assign(frame, self.name(text), value)
            if frame.kind == ScopeKind.CLASS and text.startswith(b"__"):
                self.assign(frame, self.member_name(frame, text), value)
        elif kind == "attribute":
            children = node.named_children
            base = self.expression(frame, children[0])
            name = self.member_name(frame, children[-1].text or b"")
            self.write(frame, base, name, value, node.start_point[0] + 1)
            if self.paths:
                self.forget_attributes(frame, base, node.start_point[0] + 1, name)
        elif kind == "subscript":
            self.store_element(frame, node, value)
        elif kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list"):
            after_splat = False
            line = node.start_point[0] + 1
            for index, child in enumerate(node.named_children):
                if child.type == "list_splat_pattern":
                    after_splat = True
                    if child.named_children:
                        name = self.name(b"[%d:" % index)
                        rest = self.load(frame, value, name, line)
                        self.target(frame, child.named_children[0], rest)
                    continue
                key = self.any_key if after_splat else self.name(b"[%d" % index)
                self.target(frame, child, self.load(frame, value, key, line))
        elif kind in ("parenthesized_expression", "as_pattern_target") and node.named_children:
            self.target(frame, node.named_children[0], value)

    def store_element(self, frame: Frame, node: Node, value: int) -> None:
        children = node.named_children
        base = self.expression(frame, children[0])
        key = self.key_of(children[0], base, children[1]) if len(children) == 2 else None
        slot = -1
        if key is not None:
            name = self.name(b"[" + key)
            if frame.parent is None and children[0].text == b"globals()":
                self.assign(frame, self.name(key), value)
            self.store(base, name, value)
            self.keep_item(frame, base, name, value)
        elif self.is_own_name(frame, children[-1], value):
            self.dynamic += (-1, base, value, value, OWN_NAME)
        elif len(children) == 2 and children[1].type == "slice":
            self.expression(frame, children[1])
            self.store(base, self.any_key, self.element(frame, value, node))
        else:
            slot = self.keys(frame, children[1:])
            if base >= 0 and value >= 0:
                if slot >= 0:
                    self.dynamic += (-1, base, slot, value, 0)
                else:
                    self.store(base, self.any_key, value)
            else:
                self.keep_key(base, slot)
        if key is None:
            self.kept.clear()
        if value >= 0 and node.text == b"sys.modules[__name__]":
            self.relations.append((IN_PLACE, frame.index, value, 0, 0))
        if base >= 0:
            line = node.start_point[0] + 1
            name = self.name(b"__setitem__")
            self.call(frame, line, base, name, (slot, value), flags=CallFlag.IMPLICIT)

    @EXPRESSIONS.on("named_expression")
    def named_expression(self, frame: Frame, node: Node) -> int:
        value = self.expression(frame, node.named_children[-1])
        self.target(frame, node.named_children[0], value)
        return value


def makes_property(node: Node) -> bool:
    """Whether an expression is a call of `property`."""
    return node.type == "call" and node.named_children[0].text == b"property"
