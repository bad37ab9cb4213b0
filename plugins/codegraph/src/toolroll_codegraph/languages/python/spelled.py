"""Texts that name what a library is to run, and attributes of classes that hold it.

`MIDDLEWARE = ["shop.middleware.Timing"]` and `queue.enqueue("shop.jobs.send")` give the full name
of a class or function; `actions = ["archive"]` in a class that of one of its own methods, and
`permission_classes = [Owner]` the class itself. Whether there is one of that name, and a library
that is told so, the resolver knows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ScopeKind

if TYPE_CHECKING:
    from tree_sitter import Node

    from toolroll_codegraph.languages.python.containers import PythonContainers

DOTTED: Final = "dotted"
"""Relation of a scope with a text that may be the full name of something, and its line."""
SPELLED: Final = "spelled"
"""Relation of a class with a text that is the name of one of its methods, and its line."""
HOLDS: Final = "holds"
"""Relation of a class with the slot of what an attribute is assigned there, and its line."""
_FULL: Final = re.compile(rb"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*[.:][A-Za-z_]\w*\Z")
_AROUND: Final = frozenset((
    "argument_list", "binary_operator", "dictionary", "expression_list", "keyword_argument", "list",
    "pair", "parenthesized_expression", "set", "tuple",
))  # fmt: skip
_ASSIGNING: Final = frozenset(("assignment", "augmented_assignment"))
_NO_HANDING: Final = re.compile(
    rb"(?:patch|spy|setattr|delattr|getattr|hasattr|getLogger|get_logger|import_module|__import__"
    rb"|assert\w*|skip\w*|warn\w*|print|patch\.\w+)\Z"
)
"""What does something else with a name: replaces what it means, or tells of it. So do most
decorators."""
_HOLDING: Final = frozenset(
    ("attribute", "binary_operator", "dictionary", "identifier", "list", "set", "tuple")
)


def note_text(builder: PythonContainers, frame: Frame, node: Node, text: bytes) -> None:
    """Note a text that may name what is to be run."""
    if frame.kind == ScopeKind.CLASS and text in builder.own_methods.get(frame.index, ()):
        kind = SPELLED
    elif _FULL.match(text):
        kind = DOTTED
    else:
        return
    child, parent = node, node.parent
    while parent is not None and parent.type in _AROUND:
        child, parent = parent, parent.parent
    if parent is None:
        return
    if parent.type == "call":
        callee = parent.named_children[0].text or b""
        decorates = parent.parent is not None and parent.parent.type == "decorator"
        handed = child != parent.named_children[0] and not (decorates or _NO_HANDING.search(callee))
    else:
        handed = parent.type in _ASSIGNING and frame.kind in (ScopeKind.MODULE, ScopeKind.CLASS)
        handed = handed and not (parent == node.parent and _stands_for_type(parent))
    if handed:
        line = node.start_point[0] + 1
        builder.relations.append((kind, frame.index, builder.name(text), line, 0))


def _stands_for_type(node: Node | None) -> bool:
    """Whether a text that is assigned is there for annotations: `if TYPE_CHECKING: … else: …`."""
    while node is not None:
        if node.type == "if_statement" and b"TYPE_CHECKING" in (node.named_children[0].text or b""):
            return True
        node = node.parent
    return False


def note_attribute(builder: PythonContainers, frame: Frame, right: Node, value: int) -> None:
    """Note what an attribute of a class is assigned, if it may hold functions or classes."""
    if frame.bases and value >= 0 and right.type in _HOLDING:
        builder.relations.append((HOLDS, frame.index, value, right.start_point[0] + 1, 0))


def methods_in(body: Node) -> frozenset[bytes]:
    """The names of the methods that stand in the body of a class."""
    found: set[bytes] = set()
    for child in body.named_children:
        node = child.named_children[-1] if child.type == "decorated_definition" else child
        name = node.child_by_field_name("name") if node.type == "function_definition" else None
        if name is not None:
            found.add(name.text or b"")
    return frozenset(found)
