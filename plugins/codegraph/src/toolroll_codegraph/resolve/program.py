"""Joining the facts of all files into one numbered program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolroll_codegraph.facts import FileFacts, ScopeFlag, ScopeKind

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

_SCOPE_OBJECTS: Final = {
    ScopeKind.MODULE: MODULE,
    ScopeKind.FUNCTION: FUNCTION,
    ScopeKind.LAMBDA: FUNCTION,
    ScopeKind.CLASS: CLASS,
    ScopeKind.NAMESPACE: CLASS,
}


class Program:
    """All scopes, slots and names of a project under one numbering.

    Objects are numbered too: object `n` below `scopes` is the function, class or module of scope
    `n`; object `scopes + n` is the instance of class `n`; others are made while resolving.
    """

    def __init__(self, files: Iterable[tuple[str, FileFacts]]) -> None:
        self.names: dict[str, int] = {}
        self.paths: list[str] = []
        self.facts: list[FileFacts] = []
        self.renames: list[list[int]] = []
        self.slot_base: list[int] = []
        self.scope_base: list[int] = []
        slots = scopes = 0
        names = self.names
        for path, facts in files:
            self.paths.append(path)
            self.facts.append(facts)
            self.renames.append([names.setdefault(name, len(names)) for name in facts.names])
            self.slot_base.append(slots)
            self.scope_base.append(scopes)
            slots += facts.slots
            scopes += len(facts.scopes)
        self.slots = slots
        self.scopes = scopes
        self.texts = list(names)
        self.canonical = list(range(scopes))
        """The first definition of a class that is opened more than once (Ruby)."""
        self.by_path = {path: index for index, path in enumerate(self.paths)}
        self._number_scopes()

    def name(self, text: str) -> int:
        found = self.names.get(text)
        if found is None:
            found = self.names[text] = len(self.texts)
            self.texts.append(text)
        return found

    def _number_scopes(self) -> None:
        total = self.scopes
        self.kind = [0] * total
        self.object_kind = [0] * total
        self.scope_name = [0] * total
        self.parent = [-1] * total
        self.first_line = [0] * total
        self.last_line = [0] * total
        self.flags = [0] * total
        self.this = [-1] * total
        self.ret = [-1] * total
        self.file_of = [0] * total
        self.caller = [0] * total
        self.params: list[tuple[tuple[int, int, int], ...]] = [()] * total
        self.bases: list[tuple[int, ...]] = [()] * total
        self.members: list[dict[int, int] | None] = [None] * total
        self.value = [-1] * total
        for index, facts in enumerate(self.facts):
            self._number_file(index, facts)

    def _number_file(self, index: int, facts: FileFacts) -> None:
        base, slots, rename = self.scope_base[index], self.slot_base[index], self.renames[index]
        for scope, row in enumerate(facts.scopes, base):
            kind, name, parent, first, last, flags, this, ret, params, bases, members, value = row
            self.kind[scope] = kind
            self.object_kind[scope] = _SCOPE_OBJECTS[kind]
            self.scope_name[scope] = rename[name]
            self.parent[scope] = parent + base if parent >= 0 else -1
            self.first_line[scope] = first
            self.last_line[scope] = last
            self.flags[scope] = flags
            self.this[scope] = this + slots if this >= 0 else -1
            self.ret[scope] = ret + slots if ret >= 0 else -1
            self.file_of[scope] = index
            self.value[scope] = value + slots
            if params:
                self.params[scope] = tuple(
                    (rename[name], slot + slots if slot >= 0 else -1, shape)
                    for name, slot, shape in params
                )
            if bases:
                self.bases[scope] = tuple(slot + slots for slot in bases)
            if kind != ScopeKind.FUNCTION and kind != ScopeKind.LAMBDA:
                self.members[scope] = {rename[name]: slot + slots for name, slot in members}
            transparent = (
                kind == ScopeKind.CLASS or kind == ScopeKind.NAMESPACE or flags & ScopeFlag.BLOCK
            )
            self.caller[scope] = self.caller[parent + base] if transparent else scope

    def qualified_name(self, scope: int) -> str:
        """`Class.method`, `outer.inner` or `<module>`, unique enough to read within a file."""
        parts: list[str] = []
        current = scope
        while current >= 0 and self.kind[current] != ScopeKind.MODULE:
            if not self.flags[current] & ScopeFlag.BLOCK:
                parts.append(self.texts[self.scope_name[current]])
            current = self.parent[current]
        return ".".join(reversed(parts)) or "<module>"

    def owner_class(self, scope: int) -> int:
        """The class whose method a scope is or lies in, -1 outside of classes."""
        current = scope
        while current >= 0:
            if self.kind[current] in (ScopeKind.CLASS, ScopeKind.NAMESPACE):
                return self.canonical[current]
            current = self.parent[current]
        return -1

    def rows(self, index: int, field: str) -> Any:
        return getattr(self.facts[index], field)
