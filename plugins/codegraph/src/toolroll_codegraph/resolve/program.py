"""Joining the facts of all files into one numbered program."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from toolroll_codegraph.facts import FileFacts, ImportKind, ScopeFlag, ScopeKind, numbers
from toolroll_codegraph.languages.registry import FAMILIES
from toolroll_codegraph.resolve.copies import copy_classes
from toolroll_codegraph.resolve.operations import Operations

FUNCTION: Final = 0
CLASS: Final = 1
MODULE: Final = 2
INSTANCE: Final = 3
BOUND: Final = 4
"""A function with its receiver: `detail` is (function object, receiver object)."""
CONTAINER: Final = 5
TEXT: Final = 6
"""A constant string or symbol, for computed keys: `detail` is its name."""
BUILTIN: Final = 7
EXTERNAL: Final = 8
WRAPPED: Final = 9
"""A decorated function: `detail` is (wrapper, what the decorator was given)."""
FUNCTIONS: Final = (FUNCTION, BOUND, WRAPPED)

_SCOPE_OBJECTS: Final = {
    ScopeKind.MODULE: MODULE,
    ScopeKind.FUNCTION: FUNCTION,
    ScopeKind.LAMBDA: FUNCTION,
    ScopeKind.CLASS: CLASS,
    ScopeKind.NAMESPACE: CLASS,
}


_SPARE_CLASSES: Final = 64
"""Numbers for those that are written nowhere, but follow from others: a base of `Rows[T]`."""
_MOST_APPLIED: Final = 2_000
"""Classes with arguments that a program may have; further ones are the class itself."""
_RECENT: Final = 512
"""Functions of which the parameters are kept as objects: half to four fifths of those asked for."""


class Parameters:
    """(name, slot, kind) of the parameters of every scope, in packed integers."""

    def __init__(self) -> None:
        self._start = array("i", [0])
        self._items = array("i")
        self._of = lru_cache(_RECENT)(self._unpacked)

    def append(self, parameters: Iterable[tuple[int, int, int]]) -> None:
        """Add those of the next scope."""
        for parameter in parameters:
            self._items.extend(parameter)
        self._start.append(len(self._items))

    def __getitem__(self, scope: int) -> Sequence[tuple[int, int, int]]:
        return self._of(scope)

    def _unpacked(self, scope: int) -> Sequence[tuple[int, int, int]]:
        items = iter(self._items[self._start[scope] : self._start[scope + 1]])
        return tuple(zip(items, items, items, strict=True))

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Those of all scopes, one after another."""
        items = iter(self._items)
        return zip(items, items, items, strict=True)

    def first_name(self, scope: int) -> int:
        """The name of the first parameter, -1 without any."""
        start = self._start[scope]
        return self._items[start] if start != self._start[scope + 1] else -1


class Program:
    """All scopes, slots and names of one family of a project's languages under one numbering.

    Objects are numbered too: object `n` below `scopes` is the function, class or module of scope
    `n`; object `scopes + n` is the instance of class `n`; others are made while resolving.
    """

    def __init__(self, files: Iterable[tuple[str, FileFacts]], whole: int = 0) -> None:
        """Number files, which may be a part of a program of at least so many scopes."""
        self.names: dict[str, int] = {}
        self.paths: list[str] = []
        self.facts: list[FileFacts] = []
        self.renames: list[list[int]] = []
        self.slot_base: list[int] = []
        self.scope_base: list[int] = []
        self.scope_count: list[int] = []
        self.exported: list[frozenset[str]] = []
        self.alone: set[int] = set()
        """Files that neither import nor export anything."""
        self.imported: list[array[int]] = []
        """For each file the slots that its imports fill."""
        self.imports = 0
        """Imported names and modules, as written."""
        self.operations = Operations()
        self.copies: dict[int, dict[int, int]] = {}
        """Class → slot of the result of a call → the copy that the call makes an instance of."""
        self.contexts: dict[int, dict[int, int]] = {}
        """Function → result of a call of it → the copy of it that the call enters."""
        self.originals: list[int] = []
        """What each scope of a copy is one of."""
        self.bridges: list[int] = []
        """(source, target) slots of the flow between files and copies, flat."""
        self._open_tables()
        slots = scopes = 0
        names = self.names
        nothing: list[Any] = []
        unknown: frozenset[str] = frozenset()
        for path, facts in files:
            self.paths.append(path)
            self.facts.append(facts)
            self.renames.append([names.setdefault(name, len(names)) for name in facts.names])
            self.slot_base.append(slots)
            self.scope_base.append(scopes)
            self.scope_count.append(len(facts.scopes))
            if not facts.imports and not facts.exported:
                self.alone.add(len(self.paths) - 1)
            self.exported.append(
                frozenset(facts.names[name] for name in facts.exported)
                if facts.exported
                else unknown
            )
            self.imported.append(
                array("i", [row[0] + slots for row in facts.imports if row[0] >= 0])
            )
            self.imports += sum(row[1] != ImportKind.CONSTANT for row in facts.imports)
            slots += facts.slots
            scopes += len(facts.scopes)
            self._number_file(len(self.paths) - 1, facts)
            facts.names = facts.scopes = facts.exported = nothing  # what is numbered need not stay
            facts.lines = b""
            self.operations.add(len(self.paths) - 1, facts)
        self.operations.close()
        self.slots = slots
        self.own_scopes = scopes
        """How many scopes the files have; those of copies come behind them."""
        self.texts = list(names)
        self.by_path = {path: index for index, path in enumerate(self.paths)}
        self.family = FAMILIES[self.facts[0].language] if self.facts else ""
        if self.family == "python":
            copy_classes(self)
        self.reserved = len(self.kind)
        """The first of the numbers kept free for classes with arguments (Python)."""
        if self.family == "python":
            self._reserve()
        self.scopes = scopes = len(self.kind)
        self.size = max(scopes, whole)
        """What tells a large program, whose bounds hold for a part of it too."""
        self.canonical = list(range(scopes))
        """The first definition of a class that is opened more than once (Ruby)."""

    def add_copy(self, index: int, facts: FileFacts, scopes: int) -> None:
        """Add a copy of a class, whose scopes are numbered already, as a file behind all others."""
        self.paths.append(self.paths[index])
        self.facts.append(facts)
        self.renames.append(self.renames[index])
        self.slot_base.append(self.slots)
        self.scope_base.append(len(self.kind) - scopes)
        self.scope_count.append(scopes)
        self.exported.append(frozenset())
        self.imported.append(array("i"))
        self.slots += facts.slots
        self.operations.reopen()
        self.operations.add(len(self.paths) - 1, facts)
        self.operations.close()

    def _reserve(self) -> None:
        """Keep numbers free for classes with arguments, by how many are written."""
        written = sum(row[0] == "applied" for facts in self.facts for row in facts.relations)
        size = min(written + _SPARE_CLASSES, _MOST_APPLIED) if written else 0
        first = len(self.kind)
        self.kind += bytes([ScopeKind.NAMESPACE]) * size
        self.object_kind += bytes([CLASS]) * size
        for column in (self.scope_name, self.first_line, self.last_line, self.flags, self.file_of):
            column.extend([0] * size)
        for column in (self.parent, self.this, self.ret, self.value):
            column.extend([-1] * size)
        self.caller.extend(range(first, first + size))
        self.originals.extend(range(first, first + size))
        self.bases += [()] * size
        self.members += [None] * size
        for _ in range(size):
            self.params.append(())

    def take_reserved(self, scope: int, original: int) -> None:
        """Let a number that was kept free be that of a class with arguments."""
        self.originals[scope - self.own_scopes] = original
        for column in (self.scope_name, self.first_line, self.last_line, self.flags, self.file_of):
            column[scope] = column[original]  # type: ignore[index]

    def original(self, scope: int) -> int:
        """The scope that another is a copy of, or itself."""
        return self.originals[scope - self.own_scopes] if scope >= self.own_scopes else scope

    def drop_copies(self) -> None:
        """Forget the copies, when all that was found in them is told of what they copy."""
        files, scopes = len(self.by_path), self.own_scopes
        for by_file in (
            self.paths, self.facts, self.renames, self.slot_base, self.scope_base,
            self.scope_count, self.exported, self.imported,
        ):  # fmt: skip
            del by_file[files:]  # type: ignore[attr-defined]  # lists of several kinds
        for by_scope in (
            self.kind, self.object_kind, self.scope_name, self.parent, self.first_line,
            self.last_line, self.flags, self.this, self.ret, self.file_of, self.caller,
            self.bases, self.members, self.value, self.canonical,
        ):  # fmt: skip
            del by_scope[scopes:]  # type: ignore[attr-defined]
        self.scopes = scopes

    def name(self, text: str) -> int:
        found = self.names.get(text)
        if found is None:
            found = self.names[text] = len(self.texts)
            self.texts.append(text)
        return found

    def _open_tables(self) -> None:
        self.kind = bytearray()
        self.object_kind = bytearray()
        self.scope_name: list[int] = []
        self.parent = array("i")
        self.first_line = array("i")
        self.last_line = array("i")
        self.flags = array("q")
        self.this = array("i")
        self.ret = array("i")
        self.file_of = array("i")
        self.caller = array("i")
        self.params = Parameters()
        self.bases: list[tuple[int, ...]] = []
        self.members: list[dict[int, int] | None] = []
        self.value = array("i")

    def _number_file(self, index: int, facts: FileFacts) -> None:
        base, slots, rename = self.scope_base[index], self.slot_base[index], self.renames[index]
        for scope, row in enumerate(facts.scopes, base):
            kind, name, parent, first, last, flags, this, ret, params, bases, members, value = row
            self.kind.append(kind)
            self.object_kind.append(_SCOPE_OBJECTS[kind])
            self.scope_name.append(rename[name])
            self.parent.append(parent + base if parent >= 0 else -1)
            self.first_line.append(first)
            self.last_line.append(last)
            self.flags.append(flags)
            self.this.append(this + slots if this >= 0 else -1)
            self.ret.append(ret + slots if ret >= 0 else -1)
            self.file_of.append(index)
            self.value.append(value + slots)
            self.params.append(
                [
                    (rename[name], slot + slots if slot >= 0 else -1, shape)
                    for name, slot, shape in params
                ]
            )
            self.bases.append(tuple(slot + slots for slot in bases))
            held = kind != ScopeKind.FUNCTION and kind != ScopeKind.LAMBDA
            self.members.append(
                {rename[name]: slot + slots for name, slot in members} if held else None
            )
            transparent = (
                kind == ScopeKind.CLASS or kind == ScopeKind.NAMESPACE or flags & ScopeFlag.BLOCK
            )
            self.caller.append(self.caller[parent + base] if transparent else scope)

    def qualified_name(self, scope: int) -> str:
        """`Class.method`, `outer.inner` or `<module>`, unique enough to read within a file."""
        parts: list[str] = []
        current = scope
        while current >= 0 and self.kind[current] != ScopeKind.MODULE:
            if not self.flags[current] & (ScopeFlag.BLOCK | ScopeFlag.OWN):
                parts.append(self.texts[self.scope_name[current]])
            current = self.parent[current]
        return ".".join(reversed(parts)) or "<module>"

    def free(self, index: int) -> Iterator[tuple[int, int]]:
        """(name, slot) of what a file reads and nowhere declares."""
        base, rename = self.slot_base[index], self.renames[index]
        pairs = iter(numbers(self.facts[index].free))
        return ((rename[name], slot + base) for name, slot in zip(pairs, pairs, strict=True))

    def typed(self, index: int) -> Iterator[tuple[int, int, int]]:
        """(slot, slot of a class, `TypeHint`) of what a file says of types; some classes are -1."""
        base = self.slot_base[index]
        items = iter(numbers(self.facts[index].types))
        for slot, known, hint in zip(items, items, items, strict=True):
            yield slot + base, known + base if known >= 0 else known, hint

    def owner_class(self, scope: int) -> int:
        """The class whose method a scope is or lies in, -1 outside of classes."""
        current = scope
        while current >= 0:
            if self.kind[current] in (ScopeKind.CLASS, ScopeKind.NAMESPACE):
                return self.canonical[current]
            current = self.parent[current]
        return -1
