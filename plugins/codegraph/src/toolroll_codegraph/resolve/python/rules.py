"""What Python adds to the solver: its semantics, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.kept import Kept
from toolroll_codegraph.resolve.layout import ProjectLayout
from toolroll_codegraph.resolve.python.abstract import PythonAbstract
from toolroll_codegraph.resolve.python.admin import PythonAdmin
from toolroll_codegraph.resolve.python.adopted import PythonAdopted
from toolroll_codegraph.resolve.python.annotated import PythonAnnotated
from toolroll_codegraph.resolve.python.applied import PythonApplied
from toolroll_codegraph.resolve.python.arguments import PythonArguments
from toolroll_codegraph.resolve.python.attributes import PythonAttributes
from toolroll_codegraph.resolve.python.callbacks import LOOKING
from toolroll_codegraph.resolve.python.caught import PythonCaught
from toolroll_codegraph.resolve.python.classes import PythonClasses
from toolroll_codegraph.resolve.python.conditions import PythonConditions
from toolroll_codegraph.resolve.python.declared import PythonDeclared
from toolroll_codegraph.resolve.python.dependencies import PythonDependencies
from toolroll_codegraph.resolve.python.descriptors import PythonDescriptors
from toolroll_codegraph.resolve.python.django import PythonDjango
from toolroll_codegraph.resolve.python.enumerations import PythonEnumerations
from toolroll_codegraph.resolve.python.fixtures import PythonFixtures
from toolroll_codegraph.resolve.python.forms import PythonForms
from toolroll_codegraph.resolve.python.guards import PythonGuards
from toolroll_codegraph.resolve.python.implementing import PythonImplementing
from toolroll_codegraph.resolve.python.imports import PythonImports
from toolroll_codegraph.resolve.python.inferring import PythonInferring
from toolroll_codegraph.resolve.python.inherited import PythonInherited
from toolroll_codegraph.resolve.python.keys import PythonKeys
from toolroll_codegraph.resolve.python.marks import PythonMarks
from toolroll_codegraph.resolve.python.members import PythonMembers
from toolroll_codegraph.resolve.python.mixins import PythonMixins
from toolroll_codegraph.resolve.python.models import PythonModels
from toolroll_codegraph.resolve.python.namespaces import PythonNamespaces
from toolroll_codegraph.resolve.python.naming import PythonNaming
from toolroll_codegraph.resolve.python.parametrized import PythonParametrized
from toolroll_codegraph.resolve.python.plain import PythonPlain
from toolroll_codegraph.resolve.python.protocols import PythonProtocols
from toolroll_codegraph.resolve.python.pydantic import PythonPydantic
from toolroll_codegraph.resolve.python.query_sets import PythonQuerySets
from toolroll_codegraph.resolve.python.records import PythonRecords
from toolroll_codegraph.resolve.python.results import PythonResults
from toolroll_codegraph.resolve.python.serving import served
from toolroll_codegraph.resolve.python.setting_off import PythonSettingOff
from toolroll_codegraph.resolve.python.spelled import PythonSpelled
from toolroll_codegraph.resolve.python.sqlalchemy import PythonSQLAlchemy
from toolroll_codegraph.resolve.python.substituting import PythonSubstituting
from toolroll_codegraph.resolve.python.supers import PythonSupers
from toolroll_codegraph.resolve.python.tasks import PythonTasks
from toolroll_codegraph.resolve.python.type_trees import PythonTypeTrees
from toolroll_codegraph.resolve.python.types import PythonTypes
from toolroll_codegraph.resolve.python.unanswered import PythonUnanswered
from toolroll_codegraph.resolve.python.visits import PythonVisits
from toolroll_codegraph.resolve.python.wrappers import PythonWrappers
from toolroll_codegraph.resolve.python.wrapping import PythonWrapping
from toolroll_codegraph.resolve.solver import Solver

_MOST_IMPLEMENTERS: Final = 50
"""A protocol that more classes have asks for what anything has."""


class PythonRules(PythonMembers):
    """Python's semantics over the solver: method resolution order, binding, protocols."""

    looking = LOOKING

    def __init__(self, solver: Solver, classes: Classes, layout: ProjectLayout) -> None:
        super().__init__(solver, classes)
        self.protocols = PythonProtocols(self)
        self.unanswered = PythonUnanswered(self)
        self.abstract = PythonAbstract(self)
        self.visits = PythonVisits(self)
        self.arguments = PythonArguments(self)
        self.imports = PythonImports(self, layout.directory)
        self.mixins = PythonMixins(self)
        self.query_sets = PythonQuerySets(self)
        self.django = PythonDjango(self)
        self.forms = PythonForms(self)
        self.admin = PythonAdmin(self)
        self.pydantic = PythonPydantic(self)
        self.sqlalchemy = PythonSQLAlchemy(self)
        self.fixtures = PythonFixtures(self)
        self.parametrized = PythonParametrized(self)
        self.tasks = PythonTasks(self)
        self.setting_off = PythonSettingOff(self)
        self.dependencies = PythonDependencies(self)
        self.records = PythonRecords(self)
        self.models = PythonModels(self)
        self.descriptors = PythonDescriptors(self)
        self.naming = PythonNaming(self)
        self.kinds = PythonClasses(self)
        self.enumerations = PythonEnumerations(self)
        self.wrapping = PythonWrapping(self)
        self.wrappers = PythonWrappers(self)
        self.plain = PythonPlain(self)
        self.marks = PythonMarks(self)
        self.types = PythonTypes(self)
        self.implementing = PythonImplementing(self)
        self.trees = PythonTypeTrees(self)
        self.applied = PythonApplied(self)
        self.substituting = PythonSubstituting(self)
        self.inferring = PythonInferring(self)
        self.guards = PythonGuards(self)
        self.declared = PythonDeclared(self)
        self.caught = PythonCaught(self)
        self.supers = PythonSupers(self)
        self.keys = PythonKeys(self)
        self.results = PythonResults(self)
        self.attributes = PythonAttributes(self)
        self.annotated = PythonAnnotated(self)
        self.namespaces = PythonNamespaces(self)
        self.conditions = PythonConditions(self)
        self.kept = Kept(solver, classes, self.init, pass_on=self.types.pass_on)
        self.inherited = PythonInherited(self)
        self.adopted = PythonAdopted(self)
        self._spelled = PythonSpelled(self)
        solver.setters |= {
            self.program.renames[index][name]
            for index, facts in enumerate(self.program.facts)
            for kind, _, name, _, _ in facts.relations
            if kind == "property"
        }

    def prepare(self) -> None:
        self.imports.bind()
        self.trees.read()
        self.guards.read()
        self.plain.find()
        self.kinds.watch()
        self.visits.find()
        self.wrappers.find()

    def dynamic(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None:
        self.keys.reach(value, key, result, source, attribute, scope)

    def handed(self) -> Iterator[tuple[int, int, int, int]]:
        return chain(self._spelled.told(), self.setting_off.told())

    def is_framed(self, scope: int) -> bool:
        return self.plain.of_class(scope) is None or self.setting_off.runs(scope)

    def implemented(self) -> Mapping[int, Sequence[int]]:
        found = {it: self.implementing.of(it) for it in self.kinds.protocols()}
        return {it: known for it, known in found.items() if 0 < len(known) <= _MOST_IMPLEMENTERS}

    def served(self, view: int, verb: str, *, inherited: bool) -> list[int]:
        return served(self, view, verb, inherited=inherited) if self.is_framed(view) else []

    def is_made(self, scope: int) -> bool:
        return not self.kinds.is_protocol(scope)

    def settle_wrappers(self) -> None:
        self.wrapping.settle()

    def finish(self) -> None:
        self.wrappers.finish()

    def settle(self, step: int) -> None:
        """Use weaker evidence where the flow of values says nothing."""
        if step < 0:
            self.kinds.make()
            self.django.make()
            self.enumerations.make()
            self.applied.find()
            self.types.find()
            self.substituting.read()
            self.inferring.read()
            self.guards.find()
            self.declared.find()
            self.results.find()
            self.attributes.find()
            self.descriptors.find()
            self.naming.find()
            self.annotated.find()
            self.kept.find()
            self.inherited.find()
            self.annotated.keep()
        else:  # each step brings receivers whose containers are read
            self.keys.settle()
            if step == 0:
                self.arguments.give_defaults()
            self.arguments.settle()
            if step == 2:
                self.protocols.settle()
            self.models.generics.settle(last=step > 0)
            if step > 0:
                self.models.defaults.settle()
            self.unanswered.settle()
            self.caught.settle()
            if step == 0:
                self.records.settle()
                self.sqlalchemy.settle()
                self.forms.settle()
                self.admin.settle()
                self.fixtures.settle()
                self.tasks.settle()
                self.adopted.settle()
                self.inherited.settle()
        if step == 2:
            self.pydantic.settle()
            self.dependencies.settle()
            self.conditions.settle()
            self.abstract.settle()
        if step > 0:
            self.substituting.settle()
        self.inferring.settle(step)
        if step == 1:
            self.wrappers.pass_on()
            self.types.settle()
            self.guards.settle()
            self.declared.settle()
            self.marks.settle()
            self.kept.settle()
