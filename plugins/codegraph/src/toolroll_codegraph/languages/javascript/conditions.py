"""What JavaScript's tests tell of variables: where they hold, and where they do not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from toolroll_codegraph.facts import Frame, ParamKind, TypeHint
from toolroll_codegraph.languages.javascript.asking import (
    MOST_TOKENS,
    THERE,
    UNKNOWN,
    bare,
    negated,
    returned_tests,
    skip,
    tells,
)
from toolroll_codegraph.languages.javascript.tested import JavaScriptTested
from toolroll_codegraph.languages.javascript.truths import decided

if TYPE_CHECKING:
    from tree_sitter import Node

_T = TypeVar("_T")
_TELLING: Final = re.compile(rb"\b(?:typeof|instanceof|in)\b|\w\(|\)\(|\bis[A-Z_]|__|@@|\[")
"""What is in every test that tells something."""
_LONGEST: Final = 600
"""So many bytes a function may have that does nothing but to test."""


class Known(NamedTuple):
    """What a test says of a variable where it holds, or where it does not."""

    name: int
    source: int
    test: str
    classes: tuple[int, ...] = ()
    """The slots of the classes that the value is of one of."""


Outcome = tuple[list[Known], list[Known]]
"""What is known where a test holds, and where it does not."""


class JavaScriptConditions(JavaScriptTested):
    """Evaluates tests, and what runs only if they hold."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.left: dict[int, tuple[str, int]] = {}
        """Slot of what tests have left of a value → (the tests, slot of all of the value)."""
        self.unread: dict[int, tuple[int, ...]] = {}
        """Those of them that nothing has read yet, with the classes that a test tells."""

    def decided(self, frame: Frame, condition: Node) -> bool | None:
        """Whether a condition always holds, never does, or may do either."""
        found = decided(condition)
        if found is None or not found[1]:
            return None if found is None else found[0]
        return found[0] if frame.binder(self.name(found[1])) is None else None

    def condition(self, frame: Frame, node: Node) -> Outcome:
        """Evaluate a test; what is known where it holds, and where it does not."""
        self.expression(frame, node)
        return self.outcome(frame, node)

    def outcome(self, frame: Frame, node: Node) -> Outcome:
        """What a test that is evaluated tells."""
        holds: list[Known] = []
        fails: list[Known] = []
        if not _TELLING.search(self.source, node.start_byte, node.end_byte):
            return holds, fails
        for text in dict.fromkeys(self._subjects(node)):
            test = self.test(frame, node, text)
            if test in (THERE, f"! {THERE}"):  # whoever is tested so is not asked in vain
                continue
            name = self.name(text)
            source = self._source(frame, name) if test != UNKNOWN else -1
            if source < 0:
                continue
            may_fail, may_hold = tells(test.split())
            if may_fail:
                holds.append(Known(name, source, test, self._classes(test)))
            if may_hold:
                fails.append(Known(name, source, f"! {test}"))
        return holds, fails

    def _source(self, frame: Frame, name: int) -> int:
        """The slot of a variable of this function or one around; -1 for what no scope binds."""
        return -1 if frame.binder(name) is None else self.read(frame, name)

    def _classes(self, test: str) -> tuple[int, ...]:
        """The slots of the class that a value is an instance of where a test holds."""
        tokens = test.split()
        while tokens and tokens[0] == "&":
            first = skip(tokens, 1)
            left, right = tokens[1:first], tokens[first:]
            tokens = left if left[0].startswith("i") else right
        return (int(tokens[0][1:]),) if len(tokens) == 1 and tokens[0].startswith("i") else ()

    def learn(self, frame: Frame, known: Known) -> int:
        """Bind a name to what a test has left of its value."""
        slot = self.slot()
        self.narrowed[slot] = known.name
        earlier, root = self.left.get(known.source, ("", known.source))
        test = f"& {earlier} {known.test}" if earlier else known.test
        self.left[slot] = test, root
        self.unread[slot] = known.classes
        frame.journal.append((known.name, frame.env.get(known.name)))
        frame.env[known.name] = slot
        if frame.loops:
            frame.fresh[known.name] = slot, len(frame.loops)
        return slot

    def all_of(self, slot: int) -> int:
        return self.left[slot][1] if slot in self.left else slot

    def use(self, slot: int) -> None:
        """Note the test that has left something of a value, once that is read."""
        classes = self.unread.pop(slot)
        test, root = self.left[slot]
        self.relations.append((f"?{test}", int(bool(classes)), 0, slot, root))
        for kind in classes:
            self.types += (slot, kind, TypeHint.DECLARED)

    def read(self, frame: Frame, name: int) -> int:
        slot = frame.env.get(name)
        if slot in self.unread:
            self.use(slot)
        if slot is not None and not frame.loops:
            return slot
        return super().read(frame, name)

    def join(self, slots: Iterable[int]) -> int:
        if self.unread:
            slots = list(slots)
            for slot in slots:
                if slot in self.unread:
                    self.use(slot)
        return super().join(slots)

    def assume(self, frame: Frame, known: list[Known], walk: Callable[[], _T]) -> _T:
        """Evaluate what is evaluated only if a test has told something."""
        bound: list[tuple[Known, int, int, tuple[int, int] | None]] = []
        for item in known:
            before, fresh = frame.env.get(item.name, item.source), frame.fresh.get(item.name)
            bound.append((item, before, self.learn(frame, item), fresh))
        result = walk()
        for item, before, slot, fresh in reversed(bound):
            if frame.env.get(item.name) == slot:
                frame.journal.append((item.name, slot))
                frame.env[item.name] = before
                if fresh is not None and fresh[0] == before:  # bound since its loop began, still
                    frame.fresh[item.name] = fresh
        return result

    def give_back(self, frame: Frame, value: int) -> None:
        """Return a value: a parameter that tests have left something of is each caller's own."""
        if value < 0 or frame.ret < 0:
            return
        test, root = self.left.get(value, ("", -1))
        given = any(
            slot == root and shape == ParamKind.POSITIONAL for _, slot, shape in frame.params
        )
        if given:
            self.relations.append((f"<{test}", 0, 0, frame.ret, root))
        else:
            self.copies += (value, frame.ret)

    def predicate(self, frame: Frame, body: Node) -> None:
        """Note what a function says of its parameters, if all that it does is to test them."""
        if not frame.params or body.end_byte - body.start_byte > _LONGEST:
            return
        if not _TELLING.search(self.source, body.start_byte, body.end_byte):
            return
        returned = returned_tests(body)
        if returned is None:
            return
        asked = [node for pair in returned for node in pair if node is not None]
        texts = dict.fromkeys(text for node in asked for text in self._subjects(node))
        for text in texts:
            wanted = self.name(text)
            for place, (name, slot, shape) in enumerate(frame.params):
                if name == wanted and shape == ParamKind.POSITIONAL and frame.env[name] == slot:
                    test = self._returned_test(frame, returned, text)
                    if test not in (UNKNOWN, THERE):
                        self.relations.append((f"={test}", frame.index, place, 0, 0))

    def _returned_test(
        self, frame: Frame, returned: list[tuple[Node | None, Node]], name: bytes
    ) -> str:
        found = UNKNOWN
        for condition, value in reversed(returned):
            asked = self.test(frame, value, name, whole=True)
            if condition is None:
                found = asked
                continue
            holds = self.test(frame, condition, name, whole=True)
            answer = bare(value).type
            if answer == "true":
                found = UNKNOWN if holds == found == UNKNOWN else f"| {holds} {found}"
            elif answer == "false":
                holds = negated(holds)
                found = UNKNOWN if holds == found == UNKNOWN else f"& {holds} {found}"
            else:
                return UNKNOWN
        return found if found.count(" ") < MOST_TOKENS else UNKNOWN
