"""Ruby objects with methods of their own: `def object.name`, `class << object`, `extend`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.calls import REOPENING, SENDING, SINGLETON
from toolroll_codegraph.languages.ruby.nodes import NODES
from toolroll_codegraph.languages.ruby.redefinition import RubyRedefinition

if TYPE_CHECKING:
    from tree_sitter import Node

_HOOKS: Final = (b"included", b"extended", b"inherited", b"prepended", b"append_features")
"""Methods whose parameter is a class."""


class RubySingles(RubyRedefinition):
    """From then on a local variable holds an object of a class of its own."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.single = -1
        """The object whose singleton class is open."""
        self.singles: dict[int, Frame] = {}
        """Slot of an object → its own class."""

    def single_object(self, frame: Frame, node: Node) -> int:
        """The slot of an object that gets methods of its own."""
        value = self.expression(frame, node)
        if value in self.singles:
            return value
        name = self.name(self.text(node)) if node.type == "identifier" else -1
        if name >= 0 and self.local(frame, name) != value:
            return value
        if frame.name in map(self.name, _HOOKS):
            return value
        around = frame if self.in_method(frame) else self.lexical_class(frame)
        line, own = node.start_point[0] + 1, self.name(b"<single>")
        inner = self.open_frame(ScopeKind.CLASS, own, around, line)
        inner.flags |= ScopeFlag.OWN
        inner.end, inner.this = line, inner.value
        after = self.slot()
        self.relations.append(("single", inner.index, 0, after, value))
        self.singles[after] = inner
        if name >= 0:
            self.set_local(frame, name, after)
        elif node.type == "instance_variable":
            self.target(frame, node, after)
        return after

    def extended_object(self, frame: Frame, node: Node, modules: Node | None) -> int:
        value = self.single_object(frame, node)
        single = self.singles.get(value)
        if single is not None and modules is not None:
            self.extended(frame, single, modules, 0)
        return value

    def extended_self(self, frame: Frame, modules: Node) -> None:
        """`extend Module` in `initialize`: no object of the class is without."""
        if frame.name == self.name(b"initialize") and not self.alternatives:
            self.extended(frame, self.lexical_class(frame), modules, 1)

    def extended(self, frame: Frame, owner: Frame, modules: Node, every: int) -> None:
        for child in reversed(modules.named_children):
            if child.type in ("constant", "scope_resolution"):
                slot = self.constant_slot(frame, child)
                if slot >= 0:
                    self.relations.append(("extended", owner.index, 0, slot, every))

    @NODES.on("singleton_class")
    def singleton_class(self, frame: Frame, node: Node) -> int:
        body = node.child_by_field_name("body")
        value = node.child_by_field_name("value")
        if body is None or value is None:
            return -1
        if value.type in ("identifier", "instance_variable"):
            return self.open_single(frame, self.single_object(frame, value), body)
        if value.type == "self" and self._is_handed(frame):
            return self.open_single(frame, self.receiver(frame), body)
        owner = self.lexical_class(frame)
        if owner.kind == ScopeKind.MODULE and self._is_class(value):  # opened from outside
            name = self.text(value).removeprefix(b"::").replace(b"::", b".")
            owner = self.open_class(owner, node, ScopeKind.CLASS, self.name(name))
        elif value.type != "self" and not self._is_named(owner, value):
            return self.open_single(frame, self.expression(frame, value), body)
        before, owner.state = owner.state, 1
        self.hidden[owner.index, 1] = False
        self.body(owner, body)
        owner.state = before
        return -1

    def _is_named(self, owner: Frame, value: Node) -> bool:
        """Whether a class's own body names it: `class Time; class << Time`."""
        last = self.text(value).rpartition(b"::")[2]
        return value.type in ("constant", "scope_resolution") and owner.name == self.name(last)

    def _is_handed(self, frame: Frame) -> bool:
        """Whether code stands in a method's block for another receiver: `base.class_eval do`."""
        while frame.this < 0 and frame.parent is not None:
            frame = frame.parent
        return bool(frame.flags & ScopeFlag.BLOCK) and self.in_method(frame)

    def _is_class(self, node: Node) -> bool:
        """Whether a constant is nowhere in this file given anything, as an object would be."""
        if node.type not in ("constant", "scope_resolution"):
            return False
        last = re.escape(self.text(node).rpartition(b"::")[2])
        return re.search(rb"\b%s\s*(?:\|\|)?=(?![=~>])" % last, self.source) is None

    def open_single(self, frame: Frame, value: int, body: Node) -> int:
        before, self.single = self.single, value
        self.body(self.singles.get(value, frame), body)
        self.single = before
        return -1

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        """What a singleton class that is opened where code runs is told, its object is."""
        if self.single >= 0 and self.single not in self.singles and text in SINGLETON:
            line = node.start_point[0] + 1
            return self.send(frame, self.single, SINGLETON[text], line, arguments, block)
        return super().bare_call(frame, text, node, arguments, block)

    def tell_singleton(
        self, frame: Frame, text: bytes, receiver: Node, arguments: Node | None, block: Node | None
    ) -> int | None:
        source = receiver.child_by_field_name("receiver")
        if text in REOPENING and block is not None:
            body = block.child_by_field_name("body")
            value = self.receiver(frame) if source is None else self.single_object(frame, source)
            return -1 if body is None else self.open_single(frame, value, body)
        if text not in SENDING or arguments is None or not arguments.named_children:
            return None
        sent = SINGLETON.get(self.literal_key(arguments.named_children[0]) or b"")
        if sent is None:
            return None
        value = self.receiver(frame) if source is None else self.expression(frame, source)
        given, _, flags = self.arguments(frame, arguments, block)
        line = receiver.start_point[0] + 1
        return self.call(frame, line, value, self.name(sent), given[1:], flags=flags)
