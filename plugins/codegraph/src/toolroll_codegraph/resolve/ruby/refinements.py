"""Refinements: where they are in use, and what they replace in the project's own classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CLASS
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyRefinements(RubyFeature):
    """A refined method is asked first, by code behind `using` and by the refinement itself."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.scopes: set[int] = set()
        """The bodies of `refine`."""
        self.bodies: set[int] = set()
        """Those, of Ruby's own classes too."""
        self.of_class: dict[int, list[int]] = {}
        """Class → the bodies that refine it."""
        self._used: dict[int, dict[int, int]] = {}
        """Scope → the modules of refinements that it uses, each from a line on."""

    def add(self, body: int, scope: int) -> None:
        """Note that a class is refined."""
        self.scopes.add(body)
        self.of_class.setdefault(scope, []).append(body)

    def use(self, value: int, listener: Listener) -> None:
        """Note `using Module` in a file or in the body of a class."""
        if self.solver.kind[value] == CLASS:
            used = self._used.setdefault(listener[1], {})
            used[value] = min(used.get(value, listener[2]), listener[2])

    def answer(self, call: Call, value: int, scope: int, name: int) -> bool:
        """Call the method that a refinement in use at the call has for this class."""
        classes = self.rules.classes
        if self.scopes.isdisjoint(classes.definers(name)):
            return False
        for known in classes.order(scope):
            for body in self.of_class.get(known, ()):
                if name in (classes.members[body] or ()) and self.is_used(body, call):
                    return classes.lookup(body, name, (self.rules.on_member, call, value))
        return False

    def is_used(self, body: int, call: Call) -> bool:
        """Whether a call is behind a `using` of what a body refines, or in that body."""
        program = self.program
        module, scope = program.canonical[program.parent[body]], call.scope
        while scope >= 0:
            used = self._used.get(scope)
            if scope == body or (used and used.get(module, call.line) < call.line):
                return True
            if scope in self.bodies and program.canonical[program.parent[scope]] == module:
                return True  # those of one module are in use in each other
            scope = program.parent[scope]
        return False
