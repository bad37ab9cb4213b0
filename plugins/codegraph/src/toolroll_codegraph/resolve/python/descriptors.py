"""Reading and writing through Python's descriptors: `property(…)` objects and `__get__`."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.facts.operators import DELETED
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_PROPERTY: Final = "property"
_ACCESSORS: Final = ("fget", "fset", "fdel")


class PythonDescriptors(PythonFeature):
    """Class members that run code when they are read or written through an instance."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.receiver = rules.program.name("self")
        self.ordinary: set[int] = set()
        """Values that are what they are, however they are read: nearly all but functions."""
        self._asked: set[tuple[object, ...]] = set()
        """What calls asked of descriptors: a proxy's `__str__ = Lookup(str)` makes a text of what
        it stands for, which may be itself, and that another call, without end."""
        self.get, self.set = rules.program.name("__get__"), rules.program.name("__set__")
        self._delete = rules.program.name("__delete__")
        self.computed: dict[int, list[int]] = {}
        """Name → the classes where it is a property of what a decorator has made of a method."""
        self.given: set[tuple[int, int]] = set()
        """(class, name) of what is assigned to a class from outside: as its body's, it is bound."""
        self.accessors = [rules.program.name(name) for name in _ACCESSORS]
        self._defined: dict[int, bool] = {}
        """Slot of a class's attribute → what `_is_defined` has found."""

    def make_property(self, call: Call) -> None:
        """`property(fget, fset, fdel)`, by position or by name."""
        made = self.solver.make(CONTAINER, _PROPERTY, call.result)
        self.solver.add(call.result, made)
        for name, slot in zip(self.accessors, call.positional, strict=False):
            self.solver.edge(slot, self.solver.field(made, name))
        for name, slot in call.named():
            if name in self.accessors:
                self.solver.edge(slot, self.solver.field(made, name))

    def call_accessor(self, call: Call, function: int) -> bool:
        """Call `fget`, `fset` or `fdel` of a property that is read from its class."""
        if call.name not in self.accessors or self.solver.kind[function] != FUNCTION:
            return False
        flags = self.program.flags[function]
        if not flags & ScopeFlag.PROPERTY:
            return False
        if bool(flags & ScopeFlag.SETTER) == (call.name != self.accessors[0]):
            self.rules.enter(call, function, -1)
        return True

    def read(
        self, value: int, target: int, receiver: int, scope: int, line: int, name: int
    ) -> bool:
        """Run what a member does when it is read; False when the member is an ordinary value."""
        if self.is_ordinary(value):
            return False
        if self.solver.kind[receiver] == CLASS:
            return self._read_of_class(value, target, receiver, scope, line, name)
        if self.solver.kind[value] == CONTAINER:
            call = Call(target, scope, line, -1, (), (), CallFlag.IMPLICIT)
            getter = self.solver.field(value, self.accessors[0])
            self.solver.listen(getter, (self.rules.on_entered, call, receiver))
            return True
        if self.rules.classes.find(receiver - self.rules.scopes, name) >= self.program.slots:
            return False  # no class body has it: an object that an instance holds stays itself
        owner, kind, found = self.solver.slot(), self.solver.slot(), self.solver.slot()
        self.solver.add(owner, receiver)
        self.solver.add(kind, receiver - self.rules.scopes)
        getter = self._getter(value)
        if getter >= 0 and self.program.this[getter] in self.solver.returned:
            self.solver.listen(found, (self._on_got, target, value))
        else:
            self.solver.edge(found, target)
        call = Call(found, scope, line, self.get, (owner, kind), (), CallFlag.IMPLICIT)
        return self.rules.invoke_member(call, value, self.get)

    def _read_of_class(
        self, value: int, target: int, owner: int, scope: int, line: int, name: int
    ) -> bool:
        """Read a descriptor through its class: most give themselves then."""
        if self.solver.kind[value] != INSTANCE:
            return False
        if self.rules.classes.find(owner, name) >= self.program.slots:
            return False
        kind, found = self.solver.slot(), self.solver.slot()
        self.solver.add(kind, owner)
        getter = self._getter(value)
        if getter >= 0 and self.program.this[getter] in self.solver.returned:
            self.solver.add(target, value)
        else:
            self.solver.edge(found, target)
        call = Call(found, scope, line, self.get, (-1, kind), (), CallFlag.IMPLICIT)
        return self.rules.invoke_member(call, value, self.get)

    def is_ordinary(self, value: int) -> bool:
        """Whether reading a value that is no function gives the value itself."""
        if value in self.ordinary:
            return True
        kind = self.solver.kind[value]
        if kind == INSTANCE:
            known = value - self.rules.scopes
            if known < self.rules.scopes and self.rules.classes.find(known, self.get) >= 0:
                return False
        elif kind == CONTAINER and self._is_property(value):
            return False
        self.ordinary.add(value)
        return True

    def _getter(self, value: int) -> int:
        """The function that a descriptor's `__get__` is; -1 where nobody knows."""
        slot = self.rules.classes.find(value - self.rules.scopes, self.get)
        found = [one for one in self.solver.points[slot] or () if self.solver.kind[one] == FUNCTION]
        return found[0] if found else -1

    def _on_got(self, value: int, listener: Listener) -> None:
        """Take what `__get__` returns: itself is for those who read it through the class."""
        target: int = listener[1]
        if self._kind_of(value) != self._kind_of(listener[2]):
            self.solver.add(target, value)

    def _kind_of(self, value: int) -> int:
        """The class of an instance, and of its copies; else the value."""
        scope = value - self.rules.scopes
        known = self.solver.kind[value] == INSTANCE and scope < self.rules.scopes
        return self.program.original(scope) if known else value

    def call(self, call: Call, value: int, receiver: int) -> None:
        """Call a member that is no function: what `__get__` gives, or a partial method."""
        if self.solver.kind[value] == CONTAINER and self.solver.kind[receiver] == INSTANCE:
            detail = self.solver.detail[value]
            if detail[0] == "partialmethod" and self.solver.kind[detail[1]] == FUNCTION:
                self.rules.models.partials.call(call, value, receiver)
                return
            if self.rules.models.generics.invoke(call, value, receiver):
                return
        elif self.solver.kind[value] == INSTANCE and self.solver.kind[receiver] in (
            INSTANCE,
            CLASS,
        ):
            asked = (
                call.scope, call.line, call.name, call.result, call.positional, value, receiver,
            )  # fmt: skip
            if asked in self._asked:
                return
            found = self.solver.slot()
            if self.read(value, found, receiver, call.scope, call.line, call.name):
                self._asked.add(asked)
                self.solver.listen(found, (self.rules.on_called, call))
                return
        self.rules.call_value(call, value)

    def is_late(self, function: int, receiver: int, call: Call | None = None) -> bool:
        """Whether a function from elsewhere is a method of the class that has it.

        Its first parameter is called as a receiver is, or it wants one argument more than a call
        gives it, as what `classmethod` makes of it does of a class.
        """
        kind = self.solver.kind[receiver]
        if kind not in (INSTANCE, CLASS) or self.program.flags[function] & ScopeFlag.STATIC:
            return False
        is_named = kind == INSTANCE and self.program.params.first_name(function) == self.receiver
        if call is None:
            return is_named
        fits, given = self.rules.arguments.fits, len(call.positional)
        if is_named:  # or kept in an attribute, and called with its receiver given
            return fits(call, function, given + 1) or not fits(call, function, given)
        return not fits(call, function, given) and fits(call, function, given + 1)

    def is_held(self, function: int, receiver: int, name: int) -> bool:
        """Whether a method is kept in an attribute of objects: only classes bind methods.

        Nor do they run a property that is kept there, be it one of their own.
        """
        owner, scope = self.program.parent[function], receiver - self.rules.scopes
        order = self.rules.classes.order(scope)
        own = owner >= 0 and self.program.canonical[owner] in order
        if owner < 0 or (own and not self.program.flags[function] & ScopeFlag.PROPERTY):
            return False
        if any((known, name) in self.given for known in order):
            return False
        program, slot = self.program, self.rules.classes.find(scope, name)
        if own:
            written = program.texts[program.scope_name[function]].rpartition(".")[2]
            if written == program.texts[name]:
                return False
        return slot >= program.slots or not self._is_defined(slot)

    def _is_defined(self, slot: int) -> bool:
        """Whether a class says what an attribute is, and not of which type alone."""
        known = self._defined.get(slot)
        if known is None:
            program = self.program
            index = bisect_right(program.slot_base, slot) - 1
            base, slots = program.slot_base[index], program.facts[index].slots
            known = program.operations.is_filled(slot, index, base, slots)
            self._defined[slot] = known
        return known

    def is_computed(self, receiver: int, name: int) -> bool:
        """Whether such a property is read through an instance."""
        return self.solver.kind[receiver] == INSTANCE and not set(self.computed[name]).isdisjoint(
            self.rules.classes.order(receiver - self.rules.scopes)
        )

    def write(self, value: int, call: Call, receiver: int) -> None:
        """Run the setter of a property object, or the `__set__` of a descriptor."""
        if self._is_property(value):
            setter = self.solver.field(value, self.accessors[1])
            self.solver.listen(setter, (self.rules.on_entered, call, receiver))
        elif self._is_described(value):
            owner = self.solver.slot()
            self.solver.add(owner, receiver)
            inner = self.solver.derived_call(call, -1, (owner, *call.positional), self.set)
            self.rules.invoke_member(inner, value, self.set)

    def delete(self, call: Call, receiver: int) -> None:
        """Run what a member does when `del` takes it away: the name is behind `del `."""
        name = self.program.names.get(self.program.texts[call.name][len(DELETED) :], -1)
        scope = receiver - self.rules.scopes
        self.rules.classes.lookup(scope, name, (self._on_deleted, call, receiver))

    @handler
    def _on_deleted(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self._is_property(value):
            deleter = self.solver.field(value, self.accessors[2])
            self.solver.listen(deleter, (self.rules.on_entered, call, receiver))
        elif self.solver.kind[value] == INSTANCE:
            owner = self.solver.slot()
            self.solver.add(owner, receiver)
            inner = self.solver.derived_call(call, -1, (owner,), self._delete)
            self.rules.invoke_member(inner, value, self._delete)

    def _is_described(self, value: int) -> bool:
        """Whether an object has a `__set__`: of all that is assigned somewhere, next to nothing."""
        scope = value - self.rules.scopes
        return (
            self.solver.kind[value] == INSTANCE
            and scope < self.rules.scopes
            and self.rules.classes.find(scope, self.set) >= 0
        )

    def find(self) -> None:
        """Find the properties of what decorators have made of methods."""
        program = self.program
        wanted = ScopeFlag.METHOD | ScopeFlag.PROPERTY | ScopeFlag.DECORATED
        for scope, flags in enumerate(program.flags):
            if flags & (wanted | ScopeFlag.SETTER) == wanted:
                name = program.scope_name[scope]
                self.computed.setdefault(name, []).append(program.parent[scope])

    def _is_property(self, value: int) -> bool:
        return self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _PROPERTY
