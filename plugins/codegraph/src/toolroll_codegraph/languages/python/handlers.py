"""Python's exception handlers: when they run, and what they catch."""

from __future__ import annotations

import builtins
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    RETURNED,
    CallColumn,
    Frame,
    ObjectKind,
    TypeHint,
)
from toolroll_codegraph.languages.python.loops import STATEMENTS
from toolroll_codegraph.languages.python.presence import PythonPresence

if TYPE_CHECKING:
    from tree_sitter import Node

_UNNAMED: Final = re.compile(rb"except\s+NameError\s*:")
_TRIED: Final = re.compile(rb"(?:[A-Za-z_]\w*\s*=\s*)?([A-Za-z_]\w*)")
_GONE: Final = frozenset(
    b"unicode basestring xrange long raw_input unichr reduce cmp file buffer intern execfile apply "
    b"reload".split()
)
"""What Python 2 had without an import."""
_ENDS: Final = (b"StopIteration", b"StopAsyncIteration")


class PythonHandlers(PythonPresence):
    """Walks `try` statements."""

    @STATEMENTS.on("try_statement")
    def try_statement(self, frame: Frame, node: Node) -> bool:
        before, mark = len(frame.journal), len(self.calls)
        branches: list[dict[int, int] | None] = []
        ends, end = False, mark
        missing = self.is_missing(frame, node)
        for child in node.named_children:
            kind = child.type
            if kind == "block":
                ends = self.block(frame, child) or missing is True
                end = len(self.calls)
            elif kind in ("except_clause", "except_group_clause"):
                walk = partial(self.except_clause, frame, child, before, range(mark, end))
                if missing is False:
                    walk = partial(self.never, frame, walk)
                branches.append(self.branch(frame, walk))
            elif kind == "else_clause":
                ends = self.inner_block(frame, child) or ends
            elif kind == "finally_clause":
                self.merge(frame, [*branches, {}])
                ends = ends and all(branch is None for branch in branches)
                branches = []
                if self.inner_block(frame, child):
                    return True
        if branches:
            self.merge(frame, branches if ends else [*branches, {}])
            return ends and all(branch is None for branch in branches)
        return ends

    def is_missing(self, frame: Frame, node: Node) -> bool | None:
        """Whether Python lacks the name that is tried (`unicode`); None where nothing else is."""
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) != 2 or not _UNNAMED.match(parts[1].text or b""):
            return None
        tried = _TRIED.fullmatch(parts[0].text or b"")
        if tried is None or self.name(tried[1]) in self.frames[0].env:
            return None
        return tried[1] in _GONE or (False if hasattr(builtins, tried[1].decode()) else None)

    def except_clause(self, frame: Frame, node: Node, before: int, tried: range) -> bool:
        """Walk a handler, which begins with what is bound anywhere in its `try`.

        `tried` are the places of the calls in that.
        """
        self.rewind_join(frame, before)
        ends = False
        for child in node.named_children:
            if child.type == "block":
                ends = self.block(frame, child)
            elif child.type == "as_pattern":
                caught = child.named_children[0]
                several = caught.named_children if caught.type == "tuple" else [caught]
                kinds = [self.expression(frame, one) for one in several]
                alias = child.child_by_field_name("alias")
                if alias is not None and alias.named_children:
                    slot = self.caught(kinds)
                    if node.type == "except_group_clause" or node.children[1].type == "*":
                        slot = self.group(frame, slot)
                    elif caught.text in _ENDS:
                        slot = self.ended(frame, tried, child.start_point[0] + 1)
                    self.target(frame, alias.named_children[0], slot)
            else:
                self.expression(frame, child)
        return ends

    def caught(self, kinds: list[int]) -> int:
        """The slot of what a handler for some classes catches."""
        slot = self.slot() if max(kinds, default=-1) >= 0 else -1
        for kind in kinds:
            if kind >= 0:
                self.types += (slot, kind, TypeHint.CAUGHT)
        return slot

    def group(self, frame: Frame, slot: int) -> int:
        """What `except*` binds: a group of such exceptions."""
        group = self.container(frame, ObjectKind.SEQUENCE)
        inside = self.container(frame, ObjectKind.SEQUENCE)
        self.store(inside, self.any_key, slot)
        self.store(group, self.name(b"exceptions"), inside)
        return group

    def ended(self, frame: Frame, tried: range, line: int) -> int:
        """What `except StopIteration` binds: its value is what the generators have returned that
        are asked for their next element."""
        error, returned = self.container(frame, ObjectKind.SEQUENCE), self.name(RETURNED.encode())
        following = self.free.get(self.name(b"next"), -1)
        asking = self.name(b"send"), self.name(b"throw"), self.name(b"__next__")
        for row in tried[:: CallColumn.WIDTH]:
            source, name = self.calls[row + CallColumn.SOURCE], self.calls[row + CallColumn.NAME]
            if name < 0 and source == following and self.calls[row + CallColumn.POSITIONAL]:
                source = self.call_arguments[self.calls[row + CallColumn.START]]
            elif name not in asking:
                continue
            self.store(error, self.name(b"value"), self.load(frame, source, returned, line))
        return error
