"""Where Python's modules are: from dotted names to files."""

from __future__ import annotations

import sys
from typing import Final

from toolroll_codegraph.resolve.program import Program

SOURCE_ROOTS: Final = ("src", "lib", "python")


class PythonModules:
    """A project's modules by their paths without suffix.

    A project may itself be a package, or lie in one: its own modules are then imported by names
    that begin outside of it, and have paths that begin so too.
    """

    def __init__(self, program: Program, directory: str) -> None:
        """Note every file; `directory` is the project's own path, as far as it is known."""
        self._program = program
        self._files: dict[str, int] = {}
        self._packages: dict[str, list[str]] = {}
        self._directories: set[str] = set()
        self._cache: dict[tuple[str, str], str | None] = {}
        for path, index in program.by_path.items():
            stem = _stem(path)
            if not path.endswith(".py"):
                continue  # a script, which nobody can import
            if path.endswith("__init__.py"):
                self._packages.setdefault(stem.rpartition("/")[2], []).append(stem)
                self._files[stem] = index
            else:
                self._files.setdefault(stem, index)
            self._add_directories(path.rpartition("/")[0])
        outside = self._outside(directory)
        self._own = outside.partition("/")[0]
        """What the names of the project's own modules begin with, if that is not one of them."""
        if outside:
            for stem, index in list(self._files.items()):
                self._files.setdefault(f"{outside}/{stem}" if stem else outside, index)
            for inside in list(self._directories):
                self._directories.add(f"{outside}/{inside}")
            self._add_directories(outside)

    def _add_directories(self, directory: str) -> None:
        while directory and directory not in self._directories:
            self._directories.add(directory)
            directory = directory.rpartition("/")[0]

    def _outside(self, directory: str) -> str:
        """By what path imports name the project's directory, empty where none does.

        The longest end of its own path that some import of a module in it begins with.
        """
        parts = [part for part in directory.split("/") if part]
        imported = {
            row[3].replace(".", "/")
            for facts in self._program.facts
            for row in facts.imports
            if not row[2]
        }
        heads = {path.partition("/")[0] for path in imported}
        for start, part in enumerate(parts):
            if part not in heads or self.known(part) or part in self._packages:
                continue
            if part in sys.stdlib_module_names and not self.is_package(""):
                continue
            name = "/".join(parts[start:])
            for path in imported:
                inside = path == name or path.startswith(f"{name}/")
                if inside and self.known(path[len(name) + 1 :]):
                    return name
        return ""

    def known(self, stem: str) -> bool:
        """Whether a path is that of a module, or of a directory that modules are in."""
        return stem in self._files or stem in self._directories

    def file(self, stem: str) -> int | None:
        """The number of a module's file; None for a package without `__init__`."""
        return self._files.get(stem)

    def inside(self, package: str, start: str) -> list[str]:
        """The modules right inside of a package or directory whose names begin so."""
        first = f"{package}/{start}" if package else start
        end = len(first) - len(start)
        return sorted(
            stem for stem in self._files if stem.startswith(first) and "/" not in stem[end:]
        )

    def is_package(self, stem: str) -> bool:
        index = self._files.get(stem)
        return index is not None and self._program.paths[index].endswith("__init__.py")

    def stem(self, index: int) -> str:
        """The path of a file's module."""
        return _stem(self._program.paths[index])

    def locate(self, index: int, level: int, module: str) -> str | None:
        """The path of a module that a file imports, None for libraries."""
        directory = self._program.paths[index].rpartition("/")[0]
        tail = module.replace(".", "/")
        if level:
            for _ in range(level - 1):
                directory = directory.rpartition("/")[0]
            stem = "/".join(part for part in (directory, tail) if part)
            return stem if self.known(stem) or stem == "" else None
        key = (directory, module)
        if key not in self._cache:
            self._cache[key] = self._locate_absolute(directory, tail)
        found = self._cache[key]
        if found == f"{directory}/{tail}" == self.stem(index) and self.is_package(directory):
            return None  # a module of a package that is named as the library it uses
        return found

    def release(self) -> None:
        """Forget what was looked up: few imports are made while calls are followed."""
        self._cache.clear()

    def _locate_absolute(self, directory: str, tail: str) -> str | None:
        head = tail.partition("/")[0]
        library = head in sys.stdlib_module_names
        inside = directory
        while self.is_package(inside) and inside:
            inside = inside.rpartition("/")[0]
        while True:
            stem = f"{inside}/{tail}" if inside else tail
            if not inside and library and head != self._own and self.is_package(""):
                break  # what lies in a package hides no library
            if self.known(stem):
                return stem
            if (f"{inside}/{head}" if inside else head) in self._directories:
                return None  # a module that is no package hides none of that name further out
            if not inside:
                break
            inside = inside.rpartition("/")[0]
        for root in SOURCE_ROOTS:
            if self.known(f"{root}/{tail}"):
                return f"{root}/{tail}"
        candidates = [stem for stem in self._packages.get(head, ()) if stem.endswith(head)]
        found = sorted(
            stem[: len(stem) - len(head)] + tail
            for stem in candidates
            if self.known(stem[: len(stem) - len(head)] + tail)
        )
        if len(found) == 1:
            return found[0]
        beside = f"{directory}/{tail}"  # a script beside its module inside a package
        return beside if beside in self._files and not library else None


def _stem(path: str) -> str:
    stem = path.removesuffix(".py")
    if stem == "__init__":
        return ""
    return stem.removesuffix("/__init__")
