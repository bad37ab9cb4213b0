"""How members of Python values are read and written."""

from __future__ import annotations

from functools import cached_property

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, Read, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    FUNCTIONS,
    INSTANCE,
    MODULE,
    WRAPPED,
)
from toolroll_codegraph.resolve.python.calling import PythonCalling


class PythonMembers(PythonCalling):
    """Attributes and items, bound methods and properties."""

    _last_write = Call(-1, -1, 0, -1, (), (), 0)

    @cached_property
    def _setters(self) -> frozenset[tuple[int, int]]:
        """(class, name) of the setters that are written in classes."""
        program, canonical = self.program, self.program.canonical
        return frozenset(
            (canonical[program.parent[scope]], program.scope_name[scope])
            for scope in range(self.scopes)
            if program.flags[scope] & ScopeFlag.SETTER
        )

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        kind, solver = self.kind[value], self.solver
        if name == self.own_dict:
            self.namespaces.of(value, target)
        elif kind == INSTANCE:
            self._load_of_instance(value, name, target, scope, line)
        elif kind == CLASS:
            self._load_of_class(value, name, target, scope, line)
        elif kind == MODULE and name == self.own_path:
            solver.add(target, value)
        elif kind == MODULE:
            self.imports.load(value, name, (solver.copy_to, target), (scope, line))
        elif kind == CONTAINER:
            if (known := self.namespaces.owner(value)) >= 0:
                self.namespaces.load(known, name, target, scope, line)
            elif not self.supers.use(Call(target, scope, line, name, (), (), CallFlag.READ), value):
                self.models.load(value, name, target)
                if self.program.texts[name].startswith("["):
                    self.models.defaults.read(value, scope, line)
        elif kind in FUNCTIONS:
            if name == self.dunder_call:
                solver.add(target, value)
                return
            solver.edge(solver.field(value, name), target)
            if kind == BOUND and name in (self.own_function, self.own_receiver):
                solver.add(target, solver.detail[value][name == self.own_receiver])
            if kind == WRAPPED and name == self.wrapped:
                solver.add(target, solver.detail[value][1])
                return
            for part in solver.detail[value] if kind == WRAPPED else ():
                self.load(part, name, target, scope, line)
        elif kind == EXTERNAL:
            self.models.load_external(value, name, target, scope)

    def _load_of_instance(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        owner = value - self.scopes
        if owner >= self.scopes or self.kind[owner] != CLASS:
            return
        if self.program.texts[name].startswith("["):
            self._load_item(value, name, target, scope, line)
            return
        if name == self.own_class:
            self.solver.add(target, self.applied.plain(owner))
            return
        if owner in self.attributes.getting:
            self.attributes.read(value, scope, line)
        if name in self.substituting.attributes:
            target = self.substituting.attribute(owner, name, target)
        read = (self.on_read, self.reading(target, name, scope, line), value)
        if self.classes.lookup(owner, name, read):
            return
        if name == self.own_value and self.enumerations.has(owner):
            self.enumerations.value(owner, target)
        else:
            self.django.load(value, name, target)
            self.unanswered.read(value, name, target, scope, line)

    def _load_of_class(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        if self.program.texts[name].startswith("["):
            self.kinds.subscribe(value, target, scope, line)
            return
        read: Listener = (self.on_read, self.reading(target, name, scope, line), value)
        if (member := self.enumerations.member(value, name)) >= 0:
            self.solver.add(target, member)
            if self.enumerations.is_value(value, name):
                return
            read = (self.enumerations.on_method, read)
        if name == self.kinds.mro:
            self.kinds.give_order(value, target)
        elif not self.classes.lookup(value, name, read):
            self.django.load(value, name, target)
            self.sqlalchemy.load(value, name, target)
            if self.kinds.metaclasses:
                self.kinds.load(value, name, target, scope, line)

    def _load_item(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        """Read an item of an instance."""
        text, owner = self.program.texts[name], value - self.scopes
        if text.startswith("[@"):  # what a pattern takes is no item
            if (taken := self.records.matched(owner, text[2:])) >= 0:
                self.load(value, taken, target, scope, line)
            return
        self.solver.edge(self.records.item(owner, text[1:]), target)
        call = Call(target, scope, line, self.getitem, (-1,), (), CallFlag.IMPLICIT)
        if text[1:2].isdigit() and self.protocols.is_unpacked(owner):
            self.protocols.iterate(call, value)
        elif not self.invoke_member(call, value, self.getitem):
            self.protocols.missing(call, value)
            contents = self.protocols.contents(value)
            if contents >= 0:
                self.models.load(contents, name, target)

    @handler
    def on_read(self, value: int, listener: Listener) -> None:
        """Read a member: bind methods, run properties."""
        _, read, receiver = listener
        kind = self.kind[value]
        if value in self.descriptors.ordinary:
            self.solver.add(read.target, value)
        elif kind == FUNCTION:
            if not self.is_later(value, read):
                self._read_function(value, read, receiver)
        elif kind == WRAPPED:
            self.wrappers.read(value, read.target, receiver, read.scope, read.line)
        elif (
            self.descriptors.is_ordinary(value)
            or self.kind[receiver] not in (INSTANCE, CLASS)
            or not self.descriptors.read(
                value, read.target, receiver, read.scope, read.line, read.name
            )
        ):
            self.solver.add(read.target, value)

    def _read_function(self, value: int, read: Read, receiver: int) -> None:
        target, flags = read.target, self.program.flags[value]
        if (
            read.name in self.descriptors.computed
            and not flags & (ScopeFlag.METHOD | ScopeFlag.STATIC)
            and self.descriptors.is_computed(receiver, read.name)
        ):
            call = Call(target, read.scope, read.line, -1, (), (), CallFlag.IMPLICIT)
            self.enter(call, value, receiver)
            return
        if not flags & ScopeFlag.METHOD or flags & ScopeFlag.STATIC:
            late = self.descriptors.is_late(value, receiver)
            self.solver.add(target, self.solver.bound(value, receiver) if late else value)
        elif flags & ScopeFlag.CLASSMETHOD:
            owner = receiver - self.scopes if self.kind[receiver] == INSTANCE else receiver
            self.solver.add(target, self.solver.bound(value, owner))
        elif self.kind[receiver] != INSTANCE or self.descriptors.is_held(
            value, receiver, read.name
        ):
            self.solver.add(target, value)
        elif flags & ScopeFlag.PROPERTY:
            overridden = flags & ScopeFlag.ABSTRACT and self.abstract.read(read, value, receiver)
            if not flags & ScopeFlag.SETTER and not overridden:
                self.run_property(value, receiver, read.scope, read.line, target)
        else:
            bound = self.solver.bound(value, receiver)
            known = self.solver.points[target]
            if known is None or len(known) < self.solver.room[bound]:
                self.solver.add(target, bound)
            elif bound not in known:  # no room for it: what is called there runs on it all the same
                self.receive(value, receiver, -1)

    def store(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        if (
            self.attributes.setting
            and scope >= 0
            and self.attributes.is_set(value)
            and not self.program.texts[name].startswith("[")
        ):
            self.attributes.write(value, name, source, scope, line)
        else:
            self.put(value, name, source, scope, line)

    def put(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        """Assign as objects do that have no `__setattr__`."""
        value = self.applied.plain(value)
        kind = self.kind[value]
        if kind == INSTANCE and scope >= 0 and name in self.solver.setters:
            call = self._writing(name, source, scope, line)
            self.classes.lookup(value - self.scopes, name, (self._on_setter, call, value))
        elif kind in FUNCTIONS and name in self.solver.marks:
            self.marks.mark(value, name)
        if source < 0:
            return
        if kind == INSTANCE:
            if self.program.texts[name].startswith("["):
                if (contents := self.protocols.contents(value)) >= 0:
                    self.solver.edge(source, self.solver.field(contents, name))
                return
            value -= self.scopes
            kind = self.kind[value] if value < self.scopes else -1
        elif kind == CLASS and scope >= 0:
            self.descriptors.given.add((value, name))
        if kind == MODULE:
            self.solver.edge(source, self.imports.member(value, name))
        elif kind == CLASS:
            if name not in self.solver.setters or not self._inherits_setter(value, name):
                self.annotated.assign(value, name, source)
        elif kind == CONTAINER and (known := self.namespaces.owner(value)) >= 0:
            self.namespaces.store(known, name, source)
        elif kind in (CONTAINER, FUNCTION, BOUND, WRAPPED):
            self.solver.edge(source, self.solver.field(value, name))

    def _writing(self, name: int, source: int, scope: int, line: int) -> Call:
        """The call of a setter, one for all objects that come at once."""
        last = self._last_write
        if (last.name, last.positional, last.scope, last.line) != (name, (source,), scope, line):
            last = Call(-1, scope, line, name, (source,), (), CallFlag.IMPLICIT)
            self._last_write = last
        return last

    def _inherits_setter(self, scope: int, name: int) -> bool:
        """Whether a setter of a base runs instead: then nothing hides what reads the attribute."""
        flags, members = self.program.flags, self.classes.members
        for known in self.classes.order(scope)[1:]:
            if (known, name) in self._setters:  # maybe before it has come into its slot
                return True
            slot = (members[known] or {}).get(name)
            if slot is not None:
                return any(
                    self.kind[value] == FUNCTION and flags[value] & ScopeFlag.SETTER
                    for value in self.solver.points[slot] or ()
                )
        return False

    @handler
    def _on_setter(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self.kind[value] == FUNCTION and self.program.flags[value] & ScopeFlag.SETTER:
            if not self.descriptors.is_held(value, receiver, call.name):
                self.enter(call, value, receiver)
        else:
            self.descriptors.write(value, call, receiver)
