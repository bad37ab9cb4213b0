"""Ruby's rescue clauses: each finds what its body raises and no clause before has taken."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, TypeHint
from toolroll_codegraph.languages.ruby.conditions import OfClasses
from toolroll_codegraph.languages.ruby.flow import RubyFlow

if TYPE_CHECKING:
    from tree_sitter import Node

_ANY_ERROR: Final = (b"StandardError", b"Exception", b"::StandardError", b"::Exception")
"""Classes of all that is raised."""


class RubyRescuing(RubyFlow):
    """What is raised where a `rescue` stands, and what goes on from there."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.rescued_before: tuple[int, OfClasses] = -1, []
        """What the clauses before of one `begin` take."""

    def rescue(self, frame: Frame, node: Node, before: int, values: list[int]) -> bool:
        """A clause begins with any binding made since `before`: some of it may not have run."""
        self.rewind_join(frame, before)
        ends = False
        classes: OfClasses = []
        begin = -1 if node.parent is None else node.parent.id
        taken = self.rescued_before[1] if self.rescued_before[0] == begin else []
        outer = self.handling
        self.handling = -1, partial(self.caught, frame, node, classes, taken)
        for child in node.named_children:
            if child.type == "exceptions":
                slots = [self.rescued(frame, item) for item in child.named_children]
                texts = map(self.text, child.named_children)
                classes += [item for item in zip(slots, texts, strict=True) if item[0] >= 0]
            elif child.type == "exception_variable":
                slot = self.caught(frame, node, classes, taken)
                self.handling = slot, None
                self.target(frame, child.named_children[0], slot)
            elif child.type != "comment":
                self.alternatives += 1
                ends = self.arm(frame, child, values)
                self.alternatives -= 1
        self.handling = outer
        self.rescued_before = begin, [*taken, *classes]
        return ends

    def raise_again(self, frame: Frame, line: int) -> None:
        """`raise` alone, in a `rescue`."""
        slot, catch = self.handling
        if catch is not None:
            slot = catch()
            self.handling = slot, None
        if slot >= 0:
            self.relations.append(("raise", frame.index, line, slot, 1))

    def caught(self, frame: Frame, node: Node, classes: OfClasses, taken: OfClasses) -> int:
        """What is raised in the body, as far as it is of the classes that are rescued here.

        What clauses before have taken is not; what no clause takes goes on from here.
        """
        raised, slot = self.slot(), self.slot()
        line = first = last = node.start_point[0] + 1
        for child in [] if node.parent is None else node.parent.named_children:
            if child.type == "rescue":
                break
            first, last = min(first, child.start_point[0] + 1), child.end_point[0] + 1
        self.relations.append(("rescue", frame.index, first, raised, last))
        raised = self.without(taken, raised)
        if not classes:
            self.copies += (raised, slot)
        for kind, text in classes:
            self.types += (slot, kind, TypeHint.DECLARED)
            self.relations.append(("rescued", kind, self.name(text), slot, raised))
        if classes and not any(text in _ANY_ERROR for _, text in classes):
            self.relations.append(("raise", frame.index, line, self.without(classes, raised), 1))
        return slot

    def rescued(self, frame: Frame, node: Node) -> int:
        """`rescue Name` asks `===` of what it names."""
        value = self.expression(frame, node)
        if value >= 0:
            name, line = self.name(b"==="), node.start_point[0] + 1
            self.call(frame, line, value, name, (-1,), flags=CallFlag.IMPLICIT)
        return value
