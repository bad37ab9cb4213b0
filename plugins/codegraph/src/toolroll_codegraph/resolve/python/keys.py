"""Items and attributes of Python values under computed keys."""

from __future__ import annotations

from collections.abc import Container
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import OWN_NAME, PREFIX
from toolroll_codegraph.resolve.calls import Call, Handler, Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    TEXT,
)
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.slots import MOST_VALUES

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_KEYS: Final = (FUNCTION, CLASS)
"""What a key may be besides a text."""
MEMBERS: Final = "members"
"""A container: the members of an object whose names begin with a text, one of which is called."""


class PythonKeys(PythonFeature):
    """What `value[key]` and `getattr(value, key)` reach."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.kind = rules.kind
        self.scopes = rules.scopes
        self._ends: dict[str, list[str]] | None = None
        self._open: list[tuple[int, int, int, int]] = []
        """Reads and writes of containers of which not all keys are known: (container, key, result,
        source)."""
        self._asked: list[tuple[int, int, int]] = []
        """Reads of modules under a computed name: (module, key, result)."""
        self.on_key: Handler = self._on_key
        self._on_named: Handler = self._named

    def reach(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None:
        """Read or write under a computed key: known constants now, any key when settling."""
        kind = self.kind[value]
        if attribute == OWN_NAME:
            self.solver.listen(source, (self._on_named, value))
            return
        if not attribute and kind == INSTANCE:  # `__getitem__` is a call of its own
            value = self.rules.protocols.contents(value)
        if value < 0 or (not attribute and kind == CLASS):
            return
        if source >= 0 and not attribute and self.kind[value] == CONTAINER:
            self.solver.edge(key, self.rules.models.keys_of(value))
        named = source == key
        self.solver.listen(key, (self.on_key, value, result, source, attribute, scope, named))
        if not attribute and self.kind[value] == CONTAINER and self.rules.protocols.is_open(value):
            self._open.append((value, key, result, source))
        elif attribute and result >= 0 and kind == MODULE and value < self.scopes:
            self._asked.append((value, key, result))

    def _named(self, value: int, listener: Listener) -> None:
        """Put a function or a class under its own name."""
        container = listener[1]
        known = self.solver.detail[value][0] if self.kind[value] == BOUND else value
        if self.kind[known] in _KEYS:
            text = self.program.texts[self.program.scope_name[known]]
            name = self.program.name("[" + text.rpartition(".")[2])
        else:
            name = self.rules.any_key
        slot = self.solver.slot()
        self.solver.add(slot, value)
        self.rules.store(container, name, slot, -1, 0)

    def _on_key(self, key: int, listener: Listener) -> None:
        scope: int
        _, value, result, source, attribute, scope, named = listener
        if self.kind[key] != TEXT:
            if attribute and source >= 0:
                self._store_named(value, key, -1 if named else source, scope)
            elif not attribute and self.kind[key] in _KEYS:
                name = self._name_of(key)
                if result >= 0:
                    self.rules.load(value, name, result, scope, 0)
                if source >= 0:
                    self.rules.store(value, name, source, -1, 0)
            return
        text = self.solver.key_text(key)
        if text.endswith(PREFIX) and self.kind[value] != EXTERNAL:
            if result >= 0 and (text != PREFIX or value not in self.rules.models.importing.plugins):
                self._load_named(value, text.removesuffix(PREFIX), result, scope)
            return
        name = self.program.name(text if attribute else "[" + text)
        line = self.program.first_line[scope]
        if result >= 0 and not attribute and self.kind[value] == CONTAINER:
            self.rules.load(value, name, result, scope, 0)  # who reads it asks for the item too
        elif result >= 0:
            self.rules.load(value, name, result, scope, line)
        if source >= 0:
            self.rules.store(value, name, source, scope if attribute else -1, line)

    def _store_named(self, value: int, member: int, source: int, scope: int) -> None:
        """Keep a function or a class, or what is made of it, under its own name.

        `setattr(value, f.__name__, f)`, or `setattr(value, name, wrap(f))` where `f` was found
        among what `value` has.
        """
        function = self.rules.wrappers.function(member)
        known = member if self.kind[member] == CLASS else function
        if known < 0:
            return
        name, slot = self.program.scope_name[known], self.solver.slot()
        if source < 0:
            self.solver.add(slot, member)
        elif self._has(value, known):
            self.solver.listen(source, (self._on_replacing, slot))
        else:
            return
        self.rules.store(value, name, slot, scope, 0)

    @handler
    def _on_replacing(self, value: int, listener: Listener) -> None:
        """Put what can be called in the place of what could."""
        if self.rules.plain.is_callable(value):
            self.solver.add(listener[1], value)

    def _has(self, value: int, member: int) -> bool:
        """Whether a function or class is defined in a module, or in a class or one above it."""
        owner = value - self.scopes if self.kind[value] == INSTANCE else value
        if not 0 <= owner < self.scopes:
            return False
        above = self.rules.classes.order(owner) if self.kind[owner] == CLASS else (owner,)
        return self.program.parent[member] in above

    def _name_of(self, key: int) -> int:
        """The field under a function or a class as key."""
        return self.program.name(f"[={key}")

    def _is_known(self, key: int, fields: Container[int]) -> bool:
        """Whether a key is one that needs no search among all others."""
        kind = self.kind[key]
        if kind == TEXT:
            return not self.solver.key_text(key).endswith(PREFIX)
        return kind in _KEYS and self._name_of(key) in fields

    def _load_named(self, value: int, pattern: str, result: int, scope: int) -> None:
        """Read every member whose name begins so: `getattr(self, "visit_" + kind)`.

        A name that `dir` lists may be any that is meant for others; of underscores alone begins
        what the language itself calls. Where other patterns of the
        project say an end too, the names with that end are theirs.
        """
        if self.kind[value] == CONTAINER:
            value = self.rules.namespaces.owner(value)
        owner = value - self.scopes if self.kind[value] == INSTANCE else value
        if not 0 <= owner < self.scopes or self.kind[owner] not in (CLASS, MODULE):
            return
        prefix, *between = pattern.split(PREFIX)
        suffix = between.pop() if between else ""
        others = () if suffix or between or not prefix else self._suffixes().get(prefix, ())
        found: list[int] = []
        for name in self.rules.classes.named(owner, prefix):
            text = self.program.texts[name]
            private = not pattern and text.startswith("_")
            private = private or (text.endswith("__") and not prefix.strip("_"))
            fits = text.endswith(suffix) and not text.endswith(tuple(others))
            if fits and not private and _has_between(text, prefix, between, suffix):
                found.append(name)
        if len(found) > MOST_VALUES and prefix.strip("_") and not between:
            self._load_all(value, pattern, found, result, scope)
            return
        for name in found:
            self.rules.load(value, name, result, scope, 0)

    def _load_all(
        self, value: int, pattern: str, names: list[int], result: int, scope: int
    ) -> None:
        """Give what may be any of many members as one value: a slot has no room for them."""
        members = self.solver.make(
            CONTAINER, MEMBERS, value, pattern, room=self.solver.most_definitions
        )
        known = self.solver.fields_of(members)
        for name in names:
            if name not in known:
                self.rules.load(value, name, self.solver.field(members, name), scope, 0)
        self.solver.add(result, members)

    def call(self, call: Call, value: int) -> None:
        """Call what may be any of many members."""
        self.solver.every_field(value, (self.rules.on_called, call))

    def _suffixes(self) -> dict[str, list[str]]:
        """The ends that texts with a gap have, by their beginnings."""
        if self._ends is None:
            self._ends = {}
            for text in self.program.texts:
                if text.endswith(PREFIX) and text.count(PREFIX) == 2:
                    prefix, suffix, _ = text.split(PREFIX)
                    self._ends.setdefault(prefix, []).append(suffix)
        return self._ends

    def settle(self) -> None:
        """Read and write any key where no constant is known."""
        solver = self.solver
        told: list[tuple[int, int, int, int]] = []
        for access in self._open:
            value, key, result, source = access
            fields = solver.fields_of(value)
            known = solver.points[key] or ()
            # A slot that is full may have lost the key.
            if len(known) < MOST_VALUES and any(self._is_known(item, fields) for item in known):
                told.append(access)
                continue
            if result >= 0:
                self.rules.models.elements(value, result, keys_too=True)
            if source >= 0:
                solver.edge(source, solver.field(value, self.rules.any_key))
        self._open = told
        plugins = self.rules.models.importing.plugins
        for module, key, result in self._asked:
            texts = [item for item in solver.points[key] or () if self.kind[item] == TEXT]
            known = any(solver.key_text(item) != PREFIX for item in texts)
            if module in plugins and not known:
                for value in self._defined(module):
                    solver.add(result, value)

    def _defined(self, module: int) -> list[int]:
        """The classes that a module defines itself for others: `getattr(plugin, name)`.

        Where one has the module's own name, as `CsvReader` of `csv_reader.py`, only that.
        """
        program, texts = self.program, self.program.texts
        own = program.file_of[module]
        found = {
            value: texts[name].replace("_", "").lower()
            for name, slot in (program.members[module] or {}).items()
            if not texts[name].startswith("_")
            for value in self.solver.points[slot] or ()
            if self.kind[value] == CLASS and program.file_of[value] == own
        }
        title = PurePosixPath(program.paths[own]).stem.replace("_", "").lower()
        return [value for value, name in found.items() if name == title] or [*found]


def _has_between(text: str, prefix: str, between: list[str], suffix: str) -> bool:
    """Whether a name has some texts one after another, with something before each."""
    place = len(prefix)
    for part in filter(None, between):
        found = text.find(part, place + 1)
        if found < 0:
            return False
        place = found + len(part)
    return place + len(suffix) <= len(text)
