"""How a file is built: headings, definitions or keys, by a parser for each kind of file."""

from __future__ import annotations

import ast
import configparser
import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from attrs import field, frozen

from toolroll.search.definitions import Definition, definitions
from toolroll.search.headings import headings
from toolroll_file_ops.summaries.python_source import parsed
from toolroll_file_ops.summaries.sentences import plain, sentences
from toolroll_file_ops.summaries.titles import tagged, underlined

__all__ = ["Structure", "signature", "structure"]

MAX_ENTRIES: Final = 200
MAX_SECTIONS: Final = 40
MAX_POINTS: Final = 10
MAX_KEY_DEPTH: Final = 3
_SHORTEST_TASK: Final = 12
_SHORTEST_POINT: Final = 21
_LONGEST_POINT: Final = 199

_WORDS: Final = re.compile(
    r"\b(?:NOTE|WARNING|CAUTION|DANGER|ATTENTION|SHALL)\b"
    r"|\b(?i:(?:note|warning|caution):|(?:important|critical|must|required)\b(?!\s*=))"
)
"""The document's words, which stand for themselves alone, and some that are as strong."""
_TASKS: Final = re.compile(r"(?:#|//|/\*|--|;|<!--|\*)\s*\b(?:TODO|FIXME|XXX|HACK)\b.*")
_LONGEST_SIGNATURE: Final = 160
_BLANK: Final = re.compile(r"\n[ \t]*\n")
_COMMENT_MARK: Final = re.compile(r"^[\s#/*;\-<!>+.:|]+|\s*(?:\*/|-->)\s*$")


@frozen
class Structure:
    """The structure of one file.

    Args:
        outline: One line for each entry, as Markdown.
        truncated: There were more entries than are shown.
    """

    outline: str
    sections: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    truncated: bool = False


@frozen
class _Entry:
    depth: int
    text: str
    section: str = field(default="")


def structure(data: bytes, path: str, language: str | None) -> Structure:
    """Return the structure of a text file.

    Args:
        data: Its bytes, UTF-8.
        path: Its path; the name decides the parser where the language does not.
        language: As `toolroll.search.languages` names it.
    """
    text = data.decode().lstrip("\ufeff")
    titles = _titles(data, text, language)
    if titles:
        entries = [_Entry(level, f"{'#' * (level + 1)} {name}", name) for level, name in titles]
    elif language in _KEYED:
        entries = _keyed(_KEYED[language], text)
    elif language == "csv":
        entries = _table(text, "\t" if path.lower().endswith(".tsv") else ",")
    else:
        entries = _defined(data, path)
    lines = [entry.text if titles else _line(entry) for entry in entries[:MAX_ENTRIES]]
    sections = dict.fromkeys(entry.section for entry in entries if entry.section)
    return Structure(
        outline="\n".join(lines),
        sections=tuple(sections)[:MAX_SECTIONS],
        points=tuple(_points(text, language))[:MAX_POINTS],
        truncated=len(entries) > MAX_ENTRIES,
    )


def _titles(data: bytes, text: str, language: str | None) -> list[tuple[int, str]]:
    """Return the headings of a document; none of what is no document."""
    match language:
        case "markdown":
            return [(item.depth, item.name) for item in headings(data)]
        case "restructuredtext" | "text":
            return underlined(text)
        case "html":
            return tagged(text)
        case _:
            return []


def _line(entry: _Entry) -> str:
    return f"{'  ' * entry.depth}- {entry.text}"


def _defined(data: bytes, path: str) -> list[_Entry]:
    """Return definitions with their signatures and lines."""
    entries: list[_Entry] = []
    for item in definitions(data, path):
        line = data.count(b"\n", 0, item.start) + 1
        entries.append(
            _Entry(
                item.depth,
                f"{item.kind} `{signature(data, item)}` (line {line})",
                item.name if item.depth == 0 else "",
            )
        )
    return entries


def signature(data: bytes, item: Definition) -> str:
    """Return the line of a definition that holds its name, without what opens the body.

    Parameters may go on over several lines.
    """
    body = data[item.start : min(item.end, item.start + 600)].decode(errors="replace")
    lines = iter(body.splitlines())
    found = next((line.strip() for line in lines if item.name in line), item.name)
    whole = item.kind in {"function", "method", "class"}
    while whole and found.count("(") > found.count(")") and len(found) <= _LONGEST_SIGNATURE:
        if (following := next(lines, None)) is None:
            break
        found = f"{found} {following.strip()}"
    found = re.sub(r",? ([)\]])", r"\1", re.sub(r"([(\[]) ", r"\1", found))
    return found.rstrip("{:").strip()[:_LONGEST_SIGNATURE]


def _points(text: str, language: str | None) -> list[str]:
    """Return what a reader must not miss: warnings, requirements, open tasks, first docs."""
    found: list[str] = []
    fenced = False
    for line in text.splitlines():
        stripped = line.strip()
        if language == "markdown" and stripped.startswith(("```", "~~~")):
            fenced = not fenced
        if fenced or len(stripped) > 2 * _LONGEST_POINT:
            continue
        task = _TASKS.search(line)
        if task or (_WORDS.search(line) and _speaks(line, language)):
            point = _COMMENT_MARK.sub("", task[0] if task else stripped).strip()
            if (_SHORTEST_TASK if task else _SHORTEST_POINT) <= len(point) <= _LONGEST_POINT:
                found.append(point)
    if language == "python":
        found += _first_sentences(text)
    return list(dict.fromkeys(found))


_CODE: Final = re.compile(r"^\s*(?:#|//|/?\*|--|;|\"\"\"|''')")


def _speaks(line: str, language: str | None) -> bool:
    """Say whether a line is prose: any line of a text, a comment in code."""
    prose = {None, "text", "markdown", "restructuredtext", "asciidoc"}
    return language in prose or _CODE.match(line) is not None


def _first_sentences(text: str) -> list[str]:
    tree = parsed(text)
    if tree is None:
        return []
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(node)
            if documented:
                said = next(iter(sentences(plain(_BLANK.split(documented, maxsplit=1)[0]))), "")
                found.append(f"{node.name}: {said}"[:_LONGEST_POINT])
    return found


def _keyed(parse: Callable[[str], Any], text: str) -> list[_Entry]:
    """Return the keys of a data file to three levels, with what they hold."""
    try:
        value = parse(text)
    except (ValueError, RecursionError, configparser.Error):
        return []
    return _keys(value, 0)


def _keys(value: Any, depth: int) -> list[_Entry]:
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return _keys(items[0], depth) if items and isinstance(items[0], Mapping) else []
    if not isinstance(value, Mapping) or depth >= MAX_KEY_DEPTH:
        return []
    mapping = cast("Mapping[Any, Any]", value)
    entries: list[_Entry] = []
    for key, inner in mapping.items():
        if len(entries) > MAX_ENTRIES:
            break
        name = str(key)[:120]
        entries.append(_Entry(depth, f"`{name}`: {_kind(inner)}", name if depth == 0 else ""))
        entries += _keys(inner, depth + 1)
    return entries


def _kind(value: Any) -> str:
    match value:
        case Mapping():
            return f"object of {len(cast('Mapping[Any, Any]', value))}"
        case list():
            return f"list of {len(cast('list[Any]', value))}"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case None:
            return "null"
        case _:
            return "text"


def _table(text: str, delimiter: str) -> list[_Entry]:
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        header = next(rows, list[str]())
        count = sum(1 for _ in rows)
    except csv.Error:
        return []
    columns = [_Entry(1, f"`{name[:120]}`", name[:120]) for name in header[:100]]
    return [_Entry(0, f"table of {len(header)} columns and {count} rows"), *columns]


def _ini(text: str) -> dict[str, dict[str, str]]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except AttributeError as error:  # before 3.13: a key without a value that goes on below
        raise ValueError("not INI") from error
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _yaml(text: str) -> Any:
    import yaml

    try:
        return next(yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)), None)
    except (yaml.YAMLError, AttributeError, LookupError) as error:
        # the latter two are PyYAML's own, of tags such as `!!int ""` and `!!bool x`
        raise ValueError("not YAML") from error


_KEYED: Final[Mapping[str | None, Callable[[str], Any]]] = {
    "json": json.loads,
    "toml": tomllib.loads,
    "yaml": _yaml,
    "ini": _ini,
}
