"""The call graph of a project, resolved from facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from toolroll_codegraph.confidence import LIKELY, POSSIBLE
from toolroll_codegraph.facts import (
    PREFIX,
    FileFacts,
    ObjectKind,
    ScopeFlag,
    ScopeKind,
    numbers,
)
from toolroll_codegraph.facts.model import ImportRow, RelationRow
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.contexts import (
    MOST_MOVED,
    Contexts,
    Copies,
    SmallProgram,
    entered_copies,
    share_parameters,
)
from toolroll_codegraph.resolve.decorators import Decorators
from toolroll_codegraph.resolve.entering import load_facts, open_calls
from toolroll_codegraph.resolve.faults import Faults
from toolroll_codegraph.resolve.findings import told
from toolroll_codegraph.resolve.layout import ProjectLayout
from toolroll_codegraph.resolve.overrides import inherit_parameters
from toolroll_codegraph.resolve.program import (
    CLASS,
    Program,
)
from toolroll_codegraph.resolve.receivers import Receivers
from toolroll_codegraph.resolve.references import References, find_references
from toolroll_codegraph.resolve.rules import Rules
from toolroll_codegraph.resolve.shared import Place, kept_by_classes, shared_functions
from toolroll_codegraph.resolve.slots import MOST_VALUES, OutOfSlots
from toolroll_codegraph.resolve.solver import Solver
from toolroll_codegraph.resolve.types import DeclaredTypes
from toolroll_codegraph.resolve.unresolved import count_unresolved
from toolroll_codegraph.resolve.usage import UsageTypes
from toolroll_codegraph.resolve.web import Requests

_MOST_DEFINITIONS: Final = 64
"""So many functions and classes a slot may hold: tables of handlers are long."""
_LARGE: Final = 8_000
"""Scopes of a program in JavaScript whose slots hold no more functions than others: in one of
many, functions pass through so many hands that resolving it would take more than twice as long."""
_MOST_CONSTANTS: Final = 100_000
_MOST_STACKED: Final = 16
"""So many decorators may stand above one another and each have what the one below it returns."""


class CallGraph(msgspec.Struct, frozen=True):
    """What resolution found: edges between scopes and relations between files."""

    program: Program
    edges: dict[tuple[int, int], tuple[int, tuple[int, ...]]]
    """(caller, callee) → (confidence, call lines)."""
    imports: dict[tuple[int, int], int]
    """(importing file, imported file) → number of imported names."""
    standing: dict[tuple[int, int], tuple[tuple[int, ...], tuple[int, ...]]]
    """(caller, callee) → functions that the callee, which wraps them, is called for, and those for
    which the caller, which wraps them, calls: of the few calls that have any."""
    bases: dict[int, list[int]]
    """Class → the classes that it asks for what it lacks, nearest first."""
    extended: Mapping[int, Sequence[int]]
    """Class → the modules whose methods are its own, nearest first."""
    implemented: Mapping[int, Sequence[int]]
    """Protocol → the topmost classes that have all its members."""
    references: References
    """(who hands a function over, function) → lines."""
    unresolved: dict[int, int]
    """Caller → distinct callee texts that stay outside of the project or unknown."""


def resolve(
    files: Iterable[tuple[str, FileFacts]],
    layout: ProjectLayout | None = None,
    whole: int = 0,
    faults: Faults | None = None,
) -> CallGraph:
    """Resolve the calls of files in one family of languages.

    The order of files is part of the input, so sort them. Where they are a part of a program that
    has at least `whole` scopes, they are resolved within its bounds. With `faults` that are
    contained, what fails is left out and noted there.
    """
    small = SmallProgram()
    program = Program(small.keep(files), whole)
    if not program.facts:
        return CallGraph(program, {}, {}, {}, {}, {}, {}, {}, {})
    layout = layout or ProjectLayout()
    faults = faults or Faults()
    resolution = _Resolution(program, layout, faults)
    if whole or not small.files:
        return resolution.run()
    shared: dict[Place, list[Place]] = {}
    graph = resolution.run(shared)
    if resolution.solver.moves > MOST_MOVED:
        return graph
    contexts, later = Contexts(small, shared), resolution.rules.later(graph.edges)
    if not (contexts.copies or later):
        return graph
    with faults:
        again = _Resolution(Program(contexts.files()), layout, faults, contexts.copies)
        again.rules.earlier = later
        again.keep_in_classes(resolution.kept)
        edges = again.run().edges
        if again.complete:
            return msgspec.structs.replace(graph, edges=contexts.told(edges, program))
    return graph


def rules_of(family: str) -> Callable[[Solver, Classes, ProjectLayout], Rules]:
    """Import the rules of a family, which takes 0.1 s: others a worker need not know."""
    if family == "python":
        from toolroll_codegraph.resolve.python import PythonRules

        return PythonRules
    if family == "ruby":
        from toolroll_codegraph.resolve.ruby import RubyRules

        return RubyRules
    from toolroll_codegraph.resolve.javascript import JavaScriptRules

    return JavaScriptRules


class _Resolution:
    def __init__(
        self, program: Program, layout: ProjectLayout, faults: Faults, copies: Copies | None = None
    ) -> None:
        self.program = program
        self._copies = copies or {}
        self.kept: list[Place] = []
        """What `kept_by_classes` finds in the end."""
        self.complete = True
        """Whether values flowed until nothing changed."""
        large = program.family == "scripts" and program.size > _LARGE
        self.solver = Solver(program, MOST_VALUES if large else _MOST_DEFINITIONS, faults)
        self.classes = Classes(self.solver)
        self._types = DeclaredTypes(self.solver)
        self.receivers = Receivers(self.solver, self.classes)
        self.decorators = Decorators(self.solver)
        self.rules = self.solver.rules = rules_of(program.family)(self.solver, self.classes, layout)

    def run(self, shared: dict[Place, list[Place]] | None = None) -> CallGraph:
        """Resolve, and add to `shared` the functions in which values meet, with their calls.

        Nothing is added where not all values could flow.
        """
        solver, program = self.solver, self.program
        try:
            for step in self._steps():
                with solver.faults:
                    step()
        except OutOfSlots:
            self.complete = False
        if shared is not None and self.complete:
            with solver.faults:
                self.kept = kept_by_classes(solver)
                shared |= shared_functions(solver, self.kept)
        requests: Requests | None = None
        with solver.faults:
            requests = Requests(solver, self.classes)
            if self.complete:
                requests.flow()
        solver.stop()
        with solver.faults:
            if requests is not None:
                requests.find()
        del requests
        resolved = solver.resolved()
        references = find_references(solver, resolved)
        implemented = self.rules.implemented()
        self.classes.release()
        solver.release()
        imports: dict[tuple[int, int], int] = {}
        pairs = iter(self.rules.imports.found)
        for pair in zip(pairs, pairs, strict=True):
            imports[pair] = imports.get(pair, 0) + 1
        unresolved = count_unresolved(solver, resolved)
        solver.calls.clear()
        solver.operations.release()
        standing = solver.standing.told(program, solver.unwrapped)
        edges = told(solver.edges.grouped(), program)
        above = self.classes.joined(), self.rules.extended(), implemented
        return CallGraph(program, edges, imports, standing, *above, references, unresolved)

    def keep_in_classes(self, modules: Iterable[Place]) -> None:
        """Let each class have for itself what the methods of some modules keep in it."""
        base = self.program.scope_base
        self.solver.kept_by_classes = {base[index] + scope for index, scope in modules}

    def _steps(self) -> Iterator[Callable[[], object]]:
        """The phases in which values flow, one after another."""
        solver, program, copies = self.solver, self.program, self._copies
        yield self.receivers.find
        yield partial(load_facts, solver)
        yield self.decorators.find
        yield self._seed_classes
        yield solver.run
        yield self.decorators.pass_classes
        yield solver.run
        yield partial(self.rules.settle, -1)
        nothing: list[RelationRow] = []
        for facts in program.facts:
            facts.relations = nothing  # they are entered
        yield solver.run
        if copies:
            program.contexts = entered_copies(solver, copies)
        yield partial(open_calls, solver)
        yield self._seed_values
        yield solver.run
        yield solver.share
        yield self._settle_decorators
        yield self.rules.settle_wrappers
        yield solver.run
        solver.confidence = LIKELY
        if copies:
            yield partial(share_parameters, solver, copies)
        for step in range(3):
            yield partial(self._settle, step)
            yield solver.run
            if step == 0:
                yield solver.share
        solver.confidence = POSSIBLE
        yield partial(inherit_parameters, solver, self.classes)
        yield solver.run
        yield self.receivers.inherit
        yield solver.run
        yield self.receivers.read
        yield solver.run
        yield UsageTypes(solver, self.classes, self.rules).settle
        yield solver.run
        yield self.rules.finish
        yield partial(solver.misfits.settle, self.classes)

    def _settle_decorators(self) -> None:
        for _ in range(_MOST_STACKED):
            if not self.decorators.settle(last=False):
                break
            self.solver.run()
        self.decorators.settle(last=True)

    def _seed_classes(self) -> None:
        program, solver = self.program, self.solver
        classes = [scope for scope in range(program.scopes) if program.object_kind[scope] == CLASS]
        for scope in classes:
            solver.add(program.value[scope], program.canonical[scope])
        for scope, flags in enumerate(program.flags):
            if flags & ScopeFlag.REPLACES:
                solver.add(program.value[scope], scope)
        self.classes.watch(classes)
        solver.texts_flow = sum(len(it.constants) for it in program.facts) // 8 <= _MOST_CONSTANTS
        self.rules.prepare()
        nothing: list[ImportRow] = []
        for facts in program.facts:
            facts.imports = nothing  # they are bound

    def _seed_values(self) -> None:
        program, solver = self.program, self.solver
        for owner, name, source in solver.own_stores:
            solver.edge(source, self.classes.declare(owner, name))
        solver.own_stores.clear()
        for scope in range(program.scopes):
            kind = program.kind[scope]
            if kind == ScopeKind.FUNCTION or kind == ScopeKind.LAMBDA:
                solver.add(program.value[scope], scope)
        for index, facts in enumerate(program.facts):
            base, rename = program.slot_base[index], program.renames[index]
            items = iter(numbers(facts.objects))
            for slot, scope, kind in zip(items, items, items, strict=True):
                made = solver.literal(kind, slot + base)
                solver.add(slot + base, made)
                if kind == ObjectKind.GENERATOR:
                    solver.generators[made] = scope + program.scope_base[index]
            items = iter(numbers(facts.constants))
            for slot, name in zip(items, items, strict=True):
                if solver.texts_flow or program.texts[rename[name]].endswith(PREFIX):
                    solver.add(slot + base, solver.text(rename[name]))
            self._types.seed(index)
            facts.objects = facts.constants = b""

    def _settle(self, step: int) -> None:
        self.rules.settle(step)
        if step == 0:
            self.receivers.seed()
        elif step == 1:
            self._types.settle()
