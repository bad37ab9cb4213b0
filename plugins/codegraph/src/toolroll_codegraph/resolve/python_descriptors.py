"""Reading and writing through Python's descriptors: `property(…)` objects and `__get__`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.solver import Call, Listener

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python_rules import PythonRules

_PROPERTY: Final = "property"
_ACCESSORS: Final = ("fget", "fset", "fdel")


class PythonDescriptors:
    """Class members that run code when they are read or written through an instance."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.get = rules.program.name("__get__")
        self.accessors = [rules.program.name(name) for name in _ACCESSORS]

    def make_property(self, call: Call) -> None:
        """`property(fget, fset, fdel)`, by position or by name."""
        made = self.solver.make(CONTAINER, _PROPERTY, call.result)
        self.solver.add(call.result, made)
        for name, slot in zip(self.accessors, call.positional, strict=False):
            self.solver.edge(slot, self.solver.field(made, name))
        pairs = iter(call.keywords)
        for name, slot in zip(pairs, pairs, strict=True):
            if name in self.accessors:
                self.solver.edge(slot, self.solver.field(made, name))

    def read(
        self, value: int, target: int, receiver: int, scope: int, line: int, name: int
    ) -> bool:
        """Run what a member does when it is read; False when the member is an ordinary value."""
        if self._is_property(value):
            call = Call(target, scope, line, -1, (), (), CallFlag.IMPLICIT)
            getter = self.solver.field(value, self.accessors[0])
            self.solver.listen(getter, (self._enter, call, receiver))
            return True
        if self.solver.kind[value] != INSTANCE or value - self.rules.scopes >= self.rules.scopes:
            return False
        if self.rules.classes.find(value - self.rules.scopes, self.get) < 0:
            return False
        if self.rules.classes.find(receiver - self.rules.scopes, name) >= self.program.slots:
            return False  # no class body has it: an object that an instance holds stays itself
        owner, found = self.solver.slot(), self.solver.slot()
        self.solver.add(owner, receiver)
        self.solver.listen(found, (self._on_got, target, value))
        call = Call(found, scope, line, self.get, (owner, -1), (), CallFlag.IMPLICIT)
        return self.rules.invoke_member(call, value, self.get)

    def _on_got(self, value: int, listener: Listener) -> None:
        """Take what `__get__` returns: itself is for those who read it through the class."""
        _, target, descriptor = listener
        if value != descriptor:
            self.solver.add(target, value)

    def write(self, value: int, call: Call, receiver: int) -> None:
        """Run the setter of a property object."""
        if self._is_property(value):
            setter = self.solver.field(value, self.accessors[1])
            self.solver.listen(setter, (self._enter, call, receiver))

    def _is_property(self, value: int) -> bool:
        return self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _PROPERTY

    def _enter(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.rules.enter(listener[1], value, listener[2])
