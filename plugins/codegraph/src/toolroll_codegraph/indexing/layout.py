"""Reading where a project's modules are: JavaScript's `package.json` and `tsconfig.json`."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from toolroll_codegraph.resolve.layout import Package, PathAlias, ProjectLayout

_Load = Callable[[str], Mapping[str, Any]]
"""Given the path of a file in the project: the JSON object in it, empty where there is none.

Comments and trailing commas are let pass, as in TypeScript's configuration.
"""
_COMMENT: Final = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.S)
_TRAILING_COMMA: Final = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.S)
_ENTRY_KEYS: Final = ("source", "types", "module", "main", "browser")
_CONDITIONS: Final = ("source", "development", "import", "module", "require", "default", "node",
                      "svelte")  # fmt: skip
_CONVENTIONS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "@sveltejs/kit": {"$lib": ("src/lib",), "$lib/*": ("src/lib/*",)},
    "nuxt": {
        **dict.fromkeys(("~/*", "@/*"), ("app/*", "src/*", "*")),
        **dict.fromkeys(("~~/*", "@@/*"), ("*",)),
    },
}
"""Package → its aliases, as https://svelte.dev/docs/kit/$lib and
https://nuxt.com/docs/api/nuxt-config#alias have them."""
_MOST_EXTENDS: Final = 8
_MOST_REFERENCES: Final = 32
_FOUND: Final = ("tsconfig.json", "jsconfig.json")
"""Configuration files that a walk through the project finds."""


def read_layout(root: Path, paths: list[str]) -> ProjectLayout:
    """Read a project's configuration files, if any; a malformed one is as good as none."""
    packages: list[Package] = []
    aliases: list[PathAlias] = []
    conventional: list[PathAlias] = []
    nuxt: list[str] = []
    bases: list[tuple[str, str]] = []
    load = _loader(root)
    for path in sorted(paths, key=lambda path: (-path.count("/"), path)):
        directory = posixpath.dirname(path)
        if path.endswith("package.json"):
            data = load(path)
            used = _dependencies(data)
            conventional += _conventions(directory, used)
            if "nuxt" in used:
                nuxt.append(directory)
            package = _package(directory, data)
            if package is not None:
                packages.append(package)
        else:
            for configuration in _referred(load, path):
                _compiler_options(load, configuration, aliases, bases)
    every = (*aliases, *conventional)
    return ProjectLayout(tuple(packages), every, tuple(bases), root.as_posix(), tuple(nuxt))


def extended_files(root: Path, paths: Sequence[str]) -> list[str]:
    """Return the further files that some configuration files extend or refer to, sorted, present or
    not."""
    load = _loader(root)
    typescript = [path for path in paths if not path.endswith("package.json")]
    found = {
        current
        for path in typescript
        for configuration in _referred(load, path)
        for current, _ in _inherited(load, configuration)
    }
    return sorted(found.difference(paths))


def _loader(root: Path) -> _Load:
    """What reads a project's configuration files: each once, though many extend one."""

    @cache
    def load(path: str) -> Mapping[str, Any]:
        try:
            text = (root / path).read_text(encoding="utf-8-sig")
            text = _COMMENT.sub(lambda match: match[1] or "", text)
            text = _TRAILING_COMMA.sub(lambda match: match[1] or "", text)
            data = json.loads(text)
        except (OSError, ValueError, RecursionError):
            return {}
        return cast("Mapping[str, Any]", data) if isinstance(data, dict) else {}

    return load


def _inside(directory: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(directory, target))


def _package(directory: str, data: Mapping[str, Any]) -> Package | None:
    name = data.get("name")
    if not isinstance(name, str) or not name:
        return None
    entries = [data[key] for key in _ENTRY_KEYS if isinstance(data.get(key), str)]
    exports: list[tuple[str, str]] = []
    for key, target in _targets(data.get("exports")):
        if key == ".":
            entries.insert(0, target)
        elif key.startswith("./"):
            exports += [(key[2:], path) for path in _built(directory, target)]
    imports = [
        (key, path)
        for key, target in _targets(data.get("imports"))
        for path in _built(directory, target)
    ]
    entries += ["index", "src/index", "lib/index"]
    paths = dict.fromkeys(path for entry in entries for path in _built(directory, entry))
    return Package(directory, name, tuple(paths), tuple(exports), tuple(imports))


def _dependencies(data: Mapping[str, Any]) -> set[str]:
    known: set[str] = set()
    for key in ("dependencies", "devDependencies"):
        if isinstance(data.get(key), dict):
            known.update(cast("dict[str, Any]", data[key]))
    return known


def _conventions(directory: str, known: set[str]) -> list[PathAlias]:
    """The aliases of frameworks that write them into a configuration of their own making."""
    return [
        PathAlias(directory, pattern, tuple(_inside(directory, target) for target in targets))
        for package, patterns in _CONVENTIONS.items()
        if package in known
        for pattern, targets in patterns.items()
    ]


def _targets(declared: Any) -> list[tuple[str, str]]:
    """The keys of `exports` or `imports` with the file that each stands for."""
    if not isinstance(declared, dict):
        declared = {".": declared}
    declared = cast("dict[str, Any]", declared)
    if not any(key.startswith((".", "#")) for key in declared):
        declared = {".": declared}  # nothing but conditions
    found = [(key, _target(value)) for key, value in declared.items()]
    return [(key, target) for key, target in found if target]


def _built(directory: str, target: str) -> tuple[str, str]:
    """A path without suffix, and where its source is if it is built: in src under the same name."""
    path = _inside(directory, target)
    source = re.sub(r"(^|/)(dist|lib|build|out)/(?:esm/|cjs/|es/)?", r"\1src/", path)
    return _plain(path), _plain(source)


def _plain(entry: str) -> str:
    return re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", entry)


def _target(value: Any, depth: int = 0) -> str | None:
    """The file a (conditional) export stands for."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and depth < 5:
        conditions = cast("dict[str, Any]", value)
        for key in _CONDITIONS:
            if key in conditions:
                found = _target(conditions[key], depth + 1)
                if found:
                    return found
    return None


def _referred(load: _Load, path: str) -> list[str]:
    """A configuration file, and those of other names that it refers to, as editors take them.

    Vite's templates have `{"files": [], "references": [{"path": "./tsconfig.app.json"}, …]}`. A
    directory that is referred to has a `tsconfig.json` of its own, which is found as such.
    """
    found = [path]
    references: Any = load(path).get("references")
    for reference in cast("list[Any]", references) if isinstance(references, list) else []:
        target: Any = cast("Any", reference).get("path") if isinstance(reference, dict) else None
        if isinstance(target, str) and target.endswith(".json") and len(found) <= _MOST_REFERENCES:
            inside = _inside(posixpath.dirname(path), target)
            if not inside.startswith(("..", "/")) and posixpath.basename(inside) not in _FOUND:
                found.append(inside)
    return found


def _compiler_options(
    load: _Load, path: str, aliases: list[PathAlias], bases: list[tuple[str, str]]
) -> None:
    """Collect `paths` and `baseUrl`, also those inherited through `extends`."""
    directory = posixpath.dirname(path)
    for current, data in _inherited(load, path):
        here = posixpath.dirname(current)
        raw = data.get("compilerOptions")
        options: Mapping[str, Any] = {}
        if isinstance(raw, dict):
            options = cast("Mapping[str, Any]", raw)
        base = options.get("baseUrl")
        if isinstance(base, str):
            bases.append((directory, _inside(here, base)))
        paths = options.get("paths")
        if isinstance(paths, dict):
            start = _inside(here, base if isinstance(base, str) else ".")
            for pattern, targets in cast("dict[str, Any]", paths).items():
                if isinstance(targets, list):
                    texts = cast("list[Any]", targets)
                    usable = tuple(_inside(start, text) for text in texts if isinstance(text, str))
                    aliases.append(PathAlias(directory, pattern, usable))


def _inherited(load: _Load, path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A configuration file and those in the project that it extends, the one that wins first."""
    pending, seen = [path], set[str]()
    while pending and len(seen) < _MOST_EXTENDS:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        data = load(current)
        yield current, data
        parents: Any = data.get("extends")
        for parent in cast("list[Any]", parents) if isinstance(parents, list) else [parents]:
            if isinstance(parent, str) and parent.startswith("."):
                found = _inside(posixpath.dirname(current), parent)
                if not found.startswith(".."):
                    pending.append(found if found.endswith(".json") else f"{found}.json")
