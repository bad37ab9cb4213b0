"""Attributes as a mapping: `globals()`, `vars(value)` and `value.__dict__`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, MODULE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_KIND: Final = "namespace"


class PythonNamespaces(PythonFeature):
    """Such mappings: their items are the members of what they belong to."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._items: dict[tuple[int, int], int] = {}
        """(what has members, name) → slot of that item."""

    def of(self, value: int, target: int) -> None:
        """Let a slot have the mapping of a value's members."""
        kind = self.solver.kind[value]
        if kind in (INSTANCE, CLASS, MODULE) or self._is_parsed(value):
            self.solver.add(target, self.solver.make(CONTAINER, _KIND, value))

    def _is_parsed(self, value: int) -> bool:
        """Whether a value is what a command line is parsed to: `vars(arguments)`."""
        return self.solver.kind[value] == CONTAINER and self.rules.models.commands.is_parser(value)

    def owner(self, value: int) -> int:
        """What a mapping has the members of; -1 for other containers."""
        detail = self.solver.detail[value]
        return detail[1] if detail[0] == _KIND else -1

    def load(self, owner: int, name: int, target: int, scope: int, line: int) -> None:
        """Read a member under a known key: a function stays one, whatever it is a member of."""
        known = owner - self.program.scopes if self.solver.kind[owner] == INSTANCE else owner
        if 0 <= known < self.program.scopes or self._is_parsed(owner):
            member = self.program.name(self.program.texts[name].removeprefix("["))
            if self.solver.kind[known] == CLASS:
                self.rules.classes.lookup(known, member, (self._on_member, target))
            else:
                self.rules.load(known, member, target, scope, line)

    @handler
    def _on_member(self, value: int, listener: Listener) -> None:
        """Give what a class or object has as it is: no descriptor is asked."""
        self.solver.add(listener[1], value)

    def item(self, owner: int, name: int) -> int:
        """The slot of an item, as `**` hands it on; a class's methods are no items of an object."""
        found = self._items.get((owner, name))
        if found is None:
            found = self._items[owner, name] = self.solver.slot()
            read = self.solver.slot()
            self.load(owner, name, read, -1, 0)
            self.solver.listen(read, (self._on_item, owner, found))
        return found

    @handler
    def _on_item(self, value: int, listener: Listener) -> None:
        owner: int = listener[1]
        kind = self.solver.kind
        function = kind[value] == FUNCTION and kind[owner] == INSTANCE
        if not function or not self.program.flags[value] & ScopeFlag.METHOD:
            self.solver.add(listener[2], value)

    def store(self, owner: int, name: int, source: int, scope: int = -1) -> None:
        """Write a member under a known key; with a scope, by that as an attribute."""
        member = self.program.name(self.program.texts[name].removeprefix("["))
        line = self.program.first_line[scope] if scope >= 0 else 0
        self.rules.store(owner, member, source, scope, line)

    def method(self, call: Call, owner: int) -> None:
        """Call a method of the mapping."""
        models, name = self.rules.models, self.program.texts[call.name]
        first = call.positional[0] if call.positional else -1
        if name in ("get", "pop", "setdefault") and first >= 0:
            value = self.solver.make(CONTAINER, _KIND, owner)
            self.rules.dynamic(value, first, call.result, -1, 0, call.scope)
            for default in call.positional[1:]:
                self.solver.edge(default, call.result)
        elif name in ("values", "items"):
            copied = self._copied(call, owner)
            inner = self.solver.derived_call(call, call.result, (), call.name)
            models.method(inner, copied)
        elif name == "update":
            self._update(call, owner, first)
        elif name == "__setattr__":  # as `update`, but by assignments
            self.solver.listen(first, (self._on_update, owner, call.scope))

    def _update(self, call: Call, owner: int, first: int) -> None:
        for key, slot in call.named():
            if key >= 0:
                self.store(owner, key, slot)
            else:
                self.solver.listen(slot, (self._on_update, owner, -1))
        if first >= 0:
            self.solver.listen(first, (self._on_update, owner, -1))

    def _on_update(self, value: int, listener: Listener) -> None:
        """Let members be what a mapping has under their names."""
        if self.solver.kind[value] == CONTAINER:
            owner: int = listener[1]
            scope: int = listener[2]

            def receive(name: int, slot: int) -> None:
                text = self.program.texts[name]
                if text[0] == "[" and text[1:].isidentifier():
                    self.store(owner, name, slot, scope)

            self.solver.mirror(value, receive)

    def _copied(self, call: Call, owner: int) -> int:
        """A mapping of the members that a class or module has so far."""
        known = owner - self.program.scopes if self.solver.kind[owner] == INSTANCE else owner
        made = self.solver.container((_KIND, call.result, owner), ObjectKind.MAPPING)
        if 0 <= known < self.program.scopes:
            for name, slot in (self.program.members[known] or {}).items():
                item = self.solver.field(made, self.program.name("[" + self.program.texts[name]))
                self.solver.listen(slot, (self._on_item, owner, item))
        return made
