"""Conditions that the language decides: what every engine has needs no substitute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_TRUE: Final = frozenset(
    ["true", "function_expression", "arrow_function", "object", "array", "class", "regex",
     "new_expression"]
)  # fmt: skip
_FALSE: Final = frozenset(["false", "null", "undefined"])
EQUAL: Final = {"===": True, "==": True, "!==": False, "!=": False}
"""Comparisons, and whether they hold of what is equal."""
_OBJECTS: Final = frozenset([b"Math", b"JSON", b"Reflect"])
_FUNCTIONS: Final = frozenset(
    b"Object Array String Number Boolean Function Symbol Promise Map Set WeakMap WeakSet Proxy "
    b"Date RegExp Error".split()
)
_MEMBERS: Final = frozenset(
    b"Object.assign Object.create Object.defineProperties Object.defineProperty Object.entries "
    b"Object.freeze Object.fromEntries Object.getOwnPropertyDescriptor "
    b"Object.getOwnPropertyDescriptors Object.getOwnPropertyNames Object.getOwnPropertySymbols "
    b"Object.getPrototypeOf Object.is Object.isExtensible Object.isFrozen Object.keys "
    b"Object.preventExtensions Object.seal Object.setPrototypeOf Object.values Array.from "
    b"Array.isArray Array.of Array.prototype.every Array.prototype.filter Array.prototype.find "
    b"Array.prototype.findIndex Array.prototype.forEach Array.prototype.includes "
    b"Array.prototype.indexOf Array.prototype.lastIndexOf Array.prototype.map "
    b"Array.prototype.reduce Array.prototype.some Function.prototype.bind String.fromCharCode "
    b"String.fromCodePoint String.prototype.endsWith String.prototype.includes "
    b"String.prototype.padStart String.prototype.repeat String.prototype.startsWith "
    b"String.prototype.trim Number.isFinite Number.isInteger Number.isNaN Number.isSafeInteger "
    b"Number.parseFloat Number.parseInt Math.cbrt Math.hypot Math.imul Math.log10 Math.log2 "
    b"Math.sign Math.trunc JSON.parse JSON.stringify Reflect.apply Reflect.construct "
    b"Reflect.defineProperty Reflect.get Reflect.getPrototypeOf Reflect.has Reflect.ownKeys "
    b"Reflect.set Symbol.asyncIterator Symbol.for Symbol.hasInstance Symbol.iterator "
    b"Symbol.toPrimitive Symbol.toStringTag Date.now Promise.all Promise.race Promise.reject "
    b"Promise.resolve".split()
)
"""What every engine of the last years has."""


def decided(node: Node) -> tuple[bool, bytes] | None:
    """Whether a condition always holds or never does, None where a run tells.

    With it comes the global name that this rests on, empty for a literal: who binds that name means
    something else.
    """
    kind = node.type
    if kind == "parenthesized_expression" and node.named_child_count == 1:
        return decided(node.named_children[0])
    if kind in _TRUE:
        return True, b""
    if kind in _FALSE:
        return False, b""
    if kind == "number":
        return (node.text not in (b"0", b"0.0"), b"")
    if kind == "identifier":
        known = _type_of(node)
        return None if known is None else (True, node.text or b"")
    if kind == "member_expression":
        text = node.text or b""
        return (True, text.partition(b".")[0]) if text in _MEMBERS else None
    if kind == "unary_expression" and node.children[0].type == "!":
        found = decided(node.named_children[-1])
        return None if found is None else (not found[0], found[1])
    if kind == "binary_expression":
        return _joined(node)
    return None


def _joined(node: Node) -> tuple[bool, bytes] | None:
    operator = node.children[1].type
    if node.named_child_count != 2:
        return None
    first, last = node.named_children
    if operator in EQUAL:
        return _compared(first, last, EQUAL[operator])
    if operator in ("&&", "||"):
        ends = operator == "||"
        left = decided(first)
        if left is None or left[0] is ends:
            return left
        right = decided(last)
        # A condition rests on one global: what more it rests on is not looked into.
        return right if right is None or not left[1] or left[1] == right[1] else None
    return None


def _compared(first: Node, last: Node, equal: bool) -> tuple[bool, bytes] | None:
    """`typeof Symbol === "function"`."""
    if first.type == "string":
        first, last = last, first
    if first.type != "unary_expression" or first.children[0].type != "typeof":
        return None
    subject = first.named_children[-1]
    known = _type_of(subject)
    if known is None or last.type != "string":
        return None
    text = (last.text or b"")[1:-1]
    return (text == known) is equal, (subject.text or b"").partition(b".")[0]


def _type_of(node: Node) -> bytes | None:
    """What `typeof` says of what the language itself defines."""
    text = node.text or b""
    if node.type == "identifier":
        return b"object" if text in _OBJECTS else b"function" if text in _FUNCTIONS else None
    if node.type == "member_expression" and text in _MEMBERS:
        return b"symbol" if text.startswith(b"Symbol.") and text != b"Symbol.for" else b"function"
    return None
