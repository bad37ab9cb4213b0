"""Which method a call on a Ruby object or class means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.ruby.entering import RubyEntering
from toolroll_codegraph.resolve.ruby.extensions import RubyExtensions
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolroll_codegraph.resolve.ruby.components import RubyComponents
    from toolroll_codegraph.resolve.ruby.constants import RubyConstants
    from toolroll_codegraph.resolve.ruby.core_ancestors import RubyCoreAncestors
    from toolroll_codegraph.resolve.ruby.library import RubyLibrary
    from toolroll_codegraph.resolve.ruby.making import RubyMaking
    from toolroll_codegraph.resolve.ruby.missing import RubyMissing
    from toolroll_codegraph.resolve.ruby.objects import RubyObjects
    from toolroll_codegraph.resolve.ruby.protocols import RubyProtocols
    from toolroll_codegraph.resolve.ruby.rails import RubyRails
    from toolroll_codegraph.resolve.ruby.refinements import RubyRefinements
    from toolroll_codegraph.resolve.ruby.reflection import RubyReflection
    from toolroll_codegraph.resolve.ruby.supers import RubySuper
    from toolroll_codegraph.resolve.ruby.toplevel import RubyTopLevel
    from toolroll_codegraph.resolve.ruby.unanswered import RubyUnanswered


class RubyDispatch(RubyEntering):
    """Ancestors with mixins, singleton methods, accessors, and who answers where these do not.

    Singleton methods are kept beside instance methods under their name with a dot before it.
    """

    components: RubyComponents
    core_ancestors: RubyCoreAncestors
    imports: RubyConstants
    library: RubyLibrary
    making: RubyMaking
    missing: RubyMissing
    objects: RubyObjects
    protocols: RubyProtocols
    rails: RubyRails
    refinements: RubyRefinements
    supers: RubySuper
    reflection: RubyReflection
    toplevel: RubyTopLevel
    unanswered: RubyUnanswered

    def __init__(self, solver: Solver, classes: Classes) -> None:
        super().__init__(solver, classes)
        name = solver.program.name
        self.equalities = frozenset((name("=="), name("==="), name("!="), name("!")))
        """What any class answers itself."""
        self.extensions = RubyExtensions(classes)
        self.attributes: dict[int, dict[int, tuple[int, bool]]] = {}
        """Name of an accessor → class → (instance variable, whether it writes)."""
        self.withdrawn: dict[int, set[int]] = {}
        """Name → the slots of the members under it that classes have undefined."""

    def extended(self) -> Mapping[int, Sequence[int]]:
        return self.extensions.joined()

    def instance_call(self, call: Call, value: int, name: int) -> bool:
        """Look a method up in the ancestors, then among the ways a missing one is answered."""
        scope = value - self.scopes
        classes = self.classes
        if self.refinements.of_class and self.refinements.answer(call, value, scope, name):
            return True
        if name in self.withdrawn and classes.find(scope, name) in self.withdrawn[name]:
            return self.missing.call(call, value, scope, name)
        if self.read_attribute(call, scope, name):
            return True
        if classes.lookup(scope, name, (self.on_member, call, value)):
            return True
        if name in self.objects.forwarded and self.objects.forward(call, value, name):
            return True
        if self.protocols.protocol(call, value, scope, name):
            return True
        if self.toplevel.call(call, value, name) or self.objects.answer(call, value, scope, name):
            return True
        if self.library.of_instance(call, scope):
            return True
        if call.flags & CallFlag.IMPLICIT or self.objects.is_known_elsewhere(call, scope, name):
            return False
        if self.active_records.fixture(call, scope):
            return True
        if name in self.components.words and self.components.fill(call, value):
            return True
        return self.missing.call(call, value, scope, name)

    def class_call(self, call: Call, value: int) -> None:
        """Look a singleton method up, then among what Ruby's own classes answer."""
        name = self.static(call.name)
        classes = self.classes
        found = (self.on_member, call, value)
        module = self.extensions.nearest(value, call.name, name)
        if module >= 0 and classes.lookup(module, call.name, found):
            return
        if self.read_attribute(call, value, name) or classes.lookup(value, name, found):
            return
        if name in self.objects.forwarded and self.objects.forward(call, value, name):
            return
        if self.making.answer(call, value) or self.ask_extended(call, value):
            return
        if self.toplevel.call(call, value, call.name) or self.protocols.of_class(call, value):
            return
        if self.core_ancestors.make(call, value) or self.library.of_class(call, value):
            return
        if self.making.answer_instance(call, value) or self.active_records.call(call, value):
            return
        if self.rails.call(call, value):
            return
        if call.name in self.components.words and self.components.fill(call, value):
            return
        if self.reflection.is_object_method(call.name):
            return
        if call.flags & CallFlag.IMPLICIT:  # of an operator that a module may have
            if call.name not in self.equalities and classes.definers(call.name):
                self.unanswered.add(call, value)
            return
        self.unanswered.add(call, value)
        self.unanswered.call_missing(call, value)

    def read_attribute(self, call: Call, scope: int, name: int, after: int = -1) -> bool:
        """Read or write what an accessor is for, unless a method comes before it."""
        owners, order = self.attributes.get(name), self.classes.order(scope)
        if owners is None or owners.keys().isdisjoint(order):
            return False
        for known in order[order.index(after) + 1 :] if after in order else order:
            found = owners.get(known)
            if found is not None:
                self._use_variable(call, scope, known, *found)
                call.once(-3 - known)
                return True
            if name in (self.program.members[known] or ()):
                break
        return False

    def attribute_read(self, owner: int, name: int) -> int:
        owners = self.attributes.get(name)
        if owners is None:
            return -1
        for known in self.classes.order(owner):
            field, writes = owners.get(known, (-1, False))
            if field >= 0 and not writes:
                return field
            if name in (self.program.members[known] or ()):
                break
        return -1

    def _use_variable(self, call: Call, scope: int, owner: int, field: int, writes: bool) -> None:
        """Read or write what an accessor of one class is for, which a class below it may have."""
        classes, solver = self.classes, self.solver
        having = classes.definers(field)
        shared = not having or (owner in having and len(having) == 1)
        slot = classes.declare(owner, field) if shared else classes.find(scope, field)
        if not writes and not shared:
            classes.lookup(scope, field, (solver.copy_to, call.result))
        elif not writes:
            solver.edge(slot, call.result)
        elif call.positional:
            slot = classes.declare(owner, field) if slot < 0 else slot
            if not self.kept.gives(call.positional[0], slot):
                solver.edge(call.positional[0], slot)

    def ask_extended(self, call: Call, value: int) -> bool:
        """Call what a module that extends the class has now, a method or an accessor."""
        for module in self.extensions.having(value, call.name):
            if self.classes.lookup(module, call.name, (self.on_member, call, value)):
                return True
        return call.name in self.attributes and self.extended_attribute(call, value)

    def extended_attribute(self, call: Call, value: int) -> bool:
        """Read or write the class's variable that an accessor of a module extending it is for."""
        owners = self.attributes[call.name]
        for module in self.extensions.of(value):
            for known in self.classes.order(module):
                if known in owners:
                    field, writes = owners[known]
                    if not writes:
                        self.load(value, field, call.result, call.scope, call.line)
                    elif call.positional:
                        self.store(value, field, call.positional[0], call.scope, call.line)
                    return True
        return False

    def extended_call(self, call: Call, value: int) -> None:
        """A call of a method that only a module extending the class has, now or later."""
        if not self.ask_extended(call, value):
            self.unanswered.add(call, value)
