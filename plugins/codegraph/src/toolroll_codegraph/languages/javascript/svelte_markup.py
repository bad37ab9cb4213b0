"""Svelte's and Astro's markup as code: blocks, directives, expressions, and components."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from toolroll_codegraph.languages.javascript.markup import (
    VOID,
    Attribute,
    Code,
    Tag,
    end_of_braces,
    property_name,
    read_markup,
)

_BLOCK: Final = re.compile(rb"([#:/@])\s*(\w+)(?:\s+(?:if\b)?)?")
_EACH: Final = re.compile(rb"[()\[\]{}]|\sas(?=\s)")
_KEY: Final = re.compile(rb"\(((?:[^()]|\([^()]*\))*)\)\Z")
_INDEX: Final = re.compile(rb"(?s)(.*\S)\s*,\s*([\w$]+)\s*\Z")
_SETTLED: Final = re.compile(rb"\s(?:then|catch)(?=\s|\Z)")
_USED: Final = (b"use", b"transition", b"in", b"out", b"animate")
"""Directives whose name is a function that Svelte calls."""
_OPEN_TAG: Final = re.compile(rb"<(" + b"|".join(sorted(VOID)) + rb")\b((?:[^<>=]|=>|=)*?)/?>")
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*")
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)|<!doctype[^>]*>", re.S | re.I)
_NOT_A_LINE: Final = re.compile(rb"[^\n]+")


def svelte_code(
    source: bytes, spans: tuple[tuple[int, int], ...], shown: Callable[[bytes], bytes], code: Code
) -> None:
    """Write a markup down; `shown` tells which component of the script a tag stands for."""
    for start, end in spans:
        for tag in read_markup(source, start, end, b"{"):
            if not tag.name:
                _text(source[tag.start : tag.end], tag.start, code)
            elif tag.closing:
                code.close(tag.name, tag.start)
            else:
                _element(source, tag, shown(_name(source, tag)), code)


def _text(text: bytes, position: int, code: Code) -> None:
    """`{expression}`, or a block's beginning, middle or end."""
    plain = text.strip()
    if plain.startswith(b"/*") and plain.find(b"*/") == len(plain) - 2:
        return  # a comment
    found = _BLOCK.match(text)
    if found is None:
        code.expression(b";", _jsx(text), b";", position)
        return
    sign, word, rest = found[1], found[2], text[found.end() :]
    if sign == b"/":
        code.close(b"#" + word, position)
    elif sign == b"#":
        _begin(word, rest, position, code)
    elif sign == b":":
        _go_on(word, text, rest, position, code)
    elif word == b"const":
        if code.is_correct(b"const " + rest):
            code.add(b";const " + rest + b";", position)
    else:  # @html, @render, @attach
        code.expression(b";", rest, b";", position)


def _begin(word: bytes, rest: bytes, position: int, code: Code) -> None:
    name = b"#" + word
    if word == b"if":
        code.header(b";if(" + rest + b"){", position)
    elif word == b"each":
        _each(rest, position, code)
    elif word == b"await":
        settled = _SETTLED.search(rest)
        header = b";{(" + rest + b");"
        if settled is not None:
            found, waited = rest[settled.end() :].strip() or b"_", rest[: settled.start()]
            header = b";{let " + found + b"=await (" + waited + b");"
        code.header(header, position)
    elif word == b"snippet":
        code.header(b";function " + rest + b"{", position)
        owner, given = code.innermost(b""), rest.partition(b"(")[0].strip()
        if owner.startswith(b"@") and _WORD.fullmatch(given):
            code.enter(name, 1, b";" + owner[1:] + b".props." + given + b"=" + given + b";")
            return
    else:
        code.header(b";{(" + rest + b");", position)
    code.enter(name, 1)


def _each(rest: bytes, position: int, code: Code) -> None:
    """`{#each items as item, index (item.id)}`."""
    depth, place = 0, -1
    for found in _EACH.finditer(rest):
        if found[0] in b"([{":
            depth += 1
        elif found[0] in b")]}":
            depth -= 1
        elif not depth:
            place = found.start()
    if place < 0:
        code.header(b";for(const _ of (" + rest + b")){", position)
        return
    items, pattern, more = rest[:place], rest[place + 3 :].strip(), b""
    key = _KEY.search(pattern)
    if key is not None:
        pattern, more = pattern[: key.start()], b"(" + key[1] + b");"
    index = _INDEX.fullmatch(pattern)
    if index is not None and index[1].count(b"{") == index[1].count(b"}"):
        pattern, more = index[1], b"let " + index[2] + b";" + more
    code.header(b";for(const " + pattern + b" of (" + items + b")){" + more, position)


def _go_on(word: bytes, text: bytes, rest: bytes, position: int, code: Code) -> None:
    kind = code.innermost(b"#")
    if kind == b"#if":
        code.add(b"}else ", position)
        code.header((b"if(" + rest + b"){") if rest.strip() else b"{", position)
    elif kind:
        code.add(b"}", position)
        given = rest.strip() if word in (b"then", b"catch") else b""
        code.header(b"{let " + given + b"=null;" if given else b"{", position)


def _name(source: bytes, tag: Tag) -> bytes:
    """What a tag shows by its name, or by that of `<svelte:component this={Card}>`."""
    if tag.name == b"svelte:component":
        for item in tag.attributes:
            if item.name == b"this" and item.value is not None:
                return source[item.value[0] : item.value[1]].strip()
    return tag.name


def _element(source: bytes, tag: Tag, component: bytes, code: Code) -> None:
    lets = [item for item in tag.attributes if item.name.startswith(b"let:")]
    opened, variable = False, b""
    if component and not tag.empty:  # it is given the snippets inside
        variable = code.variable()
    showing = b";" + (b"let " + variable + b"=" if variable else b"") + b"<" + (component or b"a")
    for item in tag.attributes:
        if item.value is None and not item.name.startswith((b"use:", b"bind:", *(
            use + b":" for use in _USED))):  # fmt: skip
            continue
        if item in lets or not _has_code(source, item):
            continue
        if not opened:
            code.add(showing, tag.start)
            opened = True
        _attribute(source, item, bool(component), code)
    if opened:
        code.add(b"/>;", tag.end)
    elif component:
        code.add(showing + b"/>;", tag.start)
    if tag.empty:
        return
    for item in lets:
        given = item.name[4:] if item.value is None else source[item.value[0] : item.value[1]]
        code.header(b"{let " + given + b"=null;", item.start)
    code.enter(tag.name, len(lets))
    if variable:
        code.enter(b"@" + variable, 0)


def _has_code(source: bytes, item: Attribute) -> bool:
    if item.braces or item.value is None:
        return True
    return b"{" in source[item.value[0] : item.value[1]]


def _attribute(source: bytes, item: Attribute, shows: bool, code: Code) -> None:
    directive, _, name = item.name.partition(b":")
    if name and directive in _USED:
        code.expression(b" use={", name.partition(b"|")[0], b"}", item.start)
    if item.value is None:
        if directive == b"bind":
            code.expression(b" " + property_name(name) + b"={", name, b"}", item.start)
        return
    start, end = item.value
    if not item.braces:  # `"text {one} {two}"`
        while (start := source.find(b"{", start, end)) >= 0:
            close = end_of_braces(source, start + 1, end)
            code.expression(b" v={", _jsx(source[start + 1 : close]), b"}", start)
            start = close
        return
    value = source[start:end]
    plain = value.strip()
    if not item.name:
        _unnamed(plain, shows, start, code)
        return
    if directive == b"on" and name:
        label = property_name(b"on-" + name.partition(b"|")[0])
    else:
        label = property_name(name or item.name)
    code.expression(b" " + label + b"={", _jsx(value), b"}", start)


def _unnamed(value: bytes, shows: bool, position: int, code: Code) -> None:
    """`{name}` is short for `name={name}`; `{...values}`, `{@attach function}`."""
    if value.startswith(b"..."):
        if shows and code.is_correct(b"(" + value[3:] + b")"):
            code.add(b" {...(" + value[3:] + b")}", position)
        else:
            code.expression(b" v={", value[3:], b"}", position)
    elif value.startswith(b"@attach"):
        code.expression(b" use={", value[7:], b"}", position)
    elif value.startswith((b"/*", b"//")):
        return
    else:
        code.expression(b" " + property_name(value) + b"={", value, b"}", position)


def _jsx(text: bytes) -> bytes:
    """An expression with markup inside, as Astro allows it, as JSX allows it."""
    if b"<" not in text:
        return text
    text = _COMMENT.sub(lambda found: _NOT_A_LINE.sub(b"", found[0]), text)
    return _OPEN_TAG.sub(lambda found: b"<" + found[1] + found[2] + b"/>", text)
