"""How JavaScript's functions are entered: what they run on, what they are given, and return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.classes import Classes
from toolroll_codegraph.resolve.javascript.arguments import JavaScriptArguments
from toolroll_codegraph.resolve.javascript.crowds import MOST_LIKELY, JavaScriptCrowds
from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.rules import Rules
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolroll_codegraph.resolve.javascript.chaining import JavaScriptChaining
    from toolroll_codegraph.resolve.javascript.generics import JavaScriptGenerics
    from toolroll_codegraph.resolve.javascript.keeping import JavaScriptKeeping
    from toolroll_codegraph.resolve.javascript.pairs import JavaScriptPairs


class JavaScriptEntering(Rules):
    """A function that was found runs on a receiver, with arguments, and returns."""

    pairs: JavaScriptPairs
    keeping: JavaScriptKeeping
    generics: JavaScriptGenerics
    chaining: JavaScriptChaining
    perhaps: dict[int, list[tuple[int, int]]]
    """Of `chaining`: receivers that may turn out to be returned → what was called so far."""
    helpers: dict[int, Callable[[Call], None]]
    """Helpers of compiled code that the program has for itself."""

    def __init__(self, solver: Solver, classes: Classes) -> None:
        super().__init__(solver, classes)
        self.arguments = JavaScriptArguments(solver)
        self.crowds = JavaScriptCrowds(solver)

    def enter(self, call: Call, function: int, receiver: int) -> None:
        solver = self.solver
        if function in self.program.contexts:
            this = self.program.this[function]
            function = self.program.contexts[function].get(call.result, function)
            if receiver < 0 and self.program.this[function] != this:
                # `read.bind(reader)` told the function what its `this` is, and no copy of it
                solver.edge(this, self.program.this[function])
        if receiver >= 0:
            if self.is_of_sibling(function, receiver):
                return
            self.receive(function, receiver, call.result)
            if function in self.keeping.kept:
                self.keeping.enter(call, function, receiver)
        if function in call.fired:
            return
        if len(call.fired) >= MOST_LIKELY and self.crowds.is_crowded(call, function):
            return
        call.fired += solver.alone(function)
        if not call.flags & CallFlag.QUIET:
            solver.record(call.scope, function, call.line)
        if len(call.fired) <= MOST_LIKELY or (self.crowds.weak and call.name >= 0):
            self.hand_over(call, function)
        elif not self.crowds.weak:  # a table found later gets nothing: in bundles it never ended
            self.crowds.late.append((call, function))

    def is_of_sibling(self, function: int, receiver: int) -> bool:
        """Whether a method is of a class beside the receiver's, with a common base.

        `const run = this.options.run || this.run; run.call(this)` may be the methods of all
        receivers, but runs each on its own. What a class borrows, it borrows from other families.
        """
        owner, own = self.program.parent[function], receiver - self.scopes
        if owner == own or self.kind[receiver] != INSTANCE or self.kind[owner] != CLASS:
            return False
        order = self.classes.order(own) if own < self.scopes else ()
        return owner not in order and any(base in order for base in self.classes.order(owner))

    def hand_over(self, call: Call, function: int) -> None:
        """Pass the arguments of a call to a function, and its result back."""
        helper = self.helpers.get(function)
        if helper is not None and min(call.positional, default=-1) >= -1:
            helper(call)
            return
        if call.result >= 0:
            self.generics.give(self.program.ret[function], call.result)
        if call.positional:
            self.arguments.give(call, function)
        elif self.program.params[function]:
            self.arguments.give_none(call, function)
        if function in self.pairs.functions:
            self.pairs.enter(call, function)

    def receive(self, function: int, receiver: int, result: int = -1) -> None:
        this = self.program.this[function]
        if this < 0:
            return
        if this in self.solver.returned:
            self.chaining.give_back(receiver, result)
        elif this in self.perhaps and result >= 0:
            self.perhaps[this].append((receiver, result))
        if function in self.chaining.makers:
            self.chaining.give_made(receiver, result)
        self.solver.add(this, receiver)
