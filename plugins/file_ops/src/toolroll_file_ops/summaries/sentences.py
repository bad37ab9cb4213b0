"""Prose out of a file, and sentences out of prose."""

from __future__ import annotations

import ast
import re
from collections import deque
from typing import Final

from toolroll_file_ops.summaries.python_source import parsed

__all__ = ["prose", "sentences", "undescribed"]

_ABBREVIATIONS: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|resp|fig|no|dr|mr|mrs|ms|st|al|ca)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION: Final = 12
"""Characters before a full stop that say whether an abbreviation ends there."""
_END: Final = re.compile(r"[.!?…。！？]+[\"'”’)\]]*(?=\s|$)|(?<=[。！？])")
_FENCE: Final = re.compile(r"^(```+|~~~+)[^\n]*\n.*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
# Bounded: of thousands of brackets that nothing closes, each would be followed to the text's end.
_BADGE: Final = re.compile(r"\[?!\[[^\]]{0,500}\]\([^)]{0,2000}\)(?:\]\([^)]{0,2000}\))?")
_LINK: Final = re.compile(r"\[([^\]]{1,500})\]\([^)]{0,2000}\)")
_BLOCK: Final = re.compile(r"\n(?:[ \t]*\n)+")
_COMMENT: Final = re.compile(
    r"/\*\*?(?P<block>.*?)\*/|(?P<lines>(?:^[ \t]*(?://[/!]?|\#|--|;;)[^\n]*\n?)+)",
    re.MULTILINE | re.DOTALL,
)
_MARKER: Final = re.compile(r"^[ \t]*(?://[/!]?|#+[!:]?|--|;;|\*)[ \t]?", re.MULTILINE)
_DOCSTRING: Final = re.compile(
    r"(?:\A|:[ \t]*(?:#[^\n]*)?\n)\s*[rRuU]?(?P<quotes>\"{3}|'{3})(?P<text>.*?)(?P=quotes)",
    re.DOTALL,
)
"""A docstring by where it stands, in a part of a file that can't be parsed alone."""
_LITERAL: Final = re.compile(
    r"^(?P<indent>[ \t]*+)"
    r"(?:\.\. (?:code|code-block|sourcecode|parsed-literal|literalinclude)::[^\n]*"
    r"|(?P<said>(?!\.\. )[^\n]*:):[ \t]*)(?:\n[ \t]*(?=\n)|\n(?P=indent)[ \t]+[^\n]*)+",
    re.MULTILINE,
)
"""Code in reStructuredText: what is indented below `.. code-block::`, or a line that ends with
two colons, which says something itself."""
_LICENSE: Final = re.compile(
    r"^\W*copyright\b|\bcopyright (?:\(c\)|©|\d{4}|notice)|\ball rights reserved\b"
    r"|\bSPDX-License-Identifier|\blicen[sc]ed (?:under|to) (?:the|an?|one)\b"
    r"|\b(?:distributed|released|governed) (?:under|by) (?:the|an?) [\w-]+ licen[sc]e"
    r"|\bpermission is hereby granted|\bredistribution and use in source|\bis free software\b"
    r"|\b(?:software|program|library|form) is (?:distributed|provided|subject)\b"
    r"|\b(?:received|obtain) a copy of the\b|\bwithout warrant|\bmerchantability\b",
    re.IGNORECASE,
)
"""What notices of licences say, paragraph by paragraph: nothing of the file."""
_DIRECTIVE: Final = re.compile(
    r"^\s*(?:/(?:usr/)?bin/|-\*-|(?:frozen_string_literal|encoding|coding|typed|warn_indent|vim?|ex"
    r"|pylint|rubocop|mypy|type|standard):|(?:eslint|tslint|prettier|jshint|jslint|biome|istanbul|c8)\b"
    r"|([/#*=~_-])\1{3,}|globals?\s+[\w$]+(?:\s*,\s*[\w$:]+)*\s*$"
    r"|@(?:ts|flow|jsx)\b|\+build\b|go:|nolint|clang-(?:format|tidy)\b|use strict).*\n?",
    re.MULTILINE,
)
"""Lines that speak to a tool (shebangs, settings of editors, linters and compilers), and rules."""
_FIELDS: Final = re.compile(
    r"^[ \t]*(?::\w[^\n:]*:(?!`)|[@\\](?!brief|desc|details|file|overview|summary)\w+|\.\. [\w-]+::"
    r"|(?:args|arguments|param(?:eter)?s|returns?|yields?|raises|throws|attributes|examples?"
    r"|see also):?:?[ \t]*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where documentation goes over to parameters, results, versions and examples, field by field."""
_STATEMENTS: Final = (ast.stmt, ast.excepthandler, ast.match_case)
_QUOTED: Final = re.compile(r"\A(?:>[ \t]*(?:\[!\w+\][ \t]*(?:\n|\Z))?)+")
"""What stands before the first word of a quotation in Markdown, or of a note (`[!NOTE]`)."""
_NOT_PROSE: Final = re.compile(r"^\s*(?:\||[-=*_]{3,}\s*$|<[^>]+>\s*$|:{3}|>>>\s)")


def prose(text: str, language: str | None) -> list[str]:
    """Return the passages of a file that are prose: paragraphs, docstrings, comments.

    Args:
        text: The file's text.
        language: As `toolroll.search.languages` names it.
    """
    text = text.lstrip("\ufeff")
    if language == "restructuredtext":
        return _markdown(_LITERAL.sub(_said, text.replace("\r\n", "\n")))
    if language in {"markdown", "asciidoc"}:
        return _markdown(text)
    if language in {None, "text"}:
        return _paragraphs(text)
    if language in {"json", "yaml", "toml", "ini", "csv", "xml", "html", "css"}:
        return []
    if language == "python":
        return _docstrings(text)
    return _comments(text)


def sentences(passage: str) -> list[str]:
    """Split a passage into sentences, not inside decimals, abbreviations, calls or ellipses."""
    found: list[str] = []
    start = seen = ticks = 0
    for match in _END.finditer(passage):
        end = match.end()
        ticks += passage.count("`", seen, end)
        seen = end
        near = max(start, end - _LONGEST_ABBREVIATION)
        if match[0] in {".", ""} and _ABBREVIATIONS.search(passage, near, end):
            continue
        if ticks % 2:  # inside inline code
            continue
        if match[0] in {"...", "…"} and passage[end : end + 2].strip()[:1].islower():
            continue
        if piece := passage[start:end].strip():
            found.append(piece)
        start, ticks = end, 0
    if rest := passage[start:].strip():
        found.append(rest)
    return found


def undescribed(passage: str) -> str:
    """Return what documentation says before its first field (`:param x:`, `@return`, `Args:`)."""
    field = _FIELDS.search(passage)
    return passage[: field.start()] if field else passage


def _paragraphs(text: str) -> list[str]:
    blocks = _BLOCK.split(text.replace("\r\n", "\n"))
    return [block.strip() for block in blocks if block.strip() and not _NOT_PROSE.match(block)]


def _markdown(text: str) -> list[str]:
    text = re.sub(r"\A---\n.*?\n(?:---|\.\.\.)\n", "", text.replace("\r\n", "\n"), flags=re.DOTALL)
    text = _BADGE.sub("", _uncommented(_FENCE.sub("", text)))
    kept: list[str] = []
    for block in _paragraphs(text):
        lines = [line for line in block.split("\n") if not line.lstrip().startswith(("#", "|"))]
        for item in re.split(r"^\s*(?:[-*+]|\d+[.)])\s+", "\n".join(lines), flags=re.MULTILINE):
            said = _QUOTED.sub("", item.strip())
            if said and not re.fullmatch(r"[=\-~^\s]+", said):
                kept.append(said)
    return kept


def _said(code: re.Match[str]) -> str:
    """Return what introduces a literal block in place of it."""
    return f"{code['said'] or ''}\n"


def _uncommented(text: str) -> str:
    """Return Markdown without its HTML comments; one that nothing closes is none."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join([*kept, text[at:]])


def _docstrings(text: str) -> list[str]:
    tree = parsed(text)
    if tree is None:
        documented = (match["text"] for match in _DOCSTRING.finditer(text.replace("\r\n", "\n")))
        passages = [passage for text in documented for passage in _paragraphs(text)]
        return passages or _comments(text)
    found: list[str] = []
    pending: deque[ast.AST] = deque([tree])
    while pending:  # as `ast.walk` does it, but not into expressions, which most nodes are
        node = pending.popleft()
        inner = ast.iter_child_nodes(node)
        pending += (child for child in inner if isinstance(child, _STATEMENTS))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(node, clean=False)
            if documented:
                found += _paragraphs(documented)
    return found or _comments(text)


def _comments(text: str) -> list[str]:
    found: list[str] = []
    for match in _COMMENT.finditer(text.replace("\r\n", "\n")):
        body = match["block"] if match["block"] is not None else match["lines"]
        passages = _paragraphs(_DIRECTIVE.sub("", _MARKER.sub("", body)))
        found += [passage for passage in passages if not _LICENSE.search(plain(passage))]
    return found


def plain(sentence: str) -> str:
    """Return a sentence with its white space folded."""
    return " ".join(sentence.split())


def linkless(sentence: str) -> str:
    """Return a Markdown sentence with link targets left out, for scoring."""
    return _LINK.sub(r"\1", sentence)
