"""Ruby's scopes: `self`, local variables, constants, and what a class declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    CallFlag,
    Frame,
    ImportKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.languages.builder import SourceBuilder

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

ANY_METHOD: Final = b"*"
"""Stands for whatever is defined."""


class RubyScopes(SourceBuilder):
    """What a name means where it stands."""

    module: Frame

    def __init__(self, source: bytes) -> None:
        super().__init__(source, "ruby")
        self.alternatives: int = 0
        """How many conditions the code that is read stands in: each may define a method."""
        self.outdated: bytes | None = None
        """The method that the code that is read defines only for an old Ruby."""
        self.opened: dict[tuple[int, int], list[Frame]] = {}
        """(scope around, name) → each place that opens this class."""
        self.hidden: dict[tuple[int, int], bool] = {}
        """(class, state) → whether methods that follow are private."""
        self.methods: dict[tuple[int, bytes], Frame] = {}
        """(class, name) → its method."""
        self.defining: dict[int, tuple[bytes | None, int]] = {}
        """Receiver of a block given to `define_method` → the method's name, or its slot."""
        self.handling: tuple[int, Callable[[], int] | None] = -1, None
        """What the `rescue` has caught that is read, or how to tell that."""
        self.taken: set[int] = set()
        """Slots of the names whose methods have been kept, as objects or under another name."""
        self.constants_read: dict[tuple[int, bytes], int] = {}
        self.switches: dict[bytes, str] = {}
        """Constant → what kind of node it is set to; nothing for one that is set twice."""
        self.returned = -1
        """What the last block returns that was read as an argument."""
        self.of_texts: set[int] = set()
        """Methods that text defines: they are blocks to all but what stands in them."""

    def body(self, frame: Frame, node: Node) -> int:
        raise NotImplementedError

    def target(self, frame: Frame, node: Node, value: int) -> None:
        raise NotImplementedError

    # scopes

    def lexical_class(self, frame: Frame) -> Frame:
        """Where a `def` or a constant written here belongs."""
        while frame.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA) and frame.parent is not None:
            frame = frame.parent
        return frame

    def outside_blocks(self, frame: Frame) -> Frame:
        """The method, class or file around all blocks that code stands in."""
        while frame.flags & ScopeFlag.BLOCK and frame.parent is not None:
            frame = frame.parent
        return frame

    def method_around(self, frame: Frame) -> Frame:
        """The same, or a method that text defines: whose parameters and block code has."""
        while (
            frame.flags & ScopeFlag.BLOCK
            and frame.index not in self.of_texts
            and frame.parent is not None
        ):
            frame = frame.parent
        return frame

    def in_method(self, frame: Frame) -> bool:
        """Whether code here runs when a method does, not when a class is read."""
        return self.outside_blocks(frame).kind == ScopeKind.FUNCTION

    def receiver(self, frame: Frame) -> int:
        scope: Frame | None = frame
        while scope is not None:
            if scope.this >= 0:
                return scope.this
            scope = scope.parent
        return self.module.value

    def local(self, frame: Frame, name: int) -> int | None:
        """The slot of a local variable, None when the name is a method call."""
        scope: Frame | None = frame
        while scope is not None:
            slot = scope.env.get(name)
            if slot is not None:
                return self._through_loops(scope, name, slot) if scope.loops else slot
            if not scope.flags & ScopeFlag.BLOCK:
                return None
            scope = scope.parent
        return None

    def set_local(self, frame: Frame, name: int, value: int) -> None:
        """Assign; a block that assigns a variable from outside may or may not have run."""
        scope: Frame | None = frame
        while scope is not None and name not in scope.env and scope.flags & ScopeFlag.BLOCK:
            scope = scope.parent
        if scope is None or scope is frame or name not in scope.env:
            self.assign(frame, name, value)
        else:
            self.assign(scope, name, self.join((scope.env[name], value)))

    def own_name(self, frame: Frame) -> int:
        """`__method__`."""
        while frame.kind == ScopeKind.LAMBDA and frame.parent is not None:
            frame = frame.parent
        known = frame.kind == ScopeKind.FUNCTION
        slot = self.slot()
        if known:
            self.constants += (slot, frame.name)
        return slot

    def define(self, owner: Frame, text: bytes, value: int, singleton: bool) -> None:
        name = self.name(b"." + text if singleton else text)
        if self.outdated is ANY_METHOD:
            return
        if self.outdated == text:
            self.relations.append(("outdated", owner.index, name, 0, 0))
        known = owner.members.get(name, -1) if self.alternatives else -1
        owner.members[name] = self.join((known, value))

    def alias_method(self, frame: Frame, new: bytes, old: bytes) -> None:
        owner = self.lexical_class(frame)
        prefix = b"." if owner.state == 1 else b""
        self.copy_method(owner, prefix + new, prefix + old)

    def copy_method(self, owner: Frame, new: bytes, old: bytes) -> None:
        """Let a method have another name too; a definition that comes later does not change it."""
        names = (self.name(new), self.name(old))
        current = owner.members.get(names[1])
        if current is None:  # nor does one of the same class, opened again
            key = (-1 if owner.parent is None else owner.parent.index, owner.name)
            for before in self.opened.get(key, ()):
                current = before.members.get(names[1], current)
        if current is not None:
            owner.members[names[0]] = current
            return
        self.relations.append(("alias", owner.index, *names, 0))

    def constant_slot(self, frame: Frame, node: Node) -> int:
        text = self.text(node)
        if node.type == "scope_resolution":
            head = node.named_children[0]
            while head.type == "scope_resolution":
                head = head.named_children[0]
            if head.type not in ("constant",):
                return self.constant_of(frame, node)
        owner = self.lexical_class(frame)
        key = (owner.index, text)
        slot = self.constants_read.get(key)
        if slot is None:
            slot = self.constants_read[key] = self.slot()
            line = node.start_point[0] + 1
            plain = text.decode("utf-8", "replace").replace("::", ".").replace(" ", "")
            row = (slot, ImportKind.CONSTANT, 0, plain, -1, line, owner.index)
            self.imports.append(row)
        return slot

    def constant_of(self, frame: Frame, node: Node) -> int:
        """`self.class::LIMIT`: a constant of what an expression is."""
        base, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if base is None or name is None:
            return -1
        value = self.expression(frame, base)
        if value < 0:
            return -1
        key, line = self.constant(self.text(name)), node.start_point[0] + 1
        reader = self.name(b"const_get")
        return self.call(frame, line, value, reader, (key,), flags=CallFlag.IMPLICIT)

    def is_singleton_class(self, node: Node) -> bool:
        """Whether an expression is `singleton_class`, of `self` or another."""
        method = node if node.type == "identifier" else node.child_by_field_name("method")
        return method is not None and self.text(method) == b"singleton_class"

    def literal_key(self, node: Node) -> bytes | None:
        kind = node.type
        if kind == "simple_symbol":
            return self.text(node)[1:]
        if kind in ("hash_key_symbol", "integer"):
            return self.text(node)
        if kind in ("string", "delimited_symbol") and node.named_child_count == 1:
            child = node.named_children[0]
            return self.text(child) if child.type == "string_content" else None
        return None
