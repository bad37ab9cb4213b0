"""The patterns of `match`: what they bind, and what they tell about the subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.python.assignments import PythonAssignments

if TYPE_CHECKING:
    from tree_sitter import Node

MATCHED: Final = b"[@%d"
"""Field of an object for what a pattern at a position of its class takes."""


def _bare(node: Node) -> Node:
    """A pattern without the nodes that only say that it is one."""
    while node.type == "case_pattern" and node.named_children:
        node = node.named_children[0]
    return node


class PythonPatterns(PythonAssignments):
    """Binds the names of patterns to parts of what is matched."""

    def pattern(self, frame: Frame, node: Node, subject: int) -> int:
        """Bind what a pattern captures; the slot of the subject as far as the pattern admits it."""
        kind = node.type
        children = node.named_children
        line = node.start_point[0] + 1
        if kind == "case_pattern" and children:
            return self.pattern(frame, children[0], subject)
        if kind == "dotted_name":
            if len(children) > 1:
                self.dotted(frame, node)
            else:
                self.assign(frame, self.name(node.text or b""), subject)
        elif kind == "as_pattern":
            inner, name = _bare(children[0]), children[-1]
            if inner.type == "keyword_pattern":  # the parser's reading of `Class(key=… as name)`
                subject = self.keyword(frame, inner, subject)
            else:
                subject = self.pattern(frame, inner, subject)
            self.target(frame, name, subject)
        elif kind == "class_pattern":
            return self.class_pattern(frame, node, subject)
        elif kind == "keyword_pattern":
            self.keyword(frame, node, subject)
        elif kind in ("list_pattern", "tuple_pattern"):
            if kind == "tuple_pattern" and len(children) == 1 and b"," not in (node.text or b""):
                return self.pattern(frame, children[0], subject)
            self.sequence_pattern(frame, children, subject, line)
        elif kind == "dict_pattern":
            self.mapping_pattern(frame, children, subject, line)
        elif kind == "union_pattern":
            return self.join([self.pattern(frame, child, subject) for child in children])
        return subject

    def sequence_pattern(self, frame: Frame, children: list[Node], subject: int, line: int) -> None:
        after_splat = False
        for index, child in enumerate(children):
            inner = child.named_children[0] if child.named_children else child
            if inner.type == "splat_pattern":
                after_splat = True
                if inner.named_children:
                    rest = self.load(frame, subject, self.name(b"[%d:" % index), line)
                    self.target(frame, inner.named_children[0], rest)
                continue
            key = self.any_key if after_splat else self.name(b"[%d" % index)
            self.pattern(frame, child, self.load(frame, subject, key, line))

    def mapping_pattern(self, frame: Frame, children: list[Node], subject: int, line: int) -> None:
        part = -1
        for child in children:
            if child.type == "splat_pattern":
                self.target(frame, child.named_children[0], subject)
            elif child.type == "case_pattern":
                self.pattern(frame, child, part)
            else:
                key = self.literal_key(child)
                name = self.any_key if key is None else self.name(b"[" + key)
                part = self.load(frame, subject, name, line)

    def class_pattern(self, frame: Frame, node: Node, subject: int) -> int:
        children = node.named_children
        known = self.dotted(frame, children[0])
        matched = -1 if known < 0 or subject < 0 else self.admitted(frame, subject, [known])
        for index, part in enumerate(children[1:]):
            inner = _bare(part)
            if inner.type == "as_pattern":
                inner = _bare(inner.named_children[0])
            if inner.type != "keyword_pattern" and matched >= 0:
                line = part.start_point[0] + 1
                taken = self.load(frame, matched, self.name(MATCHED % index), line)
                self.pattern(frame, part, taken)
            else:
                self.pattern(frame, part, matched)
        return matched

    def keyword(self, frame: Frame, node: Node, subject: int) -> int:
        """Match `name=pattern` against an attribute of the subject."""
        name, *parts = node.named_children
        value = self.load(frame, subject, self.name(name.text or b""), node.start_point[0] + 1)
        for part in parts:
            value = self.pattern(frame, part, value)
        return value

    def dotted(self, frame: Frame, node: Node) -> int:
        """Read a class or a constant that a pattern names."""
        parts = node.named_children if node.type == "dotted_name" else [node]
        slot = self.read(frame, self.name(parts[0].text or b""))
        for part in parts[1:]:
            slot = self.load(frame, slot, self.name(part.text or b""), part.start_point[0] + 1)
        return slot
