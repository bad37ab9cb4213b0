"""Python imports to facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import Frame, ImportKind
from toolroll_codegraph.languages.python.loops import STATEMENTS
from toolroll_codegraph.languages.python.statements import PythonStatements

if TYPE_CHECKING:
    from tree_sitter import Node


class PythonImportStatements(PythonStatements):
    """Notes what is imported, and binds the names."""

    @STATEMENTS.on("import_statement")
    def import_statement(self, frame: Frame, node: Node) -> None:
        line = node.start_point[0] + 1
        for child in node.named_children:
            slot = self.slot()
            if child.type == "aliased_import":
                dotted, alias = child.named_children[0], child.named_children[-1]
                module = dotted.text or b""
                self.imports.append((slot, 0, 0, module.decode(), -1, line, frame.index))
                self.assign(frame, self.name(alias.text or b""), slot)
            elif child.type == "dotted_name":
                module = (child.text or b"").replace(b" ", b"")
                kind = int(ImportKind.ROOT)
                self.imports.append((slot, kind, 0, module.decode(), -1, line, frame.index))
                self.assign(frame, self.name(module.partition(b".")[0]), slot)

    @STATEMENTS.on("import_from_statement")
    def import_from_statement(self, frame: Frame, node: Node) -> None:
        line = node.start_point[0] + 1
        children = node.named_children
        level, module = 0, ""
        for position, child in enumerate(children):
            kind = child.type
            if position == 0:
                text = (child.text or b"").replace(b" ", b"").decode("utf-8", "replace")
                module = text.lstrip(".")
                level = len(text) - len(module)
            elif kind == "wildcard_import":
                row = (-1, int(ImportKind.STAR), level, module, -1, line, frame.index)
                self.imports.append(row)
            elif kind in ("dotted_name", "aliased_import"):
                slot = self.slot()
                first = child if kind == "dotted_name" else child.named_children[0]
                last = child if kind == "dotted_name" else child.named_children[-1]
                name = self.name(first.text or b"")
                row = (slot, int(ImportKind.NAME), level, module, name, line, frame.index)
                self.imports.append(row)
                self.assign(frame, self.name(last.text or b""), slot)
