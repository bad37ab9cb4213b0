"""JavaScript and TypeScript modules: specifiers to files, exports to slots."""

from __future__ import annotations

import posixpath
from array import array
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ImportKind
from toolroll_codegraph.facts.model import ImportRow
from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.javascript.auto_imports import JavaScriptAutoImports
from toolroll_codegraph.resolve.program import CONTAINER, EXTERNAL

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules
    from toolroll_codegraph.resolve.layout import ProjectLayout

_EXTENSIONS: Final = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts",
                      ".vue", ".svelte")  # fmt: skip
_OUTPUTS: Final = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_NO_PACKAGE: Final = ("@/", "~/")
"""What no name of a package begins with: a scope has one, too."""
_SOURCES: Final = ("src", "app", "resources/js", "")
"""Where Vue CLI, Nuxt and Laravel's plugin of Vite lead `@`, and applications by their own
configuration; a file has to be there."""
DIRECTORY: Final = "directory"
"""A container of this kind has the modules of a directory under the names of their files."""
_INDEXES: Final = tuple("/index" + extension for extension in _EXTENSIONS[1:])


class JavaScriptImports:
    """ES modules and CommonJS: relative paths, aliases, workspace packages, re-exports."""

    def __init__(self, rules: JavaScriptRules, layout: ProjectLayout) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.layout = layout
        self.module_exports = self.program.name("module.exports")
        self.default = self.program.name("default")
        self.stars: dict[int, list[int]] = {}
        self.found = array("i")
        """(importing file, imported file) of each import, flat."""
        self._cache: dict[tuple[str, str], int | None] = {}
        self.unwritten = JavaScriptAutoImports(self) if layout.nuxt else None

    # specifiers

    def locate(self, index: int, specifier: str) -> int | None:
        """The file index of an imported module, None for libraries."""
        directory = posixpath.dirname(self.program.paths[index])
        key = (directory, specifier)
        if key not in self._cache:
            self._cache[key] = self._locate(directory, specifier)
        return self._cache[key]

    def _locate(self, directory: str, specifier: str) -> int | None:
        specifier = specifier.partition("?")[0]
        if specifier.startswith("."):
            return self.probe(posixpath.normpath(posixpath.join(directory, specifier)))
        if specifier.startswith("/"):
            return self.probe(specifier[1:])
        if specifier.startswith("#"):
            for package in self.layout.packages:
                if _below(directory, package.directory):
                    return self._through_patterns(package.imports, specifier)
        for alias in self.layout.aliases:
            if _below(directory, alias.directory):
                rows = tuple((alias.pattern, target) for target in alias.targets)
                found = self._through_patterns(rows, specifier)
                if found is not None:
                    return found
        for where, base in self.layout.bases:
            if _below(directory, where):
                found = self.probe(posixpath.normpath(posixpath.join(base, specifier)))
                if found is not None:
                    return found
        if specifier.startswith(_NO_PACKAGE):
            return self._below_source(directory, specifier[2:])
        return self._through_packages(specifier)

    def _below_source(self, directory: str, path: str) -> int | None:
        """A file under an alias that only a bundler's configuration, or its defaults, tells of."""
        around = [p.directory for p in self.layout.packages if _below(directory, p.directory)]
        for start in dict.fromkeys((max(around, key=len, default=""), "")):
            for source in _SOURCES:
                found = self.probe(posixpath.normpath(posixpath.join(start, source, path)))
                if found is not None:
                    return found
        return None

    def _through_packages(self, specifier: str) -> int | None:
        for package in self.layout.packages:
            if specifier == package.name:
                for entry in package.entries:
                    found = self.probe(entry)
                    if found is not None:
                        return found
            elif specifier.startswith(package.name + "/"):
                inside = specifier[len(package.name) + 1 :]
                found = self._through_patterns(package.exports, inside)
                if found is not None:
                    return found
                for root in ("", "src/"):
                    path = posixpath.normpath(f"{package.directory}/{root}{inside}").lstrip("/")
                    found = self.probe(path)
                    if found is not None:
                        return found
        return None

    def _through_patterns(self, rows: tuple[tuple[str, str], ...], specifier: str) -> int | None:
        for pattern, target in rows:
            text = _match(pattern, specifier)
            if text is not None:
                found = self.probe(posixpath.normpath(target.replace("*", text)))
                if found is not None:
                    return found
        return None

    def probe(self, path: str) -> int | None:
        """The file a path without or with suffix stands for, as bundlers and tsc look it up."""
        by_path = self.program.by_path
        if path == ".":
            path = ""
        for extension in _EXTENSIONS:
            found = by_path.get(path + extension)
            if found is not None:
                return found
        stem, suffix = posixpath.splitext(path)
        for other in _OUTPUTS.get(suffix, ()):
            found = by_path.get(stem + other)
            if found is not None:
                return found
        for package in self.layout.packages:
            if package.directory == path:
                for entry in package.entries:
                    found = by_path.get(entry)
                    if found is not None:
                        return found
        for index in _INDEXES:
            found = by_path.get((path + index).lstrip("/"))
            if found is not None:
                return found
        return None

    # binding

    def bind(self) -> None:
        program = self.program
        for stars in (True, False):  # what a star brings must be known to those who import it
            for index, facts in enumerate(program.facts):
                for row in facts.imports:
                    if (row[1] == ImportKind.EXPORT_STAR) is stars:
                        self._bind_import(index, row)
        for index in range(len(program.facts)):
            self._bind_free(index)

    def _bind_import(self, index: int, row: ImportRow) -> None:
        slot, kind, _, specifier, name, _, _ = row
        program, solver = self.program, self.solver
        slot = slot + program.slot_base[index] if slot >= 0 else -1
        if specifier.endswith("/*"):
            self._bind_directory(index, slot, specifier)
            return
        target = self.locate(index, specifier)
        if target is None:
            plain = specifier.removeprefix("node:")
            if kind == ImportKind.NAME:
                plain += "." + program.texts[program.renames[index][name]]
            self.rules.models.add_external(slot, plain.removesuffix(".default"))
            return
        if target != index:
            self.found.extend((index, target))
        module = program.scope_base[target]
        if kind == ImportKind.EXPORT_STAR:
            self.stars.setdefault(program.scope_base[index], []).append(module)
        elif kind == ImportKind.MODULE or kind == ImportKind.REQUIRE:
            self._bind_module(module, slot, kind)
        elif kind == ImportKind.NAME:
            self.load(module, program.renames[index][name], (solver.copy_to, slot))

    def require(self, index: int, specifier: str, slot: int) -> None:
        """Give a slot the module that a file asks for by a text, if that is one of the project."""
        target = self.locate(index, specifier) if specifier[:1] in "./" else None
        if target is not None and target != index:
            self.found.extend((index, target))
            self._bind_module(self.program.scope_base[target], slot, ImportKind.REQUIRE)

    def _bind_module(self, module: int, slot: int, kind: int) -> None:
        members = self.program.members[module] or {}
        common = members.get(self.module_exports)
        if common is not None:
            self.solver.edge(common, slot)
        if common is None or kind == ImportKind.MODULE:
            self.solver.add(slot, module)

    def _bind_directory(self, index: int, slot: int, specifier: str) -> None:
        """`require("./parts/" + name)` may be any module of the directory."""
        program = self.program
        here = posixpath.dirname(program.paths[index])
        directory = posixpath.normpath(posixpath.join(here, specifier[:-2])).removeprefix(".")
        modules: dict[str, int] = {}
        for target, path in enumerate(program.paths):
            head, name = posixpath.split(path)
            if target != index and head == directory:
                modules[posixpath.splitext(name)[0]] = target
            elif posixpath.dirname(head) == directory and path.startswith(f"{head}/index."):
                modules.setdefault(posixpath.basename(head), target)
        made = self.solver.make(CONTAINER, DIRECTORY, index, slot)
        self.solver.add(slot, made)
        for name, target in modules.items():
            self.found.extend((index, target))
            field = self.solver.field(made, program.name(name))
            self._bind_module(program.scope_base[target], field, ImportKind.REQUIRE)

    def _bind_free(self, index: int) -> None:
        for name, slot in self.program.free(index):
            builtin = self.rules.models.builtin(self.program.texts[name])
            if builtin >= 0:
                self.solver.add(slot, builtin)
            elif self.unwritten is not None:
                self.unwritten.bind(index, name, slot)

    def bind_name(self, index: int, target: int, name: int, slot: int) -> None:
        """Let a slot have what a file imports from another one of the project."""
        self.found.extend((index, target))
        self.load(self.program.scope_base[target], name, (self.solver.copy_to, slot))

    def load(self, value: int, name: int, listener: Listener) -> None:
        """Read an export, through `export *` and CommonJS exports if it is not the module's."""
        self._load(value, name, listener, set())

    def _load(self, module: int, name: int, listener: Listener, seen: set[int]) -> bool:
        if module in seen or module >= self.program.scopes:
            return False
        seen.add(module)
        members = self.program.members[module] or {}
        slot = members.get(name)
        if slot is not None:
            self.solver.listen(slot, listener)
            return True
        common = members.get(self.module_exports)
        if common is not None:
            if name == self.default:
                self.solver.listen(common, listener)
            else:
                self.solver.listen(common, (self._on_common, name, listener))
            return True
        if name == self.default:
            return False
        return any(
            self._exports(source, name) and self._load(source, name, listener, seen)
            for source in self.stars.get(module, ())
        )

    def exported(self, module: int) -> dict[int, int]:
        """Every name that a module exports with its slot, what its stars bring behind its own."""
        program, found = self.program, dict[int, int]()
        pending = [module]
        for known in pending:
            names = program.exported[program.file_of[known]]
            for name, slot in (program.members[known] or {}).items():
                if program.texts[name] in names and (known == module or name != self.default):
                    found.setdefault(name, slot)
            pending += [source for source in self.stars.get(known, ()) if source not in pending]
        return found

    def _exports(self, module: int, name: int) -> bool:
        """Whether a star may bring a name from here: not if the module only reads or imports it.

        Files that get what they need from a barrel would else each stand for all that they import.
        """
        program = self.program
        members = program.members[module] or {}
        if name not in members or self.module_exports in members:
            return True  # by a star of its own, or by CommonJS
        return program.texts[name] in program.exported[program.file_of[module]]

    def _on_common(self, value: int, listener: Listener) -> None:
        _, name, found = listener
        target = self.solver.slot()
        self.solver.listen(target, found)
        self.rules.load(value, name, target, 0, 0)


def _below(directory: str, root: str) -> bool:
    return not root or directory == root or directory.startswith(root + "/")


def _match(pattern: str, text: str) -> str | None:
    """The text that `*` stands for, empty for a pattern without it; None without a match."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if pattern == text else None
    if text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail):
        return text[len(head) : len(text) - len(tail)]
    return None


__all__ = ["EXTERNAL", "JavaScriptImports"]
