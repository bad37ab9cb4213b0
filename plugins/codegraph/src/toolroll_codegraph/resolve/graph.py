"""The call graph of a project, resolved from facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attrs import field, frozen

from toolroll_codegraph.facts import CallFlag, FileFacts, ScopeFlag, ScopeKind, numbers
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.layout import ProjectLayout
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, Program
from toolroll_codegraph.resolve.solver import CERTAIN, LIKELY, POSSIBLE, Listener, Rules, Solver

CONFIDENCES: Final = {CERTAIN: "high", LIKELY: "medium", POSSIBLE: "low"}
_MOST_CONSTANTS: Final = 60_000
_MOST_WRAPPERS: Final = 4


@frozen
class CallGraph:
    """What resolution found: edges between scopes and relations between files."""

    program: Program
    edges: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = field(repr=False)
    """(caller, callee) → (confidence, call lines)."""
    imports: dict[tuple[int, int], int] = field(repr=False)
    """(importing file, imported file) → number of imported names."""
    unresolved: dict[int, int] = field(repr=False)
    """Caller → distinct callee texts that stay outside of the project or unknown."""


def resolve(
    files: Iterable[tuple[str, FileFacts]], layout: ProjectLayout | None = None
) -> CallGraph:
    """Resolve the calls of a project; the order of files is part of the input, so sort them."""
    return _Resolution(Program(files), layout or ProjectLayout()).run()


class _Resolution:
    def __init__(self, program: Program, layout: ProjectLayout) -> None:
        self.program = program
        self.solver = Solver(program)
        self.classes = Classes(self.solver)
        self.receivers: dict[int, int] = {}
        """What a method's receiver is if no call tells."""
        self.decorators: list[int] = []
        languages = {facts.language for facts in program.facts}
        if "python" in languages:
            from toolroll_codegraph.resolve.python_rules import PythonRules

            self.solver.rules["python"] = PythonRules(self.solver, self.classes)
        if "ruby" in languages:
            from toolroll_codegraph.resolve.ruby_rules import RubyRules

            self.solver.rules["ruby"] = RubyRules(self.solver, self.classes)
        if languages & {"javascript", "typescript"}:
            from toolroll_codegraph.resolve.javascript_rules import JavaScriptRules

            shared = JavaScriptRules(self.solver, self.classes, layout)
            self.solver.rules["javascript"] = self.solver.rules["typescript"] = shared

    def run(self) -> CallGraph:
        solver, program = self.solver, self.program
        self._find_receivers()
        solver.load_facts()
        self._seed_classes()
        solver.run()
        for rules in self._distinct_rules():
            rules.settle(-1)
        solver.run()
        solver.load_calls()
        self._seed_values()
        solver.run()
        self.decorators = [
            identifier
            for identifier, row in enumerate(solver.call_rows)
            if row[7] & CallFlag.DECORATOR and row[5] and row[5][0] >= 0
        ]
        for last in (False, False, True):
            self._settle_decorators(last)
            solver.run()
        solver.confidence = LIKELY
        for step in range(3):
            self._settle(step)
            solver.run()
        edges = {
            divmod(key, program.scopes): (row[0], tuple(sorted(row[1:])))
            for key, row in sorted(solver.edges.items())
        }
        imports: dict[tuple[int, int], int] = {}
        for rules in self._distinct_rules():
            for source, target, count in rules.imports.found:
                imports[source, target] = imports.get((source, target), 0) + count
        return CallGraph(program, edges, imports, self._count_unresolved())

    def _distinct_rules(self) -> list[Rules]:
        """JavaScript and TypeScript share theirs."""
        return list({id(rules): rules for _, rules in sorted(self.solver.rules.items())}.values())

    def _find_receivers(self) -> None:
        """A method's receiver slot belongs to its class: stores through it need no flow."""
        program, owner = self.program, self.solver.this_owner
        for scope in range(program.scopes):
            this = program.this[scope]
            if this < 0:
                continue
            flags = program.flags[scope]
            parent = program.parent[scope]
            ruby = program.facts[program.file_of[scope]].language == "ruby"
            if program.kind[scope] == ScopeKind.CLASS and not ruby:
                owner[this] = scope
                self.receivers[this] = scope + program.scopes
            elif ruby and not flags & ScopeFlag.METHOD:
                if program.kind[scope] == ScopeKind.FUNCTION:  # the main object's
                    self.receivers[this] = program.scope_base[program.file_of[scope]]
            elif flags & ScopeFlag.METHOD and not flags & ScopeFlag.STATIC:
                known = program.canonical[program.owner_class(parent) if ruby else parent]
                if program.object_kind[known] != CLASS:
                    continue
                if flags & (ScopeFlag.CLASSMETHOD | ScopeFlag.SINGLETON):
                    self.receivers[this] = known
                else:
                    owner[this] = known
                    self.receivers[this] = known + program.scopes

    def _seed_classes(self) -> None:
        program, solver = self.program, self.solver
        classes = [scope for scope in range(program.scopes) if program.object_kind[scope] == CLASS]
        for scope in classes:
            solver.add(program.value[scope], program.canonical[scope])
        self.classes.watch(classes)
        for rules in self._distinct_rules():
            rules.prepare()

    def _seed_values(self) -> None:
        program, solver = self.program, self.solver
        for owner, name, source in solver.own_stores:
            solver.edge(source, self.classes.declare(owner, name))
        for scope in range(program.scopes):
            kind = program.kind[scope]
            if kind == ScopeKind.FUNCTION or kind == ScopeKind.LAMBDA:
                solver.add(program.value[scope], scope)
        constants = sum(len(facts.constants) for facts in program.facts) // 8
        for index, facts in enumerate(program.facts):
            base, rename = program.slot_base[index], program.renames[index]
            items = iter(numbers(facts.objects))
            for slot, _, kind in zip(items, items, items, strict=True):
                solver.add(slot + base, solver.make(CONTAINER, kind, "literal", slot + base))
            if constants <= _MOST_CONSTANTS:
                items = iter(numbers(facts.constants))
                for slot, name in zip(items, items, strict=True):
                    solver.add(slot + base, solver.text(rename[name]))
            items = iter(numbers(facts.types))
            for slot, known, certain in zip(items, items, items, strict=True):
                if certain:
                    solver.listen(known + base, (self._on_type, slot + base))

    def _on_type(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.solver.add(listener[1], value + self.program.scopes)

    def _settle_decorators(self, last: bool) -> None:
        """Decide what a decorated name means: a wrapper the decorator is known to return, or else
        the decorated function itself (decorators from outside, and those that return it).
        """
        solver, program = self.solver, self.program
        waiting: list[int] = []
        for identifier in self.decorators:
            row = solver.call_rows[identifier]
            base = program.slot_base[solver.call_file[identifier]]
            call = solver.calls[identifier]
            source, target = row[5][0] + base, row[0] + base
            found = solver.points[solver.decorated[identifier]] if call is not None else None
            if found:
                own = solver.points[source] or ()
                same = len(found) > _MOST_WRAPPERS or any(value in found for value in own)
                solver.edge(source if same else solver.decorated[identifier], target)
            elif last or call is None or not any(item >= 0 for item in call.fired):
                solver.edge(source, target)
            else:
                waiting.append(identifier)
        self.decorators = waiting

    def _settle(self, step: int) -> None:
        solver, program = self.solver, self.program
        for rules in self._distinct_rules():
            rules.settle(step)
        if step == 0:
            unknown = [this for this in self.receivers if solver.points[this] is None]
            for this in unknown:
                solver.add(this, self.receivers[this])
            return
        if step != 1:
            return
        for index, facts in enumerate(program.facts):
            base = program.slot_base[index]
            items = iter(numbers(facts.types))
            for slot, known, certain in zip(items, items, items, strict=True):
                if not certain and solver.points[slot + base] is None:
                    solver.listen(known + base, (self._on_type, slot + base))

    def _count_unresolved(self) -> dict[int, int]:
        """Distinct texts of calls that reached nothing of the project, for each caller."""
        solver, program = self.solver, self.program
        seen: set[tuple[int, int, int]] = set()
        counts: dict[int, int] = {}
        for identifier, row in enumerate(solver.call_rows):
            if row[7] & CallFlag.IMPLICIT:
                continue
            call = solver.calls[identifier]
            if call is not None and any(0 <= item < program.scopes for item in call.fired):
                continue
            index = solver.call_file[identifier]
            caller = program.caller[row[1] + program.scope_base[index]]
            key = (caller, program.renames[index][row[4]] if row[4] >= 0 else -1, row[3])
            if key not in seen:
                seen.add(key)
                counts[caller] = counts.get(caller, 0) + 1
        return counts
