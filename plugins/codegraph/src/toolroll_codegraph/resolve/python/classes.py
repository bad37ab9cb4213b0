"""What making a Python class runs: metaclasses, `__init_subclass__`, protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from toolroll_codegraph.facts import (
    CallFlag,
    ImportKind,
    ObjectKind,
    ParamKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.resolve.calls import Call, Handler, Listener
from toolroll_codegraph.resolve.program import CLASS, EXTERNAL, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.python.admin import INLINES
from toolroll_codegraph.resolve.python.django import DJANGO
from toolroll_codegraph.resolve.python.enumerations import ENUMERATIONS
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.python.forms import FORMS
from toolroll_codegraph.resolve.python.pydantic import PYDANTIC

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

PROTOCOLS: Final = frozenset(["typing.Protocol", "typing_extensions.Protocol"])
_BY_POSITION: Final = (ParamKind.POSITIONAL, ParamKind.UNNAMED)
_MAKING: Final = 4
"""A metaclass's `__new__` and `__init__` get so many: themselves, name, bases and namespace."""
_MODULES: Final = frozenset(name.partition(".")[0] for name in ENUMERATIONS | PROTOCOLS)


class PythonClasses(PythonFeature):
    """Metaclasses, `__init_subclass__` and generic classes."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.metaclasses: dict[int, int] = {}
        self.calls = False
        """Whether calling a class may call a method of its metaclass."""
        self.made_by: dict[int, list[int]] = {}
        """Metaclass → the classes it makes, those of the metaclasses below it among them."""
        self.class_getitem = rules.program.name("__class_getitem__")
        self._init_subclass = rules.program.name("__init_subclass__")
        self._mro_method = rules.program.name("mro")
        self.mro = rules.program.name("__mro__")
        self._subclasses = rules.program.name("__subclasses__")
        self._protocols: set[int] = set()
        self._on_called: Handler = self._call
        self._on_loaded: Handler = self._load
        self._on_made: Handler = self._made

    def watch(self) -> None:
        """Follow metaclasses and the libraries' classes among the bases."""
        program, solver = self.program, self.solver
        on_base: Handler = self._on_base
        for index, facts in enumerate(program.facts):
            base, scopes = program.slot_base[index], program.scope_base[index]
            read = self._read_of_modules(index)
            for kind, scope, _, slot, _ in facts.relations:
                if kind == "metaclass":
                    solver.listen(slot + base, (self._on_metaclass, scope + scopes))
            for scope in range(scopes, scopes + program.scope_count[index]):
                for slot in program.bases[scope]:
                    solver.listen(slot, (on_base, scope))
                    if slot in read:
                        self._note_library(scope, read[slot])

    def _read_of_modules(self, index: int) -> dict[int, str]:
        """Slot → what a file reads there of modules of the library: `enum.Enum`.

        Members of a class may be read before such a base has come along.
        """
        program = self.program
        base, rename = program.slot_base[index], program.renames[index]
        return {
            target + base: f"{module}.{program.texts[rename[name]]}"
            for slot, kind, level, module, _, _, _ in program.facts[index].imports
            if kind not in (ImportKind.NAME, ImportKind.STAR) and slot >= 0 == level
            if module in _MODULES
            for _, target, name in self.solver.operations.reads_of(slot + base)
        }

    def _on_metaclass(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.metaclasses[listener[1]] = value

    def _on_base(self, value: int, listener: Listener) -> None:
        self.rules.protocols.note_base(listener[1], value)
        if self.solver.kind[value] == EXTERNAL:
            self._note_library(listener[1], self.solver.detail[value][0])

    def _note_library(self, scope: int, base: str) -> None:
        if base in ENUMERATIONS:
            self.rules.enumerations.known.add(scope)
        elif base in PROTOCOLS:
            self._protocols.add(scope)
        elif base in DJANGO:
            self.rules.django.note_base(scope, base)
        elif base in INLINES:
            self.rules.admin.note_base(scope, base)
        elif base in FORMS:
            self.rules.forms.note_base(scope, base)
        elif base in PYDANTIC:
            self.rules.pydantic.note_base(scope, base)

    def metaclass(self, scope: int) -> int | None:
        """The metaclass of a class or of one of its bases."""
        if not self.metaclasses:
            return None
        found = map(self.metaclasses.get, self.classes.order(scope))
        return next((known for known in found if known is not None), None)

    def make(self) -> None:
        """Call what runs when the classes of the project are made."""
        program, classes = self.program, self.classes
        called = self.rules.dunder_call
        self.calls = any(classes.find(known, called) >= 0 for known in self.metaclasses.values())
        names = program.names
        hook = names.get("__init_subclass__")
        made = [names[name] for name in ("__prepare__", "__new__", "__init__") if name in names]
        for scope, bases in list(classes.found_bases.items()):
            if program.kind[scope] != ScopeKind.CLASS or not bases:
                continue
            if hook is not None:
                classes.lookup(scope, hook, (self._on_called, scope, scope), after=scope)
        if self.metaclasses:
            for scope in range(program.scopes):
                if program.kind[scope] == ScopeKind.CLASS:
                    metaclass = self.metaclass(scope)
                    if metaclass is not None:
                        for known in classes.order(metaclass):
                            self.made_by.setdefault(known, []).append(scope)
                        for name in made:
                            receiver = scope if name == self.rules.init else metaclass
                            classes.lookup(metaclass, name, (self._on_called, scope, receiver))

    def _call(self, value: int, listener: Listener) -> None:
        scope: int = listener[1]
        receiver: int = listener[2]
        if self.solver.kind[value] == FUNCTION:
            self.rules.receive(value, receiver, -1)
            place = self.program.parent[scope], self.program.first_line[scope]
            if self.program.scope_name[value] == self._init_subclass:
                place = self.maker(scope)
            elif self.program.flags[value] & ScopeFlag.METHOD:
                self._hand_members(value, scope)
            self.solver.record(place[0], value, place[1])

    def _hand_members(self, function: int, scope: int) -> None:
        """Give a metaclass's method the name of the class that is made, and its namespace."""
        given = [slot for _, slot, shape in self.program.params[function] if shape in _BY_POSITION]
        if len(given) == _MAKING:
            self.solver.add(given[1], self.solver.text(self.program.scope_name[scope]))
            self.rules.namespaces.of(scope, given[-1])

    def maker(self, scope: int) -> tuple[int, int]:
        """Who makes a class, and in which line: the `__new__` of a metaclass, or its statement."""
        metaclass = self.metaclass(scope)
        slot = -1 if metaclass is None else self.classes.find(metaclass, self.rules.new)
        for value in (self.solver.points[slot] or ()) if slot >= 0 else ():
            if self.solver.kind[value] == FUNCTION:
                return value, self.program.first_line[value]
        return self.program.parent[scope], self.program.first_line[scope]

    def is_protocol(self, scope: int) -> bool:
        """Whether a class is one that others have without deriving from it."""
        return scope in self._protocols

    def protocols(self) -> list[int]:
        """The classes of the project that others have without deriving from them."""
        return sorted(scope for scope in self._protocols if scope < self.program.own_scopes)

    def subscribe(self, value: int, target: int, scope: int, line: int) -> None:
        """Read `Class[…]`: a member of an enumeration, or a generic class itself."""
        if self.rules.enumerations.has(value):
            self.solver.add(target, value + self.program.scopes)
            return
        call = Call(target, scope, line, -1, (), (), CallFlag.IMPLICIT)
        if self.call_metaclass(call, value, self.rules.getitem):
            return
        subscribed = (self.rules.on_entered, call, value)
        if not self.classes.lookup(value, self.class_getitem, subscribed):
            self.solver.add(target, value)

    def call_metaclass(self, call: Call, scope: int, name: int) -> bool:
        """Call a method that a class has from its metaclass, with the class as its receiver.

        False where the metaclass has none of its own.
        """
        metaclass = self.metaclass(scope)
        if metaclass is None:
            return False
        if name == self.rules.dunder_call and call.result >= 0 and call.name < 0:
            if not call.enter_object(scope):
                return True
            result = self.solver.slot()
            self.solver.listen(result, (self._on_made, call.result, scope))
            call = msgspec.structs.replace(call, result=result, fired=())
        return self.classes.lookup(metaclass, name, (self.rules.on_entered, call, scope))

    def _made(self, value: int, listener: Listener) -> None:
        """Keep the objects of other classes of a metaclass out of what calling a class gives."""
        _, target, scope = listener
        known = value - self.program.scopes
        if self.solver.kind[value] == INSTANCE and known < self.program.scopes:
            order = self.classes.order(known)
            if scope not in order and self.metaclass(known) == self.metaclass(scope):
                return
        self.solver.add(target, value)

    def iterate(self, call: Call, scope: int) -> None:
        """Iterate over a class: over the members of an enumeration, or as its metaclass says."""
        if self.rules.enumerations.has(scope):
            self.solver.add(call.result, scope + self.program.scopes)
        elif self.metaclasses:
            between = self.solver.slot()
            self.solver.listen(between, (self.rules.protocols.on_iterator, call))
            inner = self.solver.derived_call(call, between, ())
            self.call_metaclass(inner, scope, self.rules.protocols.iter)

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        """Read what a class has from its metaclass."""
        metaclass = self.metaclass(value)
        if metaclass is None:
            return
        read = (self._on_loaded, self.rules.reading(target, name, scope, line), value)
        if not self.classes.lookup(metaclass, name, read):
            self.rules.unanswered.read(value, name, target, scope, line)

    def _load(self, value: int, listener: Listener) -> None:
        """Bind a method of a metaclass to the class that it is read from."""
        _, read, owner = listener
        if self.solver.kind[value] != FUNCTION:
            self.solver.add(read.target, value)
        elif self.program.flags[value] & ScopeFlag.PROPERTY:
            self.rules.run_property(value, owner, read.scope, read.line, read.target)
        else:
            self.solver.add(read.target, self.solver.bound(value, owner))

    def call_type(self, call: Call, value: int, owner: int) -> None:
        """Do what `type` does for a metaclass: make an instance of a class, or the class."""
        if call.name == self.rules.dunder_call:
            if self.solver.kind[value] == CLASS and self.metaclass(value) is not None:
                self.rules.instantiate(call, value)
        elif call.name == self.rules.new:
            if owner not in self.made_by:
                self.rules.models.make_instance(call)
            for scope in self.made_by.get(owner, ()):
                self.solver.add(call.result, scope)

    def call_own(self, call: Call, scope: int) -> bool:
        """Call what every class has, as `__subclasses__`, and `__new__` of `object`; False for
        other names."""
        models = self.rules.models
        if call.name == self._subclasses:
            slot = self.solver.field(models.result(call), models.any_key)
            for known in self.classes.subclasses.get(scope, ()):
                self.solver.add(slot, known)
        elif call.name == self._mro_method:
            self.give_order(scope, call.result)
        elif call.name == self.rules.new:
            models.make_instance(call)
        else:
            return False
        return True

    def give_order(self, scope: int, target: int) -> None:
        """Let a slot have the classes that members are looked up in, in their order."""
        models = self.rules.models
        made = self.solver.container(("order", scope), ObjectKind.SEQUENCE)
        for known in self.classes.order(scope):
            self.solver.add(self.solver.field(made, models.any_key), known)
        self.solver.add(target, made)
