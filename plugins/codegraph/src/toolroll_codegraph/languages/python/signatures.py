"""Parameters of Python functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import Frame, ParamKind, ScopeFlag
from toolroll_codegraph.languages.python.annotations import PythonAnnotations

if TYPE_CHECKING:
    from tree_sitter import Node


class PythonSignatures(PythonAnnotations):
    """What a signature says: a slot for each parameter, and the class an annotation names."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.defaults: dict[int, dict[int, tuple[int, int]]] = {}
        """Function → its parameters that have a default: (name, slot of that)."""

    def parameters(self, frame: Frame, inner: Frame, node: Node) -> None:
        """Give every parameter a slot; defaults are evaluated in the enclosing scope."""
        keyword_only = False
        for child in node.named_children:
            kind, target, shape = child.type, child, ParamKind.POSITIONAL
            if kind == "keyword_separator":
                keyword_only = True
                continue
            if kind == "positional_separator":
                inner.params = [(name, slot, ParamKind.UNNAMED) for name, slot, _ in inner.params]
                continue
            if kind == "comment":
                continue
            if kind in ("default_parameter", "typed_default_parameter", "typed_parameter"):
                target = child.named_children[0]
            if target.type == "list_splat_pattern":
                shape, keyword_only = ParamKind.REST, True
            elif target.type == "dictionary_splat_pattern":
                shape = ParamKind.KEYWORDS
            elif keyword_only:
                shape = ParamKind.KEYWORD
            if target.type != "identifier":
                if not target.named_children:
                    continue
                target = target.named_children[0]
            name = self.name(target.text or b"")
            slot = self.slot()
            inner.params.append((name, slot, int(shape)))
            self.assign(inner, name, slot)
            if shape in (ParamKind.REST, ParamKind.KEYWORDS):
                self.steady.add(slot)
            default = child.child_by_field_name("value")
            if default is None and shape == ParamKind.POSITIONAL:
                inner.flags += ScopeFlag.REQUIRED
            elif default is not None:
                value = self.expression(frame, default)
                if value >= 0:
                    self.copies += (value, slot)
                    self.defaults.setdefault(inner.index, {})[slot] = name, value
                    self.relations.append(("default", inner.index, 0, slot, value))


def is_abstract(body: Node) -> bool:
    """A body that only documents, passes or raises NotImplementedError is to be overridden."""
    for statement in body.named_children:
        kind = statement.type
        if kind == "raise_statement":
            return b"NotImplemented" in (statement.text or b"")
        if kind == "expression_statement":
            only = statement.named_children[0].type if statement.named_children else ""
            if only not in ("string", "ellipsis"):
                return False
        elif kind not in ("pass_statement", "comment"):
            return False
    return True
