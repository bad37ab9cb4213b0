"""Classes whose fields are what they are made with: data classes, attrs, named tuples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from toolroll_codegraph.languages.python.signatures import PythonSignatures

TUPLES: Final = frozenset([b"NamedTuple", b"typing.NamedTuple", b"t.NamedTuple"])
_FACTORIES: Final = frozenset([b"namedtuple", b"collections.namedtuple", *TUPLES])
_DECORATORS: Final = frozenset(
    b"dataclass dataclasses.dataclass attr.s attr.attrs attr.define attr.frozen attr.mutable "
    b"attrs.define attrs.frozen attrs.mutable define frozen mutable pydantic.dataclasses.dataclass"
    b"".split()
)
_FIELDS: Final = frozenset(b"attr.ib attr.attrib attr.field attrs.field field".split())
_NAME: Final = re.compile(rb"[A-Za-z_]\w*")


def makes_record(decorators: list[Node]) -> bool:
    """Whether a decorator gives a class a constructor that takes its fields."""
    for decorator in decorators:
        for child in decorator.named_children:
            head = child.named_children[0] if child.type == "call" else child
            if head.text in _DECORATORS:
                return True
    return False


def is_field(annotation: Node | None, value: Node | None) -> bool:
    """Whether an assignment in the body of such a class says a field."""
    if annotation is not None:
        return b"ClassVar" not in (annotation.text or b"")
    return value is not None and value.type == "call" and value.named_children[0].text in _FIELDS


def named_tuple(builder: PythonSignatures, frame: Frame, node: Node, callee: int) -> int:
    """The class that `namedtuple("Name", fields)` makes; -1 if its fields are not written there."""
    if node.named_children[0].text not in _FACTORIES:
        return -1
    arguments = [child for child in node.named_children[-1].named_children]
    if len(arguments) < 2 or arguments[0].type != "string":
        return -1
    fields: list[bytes] = []
    if arguments[1].type == "string":
        fields = _NAME.findall((arguments[1].text or b"").strip(b"\"'"))
    elif arguments[1].type in ("list", "tuple"):
        for item in arguments[1].named_children:
            first = item.named_children[0] if item.type == "tuple" else item
            if first.type != "string":
                return -1
            fields += _NAME.findall((first.text or b"").strip(b"\"'"))
    if not fields:
        return -1
    line = node.start_point[0] + 1
    name = (arguments[0].text or b"").strip(b"\"'")
    inner = builder.open_frame(ScopeKind.CLASS, builder.name(name), frame, line)
    inner.end = node.end_point[0] + 1
    inner.bases.append(callee)
    for field in fields:
        builder.assign(inner, builder.name(field), builder.slot())
        builder.relations.append(("field", inner.index, builder.name(field), 1, 0))
    return inner.value
