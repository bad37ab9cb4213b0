"""Ruby syntax to facts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, FileFacts, Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.comments import with_closed_comments
from toolroll_codegraph.languages.grammar import count_errors, parse
from toolroll_codegraph.languages.ruby.answers import find_answers
from toolroll_codegraph.languages.ruby.examples import RubyExamples
from toolroll_codegraph.languages.ruby.nodes import NODES
from toolroll_codegraph.languages.ruby.templates import Code, code_of, is_template

if TYPE_CHECKING:
    from tree_sitter import Node


def extract_ruby(source: bytes, path: str = "") -> FileFacts:
    """Turn one Ruby file into facts; a file with syntax errors gives what could be parsed."""
    if is_template(path):
        return _read(_Template(code_of(path, source)))
    return _read(_Ruby(source))


def _read(ruby: _Ruby) -> FileFacts:
    ruby.source = with_closed_comments(ruby.source, b"\n=begin", b"\n=end", b"\n#begin")
    return ruby.run(parse("ruby", ruby.source).root_node)


class _Ruby(RubyExamples):
    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.nodes = NODES.table()
        self.module = self.open_frame(ScopeKind.MODULE, self.name(b"<module>"), None, 1)
        self.module.this = self.module.value

    def run(self, root: Node) -> FileFacts:
        self.module.end = root.end_point[0] + 1
        if root.has_error:
            self.parse_errors = count_errors(root)
        self.body(self.module, root)
        self.run_deferred()
        for frame in self.frames:
            frame.versions.clear()  # local variables are no members
        for position, (kind, owner, new, old, _) in enumerate(self.relations):
            if kind == "alias" and old in self.frames[owner].members:
                # What is defined after its alias is another method than the one that got it.
                self.relations[position] = (kind, owner, new, old, 1)
        find_answers(self)
        return self.finish()

    def expression(self, frame: Frame, node: Node) -> int:
        handler = self.nodes[node.kind_id]
        if handler is not None:
            return handler(self, frame, node)
        value = -1
        for child in node.named_children:
            value = self.expression(frame, child)
        return value

    def body(self, frame: Frame, node: Node) -> int:
        """Statements; the value is that of the last one, joined with those of rescue clauses.

        A statement that is nested too deeply is left out alone.
        """
        value = -1
        left = False
        others: list[int] = []
        before = len(frame.journal)
        branches: list[dict[int, int] | None] = []
        for child in node.named_children:
            kind = child.type
            try:
                if kind == "rescue":
                    walk = partial(self.rescue, frame, child, before, others)
                    branches.append(self.branch(frame, walk))
                elif kind == "ensure":
                    if branches:
                        self.merge(frame, branches if left else [*branches, {}])
                        branches = []
                    self.statements(frame, child)
                elif kind != "comment" and (not left or kind == "heredoc_body"):
                    value = self.expression(frame, child)
                    left = left or self.leaves(child)
            except RecursionError:
                value = -1
                self.parse_errors += 1
        if branches:
            self.merge(frame, branches if left else [*branches, {}])
        return self.join((value, *others)) if others else value

    @NODES.on("body_statement", "begin", "begin_block", "end_block", "block_body", "else", "then",
               "parenthesized_statements", "do", "interpolation", "program")  # fmt: skip
    def statements(self, frame: Frame, node: Node) -> int:
        return self.body(frame, node)

    @NODES.on("self")
    def self_value(self, frame: Frame, node: Node) -> int:
        return self.receiver(frame)

    @NODES.on("identifier")
    def identifier(self, frame: Frame, node: Node) -> int:
        text = self.text(node)
        name = self.name(text)
        slot = self.local(frame, name)
        if slot is not None:
            return slot
        if text == b"__method__":
            return self.own_name(frame)
        return self.bare_call(frame, text, node, None, None)

    @NODES.on("constant", "scope_resolution")
    def constant_value(self, frame: Frame, node: Node) -> int:
        return self.constant_slot(frame, node)

    @NODES.on("instance_variable", "class_variable")
    def instance_variable(self, frame: Frame, node: Node) -> int:
        name = self.name(self.text(node))
        return self.load(frame, self.receiver(frame), name, node.start_point[0] + 1)

    @NODES.on("global_variable")
    def global_variable(self, frame: Frame, node: Node) -> int:
        slot = self.slot()
        self.relations.append(("global", 0, self.name(self.text(node)), slot, 0))
        return slot


class _Template(_Ruby):
    """A template: its `self` is an object of a class that whoever fills it in has for it."""

    def __init__(self, code: Code) -> None:
        super().__init__(code.source)
        self._shown, self._certain = code.written, code.certain
        this = self.module.this = self.slot()
        own: list[Frame] = []
        for _ in range(2 if code.in_views else 0):
            frame = self.open_frame(ScopeKind.CLASS, self.name(b"<view>"), self.module, 0)
            frame.flags |= ScopeFlag.OWN
            frame.this = frame.value
            own.append(frame)
        if own:
            self.relations.append(("view", own[0].index, 0, this, own[1].index))

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        """A name alone may be a variable, which the file's object keeps under that name."""
        if arguments is not None or block is not None or self.in_method(frame):
            return super().bare_call(frame, text, node, arguments, block)
        line = node.start_point[0] + 1
        given = self.load(frame, self.module.value, self.name(text), line)
        if text in self._certain:
            return given
        return self.join((given, super().bare_call(frame, text, node, None, None)))

    def expression(self, frame: Frame, node: Node) -> int:
        """What is written into the text is asked for its own, as between `#{` and `}`."""
        if node.start_byte not in self._shown:
            return super().expression(frame, node)
        self._shown.remove(node.start_byte)  # nothing inside that begins there too
        value = super().expression(frame, node)
        if value >= 0:
            line, name = node.start_point[0] + 1, self.name(b"to_s")
            self.call(frame, line, value, name, flags=CallFlag.IMPLICIT)
        return value

    def block_slot(self, frame: Frame) -> int:
        """`yield` outside of methods gives what is rendered inside, and calls no block."""
        return super().block_slot(frame) if self.in_method(frame) else self.slot()
