"""What tests of classes leave: `issubclass`, and functions that return a `TypeGuard` or `TypeIs`.

Source: PEP 647 and PEP 742. Where a `TypeIs` does not hold its argument is of no such type; a
`TypeGuard` tells nothing then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonGuards(PythonFeature):
    """Values that go on as far as a test admits them."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._guards: dict[int, tuple[int, bool]] = {}
        """Function → (tree of what its argument is, whether it is not where it does not hold)."""
        self._asked: dict[int, list[int]] = {}
        """Slot of what is a subclass → slots of the classes."""

    def read(self) -> None:
        """Note such functions, which are known before anything is called."""
        for index, facts in enumerate(self.program.facts):
            base, scopes = self.program.slot_base[index], self.program.scope_base[index]
            for kind, scope, exact, tree, _ in facts.relations:
                if kind == "guards":
                    self._guards[scope + scopes] = tree + base, bool(exact)
                    self.solver.add(self.program.value[scope + scopes], scope + scopes)

    def find(self) -> None:
        """Follow what is tested; the names of functions that test are known by now."""
        for index, facts in enumerate(self.program.facts):
            base = self.program.slot_base[index]
            for kind, known, fails, target, source in facts.relations:
                if kind == "guarded":
                    self._guard(known + base, bool(fails), target + base, source + base)
                elif kind == "subclass":
                    if not fails:
                        self._asked.setdefault(target + base, []).append(known + base)
                    test = self._on_class, known + base, bool(fails), target + base
                    self.solver.listen(source + base, test)

    def _guard(self, known: int, fails: bool, target: int, source: int) -> None:
        solver = self.solver
        found = [self._guards[it] for it in solver.points[known] or () if it in self._guards]
        told = [tree for tree, exact in found if exact or not fails]
        solver.narrowed.setdefault(source, []).append(target)
        if len(told) == len(found) == 1:
            handle = self._on_refused if fails else self._on_guarded
            solver.listen(source, (handle, told[0], target))
            if not fails:
                self.rules.substituting.tell_later(target, told[0])
        else:
            solver.whole[target] = solver.whole.get(source, source)
            solver.edge(source, target)

    @handler
    def _on_guarded(self, value: int, listener: Listener) -> None:
        tree: int = listener[1]
        kind, trees = self.solver.kind[value], self.rules.trees
        named = all(trees.form(it) == -1 and trees.classes_named(it) for it in trees.leaves(tree))
        if named and kind in (CONTAINER, TEXT, FUNCTION):  # of no class of the project's
            return
        self.rules.substituting.let(value, tree, 0, listener[2])

    @handler
    def _on_refused(self, value: int, listener: Listener) -> None:
        scope, trees = value - self.program.scopes, self.rules.trees
        known = [it for leaf in trees.leaves(listener[1]) for it in trees.classes_named(leaf)]
        is_object = self.solver.kind[value] == INSTANCE and scope < self.program.scopes
        if not is_object or not any(it in self.rules.classes.order(scope) for it in known):
            self.solver.add(listener[2], value)

    @handler
    def _on_class(self, value: int, listener: Listener) -> None:
        """Let on what is a subclass of what a slot has, or what is none."""
        part: int = listener[1]
        fails: bool = listener[2]
        target: int = listener[3]
        is_class, order = self.solver.kind[value] == CLASS, self.rules.classes.order
        bases = [it for it in self.solver.points[part] or () if self.solver.kind[it] == CLASS]
        holds = is_class and (not bases or any(it in order(value) for it in bases))
        if fails:
            if not holds or not bases:
                self.solver.add(target, value)
        elif holds:
            self.solver.add(target, value)
        elif is_class:
            for base in bases:
                if value in order(base):  # it stands for those below it
                    self.solver.add(target, base)

    def settle(self) -> None:
        """Let what is a subclass be the class itself where nothing else is known of it."""
        kind = self.solver.kind
        for target, parts in self._asked.items():
            if not any(kind[value] == CLASS for value in self.solver.points[target] or ()):
                for base in (it for part in parts for it in self.solver.points[part] or ()):
                    if kind[base] == CLASS:
                        self.solver.add(target, base)
        self._asked.clear()
