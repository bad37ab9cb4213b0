"""How Ruby objects answer calls, reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import OBJECT_BITS, Call, Listener
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.kept import Kept
from toolroll_codegraph.resolve.layout import ProjectLayout
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    MODULE,
    TEXT,
)
from toolroll_codegraph.resolve.ruby.active_records import RubyActiveRecords
from toolroll_codegraph.resolve.ruby.arguments import RubyArguments
from toolroll_codegraph.resolve.ruby.checks import RubyChecks
from toolroll_codegraph.resolve.ruby.collections import RubyCollections
from toolroll_codegraph.resolve.ruby.components import RubyComponents
from toolroll_codegraph.resolve.ruby.constants import RubyConstants
from toolroll_codegraph.resolve.ruby.containers import RubyContainers
from toolroll_codegraph.resolve.ruby.conversions import RubyConversions
from toolroll_codegraph.resolve.ruby.core_ancestors import RubyCoreAncestors
from toolroll_codegraph.resolve.ruby.core_methods import ENUMERABLE
from toolroll_codegraph.resolve.ruby.declarations import RubyDeclarations
from toolroll_codegraph.resolve.ruby.dispatch import RubyDispatch
from toolroll_codegraph.resolve.ruby.enumerators import RubyEnumerators
from toolroll_codegraph.resolve.ruby.evaluation import RubyEvaluation
from toolroll_codegraph.resolve.ruby.folding import RubyFolding
from toolroll_codegraph.resolve.ruby.gaps import RubyGaps
from toolroll_codegraph.resolve.ruby.hooks import RubyHooks
from toolroll_codegraph.resolve.ruby.iteration import RubyIteration
from toolroll_codegraph.resolve.ruby.library import RubyLibrary
from toolroll_codegraph.resolve.ruby.making import RubyMaking
from toolroll_codegraph.resolve.ruby.membership import RubyMembership
from toolroll_codegraph.resolve.ruby.missing import RubyMissing
from toolroll_codegraph.resolve.ruby.named_members import RubyNamedMembers
from toolroll_codegraph.resolve.ruby.names import RubyNames
from toolroll_codegraph.resolve.ruby.objects import RubyObjects
from toolroll_codegraph.resolve.ruby.operands import RubyOperands
from toolroll_codegraph.resolve.ruby.procedures import COMPOSED, CURRIED, RubyProcedures
from toolroll_codegraph.resolve.ruby.protocols import RubyProtocols
from toolroll_codegraph.resolve.ruby.rails import RubyRails
from toolroll_codegraph.resolve.ruby.raising import RubyRaising
from toolroll_codegraph.resolve.ruby.refinements import RubyRefinements
from toolroll_codegraph.resolve.ruby.reflection import RubyReflection
from toolroll_codegraph.resolve.ruby.relations import RubyRelations
from toolroll_codegraph.resolve.ruby.rendering import RubyRendering
from toolroll_codegraph.resolve.ruby.reopened import RubyReopened
from toolroll_codegraph.resolve.ruby.replaced import Replaced, RubyReplaced
from toolroll_codegraph.resolve.ruby.results import RubyResults
from toolroll_codegraph.resolve.ruby.rivals import RubyRivals
from toolroll_codegraph.resolve.ruby.structs import RubyStructs
from toolroll_codegraph.resolve.ruby.supers import RubySuper
from toolroll_codegraph.resolve.ruby.texts import RubyTexts
from toolroll_codegraph.resolve.ruby.toplevel import RubyTopLevel
from toolroll_codegraph.resolve.ruby.unanswered import RubyUnanswered
from toolroll_codegraph.resolve.ruby.uncalled import LARGE, RubyUncalled
from toolroll_codegraph.resolve.ruby.variables import RubyVariables
from toolroll_codegraph.resolve.ruby.views import RubyViews
from toolroll_codegraph.resolve.ruby.wrapping import RubyWrapping
from toolroll_codegraph.resolve.solver import Solver

_FEW_VALUES: Final = 8
"""So many values weaker evidence gives a slot of such a program. All of Rails' tests together fill
two slots in three with whatever they hold; of the calls these led to, most were wrong."""


class RubyRules(RubyDispatch):
    """The solver's view of Ruby: what a value does when it is called, read or written."""

    common = ENUMERABLE

    def __init__(self, solver: Solver, classes: Classes, _: ProjectLayout) -> None:
        super().__init__(solver, classes)
        name = solver.program.name
        self.call_name, self.each, self.compare = name("call"), name("each"), name("<=>")
        self.imports = RubyConstants(solver, classes)
        self.folding = RubyFolding(self)
        self.containers = RubyContainers(self)
        self.library = RubyLibrary(self)
        self.procedures = RubyProcedures(self)
        self.protocols = RubyProtocols(self)
        self.conversions = RubyConversions(self)
        self.operands = RubyOperands(self)
        self.enumerators = RubyEnumerators(self)
        self.named_members = RubyNamedMembers(self)
        self.reflection = RubyReflection(self)
        self.names = RubyNames(self)
        self.gaps = RubyGaps(self)
        self.iteration = RubyIteration(self)
        self.hooks = RubyHooks(self)
        self.reopened = RubyReopened(self)
        self.evaluation = RubyEvaluation(self)
        self.checks = RubyChecks(self)
        self.membership = RubyMembership(self)
        self.refinements = RubyRefinements(self)
        self.making = RubyMaking(self)
        self.missing = RubyMissing(self)
        self.texts = RubyTexts(self)
        self.toplevel = RubyTopLevel(self)
        self.unanswered = RubyUnanswered(self)
        self.uncalled = RubyUncalled(self)
        self.supers = RubySuper(self)
        self.structs = RubyStructs(self)
        self.collections = RubyCollections(self)
        self.objects = RubyObjects(self)
        self.arguments = RubyArguments(solver)
        self.raising = RubyRaising(self)
        self.results = RubyResults(self)
        self.declarations = RubyDeclarations(self)
        self.wrapping = RubyWrapping(self)
        self.replaced = RubyReplaced(self)
        self.variables = RubyVariables(self)
        self.kept = Kept(
            solver, classes, self.making.initialize, implicit=True, written=self.variables.written
        )
        self.rivals = RubyRivals(self)
        self.active_records = RubyActiveRecords(self)
        self.core_ancestors = RubyCoreAncestors(self)
        self.rails = RubyRails(self)
        self.views = RubyViews(self)
        self.rendering = RubyRendering(self)
        self.components = RubyComponents(self)

    def prepare(self) -> None:
        self.solver.telling = self.classes.names()
        RubyRelations(self).read()
        self.replaced.take(self.earlier)
        self.texts.prepare()

    def later(self, edges: Mapping[tuple[int, int], object]) -> list[Replaced]:
        return self.replaced.told(edges)

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
                inner = self.procedures.on_behalf(call, call.result, call.positional[1:], name)
                inner.flags &= ~CallFlag.IMPLICIT  # it is written down
                self.solver.listen(call.positional[0], (self.on_receiver, inner))
        elif kind == CONTAINER and self.solver.detail[value][0] == CURRIED:
            self.procedures.call_curried(call, value)
        elif kind == CONTAINER and self.solver.detail[value][0] == COMPOSED:
            self.procedures.call_composed(call, value)
        elif kind == CONTAINER:  # an enumerator: what is yielded is inside
            if call.positional and call.positional[0] >= 0:
                inside = self.solver.field(value, self.containers.any_key)
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

    def on_receiver(self, value: int, listener: Listener) -> None:
        self.call_method(listener[1], value)

    def call_method(self, call: Call, value: int) -> None:
        kind, answers = self.kind[value], self.reflection.answers
        if call.flags & CallFlag.SUPER:
            self.supers.call(call, value)
        elif kind == INSTANCE:
            if call.name in self.texts.asking:
                call = self.texts.asked(call)
            if call.name not in answers or not self.reflection.object_method(call, value):
                self.instance_call(call, value, call.name)
        elif kind == CLASS:
            if call.name not in answers or not self.reflection.object_method(call, value):
                self.class_call(call, value)
        elif kind == MODULE:
            if not self.reflection.object_method(call, value):
                self.toplevel.call_outside(call, value)
        elif kind in (FUNCTION, BOUND):
            self.procedures.function_method(call, value)
            if self.reopened.procs:
                self.reopened.call(call, value)
        elif kind == CONTAINER:
            if self.solver.detail[value][0] == ObjectKind.RECORD:  # `Object.new`
                self.objects.call_plain(call, value)
                return
            if self.solver.detail[value][0] in (CURRIED, COMPOSED):
                self.procedures.function_method(call, value)
                return
            if value == self.texts.any:
                self.texts.method_of_any(call)
            else:
                self.containers.container_method(call, value)
            self.reopened.call(call, value)
        elif kind == TEXT:
            self.texts.method(call, value)
            self.reopened.call(call, value)

    # reading and writing

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        kind = self.kind[value]
        if kind == INSTANCE:
            both, owner = (self.solver.copy_to, target), value - self.scopes
            self.classes.lookup(owner, name, both)
            if owner in self.views.controllers:
                self.classes.lookup(self.views.controllers[owner], name, both)
        elif kind == CLASS:
            both = (self.solver.copy_to, target)
            self.classes.lookup(value, self.static(name), both)
            for module in self.extensions.asked(value, name):  # whose methods set it
                self.classes.lookup(module, name, both)
            if self.program.texts[name].startswith("@@"):
                self.classes.lookup(value, name, both)
        elif kind == MODULE:
            self.solver.edge(self.solver.field(value, name), target)
        elif kind == CONTAINER:
            self.containers.load(value, name, target)

    def store(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        if source < 0:
            return
        kind, text = self.kind[value], self.program.texts[name]
        solver = self.solver
        if kind == INSTANCE:
            owner = value - self.scopes
            if text.startswith("@"):  # one of the object, whatever class it has got
                owner = self.objects.singles.get(owner, owner)
            solver.edge(source, self.classes.declare(owner, name))
        elif kind == CLASS:
            target = name if text.startswith("@@") else self.static(name)
            solver.edge(source, self.classes.declare(value, target))
        elif kind in (CONTAINER, MODULE):
            solver.edge(source, solver.field(value, name))

    # settling

    def settle(self, step: int) -> None:
        """Use weaker evidence, one step after the other."""
        if step == -1:
            self.imports.bind_inherited()
            self.protocols.find()
            self.core_ancestors.join()
            self.collections.find()
            self.active_records.find()
            self.rails.find()
            self.views.find()
            self.components.find()
            self.hooks.run_early()
            self.reopened.grow()
            self.iteration.settle(nameless=True)
            self.kept.find()
            self.variables.find()
            self.rivals.find()
            self.results.find()
        if step == 1:
            self.declarations.settle()
            self.kept.settle()
            self.variables.settle()
        if step != 0:
            return
        if self.program.size > LARGE:
            self.solver.narrow_to(_FEW_VALUES)
        self.procedures.settle()
        self.wrapping.settle()
        self.making.settle()
        self.objects.settle()
        self.missing.settle()
        self.membership.settle()
        self.gaps.settle()
        self.iteration.settle(nameless=False)
        self.raising.settle()
        self.folding.settle()
        self.hooks.settle()
        self.results.settle()
        self.named_members.settle()
        self.views.settle()
        self.rendering.settle()
        self.uncalled.run()
