"""Ruby methods that are defined again, removed or undefined: the last word of a class counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.ruby.nodes import NODES
from toolroll_codegraph.languages.ruby.rescuing import RubyRescuing

if TYPE_CHECKING:
    from tree_sitter import Node

REPLACED: Final = 4
"""State of a method that another one of its name replaces before anything can call it."""
_DEFINITIONS: Final = frozenset((
    "method", "singleton_method", "class", "module", "singleton_class", "alias", "comment",
    "heredoc_body",
))  # fmt: skip
_AROUND: Final = frozenset(("class", "module", "singleton_class", "call", "argument_list"))
_DECLARING: Final = frozenset((
    b"private", b"public", b"protected", b"module_function", b"private_class_method",
    b"private_constant", b"attr_reader", b"attr_writer", b"attr_accessor", b"alias_method",
    b"include", b"extend", b"prepend", b"require", b"require_relative", b"remove_method",
    b"undef_method",
))  # fmt: skip


class RubyRedefinition(RubyRescuing):
    """What a class has when all of its body has run."""

    def define_again(self, owner: Frame, name: int, node: Node, value: int) -> None:
        """Let a method replace those of its name that stand before it in the file.

        Not where something runs in between that may call them; what has another name too stays.
        """
        if self.alternatives:
            return
        opened = self.opened.get((-1 if owner.parent is None else owner.parent.index, owner.name))
        for before in opened or (owner,):
            known = before.members.get(name)
            if known is None or known == value:
                continue
            old = next((frame for frame in self.frames if frame.value == known), None)
            if old is None or not self._nothing_runs(node, old.line):
                continue
            if before is not owner:
                before.members[name] = value
            if not any(
                slot == known and other != name
                for frame in (*(opened or ()), owner)
                for other, slot in frame.members.items()
            ):
                old.state = REPLACED

    def _nothing_runs(self, node: Node, line: int) -> bool:
        """Whether only definitions stand between the one in a line and a later one."""
        current: Node | None = node
        while current is not None:
            around = current.parent
            inside = around is None or around.type in _AROUND
            sibling = None if inside else current.prev_named_sibling
            while sibling is not None:
                if sibling.start_point[0] < line <= sibling.end_point[0] + 1:
                    return self._ends_in_definitions(sibling, line)
                if not self._only_defines(sibling):
                    return False
                sibling = sibling.prev_named_sibling
            current = around
        return False

    def _ends_in_definitions(self, node: Node, line: int) -> bool:
        """Whether what follows a line inside of a statement are definitions."""
        if node.start_point[0] + 1 == line:
            return True
        body = node.child_by_field_name("body")
        for child in () if body is None else body.named_children:
            if child.start_point[0] < line <= child.end_point[0] + 1:
                if not self._ends_in_definitions(child, line):
                    return False
            elif child.start_point[0] >= line and not self._only_defines(child):
                return False
        return True

    def _only_defines(self, node: Node) -> bool:
        if node.type == "call" and node.child_by_field_name("receiver") is None:
            method = node.child_by_field_name("method")
            return method is not None and self.text(method) in _DECLARING
        return node.type in _DEFINITIONS or self.text(node) in _DECLARING

    def remove(self, owner: Frame, names: list[Node], undefined: bool) -> None:
        """`remove_method :name` takes away a class's own method, `undef name` any.

        Not where the class has been opened before: it may have been used since.
        """
        key = (-1 if owner.parent is None else owner.parent.index, owner.name)
        if len(self.opened.get(key, ())) > 1 or self.alternatives:
            return
        for node in names:
            text = self.literal_key(node) or self.text(node)
            name = self.name(b"." + text if owner.state == 1 else text)
            if undefined:
                owner.members[name] = self.slot()
                self.relations.append(("undefined", owner.index, name, owner.members[name], 0))
            else:
                removed = owner.members.pop(name, None)
                old = next((it for it in self.frames if it.value == removed), None)
                kept = removed in owner.members.values()  # under another name
                if old is not None and not kept and self._nothing_runs(node, old.line):
                    old.state = REPLACED

    @NODES.on("undef")
    def undef(self, frame: Frame, node: Node) -> int:
        if not self.in_method(frame):
            self.remove(self.lexical_class(frame), node.named_children, undefined=True)
        return -1
