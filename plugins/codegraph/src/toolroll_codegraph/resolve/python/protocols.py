"""Special methods, and those that stand in for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import CERTAIN
from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.facts.operators import DELETED, REFLECTED
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import (
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    INSTANCE,
)
from toolroll_codegraph.resolve.python.declared import TYPED
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_INSTEAD: Final = {
    "__format__": "__str__", "__ne__": "__eq__", "__le__": "__lt__",
    "__gt__": "__lt__", "__ge__": "__lt__", "__bool__": "__len__", "__getitem__": "__missing__",
    "__str__": "__repr__",
    "__copy__": "__reduce_ex__", "__deepcopy__": "__reduce_ex__", "__reduce_ex__": "__reduce__",
    "__int__": "__index__", "__float__": "__index__", "__complex__": "__float__",
}  # fmt: skip
"""What is called where a class has no such method; `total_ordering` makes the comparisons."""
_GIVING: Final = (
    "__abs__", "__round__", "__divmod__", "__pow__", "__floor__", "__ceil__", "__trunc__",
)  # fmt: skip
"""What the function that asks for it gives back, be it a number or not."""
_DELETED: Final = DELETED.decode()
_ASKED: Final = -(1 << 60)
"""Among what a call has entered: its other operand is asked too."""
_TAKING: Final = frozenset(["get", "pop", "setdefault"])
_COMBINING: Final = frozenset(
    ["__or__", "__and__", "__xor__", "__invert__", "__ior__", "__iand__", "__ixor__"]
)
"""What an `enum.Flag` has."""
_MOST_FORMATTED: Final = 1
_MOST_ALIKE: Final = 3
_MAPPINGS: Final = frozenset(
    ["dict", "collections.OrderedDict", "collections.defaultdict", "collections.UserDict",
     "typing.Dict", "typing.OrderedDict", "typing.DefaultDict", *TYPED]
)  # fmt: skip
_SEQUENCES: Final = frozenset(
    ["list", "tuple", "set", "frozenset", "collections.deque", "collections.UserList",
     "typing.List", "typing.Tuple", "typing.Set", "typing.FrozenSet", "typing.Deque"]
)  # fmt: skip
CONTAINERS: Final = _MAPPINGS | _SEQUENCES
"""What classes derive from to be one."""


class PythonProtocols(PythonFeature):
    """Iteration, context managers, conversions and operators."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        name = rules.program.name
        self.iter, self.next = name("__iter__"), name("__next__")
        self.repr = name("__repr__")
        self.async_iter, self.async_next = name("__aiter__"), name("__anext__")
        self.getitem, self.replace = name("__getitem__"), name("_replace")
        self.instead = {name(known): name(other) for known, other in _INSTEAD.items()}
        self.reflected = {
            name(known.decode()): name(other.decode()) for known, other in REFLECTED.items()
        }
        self.bases: dict[int, int] = {}
        """Class → the kind of container that it derives from."""
        self.conversions = frozenset(map(name, ("__format__", "__str__", "__repr__")))
        self._giving = frozenset(map(name, _GIVING))
        self._formatted: dict[Call, list[int]] = {}
        """What a text is made with → the instances it may be."""

    # what stands in for a method

    def missing(self, call: Call, value: int) -> None:
        """Do what is done where the class of an instance has no method of that name."""
        rules = self.rules
        libraries = (
            rules.mixins, rules.django, rules.forms, rules.pydantic, rules.tasks, rules.setting_off,
        )  # fmt: skip
        if any(it.call(call, value) for it in libraries):
            return
        if not call.flags & CallFlag.IMPLICIT:
            self._missing_method(call, value)
            return
        name, scope = self.instead.get(call.name), value - self.program.scopes
        while name is not None:
            if scope < self.program.scopes and self.classes.find(scope, name) >= 0:
                if name == self.repr and self.rules.types.is_foreign(scope):
                    return  # exceptions and texts have a `__str__` of their own
                self.rules.invoke_member(call, value, name)
                return
            name = self.instead.get(name)
        if self.program.texts[call.name] in _COMBINING and self.rules.enumerations.has(scope):
            self.solver.add(call.result, value)  # some flags are a value of their class
            return
        if self.program.texts[call.name].startswith(_DELETED):
            rules.descriptors.delete(call, value)
        self.ask_other(call)

    def ask_other(self, call: Call) -> None:
        """Let the other operand do what the first does not."""
        reflected = self.reflected.get(call.name)
        if reflected is not None and call.positional and call.once(_ASKED):
            self.solver.listen(call.positional[0], (self._on_other, call, reflected))

    def _missing_method(self, call: Call, value: int) -> None:
        """Call what else an instance has under a name that is written."""
        rules, scope = self.rules, value - self.program.scopes
        contents = self.contents(value)
        if contents >= 0 and (not self._is_mapping(contents) or self._takes(call)):
            rules.models.method(call, contents)
        elif call.name == rules.own_value and rules.enumerations.has(scope):
            held = self.solver.slot()
            rules.enumerations.value(scope, held)
            self.solver.listen(held, (rules.on_called, call))
        elif call.name == self.replace and rules.records.is_tuple(value):
            rules.records.replace(call, value)
        else:
            rules.unanswered.call(call, value)
            rules.abstract.lack(call, scope)

    def _takes(self, call: Call) -> bool:
        """Whether a method of a mapping gives what is under one key."""
        return bool(call.positional) and self.program.texts[call.name] in _TAKING

    @handler
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
            result = call.result if name in self._giving else -1
            inner = self.solver.derived_call(call, result, operands, name)
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

    def settle(self) -> None:
        """Convert what texts are made with, where that is not many."""
        for call, values in self._formatted.items():
            # A few classes that have one method from a base are one kind.
            kinds = {self._answering(value, call.name) for value in values[: _MOST_ALIKE + 1]}
            if len(kinds) <= _MOST_FORMATTED and len(values) <= _MOST_ALIKE:
                for value in values:
                    self.convert(call, value, call.name)
        self._formatted.clear()

    def _answering(self, value: int, name: int | None) -> int:
        """The slot of what answers for an instance; the value itself where nothing does."""
        scope = value - self.program.scopes
        while name is not None and scope < self.program.scopes:
            if (slot := self.classes.find(scope, name)) >= 0:
                return slot
            name = self.instead.get(name)
        return -1 - value

    # classes that derive from containers

    def note_base(self, scope: int, base: int) -> None:
        """Remember that a class derives from a container of the library."""
        if self.solver.kind[base] in (BUILTIN, EXTERNAL):
            name = self.solver.detail[base][0]
            self.rules.mixins.note_base(scope, name)
            self.rules.models.contexts.note_base(scope, name)
            self.rules.declared.note_base(scope, name)
            self.rules.setting_off.note_base(scope, name)
            if name in _MAPPINGS:
                self.bases[scope] = ObjectKind.MAPPING
            elif name in _SEQUENCES:
                self.bases[scope] = ObjectKind.SEQUENCE

    def contents(self, value: int) -> int:
        """The container that an instance of a class derived from one is; -1 for other objects."""
        scope = value - self.program.scopes
        if not self.bases or scope >= self.program.scopes:
            return -1
        for known in self.classes.order(scope):
            kind = self.bases.get(known)
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

    # iteration

    def is_unpacked(self, scope: int) -> bool:
        """Whether items of a class's instances are read by position in assignments alone."""
        find = self.classes.find
        return find(scope, self.getitem) < 0 <= find(scope, self.iter)

    def is_indexed(self, value: int) -> bool:
        """Whether an object's own items are read by position: it is a sequence of no library."""
        scope = value - self.program.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.program.scopes:
            return False
        known = self.rules.mixins.is_sequence(scope) or self.contents(value) >= 0
        return not known and self.classes.find(scope, self.getitem) >= 0

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
            contents = self.contents(value)
            if contents >= 0 and classes.find(scope, name) < 0:
                self.rules.models.elements(contents, call.result)
                return
            if classes.find(scope, name) < 0 <= classes.find(scope, self.getitem):
                if self.rules.mixins.is_sequence(scope):
                    self.rules.mixins.iterate(call, value)
                elif not self.rules.types.is_foreign(scope):  # a library's has its own way
                    self.rules.invoke_member(call, value, self.getitem)
                return
            if self.rules.enumerations.has(scope) and classes.find(scope, name) < 0:
                self.solver.add(call.result, value)  # a flag has the flags that it is made of
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
