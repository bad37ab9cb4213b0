"""Imports and exports of JavaScript and TypeScript modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import Frame, ImportKind
from toolroll_codegraph.languages.grammar import Dispatch
from toolroll_codegraph.languages.javascript.functions import JavaScriptFunctions

if TYPE_CHECKING:
    from tree_sitter import Node

Handler = Callable[[Any, Frame, Any], "bool | None"]
STATEMENTS: Final[Dispatch[Handler]] = Dispatch("javascript")


class JavaScriptModules(JavaScriptFunctions):
    """What a module takes from others and gives to them."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.statements = STATEMENTS.table(dialect)
        self.late_exports: list[tuple[Frame, int, int]] = []

    def decorator(self, frame: Frame, node: Node, value: int) -> None:
        """Call a decorator with what it stands before."""
        raise NotImplementedError

    @STATEMENTS.on("import_statement")
    def import_statement(self, frame: Frame, node: Node) -> None:
        line = node.start_point[0] + 1
        source = node.child_by_field_name("source")
        for child in node.named_children:
            if child.type == "import_require_clause":
                inner = child.child_by_field_name("source")
                if inner is not None:
                    module = self.literal_key(inner) or b""
                    self.bind_import(
                        frame, module, ImportKind.REQUIRE, -1, child.named_children[0], line
                    )
                return
        if source is None:
            return
        module = self.literal_key(source) or b""
        clauses = [child for child in node.named_children if child.type == "import_clause"]
        if not clauses:
            row = (-1, ImportKind.LOAD, 0, module.decode("utf-8", "replace"), -1, line, 0)
            self.imports.append(row)
            return
        for child in clauses[0].named_children:
            if child.type == "identifier":
                default = self.name(b"default")
                self.bind_import(frame, module, ImportKind.NAME, default, child, line)
            elif child.type == "namespace_import":
                alias = child.named_children[0]
                self.bind_import(frame, module, ImportKind.MODULE, -1, alias, line)
            elif child.type == "named_imports":
                for item in child.named_children:
                    if item.type == "import_specifier":
                        name, alias = _specifier(item)
                        wanted = self.name(self.text(name).strip(b"\"'"))
                        self.bind_import(frame, module, ImportKind.NAME, wanted, alias, line)

    def bind_import(
        self, frame: Frame, module: bytes, kind: int, name: int, alias: Node | None, line: int
    ) -> int:
        slot = self.slot()
        text = module.decode("utf-8", "replace")
        self.imports.append((slot, kind, 0, text, name, line, frame.index))
        if alias is not None:
            self.assign(frame, self.name(self.text(alias)), slot)
        return slot

    @STATEMENTS.on("export_statement")
    def export_statement(self, frame: Frame, node: Node) -> None:
        line = node.start_point[0] + 1
        source = node.child_by_field_name("source")
        default = any(child.type == "default" for child in node.children)
        declaration = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        decorators = [child for child in node.named_children if child.type == "decorator"]
        if source is not None:
            self.re_export(frame, node, self.literal_key(source) or b"", line)
        elif declaration is not None:
            known = set(frame.versions)
            handler = self.statements[declaration.kind_id]
            mark = len(frame.journal)
            if handler is not None:
                handler(self, frame, declaration)
            names = [name for name, _ in frame.journal[mark:]]
            names += [name for name in frame.versions if name not in known]
            name = declaration.child_by_field_name("name")
            if name is not None:
                names.append(self.name(self.text(name)))
            for decorator in decorators:
                self.decorator(frame, decorator, frame.env.get(names[-1], -1) if names else -1)
            self.exported += [name for name in dict.fromkeys(names)]
            if default and name is not None:
                local = self.name(self.text(name))
                frame.members[self.name(b"default")] = frame.env.get(local, -1)
        elif value is not None:
            slot = self.named_value(frame, value, b"default")
            if default:
                frame.members[self.name(b"default")] = slot if slot >= 0 else self.slot()
                if value.type == "identifier":
                    self.exported.append(self.name(self.text(value)))
        else:
            self.export_names(frame, node)

    def re_export(self, frame: Frame, node: Node, module: bytes, line: int) -> None:
        text = module.decode("utf-8", "replace")
        star = True
        for child in node.named_children:
            if child.type == "namespace_export" and child.named_children:
                star = False
                name = self.name(self.text(child.named_children[0]))
                slot = self.bind_import(frame, module, ImportKind.MODULE, -1, None, line)
                frame.members[name] = slot
                self.exported.append(name)
            elif child.type == "export_clause":
                star = False
                for item in child.named_children:
                    if item.type == "export_specifier":
                        first, last = _specifier(item)
                        wanted, name = self.name(self.text(first)), self.name(self.text(last))
                        slot = self.bind_import(frame, module, ImportKind.NAME, wanted, None, line)
                        frame.members[name] = slot
                        self.exported.append(name)
        if star:
            self.imports.append((-1, ImportKind.EXPORT_STAR, 0, text, -1, line, frame.index))

    def export_names(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            if child.type == "export_clause":
                for item in child.named_children:
                    if item.type == "export_specifier":
                        first, last = _specifier(item)
                        local, name = self.name(self.text(first)), self.name(self.text(last))
                        self.late_exports.append((frame, name, local))
                        self.exported += [local, name]
            elif child.type == "identifier":  # export = value
                slot = self.expression(frame, child)
                if slot >= 0:
                    self.copies += (slot, self.common_exports()[1])
                self.exported.append(self.name(self.text(child)))

    def note_exported(self, target: Node) -> None:
        value = target.parent and target.parent.child_by_field_name("right")
        while value is not None and value.type == "assignment_expression":
            value = value.child_by_field_name("right")
        if value is None:
            return
        whole = value.type == "object" and self.text(target) == b"module.exports"
        for item in value.named_children if whole else [value]:
            given = item.child_by_field_name("value") if item.type == "pair" else item
            if given is None or given.type == "method_definition":
                continue
            if "identifier" not in given.type:
                given = given.child_by_field_name("name")  # of a function or class
            if given is not None:
                self.exported.append(self.name(self.text(given)))


def _specifier(node: Node) -> tuple[Node, Node]:
    """Name and alias of `a as b`; either may be the keyword `default`."""
    name = node.child_by_field_name("name") or node.children[0]
    return name, node.child_by_field_name("alias") or name
