"""Python imports: from modules to what names mean."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ImportKind
from toolroll_codegraph.facts.model import ImportRow
from toolroll_codegraph.facts.names import IN_PLACE
from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.program import BUILTIN, EXTERNAL, MODULE
from toolroll_codegraph.resolve.python.modules import PythonModules

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonImports:
    """What import statements bind: modules, members, re-exports, what stars bring."""

    def __init__(self, rules: PythonRules, directory: str) -> None:
        """Take over a family's imports; `directory` is the project's own path."""
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.modules = PythonModules(rules.program, directory)
        self.stars: dict[int, list[int]] = {}
        self._in_place: dict[int | None, list[int]] = {}
        """File of a module → what it puts in its own place: `sys.modules[__name__] = value`."""
        for index, facts in enumerate(self.program.facts):
            for relation, _, value, _, _ in facts.relations:
                if relation == IN_PLACE:
                    slot = value + self.program.slot_base[index]
                    self._in_place.setdefault(index, []).append(slot)
        self.found = array("i")
        """(importing file, imported file) of each import, flat."""

    def module_object(self, stem: str) -> int:
        index = self.modules.file(stem)
        if index is not None:
            return self.program.scope_base[index]
        return self.solver.make(MODULE, stem)

    def _give(self, stem: str, listener: Listener) -> None:
        """Tell what an import of a module brings, be it put in the module's place."""
        listener[0](self.module_object(stem), listener)
        for slot in self._in_place.get(self.modules.file(stem), ()):
            self.solver.listen(slot, listener)

    def stem_of(self, value: int) -> str:
        if value < self.program.scopes:
            return self.modules.stem(self.program.file_of[value])
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
        for index, module in enumerate(program.scope_base):
            self.solver.add(program.value[module], module)
            self._bind_free(index)
        self.modules.release()

    def _bind_import(self, index: int, row: ImportRow) -> None:
        slot, kind, level, module, name, _, _ = row
        solver, program = self.solver, self.program
        slot = slot + program.slot_base[index] if slot >= 0 else -1
        stem = self.modules.locate(index, level, module)
        if stem is None:
            self._bind_external(index, slot, kind, module, name)
            return
        if kind == ImportKind.ROOT:
            head = module.partition(".")[0]
            root = stem[: len(stem) - len(module)] + head
            self._give(root, (solver.copy_to, slot))
            self._relate(index, stem)
        elif kind == ImportKind.MODULE:
            self._give(stem, (solver.copy_to, slot))
            self._relate(index, stem)
        elif kind == ImportKind.STAR:
            self.stars.setdefault(program.scope_base[index], []).append(self.module_object(stem))
            self._relate(index, stem)
        else:
            identifier = program.renames[index][name]
            submodule = f"{stem}/{program.texts[identifier]}" if stem else program.texts[identifier]
            owner = self.modules.file(stem)
            members = program.members[program.scope_base[owner]] if owner is not None else None
            direct = members is not None and identifier in members
            if owner == index and self.modules.known(submodule):
                # A package that imports its own module: the name it binds is that module.
                self._relate(index, submodule)
                self._give(submodule, (solver.copy_to, slot))
                return
            self._relate(index, submodule if not direct and self.modules.known(submodule) else stem)
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
        target = self.modules.file(stem)
        if target is not None and target != index:
            self.found.extend((index, target))

    def _bind_free(self, index: int) -> None:
        program = self.program
        module = program.scope_base[index]
        stars, package = self.stars.get(module), self.stem_of(module)
        for identifier, slot in program.free(index):
            if stars and self._load_star(module, identifier, slot, set()):
                continue
            text = program.texts[identifier]
            if self.rules.models.is_builtin(text):
                self.solver.add(slot, self.solver.make(BUILTIN, text))
            elif self.modules.is_package(package):
                # Who imports a module of a package binds its name in the package.
                submodule = f"{package}/{text}" if package else text
                if self.modules.file(submodule) is not None:
                    self.solver.add(slot, self.module_object(submodule))

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
            elif self._load_star(source, name, slot, seen) or self._star_module(source, name, slot):
                return True
        return False

    def _star_module(self, package: int, name: int, slot: int) -> bool:
        """Import a module that a package lists in its `__all__`, as a star does."""
        text = self.program.texts[name]
        if text not in self.program.exported[self.program.file_of[package]]:
            return False
        submodule = f"{self.stem_of(package)}/{text}"
        known = self.modules.file(submodule) is not None
        if known:
            self.solver.add(slot, self.module_object(submodule))
        return known

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
        if self.modules.known(submodule):
            self._give(submodule, listener)
            return
        if value < program.scopes:
            slot = solver.slot()
            if self._load_star(value, name, slot, set()):
                solver.listen(slot, listener)
                return
            getter = program.members[value] or {}
            fallback = getter.get(program.name("__getattr__"))
            if fallback is None:
                solver.listen(self.member(value, name), listener)
            elif place[0] >= 0:
                self.rules.unanswered.ask_module(fallback, name, *place, slot)
                solver.listen(slot, listener)
        else:
            solver.listen(self.member(value, name), listener)

    def member(self, value: int, name: int) -> int:
        """The slot of a member; a package without an `__init__.py` has what it is given."""
        if value < self.program.scopes:
            return self.rules.classes.declare(value, name)
        return self.solver.field(value, name)


__all__ = ["EXTERNAL", "PythonImports"]
