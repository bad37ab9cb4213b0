"""Methods of Ruby's modules that nobody calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeFlag, ScopeKind

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_MOST_INCLUDERS: Final = 6
LARGE: Final = 16_000
"""Scopes of a program in which methods that nobody calls do not run on classes they extend: on
Rails, 3 % more memory for 2 % more calls."""


class RubyUncalled:
    """Methods of a mixin that nobody calls run on the classes that include it, or that it extends.

    What they call there is known, whoever may call them.
    """

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.program = rules.program

    def run(self) -> None:
        """Let them run on those classes; of many on the nearest that all of these inherit from."""
        program, solver = self.program, self.rules.solver
        for module, members in enumerate(program.members):
            if program.kind[module] == ScopeKind.NAMESPACE and members:
                for this in self.receivers(module, "."):  # `module_function`
                    solver.add(this, module)
        few = _MOST_INCLUDERS if program.size <= LARGE else 0
        # Noted first: classes that include such a module, as the one itself may, have it too.
        extended = [
            (this, owner)
            for module, owners in self.rules.extensions.alone(few)
            for this in self.receivers(module)
            for owner in owners
        ]
        for module, includers in sorted(self.rules.classes.subclasses.items()):
            if program.kind[module] != ScopeKind.NAMESPACE:
                continue
            waiting = [*self.receivers(module)]
            if not waiting:
                continue
            found = dict.fromkeys(self._few(includers) + self._few(self._behind(includers)))
            for this in waiting:
                for includer in found:
                    solver.add(this, includer + program.scopes)
        for this, owner in extended:
            solver.add(this, owner)

    def receivers(self, module: int, prefix: str = "") -> Iterator[int]:
        """The receivers of a module's methods that have none yet."""
        program, points = self.program, self.rules.solver.points
        members, texts = program.members[module] or {}, program.texts
        slots = {slot for name, slot in members.items() if texts[name].startswith(prefix)}
        for slot in sorted(slots):
            for value in points[slot] or ():
                if value >= program.scopes or program.flags[value] & ScopeFlag.SINGLETON:
                    continue
                this = program.this[value]
                if this >= 0 and points[this] is None:
                    yield this

    def _behind(self, includers: list[int]) -> list[int]:
        """The classes that have a module through one of the modules that include it."""
        kind, subclasses = self.program.kind, self.rules.classes.subclasses
        found, pending = dict[int, None](), [*includers]
        for scope in pending:
            if kind[scope] == ScopeKind.NAMESPACE and scope not in found:
                found[scope] = None
                pending += subclasses.get(scope, ())
        direct = frozenset(includers)
        behind = (scope for scope in pending if scope not in direct and scope not in found)
        return [*dict.fromkeys(behind)]

    def _few(self, includers: list[int]) -> list[int]:
        return self._above(includers) if len(includers) > _MOST_INCLUDERS else includers

    def _above(self, classes: list[int]) -> list[int]:
        """The nearest class that all of some classes inherit from."""
        common = set(self.rules.classes.order(classes[0]))
        for scope in classes[1:]:
            common.intersection_update(self.rules.classes.order(scope))
        nearest = [
            scope
            for scope in self.rules.classes.order(classes[0])
            if scope in common and self.program.kind[scope] == ScopeKind.CLASS
        ]
        return nearest[:1]
