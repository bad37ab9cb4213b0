"""What texts that are put together name: modules, any module of a directory, and properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.javascript.bundles import JavaScriptBundles

if TYPE_CHECKING:
    from tree_sitter import Node

_JOINING: Final = (b"join", b"resolve")
_NAMING: Final = re.compile(rb"[\w$-]{0,39}")
_TELLING: Final = re.compile(rb"[A-Za-z]{2}")


class JavaScriptSpecifiers(JavaScriptBundles):
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

    def pattern(self, node: Node) -> bytes:
        """The names that a key with gaps may be: `*Where*` of `kind + "Where" + rest`.

        Empty where too little is written to tell names by.
        """
        if node.type not in ("binary_expression", "template_string"):
            return b""
        parts = self._parts(node)
        texts = [part for part in parts if isinstance(part, bytes)]
        if (
            len(texts) in (0, len(parts))
            or not any(map(_TELLING.search, texts))
            or not all(map(_NAMING.fullmatch, texts))
        ):
            return b""
        return b"".join(part if isinstance(part, bytes) else b"*" for part in parts)

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
