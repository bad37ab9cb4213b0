"""A Python file to facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import FileFacts, Frame, ScopeKind
from toolroll_codegraph.languages.grammar import count_errors
from toolroll_codegraph.languages.python.definitions import PythonDefinitions
from toolroll_codegraph.languages.python.factories import mark_factories
from toolroll_codegraph.languages.python.loops import STATEMENTS
from toolroll_codegraph.languages.python.repairs import parse_python

if TYPE_CHECKING:
    from tree_sitter import Node


_NAMES: Final = re.compile(rb"[\w, \t]+")


def extract_python(source: bytes) -> FileFacts:
    """Turn one Python file into facts; a file with syntax errors gives what could be parsed."""
    tree, source = parse_python(source)
    return _Python(source).run(tree.root_node)


class _Python(PythonDefinitions):
    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.module = self.open_frame(ScopeKind.MODULE, self.name(b"<module>"), None, 1)

    def run(self, root: Node) -> FileFacts:
        self.module.end = root.end_point[0] + 1
        if root.has_error:
            self.parse_errors = count_errors(root)
        self.note_shared()
        self.block(self.module, root)
        self.run_deferred()
        mark_factories(self)
        return self.finish()

    def note_shared(self) -> None:
        """Note the names that functions bind outside of themselves, before anything reads them."""
        stars = b"import *" in self.source  # which may bring them
        for word in (b"global ", b"nonlocal "):
            start = self.source.find(word)
            while start >= 0:
                names = _NAMES.match(self.source, start + len(word))
                before = self.source[self.source.rfind(b"\n", 0, start) + 1 : start]
                for text in names[0].split(b",") if names and before.isspace() else ():
                    name = self.name(text.strip())
                    self.shared.add(name)
                    if word == b"global " and name not in self.module.env and not stars:
                        self.assign(self.module, name, -1)
                start = self.source.find(word, start + len(word))

    def block(self, frame: Frame, node: Node) -> bool:
        """Walk statements; what items were assigned holds neither from before nor behind them."""
        self.kept.clear()
        ends = super().block(frame, node)
        self.kept.clear()
        return ends

    @STATEMENTS.on("global_statement", "nonlocal_statement")
    def global_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            name = self.name(child.text or b"")
            target: Frame | None = self.module
            if node.type == "nonlocal_statement":
                target = frame.parent
                while target is not None and name not in target.versions:
                    target = target.parent
            if target is not None and target is not frame:
                frame.globals[name] = target
                target.versions.setdefault(name, [])
