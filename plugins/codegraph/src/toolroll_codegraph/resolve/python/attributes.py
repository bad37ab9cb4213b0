"""What runs where an attribute is assigned to: `__setattr__`, and the `__set__` of members; and
where any is read: `__getattribute__`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.confidence import POSSIBLE
from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, FUNCTION
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonAttributes(PythonFeature):
    """The writes that may run code; calls of `__setattr__`, and what that of `object` does."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.setattr = rules.program.name("__setattr__")
        self.getattribute = rules.program.name("__getattribute__")
        self.setting: set[int] = set()
        """Classes whose objects have a `__setattr__`."""
        self.getting: set[int] = set()
        """Classes whose objects have a `__getattribute__`."""

    def find(self) -> None:
        """Find what is written by code: then also by a class's methods through their receiver."""
        self.setting = self._having(self.setattr)
        self.getting = self._having(self.getattribute)
        self.solver.all_run = bool(self.setting)
        described, makers = self._described(), self.rules.kinds.made_by
        self.solver.setters |= described
        if not self.setting and not described and not makers:
            return
        owners, operations = self.solver.this_owner, self.solver.operations
        if makers:  # what a metaclass sets on a class is that class's own
            own = self.solver.own_stores
            self.solver.own_stores = [store for store in own if store[0] not in makers]
        receivers = {
            slot for slot, owner in owners.items() if owner in self.setting or owner in makers
        }
        for identifier, index in enumerate(operations.store_file):
            source, name = operations.stores[
                identifier * STORE_WIDTH : identifier * STORE_WIDTH + 2
            ]
            source += self.program.slot_base[index]
            if source in receivers or self.program.renames[index][name] in described:
                self.solver.store_done[identifier] = 0

    def _having(self, name: int) -> set[int]:
        """The classes that have a special method, and those below them."""
        kind, members = self.solver.kind, self.classes.members
        found: set[int] = set()
        for scope in range(self.program.scopes):
            if kind[scope] == CLASS and name in (members[scope] or ()):
                found.update((scope, *self.classes.below(scope)))
        return found

    def read(self, value: int, scope: int, line: int) -> None:
        """Read any attribute of an object by a call of `__getattribute__`.

        Nothing in the source looks like a call there, so the edge is of low confidence.
        """
        call = Call(-1, scope, line, self.getattribute, (-1,), (), CallFlag.IMPLICIT)
        owner = value - self.program.scopes
        self.classes.lookup(owner, self.getattribute, (self._on_getting, call, value))

    @handler
    def _on_getting(self, value: int, listener: Listener) -> None:
        before, self.solver.confidence = self.solver.confidence, POSSIBLE
        self.rules.on_member(value, listener)
        self.solver.confidence = before

    def _made_elsewhere(self) -> bool:
        """Whether a function returns a property, which any class may have under any name."""
        return any(
            relation[0] == "returns property"
            for facts in self.program.facts
            for relation in facts.relations
        )

    def _described(self) -> set[int]:
        """The names of class members that may be objects with a `__set__`, as properties are."""
        special = self.program.name("__set__")
        kind, points, members = self.solver.kind, self.solver.points, self.classes.members
        if not self._made_elsewhere() and not any(known and special in known for known in members):
            return set()
        return {
            name
            for scope in range(self.program.scopes)
            if kind[scope] == CLASS
            for name, slot in (members[scope] or {}).items()
            if not any(kind[value] in (FUNCTION, CLASS) for value in points[slot] or ())
        }

    def is_set(self, value: int) -> bool:
        """Whether assigning to an attribute of an object or class is a call of `__setattr__`."""
        kinds = self.rules.kinds
        if self.solver.kind[value] == CLASS and kinds.metaclasses:
            return kinds.metaclass(value) in self.setting
        return value - self.program.scopes in self.setting

    def write(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        """Assign to an attribute by a call of `__setattr__`, which calls setters then.

        What is assigned goes to the field or the setter alone: the parameter of `__setattr__` has
        all that any attribute is ever given.
        """
        call = Call(-1, scope, line, self.setattr, (-1, -1), (), CallFlag.IMPLICIT)
        if self.solver.kind[value] == CLASS:
            self.rules.kinds.call_metaclass(call, value, self.setattr)
        else:
            self.rules.invoke_member(call, value, self.setattr)
        if name in self.solver.setters:
            written = (self._on_setattr, name, source, value)
            self.classes.lookup(value - self.program.scopes, self.setattr, written)
        self.rules.put(value, name, source, -1, 0)

    def _on_setattr(self, function: int, listener: Listener) -> None:
        _, name, source, value = listener
        if self.solver.kind[function] == FUNCTION:
            line = self.program.first_line[function]
            self.rules.put(value, name, source, function, line)
