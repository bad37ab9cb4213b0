"""What RSpec's matchers call on what is expected: `expect(cart).to be_empty` asks `empty?`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, Frame
from toolroll_codegraph.languages.ruby.requests import RubyRequests

if TYPE_CHECKING:
    from tree_sitter import Node

_TO: Final = frozenset((b"to", b"not_to", b"to_not"))
_SHOULD: Final = frozenset((b"should", b"should_not"))
_PREDICATES: Final = ((b"be_a_", b""), (b"be_an_", b""), (b"be_", b""), (b"have_", b"has_"))
_OWN: Final = frozenset((
    b"be_a", b"be_an", b"be_a_kind_of", b"be_kind_of", b"be_an_instance_of", b"be_instance_of",
    b"be_nil", b"be_truthy", b"be_falsey", b"be_falsy", b"be_true", b"be_false", b"be_within",
    b"have_attributes", b"have_received", b"be_between",
))  # fmt: skip
"""Matchers of RSpec's own that begin as predicates do."""
_OPERATORS: Final = {
    b"eq": b"==", b"include": b"include?", b"match": b"match?", b"eql": b"eql?",
    b"equal": b"equal?", b"be_between": b"between?", b"respond_to": b"respond_to?",
}  # fmt: skip


class RubyExpectations(RubyRequests):
    """Calls that a matcher makes, on the line on which it is written."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._expected: dict[int, int] = {}
        """Result of `expect(value)` → slot of the value."""
        self._matchers: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        """Result of a matcher → the methods that it calls, and with what."""

    def expectation(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        """A bare call in a group: an expectation, a matcher or anything else."""
        value = super().bare_call(frame, text, node, arguments, block)
        if not self.calls or self.calls[-CallColumn.WIDTH] != value:
            return value  # no call
        line = node.start_point[0] + 1
        if text == b"is_expected":
            self._expected[value] = self._subject(frame, line)
        elif text == b"expect" and arguments is not None:
            self._expected[value] = next(iter(self._given(value)), -1)
        elif text == b"have_attributes":
            self._matchers[value] = self._keywords(), ()
        elif text == b"change":
            self._ask(frame, line, *self._given(value))
        elif (asked := _asked(text)) is not None:
            self._matchers[value] = (self.name(asked),), self._given(value)
        return value

    def _subject(self, frame: Frame, line: int) -> int:
        name, receiver = self.name(b"subject"), self.receiver(frame)
        return self.call(frame, line, receiver, name, flags=CallFlag.SAFE_NAME)

    def _ask(self, frame: Frame, line: int, base: int = -1, name: int = -1, *_: int) -> None:
        """`change(cart, :total)` calls the method before and after."""
        method = self.text_of(name)
        if method is not None:
            self.call(frame, line, base, self.name(method))

    def _given(self, value: int) -> tuple[int, ...]:
        """The positional arguments of the call that was noted last, if that gave this."""
        row = self.calls[-CallColumn.WIDTH :]
        if not row or row[CallColumn.RESULT] != value:
            return ()
        first = row[CallColumn.START]
        return tuple(self.call_arguments[first : first + row[CallColumn.POSITIONAL]])

    def _keywords(self) -> tuple[int, ...]:
        """The names of its keyword arguments."""
        row = self.calls[-CallColumn.WIDTH :]
        first = row[CallColumn.START] + row[CallColumn.POSITIONAL]
        return tuple(name for name in self.call_arguments[first::2] if name >= 0)

    def send(
        self, frame: Frame, base: int, text: bytes, line: int,
        arguments: Node | None, block: Node | None, flags: int = 0,
    ) -> int:  # fmt: skip
        value = super().send(frame, base, text, line, arguments, block, flags)
        if self._matchers and (text in _TO or text in _SHOULD):
            given = self._given(value)
            if text in _TO:
                base = self._expected.get(base, -1)
            elif flags & CallFlag.SAFE_NAME:  # `it { should be_empty }`
                base = self._subject(frame, line)
            self._match(frame, line, base, given)
        return value

    def _match(self, frame: Frame, line: int, actual: int, given: tuple[int, ...]) -> None:
        """Note what the matcher that an expectation is given calls on what is expected."""
        names, arguments = self._matchers.get(given[0], ((), ())) if given else ((), ())
        for name in names if actual >= 0 else ():
            self.call(frame, line, actual, name, arguments, flags=CallFlag.IMPLICIT)


def _asked(matcher: bytes) -> bytes | None:
    """The method that a matcher calls on what is expected; None for those that call none."""
    if matcher in _OPERATORS:
        return _OPERATORS[matcher]
    if matcher in _OWN:
        return None
    for beginning, instead in _PREDICATES:
        if matcher.startswith(beginning) and len(matcher) > len(beginning):
            return instead + matcher[len(beginning) :] + b"?"
    return None
