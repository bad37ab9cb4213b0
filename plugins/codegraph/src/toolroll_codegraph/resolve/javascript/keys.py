"""Reading and writing properties under keys that are computed: `object[key]`."""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, CallColumn, ObjectKind
from toolroll_codegraph.facts.model import LOAD_WIDTH
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.javascript.imports import DIRECTORY
from toolroll_codegraph.resolve.javascript.methods import METHOD
from toolroll_codegraph.resolve.javascript.tables import JavaScriptTables
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, INSTANCE, MODULE, TEXT
from toolroll_codegraph.resolve.slots import MOST_VALUES

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

COMMON: Final = [
    "apply", "bind", "call", "catch", "charAt", "charCodeAt", "concat", "emit", "endsWith", "every",
    "filter", "forEach", "hasOwnProperty", "includes", "indexOf", "join", "lastIndexOf", "length",
    "map", "match", "on", "once", "pop", "push", "reduce", "replace", "reverse", "shift", "slice",
    "some", "sort", "splice", "split", "startsWith", "substr", "substring", "then", "toLowerCase",
    "toString", "toUpperCase", "trim", "unshift", "valueOf",
]  # fmt: skip
"""Methods of texts, arrays, functions, promises and event emitters."""


_MOST_NAMES: Final = 32
"""So many names of one object are asked for of instances."""


class JavaScriptKeys(JavaScriptFeature):
    """Follows the texts that a key may be; a key that nothing is known about may be any."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.kind = rules.kind
        self.tables = JavaScriptTables(rules)
        self.waiting: list[tuple[int, int, int, int, int]] = []
        self._read_under: set[tuple[int, int]] = set()
        """(object, slot of a key) of what is read."""
        self._replaced: dict[int, dict[int, None]] = {}
        """Slot of a key → the objects that are written under it after they are read."""
        self._listed: dict[int, int] = {}
        """Name of a text that stands for all names of an object → the object."""
        self._names: dict[int, tuple[dict[int, None], list[tuple[int, ...]]]] = {}
        """Such an object → its names, and what is read and written under them."""
        self._fitting: dict[str, list[int]] = {}
        """Pattern → the names that are read somewhere and fit it."""

    def follow(
        self, value: int, key: int, result: int, source: int, scope: int, *, called: bool = False
    ) -> None:
        """Read or write a property of an object under whatever the key turns out to be.

        What is called as it is read has the object as its `this`.
        """
        if called and self.kind[value] in (INSTANCE, CONTAINER):
            method = self.solver.slot()
            self.solver.listen(method, (self._on_method, value, result))
            result = method
        if result >= 0:
            self._read_under.add((value, key))
        if source >= 0 and (value, key) in self._read_under:
            replaced = self._replaced.setdefault(key, {})
            replaced[value] = None
            stored = self.solver.slot()
            self.solver.listen(source, (self._on_stored, replaced, stored))
            source = stored
        self.solver.listen(key, (self.on_key, value, result, source, scope))
        self.waiting.append((value, key, result, source, scope))

    @handler
    def _on_stored(self, item: int, listener: Listener) -> None:
        """`object[key] = object[key] || other`: what an object has stays under its name there."""
        _, replaced, stored = listener
        if self.kind[item] == FUNCTION and any(self._has_method(it, item) for it in replaced):
            return
        self.solver.add(stored, item)

    def _has_method(self, value: int, function: int) -> bool:
        """Whether an object has a function under the name that it is written with."""
        text = self.program.texts[self.program.scope_name[function]].rpartition(".")[2]
        name = self.program.names.get(text, -1)
        if name < 0:
            return False
        if self.kind[value] == INSTANCE and value < 2 * self.rules.scopes:
            slot = self.rules.classes.find(value - self.rules.scopes, name)
        elif self.kind[value] == CONTAINER:
            slot = self.solver.fields_of(value).get(name, -1)
        else:
            return False
        return slot >= 0 and function in (self.solver.points[slot] or ())

    @handler
    def _on_method(self, value: int, listener: Listener) -> None:
        if self.kind[value] == FUNCTION:
            if self.rules.is_of_sibling(value, listener[1]):
                return
            self.rules.receive(value, listener[1])
        elif self.kind[value] == CONTAINER and self.solver.detail[value][0] == METHOD:
            value = self.rules.models.methods.bound(value, listener[1])
        self.solver.add(listener[2], value)

    @handler
    def on_key(self, key: int, listener: Listener) -> None:
        _, value, result, source, scope = listener
        maps = self.rules.models.maps
        if maps.is_map(value):
            slot = self.solver.slot()
            self.solver.add(slot, key)
            maps.put(value, slot, source)
            maps.take(value, slot, result)
            return
        if self.kind[key] != TEXT:
            return
        name = self.solver.key_name(key)
        text = self.program.texts[name]
        if name in self._listed:
            self._follow_each(self._listed[name], value, result, source, scope)
            return
        if _is_pattern(text):
            if result >= 0:
                self._load_named(value, text, result, scope)
            if source >= 0:
                self._store_named(value, text, source)
            return
        self._follow_name(name, value, result, source, scope)
        if source >= 0 and self._computed_setters:
            self.solver.listen(source, (self.rules.accessors.on_named, name))

    def list_names(self, owner: int, target: int) -> None:
        """`Object.keys(owner)`: one text stands for all of these names."""
        made = owner - self.rules.scopes
        if self.kind[owner] == INSTANCE:  # what a class has, none of its objects has itself
            listed = made < self.rules.scopes and self.kind[made] == FUNCTION
        else:
            listed = self.kind[owner] == CONTAINER and not self.tables.is_array(owner)
        if listed:
            name = self.program.name(f"{PREFIX}{PREFIX}{owner}")
            self._listed[name] = owner
            self.solver.add(target, self.solver.text(name))

    def lists(self, key: int, owners: Container[int]) -> bool:
        """Whether a text stands for all names of one of some objects."""
        return self.kind[key] == TEXT and self._listed.get(self.solver.key_name(key), -1) in owners

    def _follow_each(self, owner: int, *row: int) -> None:
        """Read or write what an instance has under each of the names that another object has."""
        if self.kind[row[0]] != INSTANCE:
            return
        known = self._names.get(owner)
        if known is None:
            known = self._names[owner] = {}, []
            self._listen_to_names(owner)
        names, rows = known
        rows.append(row)
        for name in list(names):
            self._follow_name(name, *row)

    def _listen_to_names(self, owner: int) -> None:
        """Hear of names under which an object has something: others are only asked for."""

        def receive(name: int, slot: int) -> None:
            if name != self.rules.constructor and self.program.texts[name][:1] != ".":
                self.solver.listen(slot, (self._on_listed, owner, name))

        if self.kind[owner] == CONTAINER:
            self.solver.mirror(owner, receive)
            return
        for name, slot in list((self.program.members[owner - self.rules.scopes] or {}).items()):
            receive(name, slot)

    def _on_listed(self, _: int, listener: Listener) -> None:
        _, owner, name = listener
        names, rows = self._names[owner]
        if name not in names and len(names) < _MOST_NAMES:
            names[name] = None
            for row in list(rows):
                self._follow_name(name, *row)

    def _follow_name(self, name: int, value: int, result: int, source: int, scope: int) -> None:
        if result >= 0:
            self.rules.load(value, name, result, scope, 0)
        if source >= 0:
            self.rules.store(value, name, source, -1, 0)
            if name in self.solver.setters:
                self.rules.run_setters(value, name, source, scope, 0)

    @cached_property
    def _computed_setters(self) -> bool:
        return self.program.names.get("<computed>", -1) in self.solver.setters

    def _load_named(self, value: int, pattern: str, result: int, scope: int) -> None:
        """Read every property of such a name: `this["visit" + kind]`."""
        for name in self._named(value, pattern):
            self.rules.load(value, name, result, scope, 0)

    def _store_named(self, value: int, pattern: str, source: int) -> None:
        """Write every property of such a name that is read somewhere and that nobody defines."""
        names = self._fitting.get(pattern)
        if names is None:
            fits, texts = _fitting(pattern), self.program.texts
            names = self._fitting[pattern] = [name for name in self._read if fits(texts[name])]
        for name in names:
            if not self.rules.classes.definers(name):
                self.rules.store(value, name, source, -1, 0)

    @cached_property
    def _read(self) -> list[int]:
        """The names that properties are read or called by."""
        program, operations = self.program, self.solver.operations
        calls = zip(operations.call_file, operations.column(CallColumn.NAME), strict=True)
        loads = zip(operations.load_file, operations.loads[2::LOAD_WIDTH], strict=True)
        found = {program.renames[index][name] for index, name in chain(calls, loads) if name >= 0}
        return sorted(found)

    def _named(self, value: int, pattern: str) -> list[int]:
        """The properties of an object that have such a name."""
        texts, names = self.program.texts, list[int]()
        if pattern.startswith(PREFIX * 2):
            return names
        if self.kind[value] == INSTANCE and value - self.rules.scopes < self.rules.scopes:
            names = self.rules.classes.named(value - self.rules.scopes, pattern.partition("*")[0])
        elif self.kind[value] == CONTAINER:
            names = list(self.solver.fields_of(value))
        fits = _fitting(pattern)
        return [name for name in names if fits(texts[name])]

    def settle(self, only: Callable[[int], bool] | None = None) -> bool:
        """Keys that nothing is known about may be any; False if there were none.

        With `only` those of certain objects.
        """
        waiting, self.waiting = self.waiting, []
        read = {row[:2] for row in waiting if row[2] >= 0}
        chosen = {value: only is None or only(value) for value in {row[0] for row in waiting}}
        # Once for each object: a table may have thousands of fields, and as many reads.
        has_getters, make_room = cache(self.tables.has_getters), cache(self.tables.make_room)
        is_left = cache(self._is_left)
        for row in waiting:
            value, key, result, source, scope = row
            if not chosen[value]:
                self.waiting.append(row)
                continue
            texts = [
                self.solver.key_text(item)
                for item in self.solver.points[key] or ()
                if self.kind[item] == TEXT
            ]
            if any(self._tells(value, text) for text in texts) and not is_left(value):
                continue
            if self.kind[value] == INSTANCE:
                if source >= 0:
                    self.solver.listen(source, (self._on_unnamed, value))
                    self.rules.store(value, self.rules.any_key, source, -1, 0)
                if result >= 0:  # what got accessors under names that are unknown too
                    self.rules.load(value, self.rules.any_key, result, scope, 0)
            elif self.kind[value] == MODULE and result >= 0:
                for slot in self.rules.imports.exported(value).values():
                    self.solver.edge(slot, result)
            elif self.kind[value] == CONTAINER:
                few = len(self.solver.fields_of(value)) <= MOST_VALUES
                if result >= 0 and has_getters(value):
                    self.rules.load(value, self.rules.any_key, result, scope, 0)
                elif result >= 0 and (few or self.solver.detail[value][0] != DIRECTORY):
                    copy = (self.solver.copy_to, result)
                    make_room(value)
                    self.solver.every_field(value, copy)
                    if value in self.rules.prototypes.having:
                        self.rules.prototypes.climb(value, self.rules.any_key, copy)
                if source >= 0:
                    self.solver.edge(source, self.solver.field(value, self.rules.any_key))
                    self._keep_for_asked(value)
                    if few and (value, key) in read:  # `object[key] = wrap(object[key])`
                        self._wrap_methods(value, source)
        return len(self.waiting) < len(waiting)

    def _keep_for_asked(self, value: int) -> None:
        """What an object is given under an unknown name may be what it was asked for before.

        Only where all that it has it was given so: of others it is known what they have.
        """
        rules, solver = self.rules, self.solver
        kept, fields = solver.field(value, rules.any_key), solver.fields_of(value)
        if solver.detail[value][0] == ObjectKind.ARRAY or any(
            slot != kept and solver.points[slot] for slot in fields.values()
        ):
            return
        for name, slot in list(fields.items()):
            if slot != kept and rules.may_be_kept(name):
                solver.edge(kept, slot)

    def _is_left(self, value: int) -> bool:
        return self.tables.is_left(value) or self.tables.are_left_alike(value)

    def _tells(self, value: int, text: str) -> bool:
        """Whether a text tells what is read of an object: a table may lack what it names."""
        if _is_pattern(text):
            return bool(self._named(value, text))
        if self.kind[value] != CONTAINER or text[:1] in "@[" or not self.tables.is_table(value):
            return True
        slot = self.solver.fields_of(value).get(self.program.name(text), -1)
        return slot >= 0 and bool(self.solver.points[slot])

    def _wrap_methods(self, value: int, source: int) -> None:
        """Each of an object's functions may have been replaced by what was made of it."""
        for slot in list(self.solver.fields_of(value).values()):
            if any(self.kind[item] == FUNCTION for item in self.solver.points[slot] or ()):
                self.solver.listen(source, (self._on_wrapper, slot))

    def _on_wrapper(self, value: int, listener: Listener) -> None:
        if self.kind[value] == FUNCTION:
            self.solver.add(listener[1], value)

    def _on_unnamed(self, value: int, listener: Listener) -> None:
        """`prototype[name] = function…`: whatever it is called, its `this` is such an object."""
        if self.kind[value] == FUNCTION and self.solver.points[self.program.this[value]] is None:
            self.rules.receive(value, listener[1])


def _fitting(pattern: str) -> Callable[[str], object]:
    """What tells whether a name is one that a pattern stands for."""
    return re.compile(r"[\w$-]+".join(map(re.escape, pattern.split("*")))).fullmatch


def _is_pattern(text: str) -> bool:
    """Whether a text is a name with gaps: `visit*`."""
    return PREFIX in text and text[0] != "["
