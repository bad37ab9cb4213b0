"""Where a source file defines what: by tree-sitter where there is a grammar, else by pattern."""

from __future__ import annotations

import functools
import importlib
import re
from typing import TYPE_CHECKING, Final

from attrs import frozen

from toolroll.search.definition_patterns import PATTERNS, definition_kind
from toolroll.search.languages import LANGUAGES, language_name, language_of

if TYPE_CHECKING:
    from tree_sitter import Parser, Query

__all__ = ["MAX_PARSED_BYTES", "Definition", "definitions", "likely_definitions"]

MAX_PARSED_BYTES: Final = 1_000_000
"""Larger files are generated or data; they are not parsed."""


@frozen
class Definition:
    """One class, function or the like.

    Args:
        name: Its identifier as written.
        kind: class, function, method, struct, enum, …
        start: First byte, decorators included.
        end: Byte behind the last one.
        depth: How many definitions enclose it.
    """

    name: str
    kind: str
    start: int
    end: int
    depth: int


def definitions(data: bytes, path: str) -> list[Definition]:
    """Return the definitions of a source file in order; none where the language is unknown.

    Args:
        data: The file's bytes, UTF-8.
        path: Its path; the name decides the language.
    """
    if len(data) > MAX_PARSED_BYTES:
        return []
    language = language_of(path)
    if language is not None:
        grammar = _grammar(language.name)
        if grammar is not None:
            return _parsed(data, *grammar)
    return likely_definitions(data, path)


def likely_definitions(data: bytes, path: str) -> list[Definition]:
    """Return what looks like a definition, by pattern alone.

    It costs a tenth of parsing, and takes a part of a file as well as the whole.
    """
    pattern = PATTERNS.get(language_name(path) or "")
    return [] if pattern is None else _matched(data, pattern)


@functools.cache
def _grammar(name: str) -> tuple[Parser, Query] | None:
    """Return a parser and the definition query, or None when the wheel is not installed."""
    language = LANGUAGES[name]
    try:
        import tree_sitter

        module = importlib.import_module(language.module)
    except ImportError:
        return None
    capsule: object = getattr(module, language.function)()
    grammar = tree_sitter.Language(capsule)
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.definitions)


def _parsed(data: bytes, parser: Parser, query: Query) -> list[Definition]:
    from tree_sitter import QueryCursor

    # A parser keeps state between calls; a copy with the same grammar is cheap.
    tree = type(parser)(parser.language).parse(data)
    spans: list[tuple[int, int, str, str]] = []
    for _, captures in QueryCursor(query).matches(tree.root_node):
        name_node = captures["name"][0]
        kind, nodes = next((key, value) for key, value in captures.items() if key != "name")
        node = nodes[0]
        if node.parent is not None and node.parent.type in _WRAPPERS:
            node = node.parent
        name = data[name_node.start_byte : name_node.end_byte].decode(errors="replace")
        spans.append((node.start_byte, -node.end_byte, name, kind.removeprefix("def.")))
    return _nested(spans)


_WRAPPERS: Final = {"decorated_definition", "export_statement", "template_declaration"}


def _nested(spans: list[tuple[int, int, str, str]]) -> list[Definition]:
    """Order the spans and count how many enclose each."""
    found: list[Definition] = []
    open_ends: list[int] = []
    for start, negative_end, name, kind in sorted(set(spans)):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        kind_here = "method" if kind == "function" and _in_class(found, start) else kind
        found.append(Definition(name, kind_here, start, -negative_end, len(open_ends)))
        open_ends.append(-negative_end)
    return found


def _in_class(found: list[Definition], start: int) -> bool:
    """Say whether the innermost definition around `start` is a class."""
    for outer in reversed(found):
        if outer.end > start:
            return outer.kind in {"class", "impl", "trait", "interface", "struct"}
        if outer.depth == 0:
            return False
    return False


def _matched(data: bytes, pattern: re.Pattern[bytes]) -> list[Definition]:
    """Find definitions by pattern; each ends where the next one of no deeper indent begins."""
    hits = list(pattern.finditer(data))
    found: list[Definition] = []
    indents: list[int] = []
    ends: list[int] = [len(data)] * len(hits)
    open_at: list[int] = []
    for i, hit in enumerate(hits):
        indent = len(hit["indent"].expandtabs(4))
        while open_at and indents[open_at[-1]] >= indent:
            ends[open_at.pop()] = hit.start()
        indents.append(indent)
        open_at.append(i)
    enclosing: list[int] = []
    for hit, end in zip(hits, ends, strict=True):
        while enclosing and enclosing[-1] <= hit.start():
            enclosing.pop()
        kind, name = _named(hit)
        found.append(Definition(name, kind, hit.start(), end, len(enclosing)))
        enclosing.append(end)
    return found


def _named(hit: re.Match[bytes]) -> tuple[str, str]:
    """Return (kind, name) of a match; the group that matched says what it is."""
    groups = {key: value.decode() for key, value in hit.groupdict().items() if value}
    for key in ("function", "type"):
        if key in groups:
            return key, groups[key]
    keyword, _, _ = groups.get("kind", "").lower().partition(" ")
    return definition_kind(keyword), groups["name"].rstrip(":.")
