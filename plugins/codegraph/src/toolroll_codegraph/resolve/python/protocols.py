"""Special methods that stand in for others, and objects that answer for names they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.facts.operators import REFLECTED
from toolroll_codegraph.resolve.calls import Call, Handler, Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
)
from toolroll_codegraph.resolve.solver import CERTAIN
from toolroll_codegraph.resolve.uses import names_used

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_INSTEAD: Final = {
    "__format__": "__str__", "__ne__": "__eq__", "__le__": "__lt__",
    "__gt__": "__lt__", "__ge__": "__lt__", "__bool__": "__len__", "__getitem__": "__missing__",
    "__str__": "__repr__",
    "__int__": "__index__", "__float__": "__index__", "__complex__": "__float__",
}  # fmt: skip
"""What is called where a class has no such method; `total_ordering` makes the comparisons."""
_ASKED: Final = -(1 << 60)
"""Among what a call has entered: its other operand is asked too."""
_MOST_FORMATTED: Final = 1
_MAPPINGS: Final = frozenset(
    ["dict", "collections.OrderedDict", "collections.defaultdict", "collections.UserDict"]
)
_SEQUENCES: Final = frozenset(
    ["list", "tuple", "set", "frozenset", "collections.deque", "collections.UserList"]
)


class PythonProtocols:
    """Iteration, context managers, conversions, operators, and `__getattr__`."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.classes = rules.classes
        name = rules.program.name
        self.iter, self.next = name("__iter__"), name("__next__")
        self.repr = name("__repr__")
        self.async_iter, self.async_next = name("__aiter__"), name("__anext__")
        self.getitem, self.getattr = name("__getitem__"), name("__getattr__")
        self.replace = name("_replace")
        self.instead = {name(known): name(other) for known, other in _INSTEAD.items()}
        self.reflected = {
            name(known.decode()): name(other.decode()) for known, other in REFLECTED.items()
        }
        self._bases: dict[int, int] = {}
        """Class → the kind of container that it derives from."""
        self.conversions = frozenset(map(name, ("__format__", "__str__", "__repr__")))
        self._formatted: dict[Call, list[int]] = {}
        """What a text is made with → the instances it may be."""
        self._unknown: list[tuple[int, int, Call, bool]] = []
        """(object, name, call that wants it, whether it calls it) of members nobody defines."""

    # what stands in for a method

    def missing(self, call: Call, value: int) -> None:
        """Do what is done where the class of an instance has no method of that name."""
        if not call.flags & CallFlag.IMPLICIT:
            contents = self.contents(value)
            if contents >= 0 and not self._is_mapping(contents):
                self.rules.models.method(call, contents)
            elif call.name == self.rules.own_value and self.rules.kinds.is_enumeration(
                value - self.program.scopes
            ):
                held = self.solver.slot()
                self.rules.kinds.value(value - self.program.scopes, held)
                self.solver.listen(held, (self.rules.on_called, call))
            elif call.name == self.replace and self.rules.records.is_tuple(value):
                self.solver.add(call.result, value)
            elif self._answers(value, -1):
                self._unknown.append((value, call.name, call, True))
            return
        name, scope = self.instead.get(call.name), value - self.program.scopes
        while name is not None:
            if scope < self.program.scopes and self.classes.find(scope, name) >= 0:
                if name == self.repr and self.rules.types.is_foreign(scope):
                    return  # exceptions and texts have a `__str__` of their own
                self.rules.invoke_member(call, value, name)
                return
            name = self.instead.get(name)
        reflected = self.reflected.get(call.name)
        if reflected is not None and call.positional and call.once(_ASKED):
            self.solver.listen(call.positional[0], (self._on_other, call, reflected))

    def _on_other(self, value: int, listener: Listener) -> None:
        """Ask the other operand."""
        _, call, name = listener
        scope = value - self.program.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.program.scopes:
            return
        if self.classes.find(scope, name) >= 0:
            inner = self.solver.derived_call(call, call.result, (), name)
            self.rules.invoke_member(inner, value, name)

    def convert_later(self, call: Call, value: int) -> None:
        """Note that a text is made with an instance: where it may be many, that tells little."""
        values = self._formatted.setdefault(call, [])
        if value not in values:
            values.append(value)

    def convert(self, call: Call, value: int, name: int) -> None:
        """Call a special method of an instance, or what is called instead."""
        if self.solver.kind[value] == INSTANCE:
            operands = call.positional if call.name == name else ()
            inner = self.solver.derived_call(call, -1, operands, name)
            if self.rules.invoke_member(inner, value, name):
                return
            if name in self.conversions and self.solver.confidence == CERTAIN:
                self.convert_later(inner, value)
            else:
                self.missing(inner, value)
        elif self.solver.kind[value] == CLASS:
            inner = self.solver.derived_call(call, -1, (), name)
            self.rules.kinds.call_metaclass(inner, value, name)
        elif self.solver.kind[value] == CONTAINER and name in self.conversions:
            parts = self.solver.derived_call(call, -1, (), self.repr)
            self.solver.every_field(value, (self._on_part, parts))

    @handler
    def _on_part(self, value: int, listener: Listener) -> None:
        """Convert what a container has where a text is made of that."""
        scope = value - self.program.scopes
        if (
            self.solver.kind[value] == INSTANCE
            and scope < self.program.scopes
            and self.classes.find(scope, self.repr) >= 0
        ):
            self.convert_later(listener[1], value)

    # classes that derive from containers

    def note_base(self, scope: int, base: int) -> None:
        """Remember that a class derives from a container of the library."""
        if self.solver.kind[base] in (BUILTIN, EXTERNAL):
            name = self.solver.detail[base][0]
            if name in _MAPPINGS:
                self._bases[scope] = ObjectKind.MAPPING
            elif name in _SEQUENCES:
                self._bases[scope] = ObjectKind.SEQUENCE

    def contents(self, value: int) -> int:
        """The container that an instance of a class derived from one is; -1 for other objects."""
        scope = value - self.program.scopes
        if not self._bases or scope >= self.program.scopes:
            return -1
        for known in self.classes.order(scope):
            kind = self._bases.get(known)
            if kind is not None:
                return self.solver.container(("contents", known), kind)
        return -1

    def is_open(self, container: int) -> bool:
        """Whether what is read under an unknown key is sought among all a container has.

        All instances of a class that derives from one share it: only known keys are apart.
        """
        detail = self.solver.detail[container]
        return len(detail) < 2 or detail[1] != "contents" or not self._is_mapping(container)

    def _is_mapping(self, container: int) -> bool:
        return self.solver.detail[container][0] == ObjectKind.MAPPING

    # objects that answer for any name

    def _answers(self, value: int, scope: int) -> bool:
        """Whether `__getattr__` may be asked; a class knows the attributes that its own have."""
        known = value - self.program.scopes
        return (
            known < self.program.scopes
            and self.classes.find(known, self.getattr) >= 0
            and (scope < 0 or self.program.owner_class(scope) not in self.classes.order(known))
        )

    def unknown(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        """Note that an attribute is read which no class has: `__getattr__` may give it."""
        if self._answers(value, scope) and not self.program.texts[name].startswith("["):
            call = Call(target, scope, line, name, (), (), CallFlag.IMPLICIT)
            self._unknown.append((value, name, call, False))

    def settle(self, *, last: bool) -> None:
        """Use what depends on all values being known."""
        if last:
            for call, values in self._formatted.items():
                if len(values) <= _MOST_FORMATTED:
                    for value in values:
                        self.convert(call, value, call.name)
            self._formatted.clear()
        self._ask_instances()

    def _ask_instances(self) -> None:
        """Ask `__getattr__` for what is still not known."""
        pending, self._unknown = self._unknown, []
        solver = self.solver
        on_answer: Handler = self._on_answer
        for value, name, call, is_call in pending:
            scope = value - self.program.scopes
            if self.classes.find(scope, name) >= 0 or self.rules.types.is_foreign(scope):
                continue
            if call.fired if is_call else solver.points[call.result] is not None:
                continue  # another of the objects that may be here has it
            found, key = solver.slot(), solver.slot()
            solver.add(key, solver.text(name))
            inner = solver.derived_call(call, found, (key,), self.getattr)
            self.rules.invoke_member(inner, value, self.getattr)
            solver.listen(found, (on_answer, call, name, is_call))

    def _on_answer(self, value: int, listener: Listener) -> None:
        """Use what `__getattr__` returns for a name; a method of another name is for others."""
        _, call, name, is_call = listener
        kind = self.solver.kind[value]
        function = self.solver.detail[value][0] if kind == BOUND else value
        if kind in (FUNCTION, BOUND) and self.solver.kind[function] == FUNCTION:
            own = self.program.scope_name[function]
            other = own != name and self.solver.kind[self.program.parent[function]] == CLASS
            if other and (
                kind == FUNCTION or own not in self._read_by(self.solver.detail[value][1])
            ):
                return
        if is_call:
            self.rules.call_value(call, value)
        else:
            self.solver.add(call.result, value)

    def _read_by(self, receiver: int) -> set[int]:
        """The attributes of itself that the `__getattr__` of an object reads by their names."""
        scope = receiver - self.program.scopes
        if self.solver.kind[receiver] != INSTANCE or scope >= self.program.scopes:
            return set()
        slot = self.classes.find(scope, self.getattr)
        getters = [known for known in self.solver.points[slot] or () if known < self.program.scopes]
        this = [self.program.this[known] for known in getters if slot >= 0]
        return names_used(self.solver, [found for found in this if found >= 0])[1]

    def ask_module(self, getter: int, name: int, scope: int, line: int, found: int) -> None:
        """Call a module's `__getattr__` for a name that the module does not have."""
        key = self.solver.slot()
        self.solver.add(key, self.solver.text(name))
        call = Call(found, scope, line, -1, (key,), (), CallFlag.IMPLICIT)
        self.solver.listen(getter, (self.rules.on_entered, call, -1))

    # iteration

    def is_unpacked(self, scope: int) -> bool:
        """Whether items of a class's instances are read by position in assignments alone."""
        find = self.classes.find
        return find(scope, self.getitem) < 0 <= find(scope, self.iter)

    def iterate(self, call: Call, value: int) -> None:
        """The elements of what is iterated over go to the call's result."""
        kind = self.solver.kind[value]
        if kind == CONTAINER:
            self.rules.models.elements(value, call.result)
        elif kind == INSTANCE:
            scope = value - self.program.scopes
            classes = self.classes
            name = self.iter
            if classes.find(scope, name) < 0:
                name = self.async_iter if classes.find(scope, self.async_iter) >= 0 else name
            if classes.find(scope, name) < 0 <= classes.find(scope, self.getitem):
                if not self.rules.types.is_foreign(scope):  # a library's iterates in its own way
                    self.rules.invoke_member(call, value, self.getitem)
                return
            contents = self.contents(value)
            if contents >= 0 and classes.find(scope, name) < 0:
                self.rules.models.elements(contents, call.result)
                return
            between = self.solver.slot()
            inner = self.solver.derived_call(call, between, ())
            self.solver.listen(between, (self.on_iterator, call))
            self.rules.invoke_member(inner, value, name)
        elif kind == CLASS:
            self.rules.kinds.iterate(call, value)

    @handler
    def on_iterator(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == CONTAINER:
            self.rules.models.elements(value, call.result)
        elif self.solver.kind[value] == INSTANCE:
            scope = value - self.program.scopes
            missing = self.classes.find(scope, self.next) < 0
            self.rules.invoke_member(call, value, self.async_next if missing else self.next)

    def enter_context(self, call: Call, value: int) -> None:
        """Enter a `with` statement."""
        name, scope = call.name, value - self.program.scopes
        if self.classes.find(scope, name) < 0:
            self.solver.add(call.result, value)  # inherited from a library: usually itself
        self.rules.invoke_member(call, value, name)
