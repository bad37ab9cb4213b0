"""Ruby constants and reopened classes: names to classes in any file."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ImportKind, ScopeKind
from toolroll_codegraph.facts.model import ImportRow
from toolroll_codegraph.resolve.ruby.active_records import BASES
from toolroll_codegraph.resolve.ruby.collections import COLLECTIONS
from toolroll_codegraph.resolve.ruby.core_methods import CORE_CONSTANTS
from toolroll_codegraph.resolve.ruby.library import LIBRARY
from toolroll_codegraph.resolve.ruby.objects import MIXINS
from toolroll_codegraph.resolve.ruby.operands import PATHS
from toolroll_codegraph.resolve.ruby.rails import MAILERS
from toolroll_codegraph.resolve.ruby.requires import RubyRequires
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.classes import Classes


class RubyConstants:
    """The project's constant table; a class opened in several files is one class."""

    def __init__(self, solver: Solver, classes: Classes) -> None:
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.paths: dict[int, str] = {}
        """Class scope → its full constant path."""
        self.table: dict[str, int] = {}
        self.common: dict[int, tuple[list[int], list[int]]] = {}
        """Name → the reopened classes of Ruby that give it to every object, and to every class."""
        self.values: dict[str, list[int]] = {}
        self.found = array("i")
        """(importing file, imported file) of each import, flat."""
        self.requires = RubyRequires(solver.program)
        self.blank: set[int] = set()
        """Slots of Ruby's `BasicObject`, which answers next to nothing."""
        self.collections: dict[int, int] = {}
        """Slots of Ruby's `Array`, `Hash` and `Set` → what their instances are."""
        self.further: dict[int, str] = {}
        """Slots of further classes and modules of Ruby's that classes are made of → their names."""
        self.orders_later = False
        """Whether a class may include `Comparable` otherwise than in its body."""
        self.records: set[int] = set()
        """Slots of what Active Record's models derive from."""
        self.mailers: set[int] = set()
        """Slots of what mailers derive from."""
        self._endings: dict[str, list[str]] = {}
        self._missing: list[tuple[int, ImportRow]] = []
        self._nested: set[str] = set()
        """Last names of constants inside of classes: an ancestor may have them."""
        self._ancestors: set[int] = set()
        """Slots of what classes inherit from and mix in."""
        self._everywhere: list[int] = []
        """What files include outside of any class: it belongs to `Object`."""
        self._merge_classes()

    def _merge_classes(self) -> None:
        program = self.program
        refined = {  # `refine Name` is no class of its own
            row[1] + base
            for base, facts in zip(program.scope_base, program.facts, strict=True)
            for row in facts.relations
            if row[0] == "refine"
        }
        scopes = [
            scope
            for scope, kind in enumerate(program.kind)
            if kind in (ScopeKind.CLASS, ScopeKind.NAMESPACE) and scope not in refined
        ]
        known: set[str] = set()
        compound: list[int] = []
        for scope in scopes:
            name = program.texts[program.scope_name[scope]]
            if name.startswith("<"):  # without a name: each is a class of its own
                name += str(scope)
            outer = self.paths.get(program.parent[scope], "")
            self.paths[scope] = f"{outer}.{name}" if outer else name
            known.add(self.paths[scope])
            if outer and "." in name:
                compound.append(scope)
        for scope in compound:  # `class A::B` inside a module: A may be a constant further out
            name = program.texts[program.scope_name[scope]]
            head = name.partition(".")[0]
            outer = self.paths.get(program.parent[scope], "")
            while outer and f"{outer}.{head}" not in known:
                outer = outer.rpartition(".")[0]
            self.paths[scope] = f"{outer}.{name}" if outer else name
        for scope in scopes:
            path = self.paths[scope]
            first = self.table.setdefault(path, scope)
            if first != scope:
                program.canonical[scope] = first
                self._merge_members(scope, first)
        self._find_common()
        for path in self.table:
            self._endings.setdefault(path.rpartition(".")[2], []).append(path)

    def _find_common(self) -> None:
        """Note what the project adds to `Object` and `Kernel`, to `Class` and `Module`."""
        for of_classes, names in enumerate((("Object", "Kernel"), ("Class", "Module"))):
            for scope in [self.table[name] for name in names if name in self.table]:
                for name in self.program.members[scope] or ():
                    self.common.setdefault(name, ([], []))[of_classes].append(scope)

    def _merge_members(self, scope: int, first: int) -> None:
        for name, slot in (self.program.members[scope] or {}).items():
            known = self.classes.add_member(first, name, slot)
            if known != slot:  # neither gets the other's: an alias may mean one of them
                both = self.solver.slot()
                (self.program.members[first] or {})[name] = both
                self.solver.edge(known, both)
                self.solver.edge(slot, both)

    # constants

    def bind(self) -> None:
        """Give every constant that is read its class or value, every require its file."""
        program = self.program
        for index, facts in enumerate(program.facts):
            scopes, slots = program.scope_base[index], program.slot_base[index]
            for row in facts.relations:
                if row[0] == "const":
                    outer = self.paths.get(row[1] + scopes, "")
                    name = program.texts[program.renames[index][row[2]]]
                    path = f"{outer}.{name}" if outer else name
                    self.values.setdefault(path, []).append(row[3] + slots)
                elif row[0] in MIXINS:
                    self._ancestors.add(row[3] + slots)
        self._ancestors.update(slot for slots in program.bases for slot in slots)
        named = (path.rpartition(".") for paths in (self.table, self.values) for path in paths)
        self._nested = {last for outer, _, last in named if outer}
        for index, facts in enumerate(program.facts):
            for row in facts.imports:
                if row[1] == ImportKind.CONSTANT:
                    self._bind_constant(index, row)
                elif (target := self.requires.bind(index, row)) is not None:
                    self._relate(index, target)

    def bind_inherited(self) -> None:
        """Look again for constants of ancestors, now that the ancestors are known."""
        again, self._missing = self._missing, []
        self._nested.clear()
        order, files = self.classes.order, self.program.scope_base
        self._everywhere = [*dict.fromkeys(scope for file in files for scope in order(file)[1:])]
        for index, row in again:
            self._bind_constant(index, row)
        named, name = {*LIBRARY}, self.program.name
        if any(self.classes.definers(name(text)) for text in ("to_path", "to_str")):
            named |= PATHS
        for index, row in self._missing:
            text, slot = row[3].removeprefix("."), row[0] + self.program.slot_base[index]
            if text in COLLECTIONS:
                self.collections[slot] = COLLECTIONS[text]
            if text in named:
                self.solver.add(slot, self.solver.text(self.program.name(text)))
            elif text == "BasicObject":
                self.blank.add(slot)
            elif text in BASES:
                self.records.add(slot)
            elif text in MAILERS:
                self.mailers.add(slot)
            elif slot in self._ancestors and text in CORE_CONSTANTS:
                self.further[slot] = text
            elif text == "Comparable":
                self.orders_later = True

    def missing(self) -> list[tuple[int, int, str, ImportRow]]:
        """(file, class that is asked, its constant, row) of constants that nothing defines."""
        found: list[tuple[int, int, str, ImportRow]] = []
        for index, row in self._missing:
            head, _, last = row[3].removeprefix(".").rpartition(".")
            if not head and last in CORE_CONSTANTS:
                continue
            scope = row[6] + self.program.scope_base[index]
            path = self.find(head, scope) if head else self.paths.get(scope)
            if path in self.table:
                found.append((index, self.table[path], last, row))
        self._missing.clear()
        return found

    def _bind_constant(self, index: int, row: ImportRow) -> None:
        program, solver = self.program, self.solver
        slot, _, _, text, _, _, scope = row
        slot += program.slot_base[index]
        scope += program.scope_base[index]
        path = next(filter(None, (self.find(one, scope) for one in text.split("|"))), None)
        if path is None or (path == text and self._may_inherit(text, scope, slot)):
            self._missing.append((index, row))
            return
        if path in self.table:
            target = self.table[path]
            solver.add(slot, target)
            self._relate(index, program.file_of[target])
        for value in self.values.get(path, ()):
            solver.edge(value, slot)

    def _may_inherit(self, text: str, scope: int, slot: int) -> bool:
        """Whether an ancestor, not known yet, may have what is defined outside of all classes."""
        inside = scope in self.paths and slot not in self._ancestors
        return inside and text.partition(".")[0] in self._nested

    def find(self, text: str, scope: int) -> str | None:
        """The full path a constant means here: lexical scopes, then ancestors, then `Object`."""
        if text.startswith("."):
            text = text[1:]
            return text if self._exists(text) else None
        outer = self.paths.get(scope, "")
        around = scope
        while around >= 0:  # `class A::B` does not stand inside of A
            if around in self.paths:
                path = f"{self.paths[around]}.{text}"
                if self._exists(path):
                    return path
            around = self.program.parent[around]
        head, _, rest = text.partition(".")
        found = self._inherited(outer, head)
        if found is None:
            if self._exists(text):
                return text
            found = self._of_any(self._everywhere, head)
        if found is not None:
            return f"{found}.{rest}" if rest else found
        if not rest:
            endings = self._endings.get(head, ())
            return endings[0] if len(endings) == 1 and outer.startswith(
                endings[0].partition(".")[0]) else None  # fmt: skip
        return None

    def inside(self, scope: int) -> list[int]:
        """The classes written directly inside of one."""
        path = self.paths.get(scope)
        return self._inside.get(path, []) if path else []

    def has_own(self, scope: int) -> bool:
        """Whether a class has constants, classes or others, of its own."""
        return self.paths.get(scope, "") in self._having

    @cached_property
    def _having(self) -> set[str]:
        return {path.rpartition(".")[0] for paths in (self.table, self.values) for path in paths}

    def outermost(self) -> list[int]:
        """The classes written outside of all others."""
        return self._inside.get("", [])

    @cached_property
    def _inside(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for path, scope in self.table.items():
            found.setdefault(path.rpartition(".")[0], []).append(scope)
        return found

    def _inherited(self, path: str, name: str) -> str | None:
        scope = self.table.get(path)
        return None if scope is None else self._of_any(self.classes.order(scope)[1:], name)

    def _of_any(self, bases: Iterable[int], name: str) -> str | None:
        """What the first class that has a constant calls it."""
        for base in bases:
            found = f"{self.paths.get(base, '')}.{name}"
            if self._exists(found):
                return found
        return None

    def _exists(self, path: str) -> bool:
        return path in self.table or path in self.values

    def _relate(self, index: int, target: int) -> None:
        if index != target:
            self.found.extend((index, target))
