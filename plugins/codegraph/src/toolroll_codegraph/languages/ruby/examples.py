"""Files of RSpec's and Minitest's examples: their words, what groups share and what is configured.

Shared examples are a module, which a group includes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.ruby.groups import EVERY_GROUP, FOR_EACH, Group, RubyGroups, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_SHARED: Final = b"{shared} "
"""What stands before the name of shared examples in that of their module."""
_NO_WORD: Final = re.compile(rb"\W+")
_GROUPS: Final = frozenset((
    b"describe", b"context", b"feature", b"example_group", b"xdescribe", b"fdescribe", b"xcontext",
    b"fcontext",
))  # fmt: skip
_SHARING: Final = frozenset((b"shared_examples", b"shared_examples_for", b"shared_context"))
_OPENING: Final = _SHARING | {b"describe", b"feature", b"fdescribe", b"xdescribe"}
"""What opens a group outside of any."""
_OF_CASES: Final = frozenset((b"test", b"setup", b"teardown"))
"""What the class of a test case runs on its objects."""
_STARTING: Final = _OPENING | _OF_CASES
_NAMING: Final = frozenset((
    b"let", b"let!", b"subject", b"subject!", b"given", b"given!", b"let_it_be", b"let_it_be!",
))  # fmt: skip
_RUNNING: Final = frozenset((
    b"it", b"specify", b"example", b"scenario", b"fit", b"fspecify", b"focus", b"its", b"xit",
    b"before", b"after", b"around", b"prepend_before", b"append_before", b"prepend_after",
    b"append_after", b"background", b"setup", b"teardown", b"pending", b"skip",
))  # fmt: skip
_INCLUDING: Final = frozenset((b"include_examples", b"include_context"))
_BEHAVING: Final = frozenset((b"it_behaves_like", b"it_should_behave_like"))


class RubyExamples(RubyGroups):
    """Reads the words of a file of examples."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        own = re.search(rb"\bdef (?:self\.)?describe\b", source)  # no RSpec, but something alike
        self._starting = frozenset[bytes]() if own else _STARTING

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        group = self.group_around(frame) if self.groups else None
        if group is None and (block is None or text not in self._starting):
            return super().bare_call(frame, text, node, arguments, block)
        line, base = node.start_point[0] + 1, self.receiver(frame)
        word, value = Word(frame, text, line, base, arguments, block), None
        if group is not None:
            read = _READING.get(text)
            value = None if read is None else read(self, group, word)
        elif frame.kind == ScopeKind.CLASS:
            value = self._run_in_class(frame, word)
        elif word.children and self.lexical_class(frame).kind != ScopeKind.CLASS:
            value = self._open_outside(word)
        if value is not None:
            return value
        read_on = super().bare_call if group is None else self.expectation
        return read_on(frame, text, node, arguments, block)

    def send(
        self, frame: Frame, base: int, text: bytes, line: int,
        arguments: Node | None, block: Node | None, flags: int = 0,
    ) -> int:  # fmt: skip
        if block is not None and (text in self._starting or text == b"configure"):
            owner = self.lexical_class(frame).index
            if base == self.constants_read.get((owner, b"RSpec")):
                value = self._open_outside(Word(frame, text, line, base, arguments, block))
                if value is not None:
                    return value
        return super().send(frame, base, text, line, arguments, block, flags)

    def _run_in_class(self, frame: Frame, word: Word) -> int | None:
        """`test "adds" do … end` and `setup do … end` of a test case of Rails'."""
        if word.text not in _OF_CASES or bool(word.children) != (word.text == b"test"):
            return None
        return self.run_example(Group(frame, -1, None, []), word)

    def _open_outside(self, word: Word) -> int | None:
        """What `RSpec` is told, or a file outside of all groups."""
        if self.in_method(word.frame) or word.text in _OF_CASES:
            return None
        if word.text == b"configure":
            self._configure(word)
            return None
        return (self.share if word.text in _SHARING else self.open)(None, word)

    # what groups share

    def share(self, group: Group | None, word: Word) -> int | None:
        """`shared_examples "name" do … end` is a module that any file may name."""
        name = self._shared_name(word)
        if word.block is None or name is None:
            return None
        self.note(word)
        inner = self.open_group(group, word, ScopeKind.NAMESPACE, -1)
        row = ("const", self.module.index, self.name(name), inner.frame.value, 0)
        self.relations.append(row)
        return -1

    def include(self, group: Group, word: Word) -> int | None:
        """`include_examples "name"`: the group gets what they have."""
        name = self._shared_name(word)
        if name is None:
            return None
        slot = self.constant_named(name, word.frame, word.line)
        self.relations.append(("include", group.frame.index, 0, slot, word.line))
        self.arguments(word.frame, word.arguments, word.block)
        return -1

    def behave(self, group: Group, word: Word) -> int | None:
        """`it_behaves_like "name" do … end`: a group of its own gets what they have."""
        if self._shared_name(word) is None:
            return None
        inner = self.open_group(group, word, ScopeKind.CLASS, -1)
        return self.include(inner, word._replace(block=None))

    def _shared_name(self, word: Word) -> bytes | None:
        """What the module of the shared examples that a call names is called."""
        told = word.children[0] if word.children else None
        if told is None:
            return None
        name = self.literal_key(told)
        if name is None and told.type in ("constant", "scope_resolution"):
            name = self.text(told)
        return None if name is None else _SHARED + _NO_WORD.sub(b" ", name)

    def _configure(self, word: Word) -> None:
        """`RSpec.configure { |config| config.include Name }`: every group gets that."""
        block = word.block
        if block is None:
            return
        parameters, body = (block.child_by_field_name(it) for it in ("parameters", "body"))
        if parameters is None or body is None or not parameters.named_children:
            return
        config = self.text(parameters.named_children[0])
        every = self.open_class(self.module, block, ScopeKind.CLASS, self.name(EVERY_GROUP))
        every.flags |= ScopeFlag.OWN
        group = self.groups[every.index] = Group(every, -1, None, [])
        for told in body.named_children:
            receiver, method = (told.child_by_field_name(it) for it in ("receiver", "method"))
            arguments, given = (told.child_by_field_name(it) for it in ("arguments", "block"))
            if receiver is None or method is None or self.text(receiver) != config:
                continue
            text = self.text(method)
            if text in _INCLUDING:
                self.include(group, word._replace(arguments=arguments, block=None))
            elif text in (b"include", b"extend") and arguments is not None:
                for child in reversed(arguments.named_children):
                    if child.type in ("constant", "scope_resolution"):
                        slot, line = self.constant_slot(word.frame, child), word.line
                        self.relations.append((text.decode(), every.index, 0, slot, line))
            elif text in FOR_EACH and given is not None:
                self.run_on_group(group, word._replace(block=given), given)


_Read = Callable[[RubyExamples, Group, Word], int | None]
_READING: Final[dict[bytes, _Read]] = {
    **dict.fromkeys(_GROUPS, RubyExamples.open),
    **dict.fromkeys(_SHARING, RubyExamples.share),
    **dict.fromkeys(_INCLUDING, RubyExamples.include),
    **dict.fromkeys(_BEHAVING, RubyExamples.behave),
    **dict.fromkeys(_NAMING, RubyExamples.let),
    **dict.fromkeys(_RUNNING, RubyExamples.run_example),
    b"described_class": RubyExamples.described_class,
}
