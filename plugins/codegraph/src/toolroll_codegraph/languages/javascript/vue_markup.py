"""Vue's templates as code: directives, interpolations, and the components that they show."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Final

from toolroll_codegraph.languages.javascript.markup import (
    Attribute,
    Code,
    Tag,
    camel_case,
    property_name,
    read_markup,
)

_ENTITY: Final = re.compile(rb"&#?\w+;")
_LOOP: Final = re.compile(rb"\s*(\(.*?\)|[\w$]+|\{.*?\}|\[.*?\])\s+(?:in|of)\s+(.*)", re.S)
_MEMBER: Final = re.compile(
    rb"\s*(?:[A-Za-z_$][\w$]*(?:\s*\??\.\s*[A-Za-z_$][\w$]*|\[[^\]]*\])*!?|(?:async\s*)?"
    rb"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)(?:\s*:[^=]*)?|[A-Za-z_$][\w$]*)\s*=>.*|"
    rb"(?:async\s+)?function\b.*)\s*\Z",
    re.S,
)
"""A handler that is a function; any other is run. https://vuejs.org/guide/essentials/event-handling"""
_STATEMENTS: Final = re.compile(rb"\s*(?:if|for|const|let|var|return|await|try|switch)\b")
_SLOT: Final = re.compile(rb"#|v-slot(?:[:.]|\Z)|slot-scope\Z|scope\Z")


def vue_code(
    source: bytes, spans: tuple[tuple[int, int], ...], shown: Callable[[bytes], bytes], code: Code
) -> None:
    """Write a template down; `shown` tells which component of the script a tag stands for."""
    for start, end in spans:
        for tag in read_markup(source, start, end, b"{{"):
            if not tag.name:
                code.expression(b";", _decoded(source[tag.start : tag.end]), b";", tag.start)
            elif tag.closing:
                code.close(tag.name, tag.start)
            else:
                _open(source, tag, shown(_name(source, tag)), code)


def _name(source: bytes, tag: Tag) -> bytes:
    """What a tag shows by its name, or by that of `<component :is="Card">`."""
    if tag.name == b"component":
        for item in tag.attributes:
            if item.name == b":is" and item.value is not None:
                name = source[item.value[0] : item.value[1]].strip()
                return name if name[:1].isupper() else tag.name
    return tag.name


def _open(source: bytes, tag: Tag, component: bytes, code: Code) -> None:
    named = {item.name: item for item in tag.attributes}
    loop, inner = named.get(b"v-for"), None
    for item in tag.attributes:
        if item.value is not None and _SLOT.match(item.name):
            inner = item
    braces = 0
    if loop is not None and loop.value is not None:
        braces += _loop(source, loop, tag.start, code)
    if inner is None or tag.name != b"template":
        _element(source, tag, component, code)
        _scope(source, inner, code, tag.name, braces)
    else:
        _scope(source, inner, code, tag.name, braces)
        _element(source, tag, component, code)
    if tag.empty:
        code.close(tag.name, tag.end)


def _scope(source: bytes, item: Attribute | None, code: Code, name: bytes, braces: int) -> None:
    """What a slot gives is known inside of it alone."""
    if item is None or item.value is None:
        code.enter(name, braces)
        return
    pattern = _decoded(source[item.value[0] : item.value[1]])
    code.header(b"{let " + pattern + b"=null;", item.value[0])
    code.enter(name, braces + 1)


def _loop(source: bytes, item: Attribute, start: int, code: Code) -> int:
    """`v-for="(item, index) in items"`; how many braces that opens.

    It comes before the tag that has it, and so in the tag's line, unless it calls something.
    """
    assert item.value is not None
    found = _LOOP.fullmatch(_decoded(source[item.value[0] : item.value[1]]))
    if found is None:
        return 0
    parts, items, position = found[1], found[2], item.value[0]
    if b"(" not in items:
        items, position = items.replace(b"\n", b" "), start
        parts = parts.replace(b"\n", b" ")
    if parts.startswith(b"("):
        parts = parts[1:-1]
    first, others = _first(parts)
    header = b"for(const " + first + b" of (" + items + b")){"
    if others:
        header += b"let " + others + b";"
    code.header(header, position)
    return 1


def _first(parts: bytes) -> tuple[bytes, bytes]:
    """The element of `item, index`, which may be a pattern, and the others."""
    depth = 0
    for place, byte in enumerate(parts):
        if byte in b"{[(":
            depth += 1
        elif byte in b"}])":
            depth -= 1
        elif byte == 44 and not depth:
            return parts[:place], parts[place + 1 :].strip().strip(b",")
    return parts, b""


def _element(source: bytes, tag: Tag, component: bytes, code: Code) -> None:
    """A component with its properties, or what an element of the page is given."""
    opened = False
    for item in tag.attributes:
        if item.value is None and not item.name.startswith((b":", b"v-bind:")):
            continue
        name, kind = _directive(item.name)
        if not kind or (kind == b"for" and item.value is not None):
            continue
        if not opened:
            code.add(b";<" + (component or b"a"), tag.start)
            opened = True
        _attribute(source, item, name, kind, bool(component), code)
    if opened:
        code.add(b"/>;", tag.end)
    elif component:
        code.add(b";<" + component + b"/>;", tag.start)


def _directive(name: bytes) -> tuple[bytes, bytes]:
    """The name of what an attribute gives, and in which way; empty for plain text."""
    if name.startswith(b"@"):
        return name[1:].partition(b".")[0], b"on"
    if name.startswith(b":"):
        return name[1:].partition(b".")[0], b"bind"
    if not name.startswith(b"v-") or _SLOT.match(name) or name == b"v-for":
        return b"", b""
    kind, _, given = name[2:].partition(b":")
    kind = kind.partition(b".")[0]
    return given.partition(b".")[0], kind


def _attribute(
    source: bytes, item: Attribute, name: bytes, kind: bytes, shows: bool, code: Code
) -> None:
    if item.value is None:  # `:name` is short for `:name="name"`
        value, position = camel_case(name), item.start
    else:
        value, position = _decoded(source[item.value[0] : item.value[1]]), item.value[0]
    if kind == b"on" and name:
        label = property_name(b"on-" + name.lstrip(b"[").rstrip(b"]"))
        if not _MEMBER.match(value):
            _run(code, label, value, position)
        else:
            code.expression(b" " + label + b"={", value, b"}", position)
        return
    if not name and kind in (b"bind", b"on") and shows and code.is_correct(b"(" + value + b")"):
        code.add(b" {...(" + value + b")}", position)
        return
    if kind == b"model":
        name = name or b"modelValue"
    label = property_name(name if kind in (b"bind", b"model") and name else b"v-" + kind)
    code.expression(b" " + label + b"={", value, b"}", position)


def _run(code: Code, label: bytes, value: bytes, position: int) -> None:
    """`@click="save(item)"` runs that when the event comes."""
    value = value.strip().rstrip(b";")
    if b";" in value or _STATEMENTS.match(value):
        text = b"{" + value + b"}"
        if code.is_correct(b"async()=>" + text):
            code.add(b" " + label + b"={async()=>" + text + b"}", position)
        else:
            code.add(b" " + label + b"={0}", position)
    else:
        code.expression(b" " + label + b"={void ", value, b"}", position)


def _decoded(text: bytes) -> bytes:
    if b"&" not in text or not _ENTITY.search(text):
        return text
    return html.unescape(text.decode("utf-8", "replace")).encode("utf-8", "replace")
