"""What `require` and `import()` name: a module, or any module of a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.javascript.names import JavaScriptNames

if TYPE_CHECKING:
    from tree_sitter import Node

_JOINING: Final = (b"join", b"resolve")


class JavaScriptSpecifiers(JavaScriptNames):
    """Puts texts and the directory of the file together."""

    def module_specifier(self, node: Node) -> tuple[bytes, Node | None]:
        """The module that is named, empty if none is told.

        With a gap for a name, `"./parts/" + name`, `./parts/*` and what the name is.
        """
        if node.type == "number":
            return b"", None
        parts = self._parts(node)
        if len(parts) == 1:
            return (parts[0], None) if isinstance(parts[0], bytes) else (b"", None)
        before = b""
        for place, part in enumerate(parts):
            if not isinstance(part, bytes):
                after = parts[place + 1 :]
                plain = all(isinstance(item, bytes) and b"/" not in item for item in after)
                inside = before.startswith(b".") and before.endswith(b"/")
                return (before + b"*", part) if inside and plain else (b"", None)
            before += part
        return before, None

    def _parts(self, node: Node) -> list[bytes | Node]:
        """The texts that an expression joins, and what stands between them."""
        kind = node.type
        if kind == "identifier" and self.text(node) == b"__dirname":
            return [b"."]
        if kind == "binary_expression" and node.children[1].type == "+":
            return [part for child in (node.children[0], node.children[2])
                    for part in self._parts(child)]  # fmt: skip
        if kind == "template_string":
            found: list[bytes | Node] = []
            for child in node.named_children:
                if child.type == "template_substitution":
                    found += self._parts(child.named_children[0])
                else:
                    found.append(self.text(child))
            return found or [b""]
        if kind == "call_expression":
            function = node.child_by_field_name("function")
            given = node.child_by_field_name("arguments")
            if function is not None and given is not None:
                nodes = given.named_children
                known = nodes and self.text(nodes[0]) == b"__dirname"
                if known and self.text(function).endswith(_JOINING):
                    return self._joined(nodes)
        key = self.literal_key(node) if kind == "string" else None
        return [node if key is None else key]

    def _joined(self, nodes: list[Node]) -> list[bytes | Node]:
        found: list[bytes | Node] = []
        for node in nodes:
            if found:
                found.append(b"/")
            found += self._parts(node)
        return found
