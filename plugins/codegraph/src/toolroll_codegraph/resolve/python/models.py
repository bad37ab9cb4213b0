"""What Python's builtins and its standard library do with functions, containers and classes.

Each function that is followed stands in one table with what it does; the modules of such functions
are known for that alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.dotted import with_modules
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, EXTERNAL, INSTANCE
from toolroll_codegraph.resolve.python.admin import INLINES, REGISTERING
from toolroll_codegraph.resolve.python.caches import PythonCaches
from toolroll_codegraph.resolve.python.callbacks import CALLBACKS, LOOKING
from toolroll_codegraph.resolve.python.classes import PROTOCOLS
from toolroll_codegraph.resolve.python.containers import METHOD, PythonContainers
from toolroll_codegraph.resolve.python.contexts import DECORATORS, ENTERED, PythonContexts
from toolroll_codegraph.resolve.python.conversions import PythonConversions
from toolroll_codegraph.resolve.python.discovery import PythonMembersOf
from toolroll_codegraph.resolve.python.django import DJANGO
from toolroll_codegraph.resolve.python.encoding import PythonEncoding
from toolroll_codegraph.resolve.python.enumerations import ENUMERATIONS
from toolroll_codegraph.resolve.python.fixtures import ASKING, MAKING, USING
from toolroll_codegraph.resolve.python.flask import OBJECTS, PythonFlask
from toolroll_codegraph.resolve.python.forms import FORMS
from toolroll_codegraph.resolve.python.generics import GENERICS
from toolroll_codegraph.resolve.python.getters import GETTERS, OPERATORS, PythonGetters
from toolroll_codegraph.resolve.python.holders import HOLDERS
from toolroll_codegraph.resolve.python.importing import IMPORTED, PythonImporting
from toolroll_codegraph.resolve.python.iterators import PythonIterators
from toolroll_codegraph.resolve.python.keys import MEMBERS
from toolroll_codegraph.resolve.python.mixins import MIXINS
from toolroll_codegraph.resolve.python.ordering import PythonOrdering
from toolroll_codegraph.resolve.python.parametrized import PARAMETRIZED
from toolroll_codegraph.resolve.python.partials import PARTIALS, PythonPartials
from toolroll_codegraph.resolve.python.protocols import CONTAINERS
from toolroll_codegraph.resolve.python.pydantic import CHECKING, PYDANTIC
from toolroll_codegraph.resolve.python.records import ADDING
from toolroll_codegraph.resolve.python.setting_off import SETTING_OFF
from toolroll_codegraph.resolve.python.signals import CONNECTING, PythonSignals
from toolroll_codegraph.resolve.python.signatures import PythonSignatures

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

Model = Callable[[Call, list[int]], None]
"""Does what a function of the library does, with its arguments by position that are no spread."""
_PATTERN: Final = "re.Pattern"
_SAME: Final = ("staticmethod", "classmethod", "functools.cmp_to_key", "types.MappingProxyType")
"""What gives its first argument back, as far as calls go."""
_REPLACING: Final = ("dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve")


class PythonModels(PythonContainers):
    """The part of the standard library that moves project values around."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.conversions = PythonConversions(self)
        self.contexts = PythonContexts(self)
        self.signals = PythonSignals(self)
        self.getters = PythonGetters(self)
        self.partials = PythonPartials(self)
        self.importing = PythonImporting(self)
        self.flask = PythonFlask(self)
        self._functions: dict[str, Model] = {
            **dict.fromkeys(_SAME, self._same),
            **dict.fromkeys(_REPLACING, self._replace),
            **self.conversions.functions,
            **PythonIterators(self).functions,
            **PythonOrdering(self).functions,
            **PythonMembersOf(self).functions,
            **self.importing.functions,
            **self.partials.functions,
            **self.contexts.functions,
            **PythonCaches(self).functions,
            **PythonEncoding(self).functions,
            **PythonSignatures(self).functions,
            **self.signals.functions,
            **{f"operator.{name}": partial(self.getters.operate, name) for name in OPERATORS},
            **{f"operator.{name}": partial(self.getters.make, name) for name in GETTERS},
            **rules.django.functions,
            **rules.forms.functions,
            **rules.admin.functions,
            **self.flask.functions,
            **rules.pydantic.functions,
            **rules.fixtures.functions,
            **rules.parametrized.functions,
            **rules.sqlalchemy.functions,
            **rules.tasks.functions,
            **rules.dependencies.functions,
            **rules.records.functions,
            "dict": self._dict,
            "collections.OrderedDict": self._dict,
            "collections.defaultdict": self._default_dict,
            "type": self._type,
            "super": self._super,
            "property": self._property,
            "globals": self._globals,
            "vars": self._vars,
            "inspect.getmro": self._mro,
            "re.compile": self._pattern,
            f"{_PATTERN}.sub": self._substitute,
            f"{_PATTERN}.subn": self._substitute,
            "typing.cast": self._cast,
            "dataclasses.field": self._field,
            "argparse.ArgumentParser": self._parser,
        }  # fmt: skip
        self._called: dict[object, Callable[[Call, int], None]] = {
            **dict.fromkeys(PARTIALS, self.partials.call),
            **dict.fromkeys(GETTERS, self.getters.call),
            **dict.fromkeys((USING, MAKING, ASKING), rules.fixtures.use),
            ENTERED: self.contexts.call,
            CONNECTING: self.signals.call,
            CHECKING: rules.pydantic.use,
            ADDING: rules.records.add,
            REGISTERING: rules.admin.use,
            PARAMETRIZED: rules.parametrized.use,
            MEMBERS: self._any_member,
            ObjectKind.ALIAS: self._new_type,
            ObjectKind.CALLABLE: self._called_type,
        }
        """Kind of a container that can be called → what calling it does."""
        known = (
            *self._functions, IMPORTED, *CALLBACKS, *HOLDERS, *GENERICS, *ENUMERATIONS, *PROTOCOLS,
            *MIXINS, *CONTAINERS, *DJANGO, *FORMS, *PYDANTIC, *DECORATORS, *SETTING_OFF,
            *INLINES, *LOOKING,
        )  # fmt: skip
        self._externals = with_modules(name for name in known if "." in name)

    def is_builtin(self, name: str) -> bool:
        return name == "object" or ("." not in name and name in self._functions)

    def add_external(self, slot: int, dotted: str) -> None:
        if slot >= 0 and dotted in OBJECTS:
            self.solver.add(slot, self.flask.find(dotted))
        elif slot >= 0 and dotted in self._externals:
            self.solver.add(slot, self.solver.make(EXTERNAL, dotted))

    def load_external(self, value: int, name: int, target: int, scope: int) -> None:
        owner: str = self.solver.detail[value][0]
        if self.rules.records.load(value, name, target):
            return
        if owner == IMPORTED:
            self.importing.loaded(self.program.texts[name], target, scope)
        else:
            self.add_external(target, f"{owner}.{self.program.texts[name]}")

    def call_external(self, call: Call, value: int) -> None:
        """Call a function of a library module: `functools.partial(…)`."""
        slot = self.solver.slot()
        self.load_external(value, call.name, slot, call.scope)
        for found in self.solver.points[slot] or ():
            self.call(call, found)

    def call(self, call: Call, value: int) -> None:
        detail = self.solver.detail[value]
        name: str = detail[0]
        if self.solver.kind[value] == CONTAINER:
            called = self._called.get(name)
            if called is not None:
                called(call, value)
            elif name == METHOD:
                self.method(msgspec.structs.replace(call, name=detail[2], fired=()), detail[1])
            else:
                self.holders.call(call, value)
        elif call.once(-2 - value):
            model = self._functions.get(name)
            if model is not None:
                model(call, [item for item in call.positional if item >= -1])
            elif name in CALLBACKS:
                self.callbacks.call(call, name)
            elif name in GENERICS:
                self.generics.make(call, name)
            elif name in HOLDERS:
                self.holders.make(call, name)

    # what single functions do

    def _new_type(self, call: Call, value: int) -> None:
        """Call what `NewType` has made, which gives back what it is given."""
        for item in call.positional[:1]:
            self.solver.edge(item, call.result)

    def _any_member(self, call: Call, value: int) -> None:
        self.rules.keys.call(call, value)

    def _called_type(self, call: Call, value: int) -> None:
        self.rules.declared.call(call, value)

    def _same(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.edge(item, call.result)

    def _replace(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_replaced, call))

    @handler
    def _on_replaced(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == INSTANCE:
            self.rules.records.replace(listener[1], value)

    def _pattern(self, call: Call, arguments: list[int]) -> None:
        self.solver.add(call.result, self.solver.make(EXTERNAL, _PATTERN))

    def _parser(self, call: Call, arguments: list[int]) -> None:
        self.commands.make(call)

    def _super(self, call: Call, arguments: list[int]) -> None:
        self.rules.supers.make(call)

    def _property(self, call: Call, arguments: list[int]) -> None:
        self.rules.descriptors.make_property(call)

    def _field(self, call: Call, arguments: list[int]) -> None:
        defaults = self.keyword(call, "default"), self.keyword(call, "default_factory")
        self.rules.records.field(call, *defaults)

    def _substitute(self, call: Call, arguments: list[int]) -> None:
        for replacement in arguments[:1]:  # which may be a function of the match
            self.apply(call, replacement, [-1], -1)

    def collect(self, call: Call, sources: list[int]) -> None:
        """Return a container with the elements of all sources."""
        slot = self.solver.field(self.result(call), self.any_key)
        for source in sources:
            self.solver.edge(self.elements_of(call, source), slot)

    def _dict(self, call: Call, arguments: list[int]) -> None:
        self.update(call, self.result(call, ObjectKind.MAPPING))

    def _default_dict(self, call: Call, arguments: list[int]) -> None:
        container = self.result(call, ObjectKind.MAPPING)
        for factory in arguments[:1]:
            self.defaults.make(call, container, factory)
        self.update(msgspec.structs.replace(call, positional=call.positional[1:]), container)

    def _globals(self, call: Call, arguments: list[int]) -> None:
        index = self.program.file_of[call.scope]
        self.rules.namespaces.of(self.program.scope_base[index], call.result)

    def _mro(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_mro, call.result))

    @handler
    def _on_mro(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.rules.kinds.give_order(value, listener[1])

    def _vars(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_vars, call.result))

    @handler
    def _on_vars(self, value: int, listener: Listener) -> None:
        self.rules.namespaces.of(value, listener[1])

    def builtin_method(self, call: Call, value: int) -> None:
        """A class method of a builtin class: `dict.fromkeys(…)`, `object.__new__(…)`."""
        owner, name = self.solver.detail[value][0], self.program.texts[call.name]
        if owner == "dict" and name == "fromkeys" and len(call.positional) > 1:
            slot = self.solver.field(self.result(call, ObjectKind.MAPPING), self.any_key)
            self.solver.edge(call.positional[1], slot)
        elif owner == "object" and name == "__new__":
            self.make_instance(call)
        elif owner in CONTAINERS and call.positional and call.positional[0] >= 0:
            inner = msgspec.structs.replace(call, positional=call.positional[1:], fired=())
            self.solver.listen(call.positional[0], (self.on_unbound, inner))

    def make_instance(self, call: Call) -> None:
        """An instance of the class that is given, as `object.__new__` makes it."""
        self.instantiate_in(call.positional[0] if call.positional else -1, call.result)

    def instantiate_in(self, source: int, target: int) -> None:
        """Let a slot have an instance of a class that another has."""
        if source >= 0:
            self.solver.listen(source, (self._on_class, target))

    def _cast(self, call: Call, arguments: list[int]) -> None:
        if len(arguments) == 2:
            self.solver.listen(arguments[1], (self._on_cast, arguments[0], call.result))
            self.instantiate_in(arguments[0], call.result)

    @handler
    def _on_cast(self, value: int, listener: Listener) -> None:
        """Keep what may be of the class that is told; a descriptor is told to be what it gives."""
        named: int = listener[1]
        target: int = listener[2]
        plain, scope = self.rules.plain, value - self.program.scopes
        is_object = self.solver.kind[value] == INSTANCE and scope < self.program.scopes
        if is_object and not self.rules.annotated.is_descriptor(scope):
            known = self.solver.points[named] or ()
            builtin = plain.named.get(named)
            if builtin is not None and plain.is_instance(value, builtin) is False:
                return
            if known and all(self._is_told(it) for it in known):
                for item in self.rules.types.nearest(scope, known):
                    self.solver.add(target, item + self.program.scopes)
                return
        self.solver.add(target, value)

    def _is_told(self, value: int) -> bool:
        """Whether a value is a class of which it is known what it derives from."""
        is_class = self.solver.kind[value] == CLASS and not self.rules.kinds.is_protocol(value)
        return is_class and self.rules.plain.of_class(value) is not None

    @handler
    def _on_class(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.solver.add(listener[1], value + self.program.scopes)

    def _type(self, call: Call, arguments: list[int]) -> None:
        if len(arguments) == 1:
            self.solver.listen(arguments[0], (self._on_type, call))

    @handler
    def _on_type(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == INSTANCE:
            known = self.rules.applied.plain(value) - self.program.scopes
            self.solver.add(listener[1].result, known)
