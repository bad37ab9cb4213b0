"""How Python values are called, read and written."""

from __future__ import annotations

from toolroll_codegraph.facts import ANY_KEY, PREFIX, CallFlag, ScopeFlag
from toolroll_codegraph.resolve.classes import Classes
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
    WRAPPED,
)
from toolroll_codegraph.resolve.python_arguments import PythonArguments
from toolroll_codegraph.resolve.python_classes import PythonClasses
from toolroll_codegraph.resolve.python_descriptors import PythonDescriptors
from toolroll_codegraph.resolve.python_imports import PythonImports
from toolroll_codegraph.resolve.python_models import PythonModels
from toolroll_codegraph.resolve.python_protocols import PythonProtocols
from toolroll_codegraph.resolve.python_records import PythonRecords
from toolroll_codegraph.resolve.python_types import PythonTypes
from toolroll_codegraph.resolve.python_wrappers import PythonWrappers
from toolroll_codegraph.resolve.solver import (
    CERTAIN,
    LIKELY,
    POSSIBLE,
    Call,
    Handler,
    Listener,
    Solver,
)

_MOST_RECEIVERS = 10
_MOST_OVERRIDERS = 6


class PythonRules:
    """Python's semantics over the solver: method resolution order, binding, protocols."""

    def __init__(self, solver: Solver, classes: Classes) -> None:
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.kind = solver.kind
        self.scopes = solver.program.scopes
        name = solver.program.name
        self.init, self.new, self.dunder_call = name("__init__"), name("__new__"), name("__call__")
        self.getitem = name("__getitem__")
        self.own_class = name("__class__")
        self.any_key = name(ANY_KEY)
        self._ends: dict[str, list[str]] | None = None
        self.open_keys: list[tuple[int, int, int, int]] = []
        # Made once: a bound method for each of the many listeners would take more than they do.
        self.on_member: Handler = self._invoke
        self.on_read: Handler = self._read
        self.on_called: Handler = self._call_member
        self.on_key: Handler = self._on_key
        self.protocols = PythonProtocols(self)
        self.arguments = PythonArguments(self)
        self.number = self.arguments.number
        self.imports = PythonImports(self)
        self.models = PythonModels(self)
        self.descriptors = PythonDescriptors(self)
        self.kinds = PythonClasses(self)
        self.wrappers = PythonWrappers(self)
        self.closed_wrappers = self.wrappers.closed
        self.types = PythonTypes(self)
        self.records = PythonRecords(self)
        solver.setters |= {
            self.program.renames[index][name]
            for index, facts in enumerate(self.program.facts)
            if facts.language == "python"
            for kind, _, name, _, _ in facts.relations
            if kind == "property"
        }

    def prepare(self) -> None:
        self.imports.bind()
        self.kinds.watch()
        self.arguments.find_visits()
        self.wrappers.find()

    # calling

    def call_value(self, call: Call, value: int) -> None:
        kind = self.kind[value]
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
            if call.enter_object(value):
                self.invoke_member(call, value, self.dunder_call)
        elif kind in (BUILTIN, EXTERNAL, CONTAINER):
            self.models.call(call, value)

    def instantiate(self, call: Call, scope: int) -> None:
        instance = self.scopes + scope
        key = -1 - scope
        if not call.once(key):
            return
        solver, classes = self.solver, self.classes
        if solver.confidence == CERTAIN:  # later a class is made by its own methods only
            classes.instantiated.add(scope)
        solver.add(call.result, instance)
        found = classes.lookup(scope, self.init, (self.on_member, call, instance))
        if classes.lookup(scope, self.new, (self.on_member, call, scope)):
            found = True
        if not found:
            self.records.make(call, scope)
            solver.record(call.scope, scope, call.line)

    def call_method(self, call: Call, value: int) -> None:
        kind = self.kind[value]
        flags = call.flags
        if flags & CallFlag.SUPER:
            self._call_super(call, value)
        elif kind == INSTANCE:
            if flags & CallFlag.IMPLICIT:
                if self.solver.confidence == POSSIBLE:
                    return
                if call.name in self.protocols.conversions:
                    self.protocols.convert_later(call, value)
                    return
            if flags & CallFlag.ITERATE:
                self.protocols.iterate(call, value)
            elif flags & CallFlag.ENTER:
                self.protocols.enter_context(call, value)
            elif call.name == self.own_class and value - self.scopes < self.scopes:
                self.call_value(call, value - self.scopes)
            elif not self.invoke_member(call, value, call.name):
                self.protocols.missing(call, value)
        elif flags & CallFlag.IMPLICIT:
            if kind in (CONTAINER, BUILTIN):
                self.models.method(call, value)
            elif kind == CLASS and flags & CallFlag.ITERATE and self.kinds.is_enumeration(value):
                self.solver.add(call.result, value + self.scopes)
        elif kind == MODULE:
            self.imports.load(value, call.name, (self.on_called, call), (call.scope, call.line))
        elif kind == CLASS:
            if not self.classes.lookup(value, call.name, (self.on_member, call, value)):
                self.kinds.call_metaclass(call, value, call.name)
        elif kind in (CONTAINER, EXTERNAL, BUILTIN, TEXT):
            self.models.method(call, value)
        elif kind in (FUNCTION, BOUND, WRAPPED):
            self.solver.listen(self.solver.field(value, call.name), (self.on_called, call))
            for part in self.solver.detail[value] if kind == WRAPPED else ():
                self.call_method(call, part)

    def enter_function(self, value: int, listener: Listener) -> None:
        """Enter what a special method is, if it is a function, with the receiver given."""
        if self.kind[value] == FUNCTION:
            self.enter(listener[1], value, listener[2])

    def _call_super(self, call: Call, value: int) -> None:
        owner = self.program.owner_class(call.scope)
        if owner < 0:
            return
        kind = self.kind[value]
        if kind == INSTANCE:
            start = value - self.scopes
        elif kind == CLASS:
            start = value
        else:
            return
        if owner not in self.classes.order(start):
            start = owner
        if call.flags & CallFlag.READ:
            read = (self.on_read, call.result, value, call.scope, call.line, call.name)
            self.classes.lookup(start, call.name, read, after=owner)
        elif not self.classes.lookup(start, call.name, (self.on_member, call, value), after=owner):
            self.kinds.call_type(call, value, owner)

    def invoke_member(self, call: Call, receiver: int, name: int) -> bool:
        """Call a member of an instance."""
        scope = receiver - self.scopes
        if scope >= self.scopes or self.kind[scope] != CLASS:
            return False
        return self.classes.lookup(scope, name, (self.on_member, call, receiver))

    def _call_member(self, value: int, listener: Listener) -> None:
        self.call_value(listener[1], value)

    def _invoke(self, value: int, listener: Listener) -> None:
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
        if flags & ScopeFlag.ABSTRACT and self._call_overriders(call, value, receiver):
            return
        if not flags & ScopeFlag.METHOD or flags & ScopeFlag.STATIC:
            self.enter(call, value, receiver if self.descriptors.is_late(value, receiver) else -1)
        elif flags & ScopeFlag.CLASSMETHOD:
            owner = receiver - self.scopes if self.kind[receiver] == INSTANCE else receiver
            self.enter(call, value, owner)
        elif flags & ScopeFlag.PROPERTY:
            slot = self._read_property(value, receiver, call.scope, call.line)
            self.solver.listen(slot, (self.on_called, call))
        elif self.kind[receiver] == INSTANCE:
            self.enter(call, value, receiver)
        else:  # the class to make is passed by hand wherever `__new__` is called by name
            making = self.program.scope_name[value] == self.new != call.name
            self.enter(call, value, receiver if making else -1)

    def _call_overriders(self, call: Call, function: int, receiver: int) -> bool:
        """Call what overrides an abstract method, if the project has a few such methods."""
        if self.kind[receiver] != INSTANCE:
            return False
        if receiver - self.scopes in self.classes.instantiated:
            return False  # a class that is made is not abstract, little as its method may do
        name = self.program.scope_name[function]
        found = self.classes.overriders(receiver - self.scopes, name)
        if self.kinds.is_protocol(receiver - self.scopes):
            found += self.types.implementers(receiver - self.scopes)
        if not found or len(found) > _MOST_OVERRIDERS:
            return False
        for scope in found:
            self.classes.lookup(scope, name, (self._invoke_overrider, call, scope + self.scopes))
        return True

    def _invoke_overrider(self, value: int, listener: Listener) -> None:
        before, self.solver.confidence = self.solver.confidence, LIKELY
        self._invoke(value, listener)
        self.solver.confidence = before

    def enter(self, call: Call, function: int, receiver: int) -> None:
        """Connect arguments and result of a call with a function."""
        solver, program, arguments = self.solver, self.program, self.arguments
        fewest, most = self.number.get(function) or arguments.bounds(function)
        given = len(call.positional) + (receiver >= 0)
        if not (fewest <= given <= most or arguments.fits(call, function, given)):
            return
        if function in self.closed_wrappers:
            self.wrappers.open(function)
        if receiver >= 0:
            self.receive(function, receiver, call.result)
        if function in call.fired:
            return
        call.fired += solver.alone(function)
        solver.record(call.scope, function, call.line)
        result = call.result
        if result >= 0:
            returned = program.ret[function]
            if returned in self.types.limits:
                solver.listen(returned, (self.types.on_limited, returned, result))
            else:
                solver.edge(returned, result)
        if call.positional or call.keywords:
            arguments.give(call, function, 1 if receiver >= 0 else 0)

    def receive(self, function: int, receiver: int, result: int) -> None:
        this = self.program.this[function]
        if this < 0:
            for slot in self.arguments.signature(function)[0][:1]:
                self.solver.add(slot, receiver)
            return
        if this in self.solver.returned:
            self.solver.add(result, receiver)
        if self.program.flags[function] & ScopeFlag.FACTORY:
            made = receiver if self.kind[receiver] == INSTANCE else receiver + self.scopes
            self.solver.add(result, made)
        known = self.solver.points[this]
        if known is not None and len(known) >= _MOST_RECEIVERS:
            owner = self.program.parent[function]
            self.solver.add(this, owner + self.scopes)
        else:
            self.solver.add(this, receiver)

    # reading and writing

    def load(self, value: int, name: int, listener: Listener) -> None:
        kind = self.kind[value]
        solver = self.solver
        target = listener[3]
        if kind == INSTANCE:
            scope = value - self.scopes
            if scope >= self.scopes or self.kind[scope] != CLASS:
                return
            if self.program.texts[name].startswith("["):
                self._load_item(value, name, target, listener[4], listener[5])
            elif name == self.own_class:
                solver.add(target, scope)
            else:
                read = (self.on_read, target, value, listener[4], listener[5], name)
                if not self.classes.lookup(scope, name, read):
                    self.protocols.unknown(value, name, target, listener[4], listener[5])
        elif kind == CLASS:
            if self.program.texts[name].startswith("["):
                self.kinds.subscribe(value, target, listener[4], listener[5])
                return
            solver.add(target, member) if (member := self.kinds.member(value, name)) >= 0 else None
            self.classes.lookup(
                value, name, (self.on_read, target, value, listener[4], listener[5], name)
            )
        elif kind == MODULE:
            self.imports.load(value, name, (solver.copy_to, target), listener[4:6])
        elif kind == CONTAINER:
            self.models.load(value, name, target)
        elif kind in (FUNCTION, BOUND, WRAPPED):
            solver.edge(solver.field(value, name), target)
            for part in solver.detail[value] if kind == WRAPPED else ():
                self.load(part, name, listener)
        elif kind == EXTERNAL:
            self.models.load_external(value, name, target)

    def _load_item(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        """Read an item of an instance."""
        text, owner = self.program.texts[name], value - self.scopes
        self.solver.edge(self.records.item(owner, text[1:]), target)
        if text.startswith("[@"):  # what a pattern takes is no item
            return
        call = Call(target, scope, line, self.getitem, (-1,), (), CallFlag.IMPLICIT)
        if not self.invoke_member(call, value, self.getitem):
            self.protocols.missing(call, value)
            contents = self.protocols.contents(value)
            if contents >= 0:
                self.models.load(contents, name, target)

    def _read(self, value: int, listener: Listener) -> None:
        """Read a member: bind methods, run properties."""
        _, target, receiver, scope, line, name = listener
        kind = self.kind[value]
        if kind != FUNCTION:
            if kind == WRAPPED:
                self.wrappers.read(value, target, receiver, scope, line)
            elif (
                (kind != INSTANCE and kind != CONTAINER)
                or self.kind[receiver] != INSTANCE
                or not self.descriptors.read(value, target, receiver, scope, line, name)
            ):
                self.solver.add(target, value)
            return
        flags = self.program.flags[value]
        if not flags & ScopeFlag.METHOD or flags & ScopeFlag.STATIC:
            late = self.descriptors.is_late(value, receiver)
            self.solver.add(target, self.solver.bound(value, receiver) if late else value)
        elif flags & ScopeFlag.CLASSMETHOD:
            owner = receiver - self.scopes if self.kind[receiver] == INSTANCE else receiver
            self.solver.add(target, self.solver.bound(value, owner))
        elif self.kind[receiver] != INSTANCE:
            self.solver.add(target, value)
        elif flags & ScopeFlag.PROPERTY:
            if not flags & ScopeFlag.SETTER:
                self.solver.edge(self._read_property(value, receiver, scope, line), target)
        else:
            bound = self.solver.bound(value, receiver)
            known = self.solver.points[target]
            if known is None or len(known) < self.solver.room[bound]:
                self.solver.add(target, bound)
            elif bound not in known:  # no room for it: what is called there runs on it all the same
                self.receive(value, receiver, -1)

    def _read_property(self, function: int, receiver: int, scope: int, line: int) -> int:
        """Run a property and return the slot of its value.

        Nothing in the source looks like a call there, so the edge is of low confidence.
        """
        result = self.program.ret[function]
        self.receive(function, receiver, result)
        self.solver.edges.add(self.program.caller[scope], function, line, POSSIBLE)
        return result

    def store(self, value: int, name: int, source: int, listener: Listener | None) -> None:
        kind = self.kind[value]
        if kind == INSTANCE and listener is not None and name in self.solver.setters:
            call = Call(-1, listener[4], listener[5], name, (source,), (), CallFlag.IMPLICIT)
            self.classes.lookup(value - self.scopes, name, (self._set, call, value))
        if source < 0:
            return
        if kind == INSTANCE:
            if self.program.texts[name].startswith("["):
                if (contents := self.protocols.contents(value)) >= 0:
                    self.solver.edge(source, self.solver.field(contents, name))
                return
            value -= self.scopes
            kind = self.kind[value] if value < self.scopes else -1
        if kind in (CLASS, MODULE):
            self.solver.edge(source, self.classes.declare(value, name))
        elif kind in (CONTAINER, FUNCTION, BOUND, WRAPPED):
            self.solver.edge(source, self.solver.field(value, name))

    def _set(self, value: int, listener: Listener) -> None:
        if self.kind[value] == FUNCTION and self.program.flags[value] & ScopeFlag.SETTER:
            self.enter(listener[1], value, listener[2])
        else:
            self.descriptors.write(value, listener[1], listener[2])

    def dynamic(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None:
        """Read or write under a computed key: known constants now, any key when settling."""
        if self.kind[value] == INSTANCE and not attribute:
            if result >= 0:
                call = Call(result, scope, 0, self.getitem, (key,), (), CallFlag.IMPLICIT)
                if not self.invoke_member(call, value, self.getitem):
                    self.protocols.missing(call, value)
            if (value := self.protocols.contents(value)) < 0:
                return
        if self.kind[value] == CLASS and not attribute and result >= 0:
            self.kinds.subscribe(value, result, scope, 0)
            return
        self.solver.listen(key, (self.on_key, value, result, source, attribute, scope))
        if not attribute and self.kind[value] == CONTAINER and self.protocols.is_open(value):
            self.open_keys.append((value, key, result, source))

    def _on_key(self, key: int, listener: Listener) -> None:
        if self.kind[key] != TEXT:
            return
        _, value, result, source, attribute, scope = listener
        text = self.solver.key_text(key)
        if text.endswith(PREFIX):
            if attribute and result >= 0:
                self._load_named(value, text.removesuffix(PREFIX), result, scope)
            return
        name = self.program.name(text if attribute else "[" + text)
        if result >= 0:
            self.load(value, name, (None, None, name, result, scope, 0))
        if source >= 0:
            self.store(value, name, source, None)

    def _load_named(self, value: int, pattern: str, result: int, scope: int) -> None:
        """Read every member whose name begins so: `getattr(self, "visit_" + kind)`.

        Where other patterns of the project say an end too, the names with that end are theirs.
        """
        owner = value - self.scopes if self.kind[value] == INSTANCE else value
        if owner >= self.scopes or self.kind[owner] != CLASS:
            return
        prefix, _, suffix = pattern.partition(PREFIX)
        others = () if suffix else tuple(self._suffixes().get(prefix, ()))
        for name in self.classes.named(owner, prefix):
            text = self.program.texts[name]
            if text.endswith(suffix) and not (others and text.endswith(others)):
                self.load(value, name, (None, None, name, result, scope, 0))

    def _suffixes(self) -> dict[str, list[str]]:
        """The ends that texts with a gap have, by their beginnings."""
        if self._ends is None:
            self._ends = {}
            for text in self.program.texts:
                if text.endswith(PREFIX) and text.count(PREFIX) == 2:
                    prefix, suffix, _ = text.split(PREFIX)
                    self._ends.setdefault(prefix, []).append(suffix)
        return self._ends

    # settling

    def settle(self, step: int) -> None:
        """Use weaker evidence where the flow of values says nothing."""
        if step < 0:
            self.kinds.make()
            self.types.find()
        else:  # each step brings receivers whose containers are read
            self._settle_keys()
            self.protocols.settle(last=step == 2)
        if step == 1:
            self.types.settle()

    def _settle_keys(self) -> None:
        solver = self.solver
        for value, key, result, source in self.open_keys:
            if any(
                self.kind[item] == TEXT and not solver.key_text(item).endswith(PREFIX)
                for item in solver.points[key] or ()
            ):
                continue
            if result >= 0:
                self.models.elements(value, result, keys_too=True)
            if source >= 0:
                solver.edge(source, solver.field(value, self.any_key))
        self.open_keys.clear()
