"""How JavaScript and TypeScript values are called, and when what is left open is settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.confidence import CERTAIN
from toolroll_codegraph.facts import RESULT, CallFlag, ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.javascript.accessors import JavaScriptAccessors
from toolroll_codegraph.resolve.javascript.barrels import NAMESPACE
from toolroll_codegraph.resolve.javascript.callbacks import JavaScriptCallbacks
from toolroll_codegraph.resolve.javascript.chaining import JavaScriptChaining
from toolroll_codegraph.resolve.javascript.contents import JavaScriptContents
from toolroll_codegraph.resolve.javascript.conversions import JavaScriptConversions
from toolroll_codegraph.resolve.javascript.documented import settle_documented
from toolroll_codegraph.resolve.javascript.extending import settle_extended, settle_prototypes
from toolroll_codegraph.resolve.javascript.generics import JavaScriptGenerics
from toolroll_codegraph.resolve.javascript.globals import JavaScriptGlobals
from toolroll_codegraph.resolve.javascript.imports import JavaScriptImports
from toolroll_codegraph.resolve.javascript.interfaces import JavaScriptInterfaces
from toolroll_codegraph.resolve.javascript.iteration import JavaScriptIteration
from toolroll_codegraph.resolve.javascript.keeping import JavaScriptKeeping
from toolroll_codegraph.resolve.javascript.keys import JavaScriptKeys
from toolroll_codegraph.resolve.javascript.literals import literals_with_methods
from toolroll_codegraph.resolve.javascript.methods import PROXY
from toolroll_codegraph.resolve.javascript.models import JavaScriptModels
from toolroll_codegraph.resolve.javascript.narrowing import JavaScriptNarrowing
from toolroll_codegraph.resolve.javascript.pairs import JavaScriptPairs
from toolroll_codegraph.resolve.javascript.properties import JavaScriptProperties
from toolroll_codegraph.resolve.javascript.prototypes import JavaScriptPrototypes
from toolroll_codegraph.resolve.javascript.react import SHOWN
from toolroll_codegraph.resolve.javascript.receivers import settle_receivers
from toolroll_codegraph.resolve.javascript.replacing import JavaScriptReplacing
from toolroll_codegraph.resolve.javascript.supers import JavaScriptSupers
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
)
from toolroll_codegraph.resolve.slots import MOST_VALUES
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.layout import ProjectLayout


class JavaScriptRules(JavaScriptProperties):
    """Calls of functions, classes and methods."""

    def __init__(self, solver: Solver, classes: Classes, layout: ProjectLayout) -> None:
        super().__init__(solver, classes)
        classes.undefined.on_member = self.on_member
        self.narrowing = JavaScriptNarrowing(self)
        self.replacing = JavaScriptReplacing(self)
        self.imports = JavaScriptImports(self, layout)
        self.models = JavaScriptModels(self)
        self.exporting = self.models.statics.helpers.exporting
        self.helpers = self.models.statics.helpers.written()
        self.iteration = JavaScriptIteration(self)
        self.contents = JavaScriptContents(self)
        self.callbacks = JavaScriptCallbacks(self)
        self.accessors = JavaScriptAccessors(self)
        self.keys = JavaScriptKeys(self)
        self.interfaces = JavaScriptInterfaces(self)
        self.pairs = JavaScriptPairs(self)
        self.globals = JavaScriptGlobals(self)
        self.prototypes = JavaScriptPrototypes(self)
        self.conversions = JavaScriptConversions(self)
        self.supers = JavaScriptSupers(self)
        self.keeping = JavaScriptKeeping(self)
        self.generics = JavaScriptGenerics(self)
        names = self.program.names
        self._shown = [names[it] for it in SHOWN if it in names]
        self.returned = self.program.names.get(RESULT, -1)
        """The name of what calling a value of a function type returns."""
        self.arguments.pass_on = self.narrowing.pass_on
        self.arguments.iterate = self.iteration.iterate
        self.arguments.conditional = self.narrowing.returned

    def prepare(self) -> None:
        if self.solver.most_definitions > MOST_VALUES:
            self.solver.telling = self._names_of_functions()
            self.solver.behaving = literals_with_methods(self.program)
        self.chaining = JavaScriptChaining(self)
        self.perhaps = self.chaining.perhaps
        self.narrowing.prepare()
        self.imports.bind()
        self.interfaces.prepare()
        self.generics.terms.prepare()
        canonical = self.program.canonical
        for scope, slots in enumerate(self.program.bases):
            for place, slot in enumerate(slots):
                self.solver.listen(slot, (self._on_function_base, canonical[scope], place))

    def _names_of_functions(self) -> set[int]:
        """Texts that may stand for functions, of which a slot holds as many as of these."""
        program = self.program
        return {
            program.name(program.texts[program.scope_name[scope]].rpartition(".")[2])
            for scope in range(self.scopes)
            if self.kind[scope] == FUNCTION
        }

    @handler
    def _on_function_base(self, value: int, listener: Listener) -> None:
        """`class Dog extends Animal` where that is a function."""
        if self.kind[value] == FUNCTION:
            self.classes.add_base(listener[1], value, listener[2])

    # calling

    def call_value(self, call: Call, value: int) -> None:
        kind = self.kind[value]
        if kind == FUNCTION:
            if call.flags & CallFlag.NEW:
                instance = self.scopes + value
                self.solver.add(call.result, instance)
                self.enter(call, value, instance)
            else:
                self.enter(call, value, -1)
        elif kind == CLASS:
            made = call.flags & (CallFlag.NEW | CallFlag.DECORATOR)
            if made and self.program.kind[value] != ScopeKind.NAMESPACE:
                self.instantiate(call, value)
        elif kind == BOUND:
            function, receiver = self.solver.detail[value]
            self.enter(call, function, receiver)
        elif kind in (BUILTIN, EXTERNAL, CONTAINER):
            self.models.call(call, value)
        elif kind == INSTANCE and call.result >= 0 and self.returned >= 0:
            self.load(value, self.returned, call.result, call.scope, 0)

    def instantiate(self, call: Call, scope: int) -> None:
        key = -1 - scope
        if not call.once(key):
            return
        instance = self.scopes + scope
        if scope not in self.classes.instantiated:
            self.classes.instantiated.add(scope)
            for base in self.classes.order(scope):  # what their fields begin with runs on it
                if self.kind[base] == CLASS and self.program.this[base] >= 0:
                    self.solver.add(self.program.this[base], instance)
        self.solver.add(call.result, instance)
        if call.flags & CallFlag.ELEMENT:
            for name in self._shown:
                shown = self.solver.derived_call(call, -1, (), name)
                self.classes.lookup(scope, name, (self.on_member, shown, instance))
        found = self.classes.lookup(scope, self.constructor, (self.on_member, call, instance))
        for base in self.classes.order(scope):
            if not found and self.kind[base] == FUNCTION:
                self.enter(call, base, instance)
                found = True
        if not found:
            for base in self.classes.order(scope):
                for slot in self.program.bases[base]:
                    self.solver.listen(slot, (self._on_constructing, call, instance))
            self.contents.make(call, scope)
            self.solver.record(call.scope, scope, call.line)

    def _on_constructing(self, value: int, listener: Listener) -> None:
        """A class without a constructor of its own runs the function that it extends."""
        if self.kind[value] == FUNCTION:
            self.enter(listener[1], value, listener[2])

    def call_method(self, call: Call, value: int) -> None:
        kind = self.kind[value]
        flags = call.flags
        if flags & CallFlag.SUPER:
            self.supers.call(call, value)
        elif call.name in self.copies:
            self.models.statics.copying.give(value, call.positional[0], call)
        elif flags & CallFlag.IMPLICIT and call.name in self.conversions.asked:
            self.conversions.asked[call.name](call, value)
        elif call.name in (self.define_getter, self.define_setter):
            self.accessors.accessor(call, value)
        elif flags & CallFlag.ITERATE:
            self.iteration.iterate(call, value)
        elif kind == INSTANCE:
            if not self.invoke_member(call, value, call.name):
                self.contents.call(call, value)
        elif kind == CLASS:
            found = (self.on_member, call, value)
            name = self.static(call.name)
            own = self.classes.find(value, name) >= 0  # `static apply()` hides that of functions
            if (own or not self.models.function_method(call, value)) and not self.classes.lookup(
                value, name, found
            ):
                self.models.repositories.of_class(call, value)
        elif kind == MODULE:
            self.imports.load(value, call.name, (self._call_member, call))
        elif kind in (FUNCTION, BOUND):
            own = call.name in self.solver.fields_of(value)
            if own or not self.models.function_method(call, value):
                self.function_property(value, call.name, (self.on_member, call, value))
        elif kind == CONTAINER:
            if self.solver.detail[value][0] == NAMESPACE:
                self.solver.record(call.scope, self.solver.detail[value][1], call.line)
            elif self.solver.detail[value][0] == PROXY:
                member = self.solver.slot()
                self.models.methods.trap_get(value, call.name, member, call.scope, call.line)
                self.solver.listen(member, (self.on_member, call, value))
            elif not self.models.method(call, value):
                self.property(value, call.name, (self.on_member, call, value))
            elif call.name not in self.models.arrays.names:
                self.models.methods.load_added(call.name, (self.on_member, call, value))
        elif self.globals.is_global(value):
            member = self.solver.slot()
            self.models.load_builtin(value, call.name, member)
            self.solver.listen(member, (self._call_member, call))
        elif kind in (BUILTIN, EXTERNAL):
            self.models.statics.call(call, value)

    def invoke_member(self, call: Call, receiver: int, name: int) -> bool:
        scope = receiver - self.scopes
        if scope >= self.scopes:
            return False
        found = self.classes.lookup(scope, name, (self.on_member, call, receiver))
        if not found and self.program.flags[scope] & (ScopeFlag.INTERFACE | ScopeFlag.ABSTRACT):
            self.interfaces.waiting.append((scope, call, name))
        elif found and scope in self.classes.subclasses:
            self.interfaces.open.append((scope, call, name))
        return found

    @handler
    def _call_member(self, value: int, listener: Listener) -> None:
        self.call_value(listener[1], value)

    @handler
    def on_member(self, value: int, listener: Listener) -> None:
        """Call a member with its receiver."""
        _, call, receiver = listener
        if self.kind[value] != FUNCTION:
            if not self._is_bound_sibling(call, value, receiver):
                self.call_value(call, value)
        elif self.program.flags[value] & ScopeFlag.PROPERTY:
            if value in self.exporting.getters:
                self.solver.record(call.scope, value, call.line)
                self.exporting.read(value, receiver, call.name)
            elif not self.program.flags[value] & ScopeFlag.SETTER:
                self.solver.record(call.scope, value, call.line)
                self.receive(value, receiver, self.program.ret[value])
                self.solver.listen(self.program.ret[value], (self._call_member, call))
        elif call.flags & CallFlag.NEW and self.program.scope_name[value] != self.constructor:
            self.call_value(call, value)
        else:
            self.enter(call, value, receiver)

    def _is_bound_sibling(self, call: Call, value: int, receiver: int) -> bool:
        """`this.send = timed(this.send.bind(this))` is what all classes go through."""
        if self.kind[value] != BOUND:
            return False
        function: int = self.solver.detail[value][0]
        return self.crowds.is_namesake(call, function) and self.is_of_sibling(function, receiver)

    def dynamic(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None:
        self.keys.follow(value, key, result, source, scope, called=attribute < 0)

    # settling

    def settle(self, step: int) -> None:
        if step < 0:
            self.keeping.prepare()
            self.generics.limit()
        elif step == 0:
            self._settle_maps()
        else:
            self.models.maps.settle()
        if step == 0:
            if self.solver.most_definitions > MOST_VALUES:
                self._settle_tables()
            for call, function in self.crowds.settle():
                self.hand_over(call, function)
            self.pairs.settle()
        if step >= 0:  # each step brings receivers whose properties are read
            self.keys.settle()
        if step == 0:
            self.keeping.settle()
            settle_documented(self)
            settle_prototypes(self)
            self.accessors.settle()
            self.exporting.settle()
            self.models.statics.helpers.barrels.settle()
            self.callbacks.settle()
            self.globals.settle()
            self.models.statics.copying.settle()
        elif step == 1:
            settle_receivers(self)
            self.interfaces.declare_fields()
        elif step == 2:
            self.callbacks.settle_own()
            self.generics.settle()
            self.interfaces.settle_open()
            while self.interfaces.settle():
                self.solver.run()

    def _settle_maps(self) -> None:
        """Whose keys are no texts, as most are, its values are certain for all that."""
        confidence, self.solver.confidence = self.solver.confidence, CERTAIN
        while self.models.maps.settle():
            self.solver.run()
        self.solver.confidence = confidence

    def _settle_tables(self) -> None:
        """Read tables under keys that nothing tells, after the lists that may tell keys.

        A table may be of as many functions as a slot holds; of other arrays, as those of listeners,
        many tell nothing.
        """
        while self.keys.settle(self.keys.tables.has_texts):
            self.solver.run()
        self.keys.settle(self.keys.tables.is_table)
        self.solver.run()
        self.crowds.weak = True
        while self.keys.settle(self.keys.tables.is_array):
            self.solver.run()

    def handed(self) -> Iterator[tuple[int, int, int, int]]:
        return self.models.statics.libraries.emitters.emitted()

    def finish(self) -> None:
        settle_extended(self)
        self.crowds.forget()
        self.replacing.finish()
