"""How JavaScript and TypeScript values are called, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import (
    ANY_KEY,
    PREFIX,
    CallFlag,
    ObjectKind,
    ScopeFlag,
    numbers,
)
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.javascript_arguments import JavaScriptArguments
from toolroll_codegraph.resolve.javascript_imports import JavaScriptImports
from toolroll_codegraph.resolve.javascript_iteration import JavaScriptIteration
from toolroll_codegraph.resolve.javascript_methods import PROXY
from toolroll_codegraph.resolve.javascript_models import JavaScriptModels
from toolroll_codegraph.resolve.javascript_receivers import settle_receivers
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    TEXT,
)
from toolroll_codegraph.resolve.solver import CERTAIN, LIKELY, Call, Handler, Listener, Solver

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.layout import ProjectLayout

_MOST_RECEIVERS = 10
_MOST_IMPLEMENTATIONS = 4


class JavaScriptRules:
    """Prototypes, classes, `this`, property access and module objects.

    A prototype and the instances made from it share one abstract object. Static members of a
    class are kept beside the others under their name with a dot before it.
    """

    def __init__(self, solver: Solver, classes: Classes, layout: ProjectLayout) -> None:
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.kind = solver.kind
        self.scopes = solver.program.scopes
        name = solver.program.name
        self.constructor, self.prototype = name("constructor"), name("prototype")
        self.proto, self.any_key, self.copying = name("__proto__"), name(ANY_KEY), name("...")
        self.define_getter, self.to_string = name("__defineGetter__"), name("toString")
        self.statics: dict[int, int] = {}
        self.open_keys: list[tuple[int, int, int, int]] = []
        self.with_prototype: set[int] = set()
        self._own_only: dict[int, list[tuple[int, Listener]]] = {}
        self._climbed: set[tuple[int, int, int]] = set()
        self.interfaces: dict[int, list[int]] = {}
        self.waiting_interfaces: list[tuple[int, Call, int]] = []
        # Made once: a bound method for each of the many listeners would take more than they do.
        self.on_member: Handler = self._invoke
        self.on_read: Handler = self._read
        self.imports = JavaScriptImports(self, layout)
        self.models = JavaScriptModels(self)
        self.iteration = JavaScriptIteration(self)
        self.arguments = JavaScriptArguments(solver)

    def prepare(self) -> None:
        self.imports.bind()
        for index, facts in enumerate(self.program.facts):
            base, scopes = self.program.slot_base[index], self.program.scope_base[index]
            for row in facts.relations:
                if row[0] == "implements":
                    listener = (self._on_interface, row[1] + scopes)
                    items = iter(numbers(facts.types))
                    for slot, known, _ in zip(items, items, items, strict=True):
                        if slot == row[3]:
                            self.solver.listen(known + base, listener)

    def _on_interface(self, value: int, listener: Listener) -> None:
        if self.kind[value] == CLASS:
            self.interfaces.setdefault(value, []).append(listener[1])

    def static(self, name: int) -> int:
        found = self.statics.get(name)
        if found is None:
            found = self.statics[name] = self.program.name("." + self.program.texts[name])
        return found

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
            if call.flags & (CallFlag.NEW | CallFlag.DECORATOR):
                self.instantiate(call, value)
        elif kind == BOUND:
            function, receiver = self.solver.detail[value]
            self.enter(call, function, receiver)
        elif kind in (BUILTIN, EXTERNAL, CONTAINER):
            self.models.call(call, value)

    def instantiate(self, call: Call, scope: int) -> None:
        key = -1 - scope
        if not call.once(key):
            return
        instance = self.scopes + scope
        self.classes.instantiated.add(scope)
        self.solver.add(call.result, instance)
        found = self.classes.lookup(scope, self.constructor, (self.on_member, call, instance))
        for base in self.classes.order(scope):
            if not found and self.kind[base] == FUNCTION:
                self.enter(call, base, instance)
                found = True
        if not found:
            self.solver.record(call.scope, scope, call.line)

    def call_method(self, call: Call, value: int) -> None:
        kind = self.kind[value]
        flags = call.flags
        if flags & CallFlag.SUPER:
            self._call_super(call, value)
        elif call.name == self.copying:
            self.solver.listen(call.positional[0], (self.models.statics.on_assign, value))
        elif call.name == self.to_string and flags & CallFlag.IMPLICIT:
            self._convert(call, value)
        elif call.name == self.define_getter:
            self.models.statics.accessor(call, value)
        elif flags & CallFlag.ITERATE:
            self.iteration.iterate(call, value)
        elif kind == INSTANCE:
            self.invoke_member(call, value, call.name)
        elif kind == CLASS:
            if not self.models.function_method(call, value):
                self.classes.lookup(value, self.static(call.name), (self.on_member, call, value))
        elif kind == MODULE:
            self.imports.load(value, call.name, (self._call_member, call))
        elif kind in (FUNCTION, BOUND):
            own = call.name in self.solver.fields_of(value)
            if own or not self.models.function_method(call, value):
                self.solver.listen(
                    self.solver.field(value, call.name), (self.on_member, call, value)
                )
        elif kind == CONTAINER:
            if self.solver.detail[value][0] == PROXY:
                member = self.solver.slot()
                self.models.methods.trap_get(value, call.name, member, call.scope, call.line)
                self.solver.listen(member, (self.on_member, call, value))
            elif not self.models.method(call, value):
                self.property(value, call.name, (self.on_member, call, value))
            elif call.name not in self.models.array_methods:
                self.models.methods.load_added(call.name, (self.on_member, call, value))
        elif kind in (BUILTIN, EXTERNAL):
            self.models.statics.call(call, value)

    def _convert(self, call: Call, value: int) -> None:
        """Part of a text: most values there are texts and numbers, so only what is sure counts."""
        if self.solver.confidence == CERTAIN and self.kind[value] == INSTANCE:
            self.invoke_member(call, value, call.name)

    def _call_super(self, call: Call, value: int) -> None:
        found: Listener = (self.on_member, call, value)
        if call.flags & CallFlag.READ and call.positional:
            found = (self._set, call, value)
        elif call.flags & CallFlag.READ:
            found = (self.on_read, call.result, value, call.scope, call.line)
        owner = self.program.owner_class(call.scope)
        if owner < 0:
            if self.kind[value] == CONTAINER:  # super in an object literal
                self.climb(self._home(call.scope, value), call.name, found)
            return
        kind = self.kind[value]
        if kind == CLASS:
            start, name = value, self.static(call.name)
        elif kind == INSTANCE:
            start, name = value - self.scopes, call.name
        else:
            return
        if owner not in self.classes.order(start):
            start = owner
        known = self.classes.lookup(start, name, found, after=owner)
        if not known and name == self.constructor:
            for base in self.classes.order(owner)[1:]:
                if self.kind[base] == FUNCTION:
                    self.enter(call, base, value)
                    break

    def _home(self, scope: int, receiver: int) -> int:
        """The object literal that the method around a scope is written in."""
        while scope >= 0 and self.program.this[scope] < 0:
            scope = self.program.parent[scope]
        known = () if scope < 0 else self.solver.points[self.program.this[scope]] or ()
        return next((value for value in known if self.kind[value] == CONTAINER), receiver)

    def invoke_member(self, call: Call, receiver: int, name: int) -> bool:
        scope = receiver - self.scopes
        if scope >= self.scopes:
            return False
        found = self.classes.lookup(scope, name, (self.on_member, call, receiver))
        if not found and self.program.flags[scope] & (ScopeFlag.INTERFACE | ScopeFlag.ABSTRACT):
            self.waiting_interfaces.append((scope, call, name))
        return found

    def _call_member(self, value: int, listener: Listener) -> None:
        self.call_value(listener[1], value)

    def _invoke(self, value: int, listener: Listener) -> None:
        """Call a member with its receiver."""
        _, call, receiver = listener
        if self.kind[value] != FUNCTION:
            self.call_value(call, value)
        elif self.program.flags[value] & ScopeFlag.PROPERTY:
            if not self.program.flags[value] & ScopeFlag.SETTER:
                self.solver.record(call.scope, value, call.line)
                self.receive(value, receiver, self.program.ret[value])
                self.solver.listen(self.program.ret[value], (self._call_member, call))
        elif call.flags & CallFlag.NEW and self.program.scope_name[value] != self.constructor:
            self.call_value(call, value)
        else:
            self.enter(call, value, receiver)

    def enter(self, call: Call, function: int, receiver: int) -> None:
        solver, program = self.solver, self.program
        if receiver >= 0:
            self.receive(function, receiver, call.result)
        if function in call.fired:
            return
        call.fired += solver.alone(function)
        if not call.flags & CallFlag.QUIET:
            solver.record(call.scope, function, call.line)
        if call.result >= 0:
            solver.edge(program.ret[function], call.result)
        if call.positional:
            self.arguments.give(call, function)

    def receive(self, function: int, receiver: int, result: int = -1) -> None:
        this = self.program.this[function]
        if this < 0:
            return
        if this in self.solver.returned:
            self.solver.add(result, receiver)
        known = self.solver.points[this]
        owner = self.program.parent[function]
        if known is not None and len(known) >= _MOST_RECEIVERS and self.kind[owner] == CLASS:
            self.solver.add(this, owner + self.scopes)
        else:
            self.solver.add(this, receiver)

    # reading and writing

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        kind, solver = self.kind[value], self.solver
        read = (self.on_read, target, value, scope, line)
        if kind == INSTANCE:
            owner = value - self.scopes
            if owner >= self.scopes:
                return
            if name == self.constructor:
                solver.add(target, owner)
            elif name == self.proto:
                solver.add(target, value)
            else:
                self.classes.lookup(owner, name, read)
        elif kind in (CLASS, FUNCTION):
            if name == self.prototype:
                solver.add(target, value + self.scopes)
            elif kind == CLASS:
                self.classes.lookup(value, self.static(name), read)
            else:
                solver.listen(solver.field(value, name), read)
        elif kind == MODULE:
            self.imports.load(value, name, (solver.copy_to, target))
        elif kind == CONTAINER:
            self._load_property(value, name, target, read)
        elif kind in (BUILTIN, EXTERNAL):
            self.models.load_builtin(value, name, target)

    def _load_property(self, value: int, name: int, target: int, read: Listener) -> None:
        of = self.solver.detail[value][0]
        if of == "prototype" or (of == ObjectKind.ARRAY and name in self.models.array_methods):
            self.models.methods.load_method(name, target)
        elif of == PROXY:
            self.models.methods.trap_get(value, name, target, read[3], read[4])
        if of != PROXY:
            self.property(value, name, read)

    def property(self, value: int, name: int, listener: Listener) -> None:
        """Attach a listener to a property of an object, its prototypes and unknown keys."""
        solver = self.solver
        if name == self.any_key:
            solver.every_field(value, listener)
            return
        if name in (self.iteration.sent, self.iteration.returned):
            value = self.iteration.behind(value)
        solver.listen(solver.field(value, name), listener)
        if self.any_key in solver.fields_of(value) or self.program.texts[name].startswith("["):
            solver.listen(solver.field(value, self.any_key), listener)
        if not solver.points[solver.field(value, name)]:  # its own hides its prototypes'
            self.climb(value, name, listener)

    def climb(self, value: int, name: int, listener: Listener) -> None:
        """Attach a listener to what the prototypes of an object have."""
        if value in self.with_prototype:
            slot = self.solver.field(value, self.proto)
            self.solver.listen(slot, (self._on_proto, name, listener))
        else:
            self._own_only.setdefault(value, []).append((name, listener))

    def note_prototype(self, value: int) -> None:
        """An object turns out to have a prototype: repeat what was looked up in it alone."""
        if value not in self.with_prototype:
            self.with_prototype.add(value)
            for name, listener in self._own_only.pop(value, ()):
                self.climb(value, name, listener)

    def _on_proto(self, value: int, listener: Listener) -> None:
        _, name, found = listener
        kind = self.kind[value]
        key = (value, name, id(found))
        if key in self._climbed:  # prototypes may form a circle here, though not at run time
            return
        self._climbed.add(key)
        if kind == CONTAINER:
            self.property(value, name, found)
        elif kind == INSTANCE and value - self.scopes < self.scopes:
            self.classes.lookup(value - self.scopes, name, found)

    def _read(self, value: int, listener: Listener) -> None:
        """Read a property: getters run, everything else is the value itself."""
        _, target, receiver, scope, line = listener
        if self.kind[value] == FUNCTION and self.program.flags[value] & ScopeFlag.PROPERTY:
            if not self.program.flags[value] & ScopeFlag.SETTER:
                self.receive(value, receiver, self.program.ret[value])
                self.solver.record(scope, value, line)
                self.solver.edge(self.program.ret[value], target)
        else:
            self.solver.add(target, value)

    def store(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        kind = self.kind[value]
        solver, classes = self.solver, self.classes
        if scope >= 0 and name in solver.setters and kind in (INSTANCE, CONTAINER, CLASS):
            call = Call(-1, scope, line, name, (source,), (), CallFlag.IMPLICIT)
            found = (self._set, call, value)
            if kind == CONTAINER:
                solver.listen(solver.field(value, name), found)
            elif kind == CLASS:
                classes.lookup(value, self.static(name), found)
            elif value - self.scopes < self.scopes:
                classes.lookup(value - self.scopes, name, found)
        if source < 0:
            return
        if kind == INSTANCE:
            if value - self.scopes < self.scopes:
                if name == self.proto:
                    solver.listen(source, (self._on_prototype, value - self.scopes))
                else:
                    solver.edge(source, classes.declare(value - self.scopes, name))
        elif kind == CLASS:
            solver.edge(source, classes.declare(value, self.static(name)))
        elif kind == MODULE:
            if value < self.program.scopes:
                solver.edge(source, classes.declare(value, name))
        elif kind in (FUNCTION, BOUND):
            if name == self.prototype and kind == FUNCTION:
                solver.listen(source, (self._on_prototype, value))
            else:
                solver.edge(source, solver.field(value, name))
        elif kind == CONTAINER:
            if name == self.proto:
                self.note_prototype(value)
            elif name == self.iteration.returned:
                value = self.iteration.behind(value)
            elif scope >= 0 and solver.detail[value][0] == PROXY:
                self.models.methods.trap_set(value, name, source, scope, line)
            solver.edge(source, solver.field(value, name))

    def _set(self, value: int, listener: Listener) -> None:
        if self.kind[value] == FUNCTION and self.program.flags[value] & ScopeFlag.SETTER:
            self.enter(listener[1], value, listener[2])

    def _on_prototype(self, value: int, listener: Listener) -> None:
        self.inherit(listener[1], value)

    def inherit(self, function: int, value: int) -> None:
        """Make `value` the prototype object of a constructor."""
        kind = self.kind[value]
        if kind == INSTANCE and value - self.scopes < self.scopes:
            self.classes.add_base(function, value - self.scopes, 99)
        elif kind == CONTAINER:

            def receive(name: int, slot: int) -> None:
                if name == self.proto:
                    self.solver.listen(slot, (self._on_prototype, function))
                elif name != self.constructor:
                    self.solver.edge(slot, self.classes.declare(function, name))

            self.solver.mirror(value, receive)

    def dynamic(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None:
        self.solver.listen(key, (self._on_key, value, result, source, scope))
        self.open_keys.append((value, key, result, source))

    def _on_key(self, key: int, listener: Listener) -> None:
        if self.kind[key] != TEXT:
            return
        _, value, result, source, scope = listener
        name = self.solver.key_name(key)
        text = self.program.texts[name]
        if text.endswith(PREFIX):
            if result >= 0:
                self._load_named(value, text.removesuffix(PREFIX), result, scope)
            return
        if result >= 0:
            self.load(value, name, result, scope, 0)
        if source >= 0:
            self.store(value, name, source, -1, 0)

    def _load_named(self, value: int, prefix: str, result: int, scope: int) -> None:
        """Read every property whose name begins so: `this["visit" + kind]`."""
        texts = self.program.texts
        names: list[int] = []
        if self.kind[value] == INSTANCE and value - self.scopes < self.scopes:
            names = self.classes.named(value - self.scopes, prefix)
        elif self.kind[value] == CONTAINER:
            fields = self.solver.fields_of(value)
            names = [name for name in fields if texts[name].startswith(prefix)]
        for name in names:
            if not texts[name].endswith(PREFIX) and texts[name] != prefix:
                self.load(value, name, result, scope, 0)

    # settling

    def settle(self, step: int) -> None:
        if step >= 0:  # each step brings receivers whose properties are read
            self._settle_keys()
        if step == 0:
            self.models.settle_callbacks()
        elif step == 1:
            settle_receivers(self)
        elif step == 2:
            self.models.settle_own_callbacks()
            self._settle_interfaces()

    def _settle_keys(self) -> None:
        """Keys that nothing is known about may be any."""
        for value, key, result, source in self.open_keys:
            known = any(
                self.kind[item] == TEXT and not self.solver.key_text(item).endswith(PREFIX)
                for item in self.solver.points[key] or ()
            )
            if not known and source >= 0 and self.kind[value] == INSTANCE:
                self.solver.listen(source, (self._on_unnamed, value))
            if known or self.kind[value] != CONTAINER:
                continue
            if result >= 0:
                self.solver.every_field(value, (self.solver.copy_to, result))
            if source >= 0:
                self.solver.edge(source, self.solver.field(value, self.any_key))
        self.open_keys.clear()

    def _on_unnamed(self, value: int, listener: Listener) -> None:
        """`prototype[name] = function…`: whatever it is called, its `this` is such an object."""
        if self.kind[value] == FUNCTION and self.solver.points[self.program.this[value]] is None:
            self.receive(value, listener[1])

    def _settle_interfaces(self) -> None:
        """A call through an interface goes to its implementations, if they are few."""
        self.solver.confidence = LIKELY
        for scope, call, name in self.waiting_interfaces:
            if any(item >= 0 for item in call.fired):
                continue
            found = [*self.interfaces.get(scope, ()), *self.classes.subclasses.get(scope, ())]
            found = [item for item in dict.fromkeys(found) if self.classes.find(item, name) >= 0]
            if len(found) <= _MOST_IMPLEMENTATIONS:
                for item in found:
                    instance = item + self.scopes
                    self.classes.lookup(item, name, (self.on_member, call, instance))
        self.waiting_interfaces.clear()
