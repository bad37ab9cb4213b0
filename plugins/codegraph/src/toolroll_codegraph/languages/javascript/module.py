"""JavaScript (with JSX) and TypeScript (with TSX) syntax to facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import FileFacts, ScopeKind
from toolroll_codegraph.languages.grammar import count_errors
from toolroll_codegraph.languages.javascript.namespaces import JavaScriptNamespaces
from toolroll_codegraph.languages.javascript.repairs import parse_javascript

if TYPE_CHECKING:
    from tree_sitter import Node

_DIALECTS: Final = {"ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx"}
_MODULE_SYNTAX: Final = ("import_statement", "export_statement")


def dialect_of(path: str) -> str:
    """The grammar for a file name; JSX is part of JavaScript's, not of TypeScript's."""
    return _DIALECTS.get(path.rpartition(".")[2], "javascript")


def extract_javascript(source: bytes, dialect: str = "javascript") -> FileFacts:
    """Turn one file into facts; a file with syntax errors gives what could be parsed."""
    tree, source, dialect = parse_javascript(source, dialect)
    module = JavaScriptModule(source, dialect)
    module.walk(tree.root_node)
    return module.end()


class JavaScriptModule(JavaScriptNamespaces):
    """Walks a file, and finishes its facts."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.module = self.open_frame(ScopeKind.MODULE, self.name(b"<module>"), None, 1)

    def walk(self, root: Node) -> None:
        self.module.end = root.end_point[0] + 1
        if root.has_error:
            self.parse_errors = count_errors(root)
        self.common = not any(child.type in _MODULE_SYNTAX for child in root.named_children)
        self.name_types(self.module)
        self.block(self.module, root)
        self.run_deferred()

    def end(self) -> FileFacts:
        for name in (self.implicit | self.type_names) & self.free.keys():
            if name in self.module.versions:  # read where it was not known yet
                self.copies += (self.summary(self.module, name), self.free[name])
        for frame, exported, local in self.late_exports:
            if local in frame.versions:
                frame.members[exported] = self.summary(frame, local)
        return self.finish()
