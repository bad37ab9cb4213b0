"""Parameters and annotations of Python functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ANY_KEY, FactBuilder, Frame, ObjectKind, ParamKind

if TYPE_CHECKING:
    from tree_sitter import Node

_FORWARD: Final = re.compile(rb"[A-Za-z_][\w.]*")
_SEQUENCES: Final = frozenset(
    b"list List Sequence Iterable Iterator Generator set Set frozenset FrozenSet tuple Tuple "
    b"Collection AsyncIterator AsyncIterable AsyncGenerator deque Deque MutableSequence".split()
)
_MAPPINGS: Final = frozenset(
    b"dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict".split()
)
_TRANSPARENT: Final = frozenset(
    b"Optional Union Annotated Final ClassVar Awaitable Coroutine Required NotRequired".split()
)
_NOT_A_CLASS: Final = (b"Literal", b"Callable", b"type", b"Type")


class PythonSignatures(FactBuilder):
    """What a signature says: a slot for each parameter, and the class an annotation names."""

    def __init__(self, source: bytes) -> None:
        super().__init__("python")
        self.source = source
        self.any_key = self.name(ANY_KEY.encode())

    def expression(self, frame: Frame, node: Node) -> int:
        """Evaluate an expression to a slot."""
        raise NotImplementedError

    def parameters(self, frame: Frame, inner: Frame, node: Node) -> None:
        """Give every parameter a slot; defaults are evaluated in the enclosing scope."""
        keyword_only = False
        for child in node.named_children:
            kind, target, shape = child.type, child, ParamKind.POSITIONAL
            if kind == "keyword_separator":
                keyword_only = True
                continue
            if kind in ("positional_separator", "comment"):
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
            default = child.child_by_field_name("value")
            if default is not None:
                value = self.expression(frame, default)
                if value >= 0:
                    self.copies += (value, slot)

    # annotations

    def annotate(self, frame: Frame, slot: int, node: Node) -> None:
        """Note that a slot holds an instance of the annotated class."""
        if slot < 0:
            return
        if node.type == "type" and node.named_children:
            node = node.named_children[0]
        kind = node.type
        if kind in ("identifier", "attribute", "member_type"):
            known = self.expression(frame, node)
            if known >= 0:
                self.types += (slot, known, 0)
        elif kind == "string":
            for text in _FORWARD.findall((node.text or b"").strip(b"\"'")):
                if text.rpartition(b".")[2] in _TRANSPARENT or text == b"None":
                    continue
                head, *rest = text.split(b".")
                known = self.read(frame, self.name(head))
                for part in rest:
                    known = self.load(frame, known, self.name(part), frame.line)
                self.types += (slot, known, 0)
                break
        elif kind in ("union_type", "binary_operator"):
            for child in node.named_children:
                self.annotate(frame, slot, child)
        elif kind in ("generic_type", "subscript"):
            self.annotate_generic(frame, slot, node)

    def annotate_generic(self, frame: Frame, slot: int, node: Node) -> None:
        head, *arguments = node.named_children
        if arguments and arguments[0].type == "type_parameter":
            arguments = arguments[0].named_children
        base = (head.text or b"").rpartition(b".")[2]
        if base in _TRANSPARENT:
            for argument in arguments[-1:] if base == b"Coroutine" else arguments:
                self.annotate(frame, slot, argument)
        elif base in _SEQUENCES or base in _MAPPINGS:
            mapping = base in _MAPPINGS
            container = self.container(
                frame, ObjectKind.MAPPING if mapping else ObjectKind.SEQUENCE
            )
            element = self.slot()
            for argument in arguments[-1:] if mapping else arguments:
                self.annotate(frame, element, argument)
            self.store(container, self.any_key, element)
            self.copies += (container, slot)
        elif base not in _NOT_A_CLASS:
            self.annotate(frame, slot, head)
