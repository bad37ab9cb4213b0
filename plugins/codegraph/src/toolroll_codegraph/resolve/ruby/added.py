"""`method_added`, which hears of the methods of a class."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import FUNCTION
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyAdded(RubyFeature):
    """Tells hooks of a class, or of modules that extend it, what it defines."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.name = self.program.name("method_added")
        self._own = rules.static(self.name)
        self._untold: dict[int, array[int]] = {}
        """Class → its methods but the first, of which no `method_added` has heard: most never are,
        and a call for each would take 8 MB on Rails."""

    def settle(self) -> None:
        """`method_added` hears of the methods that are written behind it, from their lines."""
        program, rules = self.program, self.rules
        classes = rules.classes
        hooks = {*classes.definers(self.name), *classes.definers(self._own)}
        first = {program.canonical[scope] for scope in hooks}
        for scope in range(program.scopes) if hooks else ():
            if (
                program.kind[scope] != ScopeKind.FUNCTION
                or not program.flags[scope] & ScopeFlag.METHOD
            ):
                continue
            owner = program.owner_class(scope)
            if owner < 0 or program.flags[scope] & ScopeFlag.SINGLETON:
                continue
            owner = program.canonical[owner]
            own = (classes.members[owner] or {}).get(self._own, -1)
            if own >= 0 and owner in first and self._is_before(own, scope):
                continue
            if own < 0 and owner in first:
                continue  # a module's own methods are told to no hook that it has for others
            if own >= 0 or classes.find(owner, self._own) >= 0:
                heard = (rules.on_member, self._telling(scope), owner)
                classes.lookup(owner, self._own, heard)
            elif owner in self._untold:
                self._untold[owner].append(scope)
            elif rules.extensions.of(owner):
                rules.extended_call(self._telling(scope), owner)
                if not rules.extensions.having(owner, self.name):
                    self._untold[owner] = array("i")

    def _telling(self, method: int) -> Call:
        """The call that tells a hook of a method."""
        key, line = self.solver.slot(), self.program.first_line[method]
        self.solver.add(key, self.solver.text(self.program.scope_name[method]))
        return Call(-1, method, line, self.name, (key,), (), CallFlag.IMPLICIT)

    def untold(self, owner: int) -> list[Call]:
        """The calls that tell of a class's methods but the first, whose call waits for them all."""
        return [self._telling(method) for method in self._untold.pop(owner, ())]

    def _is_before(self, slot: int, method: int) -> bool:
        """Whether a method is written before the hook of its class."""
        program = self.program
        return any(
            self.solver.kind[value] == FUNCTION
            and program.file_of[value] == program.file_of[method]
            and program.first_line[method] < program.first_line[value]
            for value in self.solver.points[slot] or ()
        )
