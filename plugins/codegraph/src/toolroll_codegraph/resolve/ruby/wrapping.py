"""Methods that a class replaces by others around them, as `memoize :name` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, ScopeKind, numbers
from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


_RETURNED: Final = 2
"""Marks a method that returns a module, which comes before others only where it is prepended."""


class RubyWrapping(RubyFeature):
    """What was there before is reached by what keeps it alone: as an object, or by another name.

    A method wraps those it is given the names of if it keeps what it then defines anew, or if it
    prepends a module that has them: then what was there before is reached by `super`.
    """

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._before: dict[tuple[int, int], int] = {}
        """(class, name) → slot of the method that is replaced."""
        self._behind: set[tuple[int, int]] = set()
        """Those of them that a module comes before."""

    def prepare(self, wrapping: dict[int, set[tuple[int, int]]], prepended: set[int]) -> None:
        """Find the methods that the bodies of classes have wrapped, by what wraps and where its
        argument for their name is: -1 where each may be one; and by what they prepend, for what
        returns a module."""
        program, operations = self.program, self.solver.operations
        columns = (CallColumn.NAME, CallColumn.SCOPE, CallColumn.RESULT)
        for identifier, (index, name, scope, result) in enumerate(operations.rows(*columns)):
            wrapped = wrapping.get(program.renames[index][name]) if name >= 0 else None
            if wrapped is not None and result + program.slot_base[index] not in prepended:
                wrapped = {row for row in wrapped if row[1] != _RETURNED} or None
            owner = program.canonical[program.scope_base[index] + scope]
            if wrapped is None or program.kind[owner] != ScopeKind.CLASS:
                continue
            constants = numbers(program.facts[index].constants)
            names = dict(zip(constants[::2], constants[1::2], strict=True))
            members = program.members[owner] or {}
            positions = {position for position, _ in wrapped}
            behind = any(behind for _, behind in wrapped)
            for place, slot in enumerate(operations.arguments_of(identifier)[0]):
                known = names.get(slot, -1) if place in positions or -1 in positions else -1
                name = program.renames[index][known] if known >= 0 else -1
                if name in members:
                    self.replace(owner, name, behind=behind)

    def replace(self, owner: int, name: int, *, behind: bool) -> None:
        """Keep a method of a class, its own or inherited, for what replaces it."""
        if (owner, name) in self._before:
            return
        classes, members = self.rules.classes, self.program.members[owner] or {}
        slot = members.get(name)
        if slot is None:
            slot = self.solver.slot()
            classes.lookup(owner, name, (self.solver.copy_to, slot), after=owner)
            classes.declare(owner, name)
        else:
            members[name] = self.solver.slot()
        self._before[owner, name] = slot
        if behind:
            self._behind.add((owner, name))

    def lookup(self, owner: int, name: int, found: Listener) -> None:
        """Look up a method that is kept."""
        for known in self.rules.classes.order(owner) if self._before else ():
            slot = self._before.get((known, name))
            if slot is not None:
                self.solver.listen(slot, found)
                return
            if name in (self.program.members[known] or ()):
                break
        self.rules.classes.lookup(owner, name, found)

    def lookup_behind(self, scope: int, name: int, found: Listener, after: int) -> bool:
        """Look up what `super` finds; in a module that may be what this comes before."""
        of_module = self._behind and self.program.kind[after] == ScopeKind.NAMESPACE
        order = self.rules.classes.order(scope) if of_module else ()
        for known in order[order.index(after) + 1 :] if after in order else ():
            if (known, name) in self._behind:
                self.solver.listen(self._before[known, name], found)
                return True
            if name in (self.program.members[known] or ()):
                break
        return self.rules.classes.lookup(scope, name, found, after=after)

    def settle(self) -> None:
        """Give back what nothing has replaced."""
        for (owner, name), slot in self._before.items():
            if self.solver.points[self.rules.classes.find(owner, name)] is None:
                self.solver.edge(slot, (self.program.members[owner] or {})[name])
