"""Reading and writing JavaScript's properties, on classes, modules and objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ANY_KEY, ANY_NUMBER, CallFlag, ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.javascript.barrels import NAMESPACE
from toolroll_codegraph.resolve.javascript.entering import JavaScriptEntering
from toolroll_codegraph.resolve.javascript.keys import COMMON
from toolroll_codegraph.resolve.javascript.methods import PROXY
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
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.contents import JavaScriptContents
    from toolroll_codegraph.resolve.javascript.exporting import JavaScriptExporting
    from toolroll_codegraph.resolve.javascript.globals import JavaScriptGlobals
    from toolroll_codegraph.resolve.javascript.imports import JavaScriptImports
    from toolroll_codegraph.resolve.javascript.iteration import JavaScriptIteration
    from toolroll_codegraph.resolve.javascript.models import JavaScriptModels
    from toolroll_codegraph.resolve.javascript.narrowing import JavaScriptNarrowing
    from toolroll_codegraph.resolve.javascript.prototypes import JavaScriptPrototypes
    from toolroll_codegraph.resolve.javascript.replacing import JavaScriptReplacing

_ITERABLE = (ObjectKind.ARRAY, ObjectKind.GENERATOR)


class JavaScriptProperties(JavaScriptEntering):
    """Property access and accessors.

    A prototype and the instances made from it share one abstract object. Static members of a
    class are kept beside the others under their name with a dot before it.
    """

    imports: JavaScriptImports
    models: JavaScriptModels
    iteration: JavaScriptIteration
    contents: JavaScriptContents
    globals: JavaScriptGlobals
    prototypes: JavaScriptPrototypes
    narrowing: JavaScriptNarrowing
    replacing: JavaScriptReplacing
    exporting: JavaScriptExporting

    def __init__(self, solver: Solver, classes: Classes) -> None:
        super().__init__(solver, classes)
        program, name = solver.program, solver.program.name
        self.constructor, self.prototype = name("constructor"), name("prototype")
        self.own_name = name("name")
        self.proto = name("__proto__")
        self.any_key, self.any_number = name(ANY_KEY), name(ANY_NUMBER)
        self.copying, self.describing = name("..."), name("...=")
        self.copies = {self.copying, self.describing}
        """Names of calls that copy properties: what they are read as, or how they are defined."""
        self.define_getter, self.define_setter = name("__defineGetter__"), name("__defineSetter__")
        self.getters: frozenset[int] = frozenset(
            name(program.texts[program.scope_name[scope]].rpartition(".")[2])
            for scope in range(self.scopes)
            if program.flags[scope] & (ScopeFlag.PROPERTY | ScopeFlag.SETTER) == ScopeFlag.PROPERTY
        )
        """Names whose reads may run code."""
        self._setting: dict[int, set[int]] = {}
        """Name → the classes in which a setter of that name is written."""
        for scope in range(self.scopes):
            if program.flags[scope] & ScopeFlag.SETTER:
                text = program.texts[program.scope_name[scope]].rpartition(".")[2]
                self._setting.setdefault(name(text), set()).add(program.parent[scope])
        self._hardly_keys = {program.names[text] for text in COMMON if text in program.names}
        """What is called under one of these names is hardly kept under a key not known."""

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        kind, solver = self.kind[value], self.solver
        read = (self.on_read, self.reading(target, name, scope, line), value)
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
                if self.program.texts[name].startswith("["):
                    self._load_position(owner, name, read)
        elif kind in (CLASS, FUNCTION):
            if name == self.prototype:
                solver.add(target, value + self.scopes)
                return
            if name == self.own_name:
                self._load_name(value, target)
            if kind == CLASS:
                self.classes.lookup(value, self.static(name), read)
            else:
                self.function_property(value, name, read)
        elif kind == MODULE:
            self.imports.load(value, name, (solver.copy_to, target))
        elif kind == CONTAINER:
            self._load_property(value, name, target, read)
        elif kind in (BUILTIN, EXTERNAL):
            self.models.load_builtin(value, name, target)

    def _load_position(self, owner: int, name: int, read: Listener) -> None:
        """Read what an object has at a position, which may be kept at any."""
        for other in (self.any_key, self.any_number):
            if other != name:
                self.classes.lookup(owner, other, read)
        self.contents.load(owner, name, read)

    def _load_name(self, value: int, target: int) -> None:
        """What a function or a class is called where it is written: `function A() {}`, `class A`.

        Of what a member is assigned nothing: that has no name. A class may give itself another.
        """
        if self.kind[value] == CLASS and self.classes.find(value, self.static(self.own_name)) >= 0:
            return
        name = self.program.scope_name[value]
        if self.solver.texts_flow and self.program.texts[name].isidentifier():
            self.solver.add(target, self.solver.text(name))

    def _load_property(self, value: int, name: int, target: int, read: Listener) -> None:
        of = self.solver.detail[value][0]
        if of == "prototype" or (of in _ITERABLE and name in self.models.arrays.names):
            self.models.methods.load_method(name, target)
        elif of == PROXY:
            self.models.methods.trap_get(value, name, target, read[1].scope, read[1].line)
        elif of == NAMESPACE:
            self.solver.record(read[1].scope, self.solver.detail[value][1], read[1].line)
        if of != PROXY:
            self.property(value, name, read)

    def property(self, value: int, name: int, listener: Listener) -> None:
        """Attach a listener to a property of an object, its prototypes and unknown keys."""
        solver = self.solver
        of = solver.detail[value][0]
        if name == self.any_key or (name == self.any_number and of != ObjectKind.RECORD):
            solver.every_field(value, listener)
            self.prototypes.climb(value, name, listener)
            return
        if name == self.any_number:
            self._every_position(value, listener)
            return
        if name in (self.iteration.sent, self.iteration.returned):
            value = self.iteration.behind(value)
        slot, text = solver.field(value, name), self.program.texts[name]
        solver.listen(slot, listener)
        known = solver.points[slot]
        kept = (
            not known
            and self.any_key in solver.fields_of(value)
            and of != ObjectKind.ARRAY
            and self.may_be_kept(name)
        )
        if kept or text.startswith("["):
            solver.listen(solver.field(value, self.any_key), listener)
        if of == ObjectKind.RECORD and text.startswith("["):
            solver.listen(solver.field(value, self.any_number), listener)
        if not known:  # its own hides its prototypes'
            self.prototypes.climb(value, name, listener)

    def _every_position(self, value: int, listener: Listener) -> None:
        """Attach a listener to what an object that is no list has under numbers."""

        def receive(name: int, slot: int) -> None:
            if self.program.texts[name].startswith("["):
                self.solver.listen(slot, listener)

        self.solver.mirror(value, receive)

    def may_be_kept(self, name: int) -> bool:
        """Whether what an object has under a name may be what it got under one not known."""
        symbol = self.program.texts[name].startswith("@@")
        return not symbol and name not in self._hardly_keys and not self.classes.definers(name)

    def function_property(self, value: int, name: int, listener: Listener) -> None:
        """Attach a listener to a property of a function, and of what it inherits from."""
        slot = self.solver.field(value, name)
        self.solver.listen(slot, listener)
        if not self.solver.points[slot]:
            self.prototypes.climb(value, name, listener)

    @handler
    def on_read(self, value: int, listener: Listener) -> None:
        """Read a property: getters run, everything else is the value itself."""
        _, read, receiver = listener
        if read.target in self.generics.limits and not self.generics.allows(value, read.target):
            return
        if self.kind[value] != FUNCTION:  # as most of millions in a bundle
            self.solver.add(read.target, value)
        elif self.program.flags[value] & ScopeFlag.PROPERTY:
            if value in self.exporting.getters:
                self.solver.record(read.scope, value, read.line)
                self.exporting.read(value, receiver, read.name)
            elif not self.program.flags[value] & ScopeFlag.SETTER:
                self.receive(value, receiver, self.program.ret[value])
                self.solver.record(read.scope, value, read.line)
                self.generics.give(self.program.ret[value], read.target)
        elif not self.is_later(value, read) and not (
            (self.program.parent[value] == read.scope or read.target in self.replacing.later)
            and self.replacing.is_later(value, read.target, read.scope)
        ):
            self.solver.add(read.target, value)

    def store(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        kind = self.kind[value]
        solver, classes = self.solver, self.classes
        if line and scope >= 0 and name in solver.setters:
            self.run_setters(value, name, source, scope, line)
        if source < 0:
            if source == -1 and name in solver.marks:
                self.narrowing.mark(value, name)
            return
        if kind == INSTANCE:
            if value - self.scopes < self.scopes:
                if name == self.proto:
                    solver.listen(source, (self.prototypes.on_prototype, value - self.scopes))
                elif name in solver.setters and self._inherits_setter(value - self.scopes, name):
                    pass  # it runs instead, and what the base class has is not hidden
                elif name != self.constructor or self.kind[value - self.scopes] != CLASS:
                    # what an object says that made it does not run when others are made
                    solver.edge(source, classes.declare(value - self.scopes, name))
                    self.contents.store(value - self.scopes, name, source)
        elif kind == CLASS:
            solver.edge(source, classes.declare(value, self.static(name)))
        elif kind == MODULE:
            if value < self.program.scopes:
                solver.edge(source, classes.declare(value, name))
        elif kind in (FUNCTION, BOUND):
            if name == self.prototype and kind == FUNCTION:
                solver.listen(source, (self.prototypes.on_prototype, value))
            else:
                if name == self.proto:
                    self.prototypes.note(value)
                solver.edge(source, solver.field(value, name))
        elif kind == BUILTIN:
            if self.globals.is_global(value):
                self.globals.store(value, name, source)
        elif kind == CONTAINER:
            if name == self.proto:
                self.prototypes.note(value)
            elif name in (self.iteration.sent, self.iteration.returned):
                value = self.iteration.behind(value)
            elif scope >= 0 and solver.detail[value][0] == PROXY:
                self.models.methods.trap_set(value, name, source, scope, line)
            if name == self.any_number and solver.detail[value][0] != ObjectKind.RECORD:
                name = self.any_key
            solver.edge(source, solver.field(value, name))

    def _inherits_setter(self, scope: int, name: int) -> bool:
        """Whether the first of a class and its bases that has a member is a base with a setter."""
        having = self._setting.get(name)
        if having is None:
            return False
        members = self.program.members
        for known in self.classes.order(scope):
            if name in (members[known] or ()):
                return known in having and known != scope
        return False

    def declare_from(self, slot: int, scope: int, name: int) -> None:
        """Let a class have a member that an object has, once it has one.

        Who only reads what an object may have leaves a field without values: it would hide what
        the class inherits.
        """
        if self.solver.points[slot]:
            self.solver.edge(slot, self.classes.declare(scope, name))
        else:
            self.solver.listen(slot, (self._on_member_value, scope, name))

    @handler
    def _on_member_value(self, value: int, listener: Listener) -> None:
        self.solver.add(self.classes.declare(listener[1], listener[2]), value)

    def run_setters(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        """Call what a property has for being written."""
        kind = self.kind[value]
        call = Call(-1, scope, line, name, (max(source, -1),), (), CallFlag.IMPLICIT)
        found = (self.on_setter, call, value)
        if kind == CONTAINER:
            self.solver.listen(self.solver.field(value, name), found)
        elif kind == CLASS:
            self.classes.lookup(value, self.static(name), found)
        elif kind == INSTANCE and value - self.scopes < self.scopes:
            self.classes.lookup(value - self.scopes, name, found)

    @handler
    def on_setter(self, value: int, listener: Listener) -> None:
        if self.kind[value] == FUNCTION and self.program.flags[value] & ScopeFlag.SETTER:
            self.enter(listener[1], value, listener[2])
