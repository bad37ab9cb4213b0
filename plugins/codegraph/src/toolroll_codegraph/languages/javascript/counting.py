"""Keys that are numbers: what stands at a position has no name."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.javascript.asking import bare
from toolroll_codegraph.languages.javascript.elements import JavaScriptElements

if TYPE_CHECKING:
    from tree_sitter import Node

    from toolroll_codegraph.facts import Frame

_COUNTED: Final = re.compile(rb"(?:\+\+|--)\s*([\w$]+)|([\w$]+)\s*(?:\+\+|--)")
_ARITHMETIC: Final = frozenset(("-", "*", "/", "%", "**", "|", "&", "^", "<<", ">>", ">>>"))


class JavaScriptCounting(JavaScriptElements):
    """Tells keys that are numbers from those that may be names."""

    @cached_property
    def _counted(self) -> frozenset[bytes]:
        """The names of variables that are counted up or down somewhere."""
        return frozenset(before or after for before, after in _COUNTED.findall(self.source))

    def is_number(self, frame: Frame, node: Node) -> bool:
        node = bare(node)
        kind = node.type
        if kind in ("number", "update_expression"):
            return True
        if kind == "identifier":
            return self._is_counter(frame, self.text(node))
        if kind == "unary_expression":
            return node.children[0].type in ("-", "+", "~")
        if kind == "member_expression":
            return self.text(node.named_children[-1]) == b"length"
        if kind == "binary_expression" and node.named_child_count == 2:
            operator = node.children[1].type
            if operator in _ARITHMETIC:
                return True
            return operator == "+" and all(self.is_number(frame, it) for it in node.named_children)
        return False

    def _is_counter(self, frame: Frame, text: bytes) -> bool:
        """Whether nothing is known of a variable but that it is counted."""
        if text not in self._counted:
            return False
        name = self.name(text)
        slot = frame.env.get(name)
        if slot is None:
            binder = frame.binder(name)
            return binder is not None and not binder.versions[name]
        return slot < 0 or slot in self.plain
