"""What JavaScript's tests tell of a variable: where they hold, and where they do not.

A test is written as a text in prefix notation, which the resolver asks of each value: `i12` whether
it is an instance of what slot 12 holds, `t:function` what `typeof` says of it, `a` whether it is an
array, `h:name` whether it has a member, `f:name` whether that can be called, `p12,0` what the
function in slot 12 says of its first argument, `m12:name` what it says of a member, `v` whether it
is something at all, `?` what a run alone tells; `! t`, `& t t` and `| t t` join them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from toolroll_codegraph.facts import Frame, ParamKind, TypeHint
from toolroll_codegraph.languages.javascript.asking import (
    THERE,
    UNKNOWN,
    arguments_of,
    bare,
    negated,
    returned_tests,
    skip,
    tells,
)
from toolroll_codegraph.languages.javascript.elements import JavaScriptElements
from toolroll_codegraph.languages.javascript.literals import FALSE
from toolroll_codegraph.languages.javascript.truths import EQUAL, decided

if TYPE_CHECKING:
    from tree_sitter import Node

_T = TypeVar("_T")
_PATH: Final = ("identifier", "member_expression", "this")
_TELLING: Final = re.compile(rb"\b(?:typeof|instanceof|in)\b|\w\(|\)\(|\bis[A-Z_]|__|@@|\[")
"""What is in every test that tells something."""
_LONGEST: Final = 600
"""So many bytes a function may have that does nothing but to test."""
_ASKS: Final = re.compile(rb"_?(?:is|has|can)(?:[A-Z_]|\Z)")
"""How methods begin that answer whether an argument is something."""
_CALLED: Final = ("function", "object")
_MARK: Final = re.compile(r"_?is[A-Z_]|@@|__")
"""How members begin that say what an object is, whatever else it has."""
_MOST_TOKENS: Final = 24


class Known(NamedTuple):
    """What a test says of a variable where it holds, or where it does not."""

    name: int
    source: int
    test: str
    classes: tuple[int, ...] = ()
    """The slots of the classes that the value is of one of."""


Outcome = tuple[list[Known], list[Known]]
"""What is known where a test holds, and where it does not."""


class JavaScriptConditions(JavaScriptElements):
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
        name = self.name(found[1])
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.versions:
                return None
            scope = scope.parent
        return found[0]

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
        scope: Frame | None = frame
        while scope is not None:
            if name in scope.versions:
                return self.read(frame, name)
            scope = scope.parent
        return -1

    def _classes(self, test: str) -> tuple[int, ...]:
        """The slots of the class that a value is an instance of where a test holds."""
        tokens = test.split()
        while tokens and tokens[0] == "&":
            first = skip(tokens, 1)
            left, right = tokens[1:first], tokens[first:]
            tokens = left if left[0].startswith("i") else right
        return (int(tokens[0][1:]),) if len(tokens) == 1 and tokens[0].startswith("i") else ()

    def _subjects(self, node: Node) -> Iterator[bytes]:
        """The variables that a test is about."""
        node = bare(node)
        kind = node.type
        if kind == "unary_expression" and node.children[0].type == "!":
            yield from self._subjects(node.named_children[-1])
        elif kind == "binary_expression" and node.named_child_count == 2:
            operator, (first, last) = node.children[1].type, node.named_children
            if operator in ("&&", "||"):
                yield from self._subjects(first)
                yield from self._subjects(last)
            elif operator in EQUAL or operator in ("instanceof", "in"):
                for side in (first, last):
                    side = bare(side)
                    if side.type == "unary_expression" and side.children[0].type == "typeof":
                        side = bare(side.named_children[-1])
                    yield from self._root(side)
        elif kind == "call_expression":
            for argument in arguments_of(node):
                if argument.type == "identifier":
                    yield self.text(argument)
                else:
                    yield from self._subjects(argument)
        else:
            yield from self._root(node)

    def _root(self, node: Node) -> Iterator[bytes]:
        if node.type in ("member_expression", "subscript_expression"):
            node = bare(node.named_children[0])
        if node.type == "identifier":
            yield self.text(node)

    def test(self, frame: Frame, node: Node, name: bytes, *, whole: bool = False) -> str:
        """What a condition asks of a variable; `whole` where all that it asks counts."""
        node = bare(node)
        kind = node.type
        found = UNKNOWN
        if kind == "identifier" and self.text(node) == name:
            found = THERE
        elif kind == "unary_expression" and node.children[0].type == "!":
            found = negated(self.test(frame, node.named_children[-1], name, whole=whole))
        elif kind == "binary_expression" and node.named_child_count == 2:
            found = self._binary_test(frame, node, name, whole)
        elif kind == "call_expression":
            found = self._call_test(frame, node, name, whole)
        elif kind in ("member_expression", "subscript_expression"):
            member = self._member_of(frame, node, name)
            if member == "__esModule":  # what is imported has it in many ways
                member = ""
            if member and (whole or _MARK.match(member)):
                found = f"h:{member}"
        return found if found.count(" ") < _MOST_TOKENS else UNKNOWN

    def _binary_test(self, frame: Frame, node: Node, name: bytes, whole: bool) -> str:
        operator, (first, last) = node.children[1].type, node.named_children
        if operator in ("&&", "||"):
            left = self.test(frame, first, name, whole=whole)
            right = self.test(frame, last, name, whole=whole)
            if left == right == UNKNOWN:
                return UNKNOWN
            return f"{'&' if operator == '&&' else '|'} {left} {right}"
        if operator == "instanceof":
            if bare(first).type == "identifier" and self.text(bare(first)) == name:
                slot = self._operand(frame, last)
                return f"i{slot}" if slot >= 0 else UNKNOWN
        elif operator == "in":
            key = self._key(frame, first)
            if key and bare(last).type == "identifier" and self.text(bare(last)) == name:
                return f"h:{key}" if whole or _MARK.match(key) else UNKNOWN
        elif operator in EQUAL:
            found = self._type_test(frame, bare(first), bare(last), name, whole)
            return found if EQUAL[operator] else negated(found)
        return UNKNOWN

    def _type_test(self, frame: Frame, first: Node, last: Node, name: bytes, whole: bool) -> str:
        """`typeof name === "function"`, `typeof name.member === "function"`, `=== true`."""
        if first.type in ("string", "true", *FALSE):
            first, last = last, first
        if last.type in ("null", "undefined") and first.type == "identifier":
            return f"! {THERE}" if self.text(first) == name else UNKNOWN
        if last.type == "true" and first.type in ("member_expression", "subscript_expression"):
            return self.test(frame, first, name, whole=whole)
        if (
            last.type != "string"
            or first.type != "unary_expression"
            or first.children[0].type != "typeof"
        ):
            return UNKNOWN
        subject, kind = bare(first.named_children[-1]), self.text(last)[1:-1].decode()
        if subject.type == "identifier" and self.text(subject) == name:
            return f"t:{kind}" if kind.isalpha() else UNKNOWN
        member = self._member_of(frame, subject, name) if kind in _CALLED else ""
        return f"f:{member}" if member else UNKNOWN

    def _call_test(self, frame: Frame, node: Node, name: bytes, whole: bool) -> str:
        function = node.child_by_field_name("function")
        arguments = arguments_of(node)
        if function is None:
            return UNKNOWN
        while function.type in ("parenthesized_expression", "sequence_expression"):
            function = function.named_children[-1]
        text = self.text(function)
        if text == b"Boolean" and len(arguments) == 1:
            return self.test(frame, arguments[0], name, whole=whole)
        for place, argument in enumerate(arguments):
            if argument.type == "spread_element":
                break
            if argument.type == "identifier" and self.text(argument) == name:
                if text == b"Array.isArray":
                    return "a" if place == 0 else UNKNOWN
                slot = self._operand(frame, function, asks=True)
                return f"p{slot},{place}" if slot >= 0 else UNKNOWN
            member = self._member_of(frame, argument, name)
            if member and whole and not place:
                slot = self._operand(frame, function, asks=True)  # `isFunction(value.next)`
                return f"m{slot}:{member}" if slot >= 0 else UNKNOWN
        return UNKNOWN

    def _operand(self, frame: Frame, node: Node, *, asks: bool = False) -> int:
        """The slot of a class, or a function that `asks`, by its name or path; -1 for others."""
        around = node = bare(node)
        while around.type == "member_expression":
            around = bare(around.named_children[0])
        if around.type not in _PATH or node.type not in _PATH:
            return -1
        last = node.named_children[-1] if node.type == "member_expression" else node
        if asks and not _ASKS.match(self.text(last)):
            return -1
        return self.expression(frame, node)

    def _member_of(self, frame: Frame, node: Node, name: bytes) -> str:
        """The member of a variable that is read, empty for anything else."""
        node = bare(node)
        if node.type not in ("member_expression", "subscript_expression"):
            return ""
        base = bare(node.named_children[0])
        if base.type != "identifier" or self.text(base) != name:
            return ""
        if node.type == "member_expression":
            return self.text(node.named_children[-1]).decode("utf-8", "replace")
        index = node.child_by_field_name("index")
        return "" if index is None else self._key(frame, index)

    def _key(self, frame: Frame, node: Node) -> str:
        """A name that is written, or that a constant holds; empty where a run tells."""
        key = self.literal_key(node)
        if key is None and node.type == "identifier":
            key = self.constant_text(frame, self.name(self.text(node)))
        text = (key or b"").decode("utf-8", "replace")
        return "" if not text or " " in text or text.startswith("[") else text

    def constant_text(self, frame: Frame, name: int) -> bytes | None:
        """The text that a variable has all the time."""
        scope: Frame | None = frame
        while scope is not None:
            versions = scope.versions.get(name)
            if versions is not None:
                return self.text_of(versions[0]) if len(versions) == 1 else None
            scope = scope.parent
        return None

    # what follows

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
        bound: list[tuple[Known, int, int]] = []
        for item in known:
            before = frame.env.get(item.name, item.source)
            bound.append((item, before, self.learn(frame, item)))
        result = walk()
        for item, before, slot in reversed(bound):
            if frame.env.get(item.name) == slot:
                frame.journal.append((item.name, slot))
                frame.env[item.name] = before
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
        return found if found.count(" ") < _MOST_TOKENS else UNKNOWN
