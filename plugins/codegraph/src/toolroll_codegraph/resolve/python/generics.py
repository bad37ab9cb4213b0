"""Functions and methods that `singledispatch` chooses by the class of their first argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers

_METHOD: Final = "generic method"
_REGISTER: Final = "register"
GENERICS: Final = {
    "functools.singledispatch": "generic",
    "functools.singledispatchmethod": _METHOD,
}
_KINDS: Final = frozenset(GENERICS.values())
_TOLD: Final = (INSTANCE, TEXT)
_Entry = tuple[int, Call, int, int]
"""(generic, call, receiver or -1, function)."""


class PythonGenerics:
    """Keeps what is registered, and calls of that what an argument chooses."""

    def __init__(self, models: PythonContainers) -> None:
        self.models = models
        self.rules = models.rules
        self.solver = models.solver
        self._keys: dict[int, dict[int, list[int]]] = {}
        """Generic → function that is registered → slots of the classes that it is for."""
        self.named: dict[int, list[int]] = {}
        """Function → slots of the classes that its annotation names."""
        self._waiting: list[_Entry] = []
        """What an argument may choose for want of anything better."""

    def make(self, call: Call, name: str) -> None:
        made = self.solver.make(CONTAINER, GENERICS[name], call.result)
        self.solver.add(call.result, made)
        for function in call.positional[:1]:
            self.solver.edge(function, self._held(made))

    def _held(self, generic: int) -> int:
        return self.solver.field(generic, self.models.any_key)

    def call(self, call: Call, value: int) -> bool:
        """Call such a function, or what registers one; False for other objects."""
        kind = self.solver.detail[value][0]
        if kind in _KINDS:
            self._call(call, value, -1)
        elif kind == _REGISTER:
            self._register(call, *self.solver.detail[value][1:])
        return kind in _KINDS or kind == _REGISTER

    def invoke(self, call: Call, value: int, receiver: int) -> bool:
        """Call a generic method that a class has, on an instance; False for other members."""
        if self.solver.detail[value][0] != _METHOD:
            return False
        self._call(call, value, receiver)
        return True

    def method(self, call: Call, value: int, name: str) -> bool:
        """Call a method of such a function; False for other objects."""
        if self.solver.detail[value][0] not in _KINDS:
            return False
        if name == _REGISTER:
            self._register(call, value, -1)
        elif name == "dispatch":
            self.solver.edge(self._held(value), call.result)
        return True

    def load(self, value: int, name: str, target: int) -> bool:
        """Read `register` of a generic function, as a decorator is; False for all else."""
        if name != _REGISTER or self.solver.detail[value][0] not in _KINDS:
            return False
        self.solver.add(target, self.solver.make(CONTAINER, _REGISTER, value, -1))
        return True

    # registering

    def _register(self, call: Call, generic: int, key: int) -> None:
        """`register(Class, function)`, `register(function)`, or `register(Class)(function)`."""
        first = call.positional[0] if call.positional else -1
        for slot in call.positional:
            if slot >= 0:
                known = first if key < 0 and slot != first else key
                self.solver.listen(slot, (self._on_registered, generic, call.result, known))
        key = first if key < 0 else key
        self.solver.add(call.result, self.solver.make(CONTAINER, _REGISTER, generic, key))

    @handler
    def _on_registered(self, value: int, listener: Listener) -> None:
        _, generic, result, key = listener
        if self.solver.kind[value] == FUNCTION:
            keys = self._keys.setdefault(generic, {}).setdefault(value, [])
            if key >= 0:
                keys.append(key)
            else:
                keys += self.named.get(value, ())
            self.solver.add(self._held(generic), value)
            self.solver.add(result, value)

    # choosing

    def _call(self, call: Call, generic: int, receiver: int) -> None:
        if call.once(-2 - generic):
            chosen = (self._on_function, generic, call, receiver)
            self.solver.listen(self._held(generic), chosen)

    @handler
    def _on_function(self, function: int, listener: Listener) -> None:
        """Call one of the functions where what is given is of its classes, or may be."""
        _, generic, call, receiver = listener
        argument = call.positional[0] if call.positional else -1
        known = self._classes(generic, function)
        if argument < 0 or known is None:
            self._enter(call, receiver, function)
            return
        entry = generic, call, receiver, function
        self._waiting.append(entry)
        if function in self._keys.get(generic, ()):
            self.solver.listen(argument, (self._on_argument, entry))

    @handler
    def _on_argument(self, value: int, listener: Listener) -> None:
        entry: _Entry = listener[1]
        generic, call, receiver, function = entry
        if self._best(generic, value) == function:
            self._enter(call, receiver, function)

    def settle(self, *, last: bool) -> None:
        """Call what is for everything else, and at last all where nothing tells what is given."""
        waiting, self._waiting = self._waiting, []
        kind = self.solver.kind
        for generic, call, receiver, function in waiting:
            values = self.solver.points[call.positional[0]] or ()
            if not values and not last:
                self._waiting.append((generic, call, receiver, function))
                continue
            best = {value: self._best(generic, value) for value in values}
            if function in self._keys.get(generic, ()):
                called = not values or function in best.values()
            else:  # what is of no class of the project may have come by another way
                others = [value for value, found in best.items() if found < 0]
                called = len(others) == len(values) or any(kind[it] in _TOLD for it in others)
            if called:
                self._enter(call, receiver, function)

    def _best(self, generic: int, value: int) -> int:
        """The registered function for the class that comes first among those of a value; -1 where
        none is for it."""
        functions = self._keys.get(generic, {})
        scopes = self.rules.program.scopes
        order: tuple[int, ...] = ()
        if self.solver.kind[value] == INSTANCE and value - scopes < scopes:
            order = tuple(self.rules.classes.order(value - scopes))
        found, place = -1, len(order)
        for function, keys in functions.items():
            for scope in self._classes(generic, function) or ():
                if scope in order and order.index(scope) < place:
                    found, place = function, order.index(scope)
            if found < 0 and any(self._may_be(value, key) for key in keys):
                found = function
        return found

    def _may_be(self, value: int, key: int) -> bool:
        known = self.rules.plain.named.get(key)
        if known is None:
            return False
        answer = self.rules.plain.is_instance(value, known)
        return bool(answer) or (answer is None and self.solver.kind[value] == CONTAINER)

    def _classes(self, generic: int, function: int) -> list[int] | None:
        """The project's classes that a function is registered for.

        None where it is for others too: what is given may be of one of these without a trace.
        """
        keys = self._keys.get(generic, {}).get(function)
        if keys is None:
            return []
        if not keys:
            return self._annotated(function)
        points, kind, named = self.solver.points, self.solver.kind, self.rules.plain.named
        found = [value for key in keys for value in points[key] or () if kind[value] == CLASS]
        if len(found) < sum(key not in named for key in keys):
            return None
        return found if found or all(self._has_trace(named[key]) for key in keys) else None

    def _annotated(self, function: int) -> list[int] | None:
        program = self.rules.program
        place = 1 if program.flags[function] & ScopeFlag.METHOD else 0
        parameters = program.params[function]
        slot = parameters[place][1] if len(parameters) > place else -1
        limits = self.rules.types.limits.get(slot)
        return None if limits is None or -1 in limits else [*limits]

    def _has_trace(self, known: type) -> bool:
        """Whether objects of a builtin class are values that are followed."""
        return known in (list, dict, tuple, set, frozenset)

    def _enter(self, call: Call, receiver: int, function: int) -> None:
        if receiver < 0:
            self.rules.call_value(call, function)
        else:
            self.rules.on_member(function, (None, call, receiver))
