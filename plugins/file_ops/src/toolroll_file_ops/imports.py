"""Which files of a collection a file imports, in any of the common languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from toolroll.search.languages import language_name
from toolroll_file_ops.manifests import Manifests

__all__ = ["Import", "ImportGraph", "import_one_another", "imports_of", "module_name"]

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
_OWN_PACKAGE: Final = frozenset({"crate", "self", "super", "@", "~"})
"""First parts that stand for the package itself."""
_MIXED: Final = frozenset({"java", "kotlin", "scala", "groovy"})
"""Languages that import one another."""
_PACKAGE_FILE: Final = re.compile(r"__init__\.pyi?|index\.\w+|(?:mod|lib|main)\.rs")
_MOST_OF_PACKAGE: Final = 50
"""Files of a directory that is imported as a whole."""


class Import(NamedTuple):
    """What one statement names.

    Attributes:
        parts: Directories and name: `a.b` → ("a", "b").
        up: How many directories above the file's own it begins; None where it begins at some root.
        loose: It may also lie elsewhere: on a path that the compiler is told.
        dotted: A module, whose last part may be a name inside; else it is a file's name.
        package: By the name of its module, which the collection may have: Go's and Dart's.
    """

    parts: tuple[str, ...]
    up: int | None = None
    loose: bool = False
    dotted: bool = False
    package: bool = False


def imports_of(text: str, language: str | None) -> list[Import]:
    """Return what a file imports, each once."""
    name = _family(language)
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
    families = {_family(one), _family(other)}
    return len(families) == 1 or families <= _MIXED


def module_name(path: str) -> list[str]:
    """Return what an import of a file names: its own name and its directory's."""
    *directories, name = path.split("/")
    own = [] if _PACKAGE_FILE.fullmatch(name) and directories else [name.partition(".")[0]]
    return [*directories[-1 - (not own) :], *own]


def _family(language: str | None) -> str:
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
    if relative or near or len(parts) > 1 or language != "javascript":  # `fs` is no file
        up = ups if relative or near else None
        yield Import(tuple(parts), up=up, loose=near is not None and not relative)


class ImportGraph:
    """Finds the files that import statements mean.

    Args:
        paths: Every path of the collection.
        manifests: What it calls its own modules.
    """

    def __init__(self, paths: Iterable[str], manifests: Manifests | None = None) -> None:
        self._manifests = manifests or Manifests()
        self._by_name: dict[str, list[str]] = {}
        self._by_package: dict[str, list[str]] = {}
        self._go: dict[str, list[str]] = {}
        self._python: set[str] = set()
        for path in paths:
            directory, _, name = path.rpartition("/")
            for variant in _variants(name):
                self._by_name.setdefault(variant, []).append(path)
            if _PACKAGE_FILE.fullmatch(name) and directory:
                self._by_package.setdefault(directory.rpartition("/")[2], []).append(path)
            if name == "__init__.py":
                self._python.add(directory)
            if name.endswith(".go") and not name.endswith("_test.go"):
                self._go.setdefault(directory, []).append(path)

    def targets(self, path: str, text: str, language: str | None) -> set[str]:
        """Return the files that `path` imports, itself left out."""
        found: set[str] = set()
        here = tuple(path.split("/")[:-1])
        for wanted in imports_of(text, language):
            found.update(self._resolve(wanted, here, _family(language)))
        return found - {path}

    def _resolve(self, wanted: Import, here: tuple[str, ...], family: str) -> Iterable[str]:
        parts = wanted.parts
        if wanted.package:
            address = "/".join(parts)
            return self._dart_file(address) if family == "dart" else self._go_package(address)
        if parts and parts[0] in _OWN_PACKAGE:
            parts = parts[1:]
        forms = _forms(parts, dotted=wanted.dotted)
        if wanted.up is not None:
            above = here[: len(here) - wanted.up]
            for form in forms if wanted.up <= len(here) else ():
                if found := self._best((*above, *form), here, family, exact=True):
                    return [found]
            if not wanted.loose:
                return []
        for form in forms:
            if found := self._best(form, here, family, exact=False):
                return [found]
        return []

    def _best(
        self, place: tuple[str, ...], here: tuple[str, ...], family: str, *, exact: bool
    ) -> str | None:
        """Return the file at a place, or the nearest one of its languages whose path ends so."""
        if not place:
            return None
        rated: list[tuple[bool, int, int, int, str]] = []
        for paths, inside in (
            (self._by_name.get(place[-1], ()), place[:-1]),
            (self._by_package.get(place[-1], ()), place),
        ):
            for path in paths:
                *directories, name = path.split("/")
                root = 0 if exact else len(directories) - len(inside)
                if root < 0 or tuple(directories[root:]) != inside:
                    continue
                foreign = not import_one_another(language_name(path), family)
                # no package is a place to import from: `json` is not `flask/json`
                inner = family == "python" and "/".join(directories[:root]) in self._python
                if exact or not (foreign or inner):
                    near = -_shared(tuple(directories), here)
                    rated.append((foreign, near, len(directories), len(name), path))
        return min(rated)[-1] if rated else None

    def _dart_file(self, address: str) -> list[str]:
        package, _, inside = address.partition("/")
        path = self._manifests.dart_file(package, inside)
        named = self._by_name.get(inside.rpartition("/")[2], ())
        return [path] if path is not None and path in named else []

    def _go_package(self, address: str) -> list[str]:
        """Return the files of a package; without a `go.mod`, of the directory that ends alike."""
        module, *inner = address.split("/")
        places: list[str] = []
        if self._manifests.go:
            own = self._manifests.go_package(address)
            places = [f"vendor/{address}" if own is None else own]
        elif len(inner) > 1 or "." in module:  # with less behind it, it is Go's own
            places = ["/".join(inner[start:]) for start in range(len(inner))]
        for place in places:
            if found := self._go.get(place):
                return found[:_MOST_OF_PACKAGE]
        return []


def _variants(name: str) -> Iterator[str]:
    """Yield what a file may be called: user.service.ts, user.service and user."""
    yield name
    end = len(name)
    while (end := name.rfind(".", 0, end)) > 0:
        yield name[:end]


def _forms(parts: tuple[str, ...], *, dotted: bool) -> list[tuple[str, ...]]:
    """Return the ways to read a name, most exact first."""
    if not parts:
        return [parts]
    if dotted:  # the last part may be a name inside the module
        return [parts, parts[:-1]]
    stem, _, extension = parts[-1].rpartition(".")
    return [parts, (*parts[:-1], stem)] if stem and extension else [parts]


def _shared(place: tuple[str, ...], here: tuple[str, ...]) -> int:
    """Return how many directories two places have in common."""
    shared = 0
    for mine, theirs in zip(here, place, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared
