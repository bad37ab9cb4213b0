"""How Ruby's methods are entered: what they are given, and what they run on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Handler, Listener
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.program import BOUND, CLASS, CONTAINER, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.ruby.accessors import ACCESSOR
from toolroll_codegraph.resolve.ruby.active_records import DELEGATED
from toolroll_codegraph.resolve.ruby.rendering import RENDERER
from toolroll_codegraph.resolve.rules import Rules
from toolroll_codegraph.resolve.slots import MOST_VALUES
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.kept import Kept
    from toolroll_codegraph.resolve.ruby.active_records import RubyActiveRecords
    from toolroll_codegraph.resolve.ruby.arguments import RubyArguments
    from toolroll_codegraph.resolve.ruby.named_members import RubyNamedMembers
    from toolroll_codegraph.resolve.ruby.raising import RubyRaising
    from toolroll_codegraph.resolve.ruby.rendering import RubyRendering
    from toolroll_codegraph.resolve.ruby.results import RubyResults
    from toolroll_codegraph.resolve.ruby.rivals import RubyRivals

_INSIDE: Final = CallFlag.SAFE_NAME | CallFlag.IMPLICIT | CallFlag.SUPER | CallFlag.QUIET
"""Calls that may reach private methods."""
_MOST_RECEIVERS: Final = 32
_MOST_OBJECTS: Final = MOST_VALUES - 1
"""Objects that a method is called on: one place more is left for one of its own class."""


class RubyEntering(Rules):
    """A method that was found runs on a receiver, with arguments, and returns."""

    arguments: RubyArguments
    kept: Kept
    active_records: RubyActiveRecords
    named_members: RubyNamedMembers
    raising: RubyRaising
    rendering: RubyRendering
    results: RubyResults
    rivals: RubyRivals

    def __init__(self, solver: Solver, classes: Classes) -> None:
        super().__init__(solver, classes)
        # Made once: a bound method for each of the many listeners would take more than they do.
        self.on_member: Handler = self.invoke
        classes.undefined.on_member = self.on_member
        self.published: dict[int, set[int]] = {}
        """Name → classes that make public a method which they do not write down."""
        self.blockless: dict[int, int] = {}
        """Method that begins with `return … unless block_given?` → slot of what it returns then."""

    def invoke(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self.kind[value] == FUNCTION:
            flags = self.program.flags[value]
            hidden = flags & ScopeFlag.PRIVATE and not call.flags & _INSIDE
            if hidden and not self._is_published(call.name, receiver):
                return  # a receiver is written that is not `self`
            if flags & ScopeFlag.ABSTRACT and self._is_guessed(receiver):
                return
            if value in self.rivals.files and not self.rivals.are_meant(call, value):
                return
            if value not in call.fired and not self.arguments.fit(call, value):
                self.solver.misfits.note(call, value)
                return
            self.enter(call, value, receiver)
        elif self.kind[value] == BOUND and self._is_unbound(value):
            self.enter(call, self.solver.detail[value][0], receiver)
        elif self.kind[value] == CONTAINER and self.solver.detail[value][0] == ACCESSOR:
            self.named_members.accessors.use(call, receiver, value)
        elif self.kind[value] == CONTAINER and self.solver.detail[value][0] == DELEGATED:
            self.active_records.delegate(call, receiver, value)
        elif self.kind[value] == CONTAINER and self.solver.detail[value][0] == RENDERER:
            self.rendering.render(call, receiver)
        else:
            self.call_value(call, value)

    def _is_published(self, name: int, receiver: int) -> bool:
        """Whether a class has made public what is private above it."""
        owners, scope = self.published.get(name), receiver
        if owners is None:
            return False
        if self.kind[receiver] == INSTANCE:
            scope -= self.scopes
        return scope < self.scopes and not owners.isdisjoint(self.classes.order(scope))

    def _is_guessed(self, receiver: int) -> bool:
        """Whether an object is of a class that nothing makes: who makes it has what is missing."""
        made = self.classes.instantiated
        return self.kind[receiver] == INSTANCE and receiver - self.scopes not in made

    def _is_unbound(self, value: int) -> bool:
        """Whether a method object is a class's `instance_method`."""
        function: int = self.solver.detail[value][0]
        owner: int = self.solver.detail[value][1]
        return self.kind[owner] == CLASS and not self.program.flags[function] & ScopeFlag.SINGLETON

    def enter(self, call: Call, function: int, receiver: int) -> None:
        solver, program = self.solver, self.program
        if function in program.contexts:
            function = program.contexts[function].get(call.result, function)
        if receiver >= 0:
            self.receive(function, receiver, call.result)
            if function in self.kept.fields:
                self.kept.give(call, function, receiver, 0)
        without = -1 if call.flags & CallFlag.BLOCK else self.blockless.get(function, -1)
        answers, alone = self.results.split.get(function) if without < 0 else None, False
        if answers is not None and call.result < 0 and answers.blocks:
            call.result = solver.slot()  # for what its block is given alone
        if answers is not None and call.result >= 0:
            alone = self.results.give(call, function, answers, receiver)
        if function in call.fired:
            return
        call.fired += solver.alone(function)
        if self.raising.followed:
            self.raising.enter(call, function)
        if not (program.flags[function] & ScopeFlag.BLOCK or call.flags & CallFlag.QUIET):
            solver.record(call.scope, function, call.line)
        if answers is None and call.result >= 0:
            solver.edge(program.ret[function] if without < 0 else without, call.result)
        if call.positional or call.keywords:
            self.arguments.give(call, function, block_too=not alone)
        elif program.params[function]:
            self.arguments.give_none(call, function)

    def receive(self, function: int, receiver: int, result: int) -> None:
        this = self.program.this[function]
        if this < 0:
            return
        if this in self.solver.returned:
            self.solver.add(result, receiver)
        known = self.solver.points[this]
        most = _MOST_OBJECTS if self.kind[receiver] == INSTANCE else _MOST_RECEIVERS
        if known is not None and len(known) >= most:
            owner = self.program.owner_class(function)
            if owner >= 0 and self.kind[receiver] == INSTANCE:
                self.solver.add(this, owner + self.scopes)
        else:
            self.solver.add(this, receiver)
