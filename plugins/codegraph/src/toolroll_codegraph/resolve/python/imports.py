"""Python imports: from dotted names to files and members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import FileFacts, ImportKind, numbers
from toolroll_codegraph.facts.model import ImportRow
from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.program import BUILTIN, EXTERNAL, MODULE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_SOURCE_ROOTS = ("", "src", "lib", "python")


class PythonImports:
    """Absolute and relative imports, packages without `__init__`, re-exports, star imports."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.modules: dict[str, int] = {}
        self.packages: dict[str, list[str]] = {}
        self.directories: set[str] = set()
        self.stars: dict[int, list[int]] = {}
        self.found: list[tuple[int, int, int]] = []
        """(importing file, imported file, names)."""
        self._index()

    def _index(self) -> None:
        program = self.program
        for index, path in enumerate(program.paths):
            stem = path.rpartition(".")[0]
            if stem.endswith("/__init__") or stem == "__init__":
                stem = stem[: -len("/__init__")] if "/" in stem else ""
                self.packages.setdefault(stem.rpartition("/")[2], []).append(stem)
            self.modules.setdefault(stem, index)
            if path.endswith("/__init__.py"):
                self.modules[stem] = index
            directory = path.rpartition("/")[0]
            while directory and directory not in self.directories:
                self.directories.add(directory)
                directory = directory.rpartition("/")[0]
        self._cache: dict[tuple[str, str], str | None] = {}

    def is_package(self, stem: str) -> bool:
        index = self.modules.get(stem)
        return index is not None and self.program.paths[index].endswith("__init__.py")

    def _known(self, stem: str) -> bool:
        return stem in self.modules or stem in self.directories

    def locate(self, index: int, level: int, module: str) -> str | None:
        """The path without suffix of an imported module, None for libraries."""
        path = self.program.paths[index]
        directory = path.rpartition("/")[0]
        tail = module.replace(".", "/")
        if level:
            for _ in range(level - 1):
                directory = directory.rpartition("/")[0]
            stem = "/".join(part for part in (directory, tail) if part)
            return stem if self._known(stem) or stem == "" else None
        key = (directory, module)
        if key not in self._cache:
            self._cache[key] = self._locate_absolute(directory, tail)
        return self._cache[key]

    def _locate_absolute(self, directory: str, tail: str) -> str | None:
        head = tail.partition("/")[0]
        inside = directory
        while self.is_package(inside) and inside:
            inside = inside.rpartition("/")[0]
        while True:
            stem = f"{inside}/{tail}" if inside else tail
            if self._known(f"{inside}/{head}" if inside else head):
                return stem if self._known(stem) else None
            if not inside:
                break
            inside = inside.rpartition("/")[0]
        for root in _SOURCE_ROOTS[1:]:
            if self._known(f"{root}/{tail}"):
                return f"{root}/{tail}"
        candidates = [stem for stem in self.packages.get(head, ()) if stem.endswith(head)]
        found = sorted(
            stem[: len(stem) - len(head)] + tail
            for stem in candidates
            if self._known(stem[: len(stem) - len(head)] + tail)
        )
        if len(found) == 1:
            return found[0]
        beside = f"{directory}/{tail}"  # a script beside its module inside a package
        return beside if beside in self.modules else None

    def module_object(self, stem: str) -> int:
        index = self.modules.get(stem)
        if index is not None:
            return self.program.scope_base[index]
        return self.solver.make(MODULE, stem)

    def stem_of(self, value: int) -> str:
        if value < self.program.scopes:
            path = self.program.paths[self.program.file_of[value]]
            stem = path.rpartition(".")[0]
            if stem == "__init__":
                return ""
            return stem[: -len("/__init__")] if stem.endswith("/__init__") else stem
        return self.solver.detail[value][0]

    # binding

    def bind(self) -> None:
        """Enter the import statements of every file, then the names they leave free."""
        program = self.program
        for stars in (True, False):  # what a star brings must be known to those who import it
            for index, facts in enumerate(program.facts):
                for row in facts.imports:
                    if (row[1] == ImportKind.STAR) is stars:
                        self._bind_import(index, row)
        for index, facts in enumerate(program.facts):
            self._bind_free(index, facts)

    def _bind_import(self, index: int, row: ImportRow) -> None:
        slot, kind, level, module, name, _, _ = row
        solver, program = self.solver, self.program
        slot = slot + program.slot_base[index] if slot >= 0 else -1
        stem = self.locate(index, level, module)
        if stem is None:
            self._bind_external(index, slot, kind, module, name)
            return
        if kind == ImportKind.ROOT:
            head = module.partition(".")[0]
            root = stem[: len(stem) - len(module)] + head
            solver.add(slot, self.module_object(root))
            self._relate(index, stem)
        elif kind == ImportKind.MODULE:
            solver.add(slot, self.module_object(stem))
            self._relate(index, stem)
        elif kind == ImportKind.STAR:
            self.stars.setdefault(program.scope_base[index], []).append(self.module_object(stem))
            self._relate(index, stem)
        else:
            identifier = program.renames[index][name]
            submodule = f"{stem}/{program.texts[identifier]}" if stem else program.texts[identifier]
            owner = self.modules.get(stem)
            members = program.members[program.scope_base[owner]] if owner is not None else None
            direct = members is not None and identifier in members
            if owner == index and self._known(submodule):
                # A package that imports its own module: the name it binds is that module.
                self._relate(index, submodule)
                solver.add(slot, self.module_object(submodule))
                return
            self._relate(index, submodule if not direct and self._known(submodule) else stem)
            place = row[6] + program.scope_base[index], row[5]
            self.load(self.module_object(stem), identifier, (solver.copy_to, slot), place)

    def _bind_external(self, index: int, slot: int, kind: int, module: str, name: int) -> None:
        models = self.rules.models
        if kind == ImportKind.NAME:
            text = f"{module}.{self.program.texts[self.program.renames[index][name]]}"
            models.add_external(slot, text)
        elif kind == ImportKind.ROOT:
            models.add_external(slot, module.partition(".")[0])
        elif kind == ImportKind.MODULE:
            models.add_external(slot, module)

    def _relate(self, index: int, stem: str) -> None:
        target = self.modules.get(stem)
        if target is not None and target != index:
            self.found.append((index, target, 1))

    def _bind_free(self, index: int, facts: FileFacts) -> None:
        program = self.program
        module = program.scope_base[index]
        base, rename = program.slot_base[index], program.renames[index]
        stars = self.stars.get(module)
        pairs = iter(numbers(facts.free))
        for name, slot in zip(pairs, pairs, strict=True):
            identifier, slot = rename[name], slot + base
            if stars and self._load_star(module, identifier, slot, set()):
                continue
            if self.rules.models.is_builtin(program.texts[identifier]):
                self.solver.add(slot, self.solver.make(BUILTIN, program.texts[identifier]))

    def _load_star(self, module: int, name: int, slot: int, seen: set[int]) -> bool:
        """Look a name up in the modules that a module imports with a star."""
        for source in reversed(self.stars.get(module, ())):  # the last one wins
            if source in seen or source >= self.program.scopes:
                continue
            seen.add(source)
            members = self.program.members[source]
            if members is not None and name in members:
                if self._public(source, name):
                    self.solver.edge(members[name], slot)
                    return True
            elif self._load_star(source, name, slot, seen):
                return True
        return False

    def _public(self, module: int, name: int) -> bool:
        index = self.program.file_of[module]
        exported = self.program.exported[index]
        text = self.program.texts[name]
        return text in exported if exported else not text.startswith("_")

    def load(
        self, value: int, name: int, listener: Listener, place: tuple[int, int] = (-1, 0)
    ) -> None:
        """Read a member of a module, a submodule of a package, or what a star brought in.

        With the scope and line that read it, a module's `__getattr__` may be asked.
        """
        solver, program = self.solver, self.program
        if value < program.scopes:
            members = program.members[value]
            slot = None if members is None else members.get(name)
            if slot is not None:
                solver.listen(slot, listener)
                return
        stem = self.stem_of(value)
        submodule = f"{stem}/{program.texts[name]}" if stem else program.texts[name]
        if self._known(submodule):
            listener[0](self.module_object(submodule), listener)
            return
        if value < program.scopes:
            slot = solver.slot()
            if self._load_star(value, name, slot, set()):
                solver.listen(slot, listener)
                return
            getter = program.members[value] or {}
            fallback = getter.get(program.name("__getattr__"))
            if fallback is None:
                solver.listen(self.rules.classes.declare(value, name), listener)
            elif place[0] >= 0:
                self.rules.protocols.ask_module(fallback, name, *place, slot)
                solver.listen(slot, listener)


__all__ = ["EXTERNAL", "PythonImports"]
