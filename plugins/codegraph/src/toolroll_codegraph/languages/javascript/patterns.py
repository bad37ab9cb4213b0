"""Assignment targets, destructuring and parameters of JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ParamKind, ScopeKind, TypeHint
from toolroll_codegraph.languages.javascript.documentation import JavaScriptDocumentation
from toolroll_codegraph.languages.javascript.entries import Entries

if TYPE_CHECKING:
    from tree_sitter import Node

_PATTERNS: Final = (
    "object_pattern", "array_pattern", "pair_pattern", "object_assignment_pattern",
    "assignment_pattern", "rest_pattern", "parenthesized_expression",
)  # fmt: skip
_PROPERTY: Final = frozenset(("accessibility_modifier", "readonly", "override_modifier"))
"""What makes a parameter of a constructor a property too."""
_NONE: Final[Mapping[int, int]] = {}


class JavaScriptPatterns(JavaScriptDocumentation):
    """Binds patterns to slots; what is evaluated inside them is left to the expressions."""

    module: Frame

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.exports_slot = -1
        self.implicit: set[int] = set()
        """Names that are assigned and nowhere declared: they are global."""
        self.directories: set[int] = set()
        """Slots that stand for all modules of a directory, by their names."""
        self.copied: dict[int, tuple[int, int]] = {}
        """Value of `base[key]`, bound or not → (key, base)."""
        self.either: dict[int, list[int]] = {}
        """Value that may be one of `copied` → all that it may be."""
        self.entries = Entries()
        self.descriptors: dict[int, tuple[int, int]] = {}
        """What tells how `base` has `key` → (key, base)."""

    def named_value(self, frame: Frame, node: Node, name: bytes) -> int:
        """Evaluate a value that takes `name` if it has none of its own."""
        raise NotImplementedError

    def literal_key(self, node: Node) -> bytes | None:
        """The property a literal names."""
        raise NotImplementedError

    def element_of(self, frame: Frame, base: int, index: Node) -> int:
        """What an object has under a key that is computed."""
        raise NotImplementedError

    def all_of(self, slot: int) -> int:
        """The slot of all that a value was before tests left some of it."""
        raise NotImplementedError

    def is_number(self, frame: Frame, node: Node) -> bool:
        """Whether a key is a number, as a counter of a loop is."""
        raise NotImplementedError

    def constant_text(self, frame: Frame, name: int) -> bytes | None:
        """The text that a variable has all the time."""
        raise NotImplementedError

    def one_of(self, slots: list[int]) -> int:
        """The slot of a value that is one of several, as of `given[key]` and what is made of it."""
        joined = self.join(slots)
        if joined not in slots and any(slot in self.copied for slot in slots):
            self.either[joined] = slots
        return joined

    def super_member(self, frame: Frame, node: Node, name: int, source: int | None = None) -> int:
        """`super.name`, read or written."""
        raise NotImplementedError

    def is_module_exports(self, frame: Frame, node: Node) -> bool:
        """Whether an expression is CommonJS' `module.exports`."""
        raise NotImplementedError

    def common_exports(self) -> tuple[int, int]:
        """The slots of `exports` and `module.exports`."""
        raise NotImplementedError

    def note_exported(self, target: Node) -> None:
        """Note what CommonJS exports of what a file calls otherwise."""
        raise NotImplementedError

    def target(self, frame: Frame, node: Node, value: int, *, declare: bool = False) -> None:
        """Bind a pattern or assign to a variable, property or element."""
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            name = self.name(self.text(node))
            if declare:
                frame.declared.add(name)
                self.assign(frame, name, value)
            else:
                self.assign_variable(frame, name, value)
        elif kind == "member_expression":
            self.assign_member(frame, node, value)
        elif kind == "subscript_expression":
            self.assign_element(frame, node, value)
        elif kind == "object_pattern":
            self.object_pattern(frame, node, value, declare)
        elif kind == "array_pattern":
            taken = self._taken(frame, node, value)
            for index, child in enumerate(positions(node)):
                if child is None:
                    continue
                if child.type == "rest_pattern":
                    if index:  # at other positions than they had
                        line, name = read_line(frame, child), self.name(b"slice")
                        flags = CallFlag.IMPLICIT
                        value = self.call(frame, line, value, name, (-1,), flags=flags)
                    self.target(frame, child.named_children[0], value, declare=declare)
                    continue
                item = self.load(frame, value, self.name(b"[%d" % index), read_line(frame, child))
                self.target(frame, child, self.join((item, taken)), declare=declare)
            self._taken_pair(frame, node)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            default = self.expression(frame, node.named_children[-1])
            self.target(frame, node.named_children[0], self.join((value, default)), declare=declare)
        elif node.named_children and kind in (
            "rest_pattern", "parenthesized_expression", "non_null_expression",
        ):  # fmt: skip
            self.target(frame, node.named_children[0], value, declare=declare)

    def _taken_pair(self, frame: Frame, node: Node) -> None:
        """`[key, value]` of an object's entries: the value is what the object has there."""
        base, parts = self.entries.taken(node), node.named_children
        if base >= 0 and [part.type for part in parts] == ["identifier", "identifier"]:
            key, value = (self.read(frame, self.name(self.text(part))) for part in parts)
            self.copied[value] = (key, base)

    def _taken(self, frame: Frame, node: Node, value: int) -> int:
        """What the iterator gives that taking a value apart runs, if that is no array."""
        if value < 0:
            return -1
        flags = CallFlag.IMPLICIT | CallFlag.ITERATE | CallFlag.READ
        name = self.name(b"@@iterator")
        return self.call(frame, read_line(frame, node), value, name, flags=flags)

    def assign_variable(self, frame: Frame, name: int, value: int) -> None:
        """Assign to the scope that declares a variable, which may be an enclosing one."""
        if name in frame.versions:
            self.assign(frame, name, value)
            return
        if frame.env.pop(name, None) is not None:  # what a test told of it holds no longer
            frame.env[name] = self.read(frame, name)
        scope = frame.parent
        while scope is not None and name not in scope.versions:
            scope = scope.parent
        if scope is None:
            scope = self.module
            self.implicit.add(name)
        if scope is frame:
            self.assign(frame, name, value)
        else:
            frame.globals[name] = scope
            self.assign(frame, name, value)
            if name == frame.name and value >= 0 and not frame.loops:
                # `function f() { f = made(); return f(); }` puts another in its own place
                frame.journal.append((name, frame.env.get(name)))
                frame.env[name] = value

    def assign_member(self, frame: Frame, node: Node, value: int) -> None:
        line = node.start_point[0] + 1
        if self.is_module_exports(frame, node):
            slot = self.common_exports()[1]
            self.note_exported(node)
            if value >= 0:
                self.copies += (value, slot)
            return
        children = node.named_children
        name = self.name(self.text(children[-1]))
        if children[0].type == "super":
            self.super_member(frame, node, name, max(value, -1))
            return
        base = self.expression(frame, children[0])
        if base >= 0 <= self.exports_slot and base in self.common_exports():
            self.exported.append(name)
            self.note_exported(node)
        self.write(frame, base, name, value, line)
        if value >= 0 and frame.kind == ScopeKind.MODULE:
            self.replaced_member(frame, node, base, name, value)

    def replaced_member(self, frame: Frame, node: Node, base: int, name: int, value: int) -> None:
        """Note that a member which was read before is given anew for good."""
        statement = node.parent and node.parent.parent
        around = statement and statement.parent
        if around is not None and around.type == "program":
            before = self.forget_load(frame, base, name)
            if before >= 0:
                self.relations.append(("replaced", node.start_point[0] + 1, 0, before, value))

    def assign_element(self, frame: Frame, node: Node, value: int) -> None:
        base = self.expression(frame, node.named_children[0])
        index = node.child_by_field_name("index")
        if index is None or base < 0:
            return
        key = self.literal_key(index)
        if key is None and value < 0 and index.type == "identifier":
            key = self.constant_text(frame, self.name(self.text(index)))
        if key is not None:
            self.write(frame, base, self.name(key), value, node.start_point[0] + 1)
            return
        slot = self.expression(frame, index)
        other: list[int] = []
        for item in self.either.get(value, [value]):
            copied = self.copied.get(self.all_of(item), (-1, -1))
            if item != value and copied[1] == base:  # `to[key] = to[key] || {}`
                other.append(item)
            elif copied[0] == slot >= 0 or copied[1] in self.directories:
                # `to[key] = from[key]`: names are kept, and modules go by those of their files.
                line, flags = node.start_point[0] + 1, CallFlag.IMPLICIT
                self.call(frame, line, base, self.name(b"..."), (copied[1],), flags=flags)
            else:
                other.append(item)
        if not other:
            return
        value = self.join(other)
        if self.is_number(frame, index):
            self.store(base, self.any_number, value)
        elif value >= 0 and slot >= 0:
            self.dynamic += (-1, base, slot, value, frame.index + 1)
        else:
            self.store(base, self.any_key, value)

    def object_pattern(self, frame: Frame, node: Node, value: int, declare: bool) -> None:
        for child in node.named_children:
            kind = child.type
            line = read_line(frame, child)
            if kind == "shorthand_property_identifier_pattern":
                item = self.load(frame, value, self.name(self.text(child)), line)
                self.target(frame, child, item, declare=declare)
            elif kind == "object_assignment_pattern":
                name = self.name(self.text(child.named_children[0]))
                item = self.load(frame, value, name, line)
                self.target(frame, child, item, declare=declare)
            elif kind == "pair_pattern":
                key, pattern = child.named_children[0], child.named_children[-1]
                if key.type == "computed_property_name":
                    item = self.element_of(frame, value, key.named_children[0])
                else:
                    literal = self.literal_key(key) or self.text(key)
                    item = self.load(frame, value, self.name(literal), line)
                self.target(frame, pattern, item, declare=declare)
            elif kind == "rest_pattern" and child.named_children:
                self.target(frame, child.named_children[0], value, declare=declare)

    def parameters(
        self, frame: Frame, node: Node, types: dict[bytes, bytes], held: Mapping[int, int] = _NONE
    ) -> None:
        """Bind the parameters of a function, whose types a comment may tell, in its own frame.

        Some of them may hold something else than what the function is given.
        """
        children = node.named_children if node.type == "formal_parameters" else [node]
        for child in children:
            kind = child.type
            if kind in ("comment", "decorator"):
                continue
            target, shape = child, ParamKind.POSITIONAL
            annotation = default = None
            if kind in ("required_parameter", "optional_parameter"):
                pattern = child.child_by_field_name("pattern")
                annotation = child.child_by_field_name("type")
                if pattern is None or pattern.type == "this":
                    if annotation is not None:  # what has the method is no argument against it
                        self.annotate(frame, self.receiver(frame), annotation, TypeHint.CERTAIN)
                    continue
                default = child.child_by_field_name("value")
                target = pattern
            elif kind == "assignment_pattern":
                target, default = child.named_children[0], child.named_children[-1]
            if target.type == "rest_pattern":
                shape = ParamKind.REST
                if not target.named_children:
                    continue
                target = target.named_children[0]
            slot = self.slot()
            name = self.text(target) if target.type == "identifier" else b""
            frame.params.append((self.name(name), slot, shape))
            if default is not None:
                value = self.named_value(frame, default, name)
                if value >= 0:
                    self.copies += (value, slot)
            if annotation is not None:
                self.annotate(frame, slot, annotation)
            else:
                place = len(frame.params) - 1  # a pattern has another name there
                told = name or next(islice(types, place, None), b"")
                self.annotate_text(frame, slot, types.get(told))
            self.target(frame, target, held.get(len(frame.params) - 1, slot), declare=True)
            if child is not target and any(part.type in _PROPERTY for part in child.children):
                self.write(frame, self.receiver(frame), self.name(name), slot, frame.line)


def read_line(frame: Frame, node: Node) -> int:
    """The line in which a pattern's part is read: what it takes apart is written behind it."""
    line = node.start_point[0] + 1
    if frame.kind != ScopeKind.MODULE:
        return line
    around = node.parent
    while around is not None and around.type in _PATTERNS:
        around = around.parent
    value = around and (around.child_by_field_name("value") or around.child_by_field_name("right"))
    return max(line, value.end_point[0] + 1) if value else line


def positions(node: Node) -> list[Node | None]:
    """The items of an array with None for holes."""
    found: list[Node | None] = []
    pending: Node | None = None
    for child in node.children:
        if child.type == ",":
            found.append(pending)
            pending = None
        elif child.is_named and child.type != "comment":
            pending = child
    if pending is not None:
        found.append(pending)
    return found
