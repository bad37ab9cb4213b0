"""How Ruby objects answer calls."""

from __future__ import annotations

from typing import Any, Final

from toolroll_codegraph.facts import PREFIX, CallFlag, ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import OBJECT_BITS
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    MODULE,
    TEXT,
)
from toolroll_codegraph.resolve.ruby_arguments import RubyArguments
from toolroll_codegraph.resolve.ruby_constants import RubyConstants
from toolroll_codegraph.resolve.ruby_conversions import RubyConversions
from toolroll_codegraph.resolve.ruby_hooks import RubyHooks
from toolroll_codegraph.resolve.ruby_models import RubyModels
from toolroll_codegraph.resolve.ruby_objects import RubyObjects
from toolroll_codegraph.resolve.solver import Call, Handler, Listener, Solver

_MOST_RECEIVERS: Final = 10
_MOST_INCLUDERS: Final = 6
_MOST_MISSED: Final = 4
"""So many names a `method_missing` is told: of more it is not known which goes with what."""
_MOST_WATCHED: Final = 8
"""So many extending modules are asked again when they get a method later."""


class RubyRules:
    """Ancestors with mixins, singleton methods, blocks, `send`, `method_missing`.

    Singleton methods are kept beside instance methods under their name with a dot before it.
    """

    def __init__(self, solver: Solver, classes: Classes) -> None:
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.kind = solver.kind
        self.scopes = solver.program.scopes
        name = solver.program.name
        self.initialize, self.new, self.call_name = name("initialize"), name("new"), name("call")
        self.each, self.compare = name("each"), name("<=>")
        self.makers = frozenset((self.new, name("exception")))
        self.instance = name("instance")
        self.method_missing = name("method_missing")
        self.statics: dict[int, int] = {}
        self.extended: dict[int, list[int]] = {}
        self.attributes: dict[tuple[int, int], tuple[int, int]] = {}
        self.unanswered: dict[int, list[Call]] = {}
        """Class → calls of methods that it does not have yet: it may be extended later."""
        self.missed: dict[int, set[int]] = {}
        """`method_missing` → the names it was asked for."""
        self.top: dict[int, list[tuple[int, int]]] = {}
        self.unknown: list[tuple[Call, int]] = []
        # Made once: a bound method for each of the many listeners would take more than they do.
        self.on_member: Handler = self._invoke
        self.imports = RubyConstants(solver, classes)
        self.models = RubyModels(self)
        self.conversions = RubyConversions(self)
        self.hooks = RubyHooks(self)
        self.objects = RubyObjects(self)
        self.arguments = RubyArguments(solver)

    def static(self, name: int) -> int:
        found = self.statics.get(name)
        if found is None:
            found = self.statics[name] = self.program.name("." + self.program.texts[name])
        return found

    # the declarations of classes

    def prepare(self) -> None:
        program, solver = self.program, self.solver
        self.imports.bind()
        shared: dict[int, int] = {}
        for index, facts in enumerate(program.facts):
            module = program.scope_base[index]
            solver.add(program.value[module], module)
            for name, slot in (program.members[module] or {}).items():
                self.top.setdefault(name, []).append((index, slot))
            slots, rename = program.slot_base[index], program.renames[index]
            for kind, scope, name, slot, extra in facts.relations:
                owner = program.canonical[scope + module]
                if kind in ("include", "extend", "prepend", "refine"):
                    solver.listen(
                        slot + slots, (self._on_mixin, owner, kind, scope + module, extra)
                    )
                    if kind == "refine":
                        self.hooks.refine(owner)
                elif kind == "attr":
                    self._attribute(owner, rename[name], slot, extra)
                elif kind == "delegator":
                    self.objects.delegators.add(owner)
                elif kind == "alias":
                    self._alias(owner, rename[name], rename[slot], extra)
                elif kind == "global":
                    common = shared.setdefault(rename[name], -1)
                    if common < 0:
                        common = shared[rename[name]] = solver.slot()
                    if extra:
                        solver.edge(slot + slots, common)
                    else:
                        solver.edge(common, slot + slots)
                elif kind == "define":
                    solver.listen(name + slots, (self._on_define, owner, slot + slots, extra))

        self.hooks.watch_classes()

    def _on_mixin(self, value: int, listener: Listener) -> None:
        owner: int = listener[1]
        kind: str = listener[2]
        if self.kind[value] != CLASS:
            return
        if kind != "refine":
            self.hooks.mixed_in(value, listener[3], kind, listener[4])
        if kind == "refine":
            members = self.program.members
            for name, slot in (members[owner] or {}).items():
                self.solver.edge(slot, self.classes.declare(value, name))
        else:
            self.mix(value, owner, kind)

    def mix(self, module: int, owner: int, kind: str) -> None:
        """Let a class include, prepend or be extended by a module."""
        if kind == "extend":
            self._extend(owner, module)
            return
        self.classes.mix_in(owner, module, prepend=kind == "prepend")
        path = self.imports.paths.get(module, "") + ".ClassMethods"
        if path in self.imports.table:  # what `included` hooks extend by convention
            self._extend(owner, self.imports.table[path])

    def _extend(self, owner: int, module: int) -> None:
        known = self.extended.setdefault(owner, [])
        if module in known:
            return
        known.append(module)
        for value, calls in [*self.unanswered.items()]:
            if owner in self.classes.order(value):
                for call in calls:
                    self.classes.lookup(module, call.name, (self.on_member, call, value))

    def _attribute(self, owner: int, name: int, access: int, of_struct: int) -> None:
        text = self.program.texts[name]
        static = text.startswith(".")
        plain = text.removeprefix(".")
        field = self.program.name((".@" if static else "@") + plain)
        prefix = "." if static else ""
        if of_struct:
            self.objects.fields.setdefault(owner, []).append((name, field))
        if access & 1:
            self.attributes[owner, self.program.name(prefix + plain)] = (field, 0)
        if access & 2:
            self.attributes[owner, self.program.name(prefix + plain + "=")] = (field, 1)

    def _alias(self, owner: int, new: int, old: int, inherited: int) -> None:
        members = self.program.members[owner]
        if members is None:
            members = self.program.members[owner] = {}
        text = self.program.texts[new]
        source = members.get(old)
        if inherited:
            slot = members.setdefault(new, self.solver.slot())
            self.classes.lookup(owner, old, (self.solver.copy_to, slot), after=owner)
        elif source is not None:
            members.setdefault(new, source)
        elif not text.startswith(".") or self.program.texts[old].startswith("."):
            slot = members.setdefault(new, self.solver.slot())
            self.classes.lookup(owner, old, (self.solver.copy_to, slot))

    def _on_define(self, value: int, listener: Listener) -> None:
        _, owner, source, static = listener
        if self.kind[value] == TEXT:
            name = self.solver.detail[value][0]
            text = self.program.texts[name]
            if text.endswith(PREFIX) and text[:-1].isidentifier():
                self.objects.patterns.setdefault(owner, []).append((text[:-1], source))
                return
            target = self.static(name) if static else name
            self.solver.edge(source, self.classes.declare(owner, target))

    # calling

    def call_value(self, call: Call, value: int) -> None:
        """`yield`, or a block given to a builtin."""
        kind = self.kind[value]
        if kind == FUNCTION:
            self.enter(call, value, -1)
        elif kind == BOUND:
            function, receiver = self.solver.detail[value]
            self.enter(call, function, receiver)
        elif kind == TEXT:  # &:name
            name = self.solver.detail[value][0]
            if call.positional and call.positional[0] >= 0:
                inner = self.solver.derived_call(call, call.result, call.positional[1:], name)
                self.solver.listen(call.positional[0], (self._on_receiver, inner))
        elif kind == CONTAINER:  # an enumerator: what is yielded is inside
            if call.positional and call.positional[0] >= 0:
                inside = self.solver.field(value, self.models.any_key)
                self.solver.edge(call.positional[0], inside)
        elif kind == INSTANCE:
            self._call_object(call, value)

    def _call_object(self, call: Call, value: int) -> None:
        if not call.enter_object(value):
            return
        if self.classes.find(value - self.scopes, self.objects.to_proc) >= 0:  # &object
            between = self.solver.slot()
            self.solver.listen(between, (self._on_procedure, call))
            inner = self.solver.derived_call(call, between, (), self.objects.to_proc)
            inner.fired = tuple(item for item in call.fired if item < -1 << OBJECT_BITS)
            self.instance_call(inner, value, self.objects.to_proc)
        else:
            self.instance_call(call, value, self.call_name)

    def _on_procedure(self, value: int, listener: Listener) -> None:
        if self.kind[value] != INSTANCE:
            self.call_value(listener[1], value)

    def _on_receiver(self, value: int, listener: Listener) -> None:
        self.call_method(listener[1], value)

    def call_method(self, call: Call, value: int) -> None:
        kind = self.kind[value]
        if call.flags & CallFlag.SUPER:
            self._call_super(call, value)
        elif kind == INSTANCE:
            if not self.models.object_method(call, value):
                self.instance_call(call, value, call.name)
        elif kind == CLASS:
            if not self.models.object_method(call, value):
                self._class_call(call, value)
        elif kind == MODULE:
            if not self.models.object_method(call, value):
                self.top_call(call, value, call.name)
        elif kind in (FUNCTION, BOUND):
            self.models.function_method(call, value)
        elif kind == CONTAINER:
            if self.solver.detail[value][0] == ObjectKind.RECORD:  # `Object.new`
                slot = self.solver.field(value, call.name)
                self.solver.listen(slot, (self.on_member, call, value))
                self.models.object_method(call, value)
                return
            self.models.container_method(call, value)
            self.hooks.core_method(call, value)
        elif kind == TEXT:
            self.models.text_method(call, value)
            self.hooks.core_method(call, value)

    def instance_call(self, call: Call, value: int, name: int) -> bool:
        """Look a method up in the ancestors, then among the ways a missing one is answered."""
        scope = value - self.scopes
        classes = self.classes
        if classes.lookup(scope, name, (self.on_member, call, value)):
            return True
        if self._read_attribute(call, scope, name):
            return True
        if self.models.protocol(call, value, scope, name):
            return True
        if self.top_call(call, value, name) or self.objects.answer(call, value, scope, name):
            return True
        if not call.flags & CallFlag.IMPLICIT and not self.objects.is_known_elsewhere(scope, name):
            return classes.lookup(scope, self.method_missing, (self._missing, call, value))
        return False

    def _missing(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        name = -1
        told = self.missed.setdefault(value, set())
        told.add(call.name)
        if len(told) <= _MOST_MISSED:
            name = self.solver.slot()
            self.solver.add(name, self.solver.text(call.name))
        shifted = self.solver.derived_call(call, call.result, (name, *call.positional))
        shifted.stand_for(call)
        if self.kind[value] == FUNCTION:
            self.enter(shifted, value, receiver)

    def _read_attribute(self, call: Call, scope: int, name: int) -> bool:
        for known in self.classes.order(scope):
            found = self.attributes.get((known, name))
            if found is not None:
                slot = self.classes.declare(known, found[0])
                if not found[1]:
                    self.solver.edge(slot, call.result)
                elif call.positional:
                    self.solver.edge(call.positional[0], slot)
                call.fired += (-3 - known,)
                return True
        return False

    def _class_call(self, call: Call, value: int) -> None:
        name = self.static(call.name)
        classes = self.classes
        if classes.lookup(value, name, (self.on_member, call, value)):
            return
        if call.name in self.makers and self.program.kind[value] != 4:
            self.instantiate(call, value)
            return
        modules = [item for known in classes.order(value) for item in self.extended.get(known, ())]
        few = len(modules) <= _MOST_WATCHED
        for module in modules:
            known = few or classes.find(module, call.name) >= 0
            if known and classes.lookup(module, call.name, (self.on_member, call, value)):
                return
        if self._read_attribute(call, value, name):
            return
        if self.top_call(call, value, call.name):
            return
        if call.name == self.instance:  # of `Singleton`
            self.classes.instantiated.add(value)
            self.solver.add(call.result, value + self.scopes)
            return
        if call.flags & CallFlag.IMPLICIT or self.models.is_object_method(call.name):
            return
        self.unanswered.setdefault(value, []).append(call)
        classes.lookup(value, self.static(self.method_missing), (self._missing, call, value))

    def instantiate(self, call: Call, scope: int) -> None:
        key = -1 - scope
        if not call.once(key):
            return
        instance = scope + self.scopes
        self.classes.instantiated.add(scope)
        self.solver.add(call.result, instance)
        inner = Call(-1, call.scope, call.line, self.initialize, call.positional, call.keywords,
                     call.flags & CallFlag.BLOCK)  # fmt: skip
        if not self.classes.lookup(scope, self.initialize, (self.on_member, inner, instance)):
            self.objects.make(call, scope)
            self.solver.record(call.scope, scope, call.line)

    def top_call(self, call: Call, value: int, name: int) -> bool:
        """A method defined outside of any class: nearest first."""
        if not call.flags & CallFlag.SAFE_NAME and self.kind[value] != MODULE:
            return False
        found = self.top.get(name)
        if not found:
            return False
        here = self.program.file_of[call.scope]
        near = [slot for index, slot in found if index == here]
        if not near:
            required = self._reachable(here)
            near = [slot for index, slot in found if index in required]
        if not near and len(found) == 1:
            near = [found[0][1]]
        for slot in near:
            self.solver.listen(slot, (self.on_member, call, value))
        return bool(near)

    def _reachable(self, index: int) -> set[int]:
        seen, pending = {index}, [index]
        while pending:
            for target in self.imports.required.get(pending.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return seen

    def _call_super(self, call: Call, value: int) -> None:
        owner = self.program.owner_class(call.scope)
        if owner < 0:
            return
        kind = self.kind[value]
        if kind == INSTANCE:
            start, name = value - self.scopes, call.name
        elif kind == CLASS:
            start, name = value, self.static(call.name)
        else:
            return
        if owner not in self.classes.order(start):
            if kind == CLASS:  # an extended module: the class's own singleton method is behind
                self.classes.lookup(start, name, (self.on_member, call, value))
                return
            start = owner
        found = self.classes.lookup(start, name, (self.on_member, call, value), after=owner)
        if not found and kind == INSTANCE:
            if name == self.initialize:
                self.objects.make(call, start)
            else:
                self.objects.answer(call, value, start, name)
        if found or kind != CLASS:
            return
        for known in self.classes.order(start):
            for module in self.extended.get(known, ()):
                if self.classes.lookup(module, call.name, (self.on_member, call, value)):
                    return

    def _invoke(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self.kind[value] == FUNCTION:
            self.enter(call, value, receiver)
        else:
            self.call_value(call, value)

    def enter(self, call: Call, function: int, receiver: int) -> None:
        solver, program = self.solver, self.program
        if receiver >= 0:
            self._receive(function, receiver, call.result)
        if function in call.fired:
            return
        call.fired += solver.alone(function)
        if not (program.flags[function] & ScopeFlag.BLOCK or call.flags & CallFlag.QUIET):
            solver.record(call.scope, function, call.line)
        if call.result >= 0:
            solver.edge(program.ret[function], call.result)
        if call.positional or call.keywords:
            self.arguments.give(call, function)

    def _receive(self, function: int, receiver: int, result: int) -> None:
        this = self.program.this[function]
        if this < 0:
            return
        if this in self.solver.returned:
            self.solver.add(result, receiver)
        known = self.solver.points[this]
        if known is not None and len(known) >= _MOST_RECEIVERS:
            owner = self.program.owner_class(function)
            if owner >= 0 and self.kind[receiver] == INSTANCE:
                self.solver.add(this, owner + self.scopes)
        else:
            self.solver.add(this, receiver)

    # reading and writing

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        kind = self.kind[value]
        if kind == INSTANCE:
            self.classes.lookup(value - self.scopes, name, (self.solver.copy_to, target))
        elif kind == CLASS:
            both = (self.solver.copy_to, target)
            self.classes.lookup(value, self.static(name), both)
            if self.program.texts[name].startswith("@@"):
                self.classes.lookup(value, name, both)
        elif kind == MODULE:
            self.solver.edge(self.solver.field(value, name), target)
        elif kind == CONTAINER:
            self.models.load(value, name, target)

    def store(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        if source < 0:
            return
        kind, text = self.kind[value], self.program.texts[name]
        solver = self.solver
        if kind == INSTANCE:
            solver.edge(source, self.classes.declare(value - self.scopes, name))
        elif kind == CLASS:
            target = name if text.startswith("@@") else self.static(name)
            solver.edge(source, self.classes.declare(value, target))
        elif kind in (CONTAINER, MODULE):
            solver.edge(source, solver.field(value, name))

    def dynamic(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None:
        return

    # settling

    def settle(self, step: int) -> None:
        """Methods of a mixin that nobody calls run on the classes that include it."""
        if step == -1:
            self.imports.bind_inherited()
        if step != 0:
            return
        self.hooks.settle()
        self.models.settle()
        program, solver = self.program, self.solver
        for module, includers in sorted(self.classes.subclasses.items()):
            if program.kind[module] != 4 or len(includers) > _MOST_INCLUDERS:
                continue
            for slot in sorted(set((program.members[module] or {}).values())):
                for value in solver.points[slot] or ():
                    this = program.this[value] if value < self.scopes else -1
                    if this >= 0 and solver.points[this] is None:
                        for includer in includers:
                            solver.add(this, includer + self.scopes)


__all__: list[Any] = ["RubyRules"]
