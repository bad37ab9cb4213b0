"""What a file imports, in any of the common languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = [
    "PACKAGE_FILE",
    "Import",
    "family_of",
    "import_one_another",
    "imports_of",
    "module_name",
]

# Indents are sought within a line: from each of many blank lines one would be sought to their end.
# Lists end where they end or not at all, so that none is read again from each of its lines.
_START: Final = r"^[^\S\n]*"
_DOTTED: Final = {
    "python": [
        rf"{_START}from[^\S\n]+(?P<module>\.*[\w.]*)(?:[^\S\n]+|(?<=\.))import\b[^\S\n]*"
        r"(?P<names>\((?:[^()#]|#[^\n]*)*|(?:\\\r?\n|[^\n;])+)",
        rf"{_START}import[^\S\n]+(?P<names>[\w.][^\n;]*)",
    ],
    "rust": [
        rf"{_START}(?:pub(?:\([^)\n]*\))?[^\S\n]+)?use[^\S\n]+(?P<names>[^;]+)(?P<end>;?)",
        rf"{_START}(?:pub(?:\([^)\n]*\))?[^\S\n]+)?mod[^\S\n]+(?P<beside>\w+)[^\S\n]*;",
    ],
    "java": [rf"{_START}import[^\S\n]+(?:static[^\S\n]+)?(?P<names>[\w.]+)"],
    "kotlin": [rf"{_START}import[^\S\n]+(?P<names>[\w.]+)"],
    "groovy": [rf"{_START}import[^\S\n]+(?:static[^\S\n]+)?(?P<names>[\w.]+)"],
    "scala": [rf"{_START}import[^\S\n]+(?P<names>[^\n]+)"],
    "csharp": [
        rf"{_START}(?:global[^\S\n]+)?using[^\S\n]+(?:static[^\S\n]+)?(?:\w+[^\S\n]*=[^\S\n]*)?"
        r"(?P<names>[\w.]+)[^\S\n]*;"
    ],
    "php": [
        rf"{_START}use[^\S\n]+(?:(?:function|const)[^\S\n]+)?"
        r"(?P<names>[\w\\][^;(]*)(?P<end>;?)"
    ],
    "lua": [r"""\brequire[^\S\n]*\(?[^\S\n]*['"](?P<names>[\w./-]+)['"]"""],
}
"""Statements that name modules, by language; `names` may be a list, or groups in braces."""
_PATHS: Final = {
    "javascript": [r"""(?:from|import|require\(|import\()\s*['"](?P<path>[^'"\n]+)['"]"""],
    "ruby": [
        rf"""{_START}(?:require|load)\b[^\S\n]*\(?[^\S\n]*['"](?P<path>[^'"\n]+)""",
        rf"""{_START}require_relative[^\S\n]*\(?[^\S\n]*['"](?P<near>[^'"\n]+)""",
        rf"""{_START}autoload\b[^'"\n]*['"](?P<path>[^'"\n]+)""",
    ],
    "php": [rf"""{_START}(?:require|include)(?:_once)?\b[^;'"\n]*['"](?P<near>[^'"\n]+)['"]"""],
    "c": [rf'{_START}#[^\S\n]*include[^\S\n]+"(?P<near>[^"\n]+)"'],
    "css": [r"""@(?:import|use|forward)[^\S\n]+(?:url\()?['"](?P<near>[^'"\n]+)['"]"""],
    "dart": [
        rf"""{_START}(?:import|export|part)[^\S\n]+['"](?P<near>[^'"\n:]+)['"]""",
        rf"""{_START}(?:import|export)[^\S\n]+['"]package:(?P<package>\w+/[^'"\n:]+)['"]""",
    ],
    "protobuf": [rf"""{_START}import[^\S\n]+(?:public[^\S\n]+)?"(?P<near>[^"\n]+)\""""],
    "markdown": [r"\]\((?P<near>[^)#\s:]+)"],
    "go": [rf'{_START}(?:import\s+)?(?:[\w.]+\s+)?"(?P<package>[\w.-]+(?:/[\w.~-]+)*)"'],
}
"""Statements that name files, by language; `near` ones are sought beside the file first."""
_SAME: Final = {
    "typescript": "javascript",
    "tsx": "javascript",
    "vue": "javascript",
    "svelte": "javascript",
    "cpp": "c",
    "objective-c": "c",
}


def _compiled(table: dict[str, list[str]]) -> dict[str, list[re.Pattern[str]]]:
    return {
        language: [re.compile(pattern, re.MULTILINE) for pattern in patterns]
        for language, patterns in table.items()
    }


_MODULE_PATTERNS: Final = _compiled(_DOTTED)
_PATH_PATTERNS: Final = _compiled(_PATHS)
_COMMENT: Final = re.compile(r"#[^\n]*|//[^\n]*")
_BRACE: Final = re.compile(r"([{},])")
_SEPARATOR: Final = re.compile(r"[.:\\/]+")
_SLASH: Final = re.compile(r"[\\/]+")
_DEEPEST: Final = 20
"""Braces in braces."""
_MIXED: Final = frozenset({"java", "kotlin", "scala", "groovy"})
"""Languages that import one another."""
PACKAGE_FILE: Final = re.compile(r"__init__\.pyi?|index\.\w+|(?:mod|lib|main)\.rs")
"""Files that are what an import of their directory means."""


class Import(NamedTuple):
    """What one statement names.

    Attributes:
        parts: Directories and name: `a.b` → ("a", "b").
        up: How many directories above the file's own it begins; None where it begins at some root.
        loose: It may also lie elsewhere: on a path that the compiler is told.
        dotted: A module, whose last part may be a name inside; else it is a file's name.
        package: By the name of its module alone, which the collection may have.
    """

    parts: tuple[str, ...]
    up: int | None = None
    loose: bool = False
    dotted: bool = False
    package: bool = False


def imports_of(text: str, language: str | None) -> list[Import]:
    """Return what a file imports, each once."""
    name = family_of(language)
    found: dict[Import, None] = {}
    for pattern in _MODULE_PATTERNS.get(name, ()):
        for match in pattern.finditer(text):
            found.update(dict.fromkeys(_modules(match.groupdict())))
    for pattern in _PATH_PATTERNS.get(name, ()):
        for match in pattern.finditer(text):
            found.update(dict.fromkeys(_files(match.groupdict(), name)))
    return list(found)


def import_one_another(one: str | None, other: str | None) -> bool:
    """Say whether files of two languages may import one another."""
    families = {family_of(one), family_of(other)}
    return len(families) == 1 or families <= _MIXED


def module_name(path: str) -> list[str]:
    """Return what an import of a file names: its own name and its directory's."""
    *directories, name = path.split("/")
    own = [] if PACKAGE_FILE.fullmatch(name) and directories else [name.partition(".")[0]]
    return [*directories[-1 - (not own) :], *own]


def family_of(language: str | None) -> str:
    """Return the language whose statements a file of a language has."""
    return _SAME.get(language or "", language or "")


def _modules(groups: dict[str, str | None]) -> Iterator[Import]:
    if groups.get("end") == "":
        return
    if beside := groups.get("beside"):
        yield Import((beside,), up=0, loose=True, dotted=True)
        return
    module = groups.get("module") or ""
    before = tuple(part for part in module.split(".") if part)
    dots = len(module) - len(module.lstrip("."))
    names = _COMMENT.sub("", groups["names"] or "").replace("\\\n", " ").strip("() \t\r\n")
    for name in (*_expanded(names), ""):
        parts = (*before, *(part for part in _SEPARATOR.split(name) if part not in {"", "*"}))
        if parts:
            yield Import(parts, up=dots - 1 if dots else None, dotted=True)


def _expanded(names: str) -> Iterator[str]:
    """Yield the names of a list, those in braces whole: `a::{b, c::d}` gives a::b and a::c::d."""
    before, name = [""], ""
    for piece in map(str.strip, _BRACE.split(names)):
        if piece == "{":
            if len(before) == _DEEPEST:
                return
            before.append(before[-1] + name)
            name = ""
        elif piece in {",", "}"}:
            if name:
                yield before[-1] + name
            name = ""
            if piece == "}" and len(before) > 1:
                before.pop()
        elif piece:
            name = piece.split()[0]
    if name:
        yield before[-1] + name


def _files(groups: dict[str, str | None], language: str) -> Iterator[Import]:
    if package := groups.get("package"):
        yield Import(tuple(_SLASH.split(package.strip("/"))), package=True)
        return
    near = groups.get("near")
    text = near or groups["path"] or ""
    relative = text.startswith(".")
    ups, parts = 0, list[str]()
    for part in _SLASH.split(text):
        if part == ".." and not parts:
            ups += 1
        elif part == "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    up = ups if relative or near else None
    package = up is None and len(parts) == 1 and language == "javascript"  # `fs` is no file
    yield Import(tuple(parts), up=up, loose=near is not None and not relative, package=package)
