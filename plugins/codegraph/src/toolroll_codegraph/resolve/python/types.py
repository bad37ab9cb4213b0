"""What the source says about classes of values: annotations, and checks with `isinstance`.

An annotation that names all the classes a value may have keeps out what reaches it only because
paths that never meet in a run meet in the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import TypeHint
from toolroll_codegraph.resolve.calls import Handler, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.python.discovery import ASKS, DISCOVERED, MARKED, PythonDiscovered
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolroll_codegraph.resolve.python.rules import PythonRules

_MOST_SUBCLASSES: Final = 96


class PythonTypes(PythonFeature):
    """Slots that hold instances of some classes only."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.limits: dict[int, tuple[int, ...]] = {}
        """Slot → the classes of its annotation; -1 among them stands for what no class is."""
        self.discovery = PythonDiscovered(rules)
        self._checked: list[tuple[int, list[int]]] = []
        """(slot after the check, slots of the classes)."""
        self._refused: dict[int, tuple[list[int], bool]] = {}
        """Slot after a check that failed → (slots of the classes, whether of those alone)."""
        self._related: dict[tuple[int, int], bool] = {}
        self.on_limited: Handler = self._on_limited

    def find(self) -> None:
        """Note annotations and checks; the classes that they name are known by now."""
        program, points, kind = self.program, self.solver.points, self.solver.kind
        for index, facts in enumerate(program.facts):
            base = program.slot_base[index]
            checks: dict[int, list[int]] = {}
            declared: dict[int, list[int]] = {}
            for slot, known, hint in program.typed(index):
                if hint == TypeHint.CHECKED:
                    checks.setdefault(slot, []).append(known)
                elif hint == TypeHint.CAUGHT:
                    self.rules.caught.note(slot, known)
                elif hint == TypeHint.LIMIT:
                    declared.setdefault(slot, []).append(known)
            for slot, parts in declared.items():
                found: list[int] = []
                for part in parts:
                    values = (points[part] or ()) if part >= 0 else (part,)
                    named = [value for value in values if value < 0 or kind[value] == CLASS]
                    if not named or any(self.rules.kinds.is_protocol(value) for value in named):
                        break  # an alias, a type variable, what a library has: it may be anything
                    found += named
                    self._keep(slot, named)
                else:
                    self.limits[slot] = tuple(map(program.original, found))
            for relation, part, exact, target, source in facts.relations:
                if relation == "refused":
                    self._refuse(target + base, part + base, source + base, bool(exact))
                elif relation == MARKED:
                    name = program.renames[index][exact]
                    self.rules.marks.watch(name, source + base, target + base)
                elif relation == ASKS:
                    name = program.renames[index][exact]
                    self.rules.marks.note_predicate(part + program.scope_base[index], name)
                elif relation in DISCOVERED:
                    text = program.texts[program.renames[index][exact]]
                    test = self.discovery.on_member, relation, part, text, target + base
                    self.solver.listen(source + base, test)
                elif relation == "registers":
                    scope = part + program.scope_base[index]
                    self.rules.models.generics.named.setdefault(scope, []).append(target + base)
                elif relation == "annotated":
                    self.rules.dependencies.watch(source + base, target + base)
                elif relation == "limited":
                    self.rules.arguments.admit(source + base, target + base)
                elif relation == "checked":
                    known = checks[target + base]
                    self._checked.append((target + base, known))
                    self.solver.listen(source + base, (self._on_checked, target + base, known))

    def _keep(self, slot: int, named: list[int]) -> None:
        """Note which of the classes of an annotation have arguments."""
        original = self.program.original
        applied = [scope for scope in named if scope >= 0 and original(scope) != scope]
        if applied and min(applied) >= self.program.reserved:
            self.rules.applied.kept.setdefault(slot, []).extend(applied)

    def _refuse(self, target: int, part: int, source: int, exact: bool) -> None:
        """Note that a value is of no such class where a check has failed."""
        known = self._refused.get(target)
        if known is not None:
            known[0].append(part)
            return
        parts = [part]
        self._refused[target] = parts, exact
        self.solver.narrowed.setdefault(source, []).append(target)
        self.solver.whole[target] = self.solver.whole.get(source, source)
        self.solver.listen(source, (self._on_refused, target, parts, exact))

    def _on_refused(self, value: int, listener: Listener) -> None:
        _, target, parts, exact = listener
        scope = value - self.program.scopes
        if self.solver.kind[value] == INSTANCE and scope < self.program.scopes:
            order = (scope,) if exact else self.classes.order(scope)
            if any(known in order for known in self._classes(parts)):
                return
        plain = self.rules.plain
        if not exact and any(
            plain.is_callable(value)
            if part in plain.tests
            else part in plain.named and plain.is_instance(value, plain.named[part])
            for part in parts
        ):
            return
        self.solver.add(target, value)

    def settle(self) -> None:
        """Let what was checked be of the class where no object is known to be."""
        kind = self.solver.kind
        for target, parts in self._checked:
            if not any(kind[value] == INSTANCE for value in self.solver.points[target] or ()):
                for scope in self._classes(parts):
                    self.solver.add(target, scope + self.program.scopes)
        self._checked.clear()

    def _on_limited(self, value: int, listener: Listener) -> None:
        """Copy a value to a slot if the annotation of another admits it."""
        if self.admits(listener[1], value):
            if listener[1] in self.rules.applied.kept:
                value = self.rules.applied.keep(listener[1], value)
            if value >= 0:
                self.solver.add(listener[2], value)

    def pass_on(self, source: int, parameter: int, target: int) -> None:
        """Let a slot have what the annotation of a parameter admits of an argument."""
        if parameter in self.limits:
            self.solver.listen(source, (self.on_limited, parameter, target))
        else:
            self.solver.edge(source, target)

    def admits(self, slot: int, value: int) -> bool:
        """Whether the annotation of a slot lets a value be in it."""
        scope = value - self.program.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.program.scopes:
            return True
        return any(
            self.is_related(scope, known) if known >= 0 else self.may_be_plain(scope)
            for known in self.limits[slot]
        )

    def nearest(self, scope: int, wanted: Sequence[int]) -> list[int]:
        """What a class is where one of some is expected; nothing if it can be none of them.

        A base class stands for what is made of those below it.
        """
        original, order = self.program.original, self.classes.order
        if any(original(known) in order(scope) for known in wanted):
            return [scope]
        below = [known for known in wanted if original(scope) in order(known)]
        if below:
            return below
        return (
            [scope] if any(self.is_related(original(scope), original(it)) for it in wanted) else []
        )

    def may_be_plain(self, scope: int) -> bool:
        """Whether an instance may stand for one of a builtin class."""
        derived = self.rules.plain.of_class(scope)
        return self.is_foreign(scope) if derived is None else bool(derived)

    @handler
    def _on_checked(self, value: int, listener: Listener) -> None:
        _, target, parts = listener
        scopes, order, plain = self.program.scopes, self.classes.order, self.rules.plain
        scope = value - scopes
        known = self._classes(parts)
        if len(known) < len(parts):
            for part in parts:
                if part in plain.named:
                    is_instance = plain.is_instance(value, plain.named[part])
                    if is_instance or (is_instance is None and self._may_be_foreign(value)):
                        self.solver.add(target, value)
                elif not self.solver.points[part] and self._may_be_foreign(value):
                    self.solver.add(target, value)
        if self.solver.kind[value] != INSTANCE or scope >= scopes:
            if any(map(self.is_foreign, known)):
                self.solver.add(target, value)
            return
        for item in known:
            if item in order(scope):
                self.solver.add(target, value)
            elif scope in order(item):
                self.solver.add(target, item + scopes)

    def _may_be_foreign(self, value: int) -> bool:
        """Whether a value may be of a class that the project does not define."""
        scope = value - self.program.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.program.scopes:
            return True
        return self.is_foreign(scope)

    def _classes(self, parts: list[int]) -> list[int]:
        """The classes of the project that some slots hold."""
        points, kind = self.solver.points, self.solver.kind
        return [item for part in parts for item in points[part] or () if kind[item] == CLASS]

    def is_foreign(self, scope: int) -> bool:
        """Whether a class has a base that the project does not define."""
        bases, found = self.program.bases, self.classes.found_bases
        return any(
            len(bases[known]) > len(found.get(known, ())) for known in self.classes.order(scope)
        )

    def is_related(self, scope: int, known: int) -> bool:
        """Whether an instance of one class may be, or may stand for, one of another."""
        related = self._related.get((scope, known))
        if related is None:
            order = self.classes.order
            related = known in order(scope) or scope in order(known)
            related = related or any(known in order(child) for child in self._below(scope))
            self._related[scope, known] = related
        return related

    def _below(self, scope: int) -> list[int]:
        found = [scope]
        for current in found:
            found += [
                child
                for child in self.classes.subclasses.get(current, ())
                if child not in found and len(found) < _MOST_SUBCLASSES
            ]
        return found
