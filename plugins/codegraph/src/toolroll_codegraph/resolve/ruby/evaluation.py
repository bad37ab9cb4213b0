"""Ruby's blocks that run on another receiver, or in another class."""

from __future__ import annotations

from typing import Final

from toolroll_codegraph.facts import ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, FUNCTION
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

_MOST_RECEIVERS: Final = 4
"""What a block is evaluated on in more places is a framework's: any of its objects."""


class RubyEvaluation(RubyFeature):
    """What `instance_eval` and `class_eval` do with a block."""

    def run(self, block: int, value: int, *, of_class: bool) -> None:
        """Evaluate the blocks that a slot has on a value, which may be a class to add to."""
        self.solver.listen(block, (self._on_block, value))
        if of_class and self.solver.kind[value] == CLASS:
            self.solver.listen(block, (self._on_body, value))

    @handler
    def _on_block(self, value: int, listener: Listener) -> None:
        """Run a block on another receiver."""
        if self.solver.kind[value] == FUNCTION and self.program.flags[value] & ScopeFlag.BLOCK:
            this = self.program.this[value]
            if this >= 0 and len(self.solver.points[this] or ()) < _MOST_RECEIVERS:
                self.solver.add(this, listener[1])

    @handler
    def _on_body(self, value: int, listener: Listener) -> None:
        """`class_eval(&block)` gives a class the methods that are written in a block."""
        program = self.program
        owner: int = listener[1]
        if self.solver.kind[value] != FUNCTION or not program.flags[value] & ScopeFlag.BLOCK:
            return  # what may stand for a block too: a hash's default, an object with `to_proc`
        this = program.this[value]
        if this < 0 or owner not in (self.solver.points[this] or ()):
            return  # evaluated for more classes than are told
        outer = program.parent[value]
        while program.kind[outer] in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            outer = program.parent[outer]
        lines = range(program.first_line[value], program.last_line[value] + 1)
        first = program.scope_base[program.file_of[value]]
        for scope in range(first, first + program.scope_count[program.file_of[value]]):
            if (
                program.parent[scope] == outer
                and program.kind[scope] == ScopeKind.FUNCTION
                and not program.flags[scope] & ScopeFlag.SINGLETON
                and program.first_line[scope] in lines
            ):
                name = program.scope_name[scope]
                if program.value[scope] != (program.members[owner] or {}).get(name):
                    where = program.parent[value]
                    self.rules.replaced.define(owner, name, where, written=True)
                slot = self.rules.classes.declare(owner, name)
                self.solver.edge(program.value[scope], slot)
