"""What Python's tests tell of a name: where they hold, and where they do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from toolroll_codegraph.facts import Frame, TypeHint
from toolroll_codegraph.languages.python.containers import EXPRESSIONS
from toolroll_codegraph.languages.python.decided import decided, version_names
from toolroll_codegraph.languages.python.discovery import PythonDiscovery

if TYPE_CHECKING:
    from tree_sitter import Node

_T = TypeVar("_T")
_BEGINNING: Final = re.compile(rb"(?:[A-Za-z_]\w*_|[a-z]{4,})\Z")
_PREDICATE: Final = re.compile(rb"_*is(?:_|[A-Z])\w*\Z")
"""How functions are named that ask of what kind something is."""
_ANSWERING: Final = frozenset(["identifier", "attribute", "call", "subscript", "named_expression"])
"""Expressions that may be of any class."""
_UNEQUAL: Final = (b"is not", b"!=")


class Known(msgspec.Struct):
    """What a test tells of a name. Its slot is made where something needs it: -1 before."""

    name: int
    source: int
    classes: list[int]
    refused: bool = False
    """Whether the value is of none of the classes, not of one of them."""
    exact: bool = False
    """Whether instances of subclasses are no instances: `type(value) is Class`."""
    slot: int = -1


Outcome = tuple[Known | None, Known | None]
"""What is known where a test holds, and where it does not."""
_NOTHING: Final[Outcome] = (None, None)


class PythonConditions(PythonDiscovery):
    """Evaluates tests, and what runs only if they hold."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.whole: dict[int, int] = {}
        """Slot of what a test left of a value → slot of all of that value."""
        self.versions = version_names(source)

    @EXPRESSIONS.on("conditional_expression", "boolean_operator")
    def either(self, frame: Frame, node: Node) -> int:
        children = [child for child in node.named_children if child.type != "comment"]
        if node.type == "conditional_expression" and len(children) == 3:
            constant = decided(children[1].text or b"", self.versions)
            if constant is not None:
                return self.expression(frame, children[0 if constant else 2])
            holds, fails = self.condition(frame, children[1])
            chosen = self.assume(frame, holds, partial(self.expression, frame, children[0]))
            return self.join(
                (chosen, self.assume(frame, fails, partial(self.expression, frame, children[2])))
            )
        if len(children) == 2 and node.children[1].type == "and":
            holds, _ = self.condition(frame, children[0])
            return self.assume(frame, holds, partial(self.expression, frame, children[1]))
        if len(children) == 2 and _only_tests(children[0]):
            _, fails = self.condition(frame, children[0])
            return self.assume(frame, fails, partial(self.expression, frame, children[1]))
        *asked, last = children
        slots = [self.asked(frame, child) for child in asked]
        return self.join([*slots, self.expression(frame, last)])

    def condition(self, frame: Frame, node: Node) -> Outcome:
        """Evaluate a test; what is known where it holds, and where it does not.

        `isinstance(name, Class)` tells a type, `name.startswith("do_")` how a text begins.
        """
        while node.type == "parenthesized_expression" and node.named_child_count == 1:
            node = node.named_children[0]
        kind = node.type
        if kind == "not_operator" and node.named_child_count == 1:
            holds, fails = self.condition(frame, node.named_children[0])
            return fails, holds
        if kind == "boolean_operator":
            return self.both(frame, node)
        if kind == "comparison_operator" and node.named_child_count == 2:
            return self.compared_type(frame, node)
        if kind == "call" and node.named_children[-1].type == "argument_list":
            function, arguments = node.named_children[0], node.named_children[-1]
            member = self.told_member(frame, function, arguments.named_children)
            if member is not None:
                name, left, other = member
                fails = None if other < 0 else Known(name, -1, [], slot=other)
                return Known(name, -1, [], slot=left), fails
            marked = self.told_mark(frame, function, arguments.named_children)
            if marked is not None:
                self.asked(frame, node)
                return Known(marked[0], -1, [], slot=marked[1]), None
            if function.text == b"isinstance" and arguments.named_child_count == 2:
                return self.checked_type(frame, *arguments.named_children)
            if function.text == b"issubclass" and arguments.named_child_count == 2:
                return self.checked_class(frame, *arguments.named_children)
            if _PREDICATE.match((function.text or b"").rpartition(b".")[2]):
                return self.guarded(frame, node, function, arguments.named_children)
            if function.text == b"callable" and arguments.named_child_count == 1:
                subject = arguments.named_children[0]
                value, known = self.expression(frame, subject), self.expression(frame, function)
                return None, self.told_types(frame, subject, value, [known], exact=False)[1]
            if function.type == "attribute" and arguments.named_child_count == 1:
                subject, method = function.named_children[0], function.named_children[-1]
                prefix = self.literal_key(arguments.named_children[0]) or b""
                told = self.told_name(frame, function, prefix) if prefix else None
                if told is not None:
                    return Known(told[0], -1, [], slot=told[1]), None
                if method.text == b"startswith" and _BEGINNING.match(prefix):
                    self.expression(frame, node)
                    if subject.type == "identifier":
                        slot = self.constant(prefix + b"*")
                        return Known(self.name(subject.text or b""), -1, [], slot=slot), None
                    return _NOTHING
        self.asked(frame, node)
        return _NOTHING

    def asked(self, frame: Frame, node: Node) -> int:
        """Evaluate what is asked whether it is true: its class may have an answer of its own."""
        value = self.expression(frame, node)
        if value >= 0 and node.type in _ANSWERING:
            self.tests += (value, frame.index, node.start_point[0] + 1)
        return value

    @EXPRESSIONS.on("not_operator")
    def negation(self, frame: Frame, node: Node) -> int:
        self.condition(frame, node)
        return -1

    def both(self, frame: Frame, node: Node) -> Outcome:
        """`a and b`, `a or b`: the second is evaluated where the first holds, or does not."""
        first, last = node.named_children[0], node.named_children[-1]
        left_holds, left_fails = self.condition(frame, first)
        if node.children[1].type == "and":
            right_holds, _ = self.assume(frame, left_holds, partial(self.condition, frame, last))
            return right_holds or left_holds, None
        right_holds, right_fails = self.assume(
            frame, left_fails, partial(self.condition, frame, last)
        )
        holds: Known | None = None
        if left_holds and right_holds and left_holds.name == right_holds.name:
            slots = self.told_slot(frame, left_holds), self.told_slot(frame, right_holds)
            holds = Known(left_holds.name, -1, [], slot=self.join(slots))
        return holds, right_fails or left_fails

    def checked_type(self, frame: Frame, subject: Node, classes: Node) -> Outcome:
        """What `isinstance(subject, classes)` tells."""
        value = self.expression(frame, subject)
        if classes.type == "tuple":
            kinds = [self.expression(frame, child) for child in classes.named_children]
        else:
            kinds = [self.expression(frame, classes)]
        return self.told_types(frame, subject, value, kinds, exact=False)

    def checked_class(self, frame: Frame, subject: Node, classes: Node) -> Outcome:
        """What `issubclass(subject, classes)` tells."""
        value = self.expression(frame, subject)
        several = classes.named_children if classes.type == "tuple" else [classes]
        kinds = [self.expression(frame, child) for child in several]
        name = self.told_of(frame, subject, value)
        if min(kinds, default=-1) < 0 or name is None:
            return _NOTHING
        holds, left = self.slot(), value
        for kind in kinds:
            self.relations.append(("subclass", kind, 0, holds, value))
            slot = self.slot()
            self.relations.append(("subclass", kind, 1, slot, left))
            self.whole[slot] = self.whole.get(left, left)
            left = slot
        return Known(name, -1, [], slot=holds), Known(name, -1, [], refused=True, slot=left)

    def guarded(self, frame: Frame, node: Node, function: Node, arguments: list[Node]) -> Outcome:
        """What a function tells of its argument if it returns a `TypeGuard` or `TypeIs`."""
        self.asked(frame, node)
        subject = arguments[0] if arguments else node
        imported = function.named_children[0] if function.type == "attribute" else function
        if imported.type != "identifier" or subject.type not in ("identifier", "attribute"):
            return _NOTHING
        known = self.read(frame, self.name(imported.text or b""))
        if function is not imported:
            if not any(row[0] == known for row in self.imports):
                return _NOTHING
            name = self.name(function.named_children[-1].text or b"")
            known = self.load(frame, known, name, node.start_point[0] + 1)
        value = self.expression(frame, subject)
        name = self.told_of(frame, subject, value)
        if known < 0 or name is None:
            return _NOTHING
        slots = self.slot(), self.slot()
        for fails, slot in enumerate(slots):
            self.relations.append(("guarded", known, fails, slot, value))
            self.whole[slot] = self.whole.get(value, value)
        return Known(name, -1, [], slot=slots[0]), Known(name, -1, [], refused=True, slot=slots[1])

    def told_of(self, frame: Frame, subject: Node, value: int) -> int | None:
        """The name that a test of an expression tells of; None where it tells nothing."""
        if value < 0:
            return None
        if subject.type == "identifier":
            name = self.name(subject.text or b"")
        else:
            name = self.path(frame, subject, value)
        return None if name not in frame.env or name == -1 else name

    def compared_type(self, frame: Frame, node: Node) -> Outcome:
        """What `type(subject) is Class` tells."""
        call, known = node.named_children
        operator = b" ".join((node.children[1].text or b"").split())
        if (
            call.type == "call"
            and call.named_children[0].text == b"type"
            and call.named_children[-1].named_child_count == 1
            and operator in (b"is", b"==", *_UNEQUAL)
        ):
            subject = call.named_children[-1].named_children[0]
            value = self.expression(frame, subject)
            kinds = [self.expression(frame, known)]
            holds, fails = self.told_types(frame, subject, value, kinds, exact=True)
            return (fails, holds) if operator in _UNEQUAL else (holds, fails)
        self.expression(frame, node)
        return _NOTHING

    def told_types(
        self, frame: Frame, subject: Node, value: int, kinds: list[int], *, exact: bool
    ) -> Outcome:
        name = self.told_of(frame, subject, value)
        if min(kinds, default=-1) < 0 or name is None:
            return _NOTHING
        return (
            Known(name, value, kinds, exact=exact),
            Known(name, value, kinds, refused=True, exact=exact),
        )

    def admitted(self, frame: Frame, value: int, kinds: list[int]) -> int:
        """The slot of a value as far as it is of one of these classes."""
        slot = self.slot()
        for kind in kinds:
            self.types += (slot, kind, TypeHint.CHECKED)
        self.relations.append(("checked", frame.index, 0, slot, value))
        return slot

    def told_slot(self, frame: Frame, known: Known) -> int:
        """The slot of a value as far as a test admits it."""
        if known.slot < 0:
            if known.refused:
                known.slot = self.slot()
                if self.free.get(self.name(b"callable")) not in known.classes:
                    self.whole[known.slot] = self.whole.get(known.source, known.source)
                for kind in known.classes:
                    row = ("refused", kind, int(known.exact), known.slot, known.source)
                    self.relations.append(row)
            else:
                known.slot = self.admitted(frame, known.source, known.classes)
        return known.slot

    def learn(self, frame: Frame, known: Known | None) -> None:
        """Bind a name to what a test has left of its value."""
        if known is None:
            return
        slot = self.told_slot(frame, known)
        if not known.refused and known.name >= 0:
            self.assign(frame, known.name, slot)
        elif known.name not in frame.globals:
            self.rebind(frame, known.name, slot)

    def assume(self, frame: Frame, known: Known | None, walk: Callable[[], _T]) -> _T:
        """Evaluate what is evaluated only if a test has told something about a name."""
        before = None if known is None else frame.env.get(known.name)
        if known is None or before is None:
            return walk()
        self.learn(frame, known)
        result = walk()
        if frame.env.get(known.name) == known.slot:
            frame.journal.append((known.name, known.slot))
            frame.env[known.name] = before
        return result

    def unlearn(self, branch: dict[int, int] | None) -> dict[int, int] | None:
        """Leave a branch: what a test excluded there alone is all of the value again."""
        if branch and self.whole:
            for name, slot in list(branch.items()):
                if slot in self.whole:
                    del branch[name]
        return branch


def _only_tests(node: Node) -> bool:
    """Whether what an expression gives is never more than true or false."""
    if node.type == "call":
        return node.named_children[0].text == b"isinstance"
    return node.type in ("not_operator", "comparison_operator")
