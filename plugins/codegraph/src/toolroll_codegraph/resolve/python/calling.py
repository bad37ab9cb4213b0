"""How Python values are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.confidence import CERTAIN, POSSIBLE
from toolroll_codegraph.facts import ANY_KEY, CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    FUNCTIONS,
    INSTANCE,
    MODULE,
    TEXT,
    WRAPPED,
)
from toolroll_codegraph.resolve.python.entering import PythonEntering
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.abstract import PythonAbstract
    from toolroll_codegraph.resolve.python.annotated import PythonAnnotated
    from toolroll_codegraph.resolve.python.attributes import PythonAttributes
    from toolroll_codegraph.resolve.python.caught import PythonCaught
    from toolroll_codegraph.resolve.python.classes import PythonClasses
    from toolroll_codegraph.resolve.python.declared import PythonDeclared
    from toolroll_codegraph.resolve.python.dependencies import PythonDependencies
    from toolroll_codegraph.resolve.python.descriptors import PythonDescriptors
    from toolroll_codegraph.resolve.python.django import PythonDjango
    from toolroll_codegraph.resolve.python.enumerations import PythonEnumerations
    from toolroll_codegraph.resolve.python.fixtures import PythonFixtures
    from toolroll_codegraph.resolve.python.forms import PythonForms
    from toolroll_codegraph.resolve.python.imports import PythonImports
    from toolroll_codegraph.resolve.python.marks import PythonMarks
    from toolroll_codegraph.resolve.python.mixins import PythonMixins
    from toolroll_codegraph.resolve.python.models import PythonModels
    from toolroll_codegraph.resolve.python.namespaces import PythonNamespaces
    from toolroll_codegraph.resolve.python.protocols import PythonProtocols
    from toolroll_codegraph.resolve.python.pydantic import PythonPydantic
    from toolroll_codegraph.resolve.python.query_sets import PythonQuerySets
    from toolroll_codegraph.resolve.python.records import PythonRecords
    from toolroll_codegraph.resolve.python.sqlalchemy import PythonSQLAlchemy
    from toolroll_codegraph.resolve.python.supers import PythonSupers
    from toolroll_codegraph.resolve.python.tasks import PythonTasks
    from toolroll_codegraph.resolve.python.types import PythonTypes
    from toolroll_codegraph.resolve.python.unanswered import PythonUnanswered


class PythonCalling(PythonEntering):
    """Calls of functions, classes, objects and their methods."""

    protocols: PythonProtocols
    abstract: PythonAbstract
    unanswered: PythonUnanswered
    imports: PythonImports
    models: PythonModels
    mixins: PythonMixins
    descriptors: PythonDescriptors
    kinds: PythonClasses
    enumerations: PythonEnumerations
    marks: PythonMarks
    types: PythonTypes
    declared: PythonDeclared
    annotated: PythonAnnotated
    attributes: PythonAttributes
    records: PythonRecords
    caught: PythonCaught
    supers: PythonSupers
    query_sets: PythonQuerySets
    django: PythonDjango
    forms: PythonForms
    pydantic: PythonPydantic
    sqlalchemy: PythonSQLAlchemy
    fixtures: PythonFixtures
    tasks: PythonTasks
    dependencies: PythonDependencies
    namespaces: PythonNamespaces

    def __init__(self, solver: Solver, classes: Classes) -> None:
        super().__init__(solver, classes)
        name = solver.program.name
        self.init, self.new, self.dunder_call = name("__init__"), name("__new__"), name("__call__")
        self.getitem, self.own_class = name("__getitem__"), name("__class__")
        self.own_dict, self.wrapped = name("__dict__"), name("__wrapped__")
        self.own_function, self.own_receiver = name("__func__"), name("__self__")
        self.own_value, self.own_path = name("value"), name("__path__")
        self.copies = solver.program.copies
        self.any_key = name(ANY_KEY)
        classes.undefined.on_member = self.on_member

    def call_value(self, call: Call, value: int) -> None:
        kind = self.kind[value]
        if call.flags & CallFlag.NEW and kind != CLASS:
            return  # what is raised is no call of a function
        if kind == FUNCTION:
            self.enter(call, value, -1)
        elif kind == CLASS:
            if not (self.kinds.calls and self.kinds.call_metaclass(call, value, self.dunder_call)):
                self.instantiate(call, value)
        elif kind == BOUND:
            function, receiver = self.solver.detail[value]
            if self.kind[function] == WRAPPED:
                self.wrappers.enter(call, function, receiver)
            else:
                self.enter(call, function, receiver)
        elif kind == WRAPPED:
            self.wrappers.enter(call, value)
        elif kind == INSTANCE:
            if call.enter_object(value) and not self.invoke_member(call, value, self.dunder_call):
                self.models.contexts.decorate(call, value)
        elif kind in (BUILTIN, EXTERNAL, CONTAINER):
            self.models.call(call, value)

    def instantiate(self, call: Call, scope: int) -> None:
        if scope in self.copies:
            if self.solver.confidence == CERTAIN:
                self.classes.instantiated.add(scope)
            scope = self.copies[scope].get(call.result, scope)
        instance = self.scopes + scope
        if not call.once_of(self.mark(scope)):
            return
        solver, classes = self.solver, self.classes
        if solver.confidence == CERTAIN:  # later a class is made by its own methods only
            classes.instantiated.add(scope)
            if scope in self.caught.waiting:
                self.caught.made(scope)
        solver.add(call.result, instance)
        found = False
        if not self.enumerations.has(scope):  # whose members are found, and made by nobody else
            found = classes.lookup(scope, self.init, (self.on_member, call, instance))
            if classes.lookup(scope, self.new, (self.on_member, call, scope)):
                found = True
        if not found:
            self.records.make(call, scope)
            self.pydantic.make(call, scope)
            self.caught.keep(call, scope)
            if (contents := self.protocols.contents(instance)) >= 0:
                self.models.fill(call, contents)
            if not call.flags & CallFlag.QUIET:
                solver.record(call.scope, scope, call.line)

    def call_method(self, call: Call, value: int) -> None:
        kind = self.kind[value]
        if call.flags & CallFlag.SUPER:
            self.supers.call(call, value)
        elif kind == INSTANCE:
            self._call_of_instance(call, value)
        elif call.flags & CallFlag.IMPLICIT:
            self._call_implicit(call, value)
        elif kind == MODULE:
            self.imports.load(value, call.name, (self.on_called, call), (call.scope, call.line))
        elif kind == CLASS:
            self._call_of_class(call, value)
        elif kind == EXTERNAL:
            self.models.call_external(call, value)
        elif kind in (CONTAINER, TEXT):
            self.models.method(call, value)
        elif kind == BUILTIN:
            self.models.builtin_method(call, value)
        elif kind in FUNCTIONS:
            self._call_of_function(call, value)

    def _call_of_instance(self, call: Call, value: int) -> None:
        flags = call.flags
        if flags & CallFlag.IMPLICIT:
            if self.solver.confidence == POSSIBLE and call.name != self.getitem:
                return
            if call.name in self.protocols.conversions or call.name == self.models.lookups.hash:
                self.protocols.convert_later(call, value)
                return
        elif value - self.scopes in self.attributes.getting:
            self.attributes.read(value, call.scope, call.line)
        if flags & CallFlag.ITERATE:
            self.protocols.iterate(call, value)
        elif flags & CallFlag.ENTER:
            self.protocols.enter_context(call, value)
        elif call.name == self.own_class and value - self.scopes < self.scopes:
            self.call_value(call, value - self.scopes)
        elif not self.invoke_member(call, value, call.name):
            self.protocols.missing(call, value)

    def _call_implicit(self, call: Call, value: int) -> None:
        """What an operator or a statement asks of a value that is no instance."""
        kind = self.kind[value]
        if kind in (CONTAINER, BUILTIN, TEXT):
            self.models.method(call, value)
            if kind != BUILTIN:
                self.protocols.ask_other(call)
        elif kind == EXTERNAL and call.flags & CallFlag.ENTER:
            self.models.call_external(call, value)
        elif kind == CLASS and call.flags & CallFlag.ITERATE:
            self.kinds.iterate(call, value)
        elif kind == CLASS and call.name == self.getitem:
            self.kinds.subscribe(value, call.result, call.scope, call.line)
        elif kind == CLASS:
            self.kinds.call_metaclass(call, value, call.name)

    def _call_of_class(self, call: Call, value: int) -> None:
        found: Listener = (self.on_member, call, value)
        if self.enumerations.member(value, call.name) >= 0:
            self.invoke_member(call, value + self.scopes, self.dunder_call)
            if self.enumerations.is_value(value, call.name):
                return
            found = (self.enumerations.on_method, found)
        if (
            not self.classes.lookup(value, call.name, found)
            and not self.kinds.call_metaclass(call, value, call.name)
            and not self.kinds.call_own(call, value)
            and not self.django.call(call, value)
            and not self.pydantic.call(call, value)
            and not self.tasks.call(call, value)
        ):
            self.unanswered.call(call, value)

    def _call_of_function(self, call: Call, value: int) -> None:
        is_wrapped = self.kind[value] == WRAPPED
        if call.name == self.dunder_call:
            self.call_value(call, value)
            return
        if self.descriptors.call_accessor(call, value):
            return
        self.solver.listen(self.solver.field(value, call.name), (self.on_called, call))
        if self.kind[value] == BOUND and call.name == self.own_function:
            self.call_value(call, self.solver.detail[value][0])
        if is_wrapped and call.name == self.wrapped:
            self.call_value(call, self.solver.detail[value][1])
            return
        for part in self.solver.detail[value] if is_wrapped else ():
            self.call_method(call, part)
        if not is_wrapped:
            self.tasks.method(call, value)

    @handler
    def on_entered(self, value: int, listener: Listener) -> None:
        """Enter what a special method is, if it is a function, with the receiver given."""
        if self.kind[value] == FUNCTION:
            self.enter(listener[1], value, listener[2])

    def invoke_member(self, call: Call, receiver: int, name: int) -> bool:
        """Call a member of an instance."""
        scope = receiver - self.scopes
        if scope >= self.scopes or self.kind[scope] != CLASS:
            return False
        return self.classes.lookup(scope, name, (self.on_member, call, receiver))

    @handler
    def on_called(self, value: int, listener: Listener) -> None:
        self.call_value(listener[1], value)

    @handler
    def on_member(self, value: int, listener: Listener) -> None:
        """Call a member found in a class, with its receiver."""
        call, receiver = listener[1], listener[2]
        kind = self.kind[value]
        if kind == WRAPPED:
            self.wrappers.invoke(call, value, receiver)
            return
        if kind != FUNCTION:
            self.descriptors.call(call, value, receiver)
            return
        flags = self.program.flags[value]
        if (
            flags & ScopeFlag.ABSTRACT
            and not call.flags & CallFlag.SUPER  # which is below what overrides the method
            and self.abstract.call(call, value, receiver)
        ):
            return
        if not flags & ScopeFlag.METHOD or flags & ScopeFlag.STATIC:
            self.enter(
                call, value, receiver if self.descriptors.is_late(value, receiver, call) else -1
            )
        elif flags & ScopeFlag.CLASSMETHOD:
            owner = receiver - self.scopes if self.kind[receiver] == INSTANCE else receiver
            self.enter(call, value, owner)
        elif flags & ScopeFlag.PROPERTY:
            slot = self.solver.slot()
            self.solver.listen(slot, (self.on_called, call))
            self.run_property(value, receiver, call.scope, call.line, slot)
        elif self.kind[receiver] == INSTANCE:
            held = self.descriptors.is_held(value, receiver, call.name)
            self.enter(call, value, -1 if held else receiver)
        else:  # the class to make is passed by hand wherever `__new__` is called by name
            making = self.program.scope_name[value] == self.new != call.name
            self.enter(call, value, receiver if making else -1)
