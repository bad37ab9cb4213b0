"""Which files of a collection a file imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from toolroll.search.languages import language_name
from toolroll_file_ops.imports import (
    PACKAGE_FILE,
    Import,
    family_of,
    import_one_another,
    imports_of,
)
from toolroll_file_ops.manifests import Manifests

__all__ = ["ImportGraph"]

_OWN_PACKAGE: Final = frozenset({"crate", "self", "super", "@", "~"})
"""First parts that stand for the package itself."""
_MOST_OF_PACKAGE: Final = 50
"""Files of a directory that is imported as a whole."""


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
            if PACKAGE_FILE.fullmatch(name) and directory:
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
            found.update(self._resolve(wanted, here, family_of(language)))
        return found - {path}

    def _resolve(self, wanted: Import, here: tuple[str, ...], family: str) -> Iterable[str]:
        parts = wanted.parts
        if family == "javascript" and wanted.up is None:
            places = self._manifests.npm_places("/".join(parts))
            if places or wanted.package:
                found = (self._best(place, here, family, exact=True) for place in places)
                return list(filter(None, found))[:1]
        elif wanted.package:
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
