"""What happens where a call enters a Python function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.program import INSTANCE
from toolroll_codegraph.resolve.rules import Rules

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.kept import Kept
    from toolroll_codegraph.resolve.python.applied import PythonApplied
    from toolroll_codegraph.resolve.python.arguments import PythonArguments
    from toolroll_codegraph.resolve.python.inferring import PythonInferring
    from toolroll_codegraph.resolve.python.results import PythonResults
    from toolroll_codegraph.resolve.python.substituting import PythonSubstituting
    from toolroll_codegraph.resolve.python.wrappers import PythonWrappers
    from toolroll_codegraph.resolve.python.wrapping import PythonWrapping

_MOST_RECEIVERS: Final = 16


class PythonEntering(Rules):
    """Connects calls with functions: receivers, arguments and results."""

    arguments: PythonArguments
    wrappers: PythonWrappers
    wrapping: PythonWrapping
    kept: Kept
    results: PythonResults
    applied: PythonApplied
    inferring: PythonInferring
    substituting: PythonSubstituting

    def enter(self, call: Call, function: int, receiver: int) -> None:
        """Connect arguments and result of a call with a function."""
        solver, program, arguments = self.solver, self.program, self.arguments
        if function in program.contexts:
            function = program.contexts[function].get(call.result, function)
        fewest, most = arguments.number.get(function) or arguments.bounds(function)
        given = len(call.positional) + (receiver >= 0)
        if not (fewest <= given <= most or arguments.fits(call, function, given)) or (
            call.keywords and not arguments.knows(call, function)
        ):
            # a method without an object: that its class got here is the likelier mistake
            if receiver >= 0 or program.this[function] < 0:
                solver.misfits.note(call, function)
            return
        if function in self.wrappers.closed:
            self.wrappers.open(function)
        result = call.result
        if result >= 0 and function in self.substituting.returned:
            result = self.inferring.result(call, function, receiver)
        if receiver >= 0:
            self.receive(function, receiver, result)
            if function in self.kept.fields:
                self.kept.give(call, function, receiver, 1)
        if function in call.fired:
            return
        if receiver < 0 and call.result >= 0 and self.results.depends(function):
            self.results.give(function, -1, call.result)
        call.fired += solver.alone(function)
        if not call.flags & CallFlag.QUIET:
            solver.record(call.scope, function, call.line)
        if call.result >= 0 and result == call.result:
            returned = program.ret[function]
            chosen = self.results.chosen(call, function, receiver) if self.results.split else -1
            found = returned if chosen < 0 else chosen
            if function not in self.wrapping.given or call.flags & CallFlag.DECORATOR:
                self.results.admit(found, returned, call.result)
            else:
                self.wrapping.give_back(call, function, receiver, found)
        if call.positional or call.keywords:
            arguments.give(call, function, 1 if receiver >= 0 else 0)

    def receive(self, function: int, receiver: int, result: int) -> None:
        this = self.program.this[function]
        if this < 0:
            self.arguments.receive(function, receiver)
            return
        if this in self.solver.returned:
            self.solver.add(result, receiver)
        if result >= 0 and self.results.depends(function):
            self.results.give(function, receiver, result)
        if self.program.flags[function] & ScopeFlag.FACTORY:
            made = receiver if self.kind[receiver] == INSTANCE else receiver + self.scopes
            self.solver.add(result, made)
        known = self.solver.points[this]
        if known is not None and len(known) >= _MOST_RECEIVERS:
            owner = self.program.parent[function]
            self.solver.add(this, owner + self.scopes)
        else:
            self.solver.add(this, self.applied.plain(receiver))

    def run_property(
        self, function: int, receiver: int, scope: int, line: int, target: int
    ) -> None:
        """Run a property for its value.

        Nothing in the source looks like a call there, so the edge is of low confidence.
        """
        result = target
        if target >= 0 and function in self.substituting.returned:
            result = self.substituting.result(function, receiver, target)
        self.receive(function, receiver, result)
        if target >= 0 and result == target:
            self.solver.edge(self.program.ret[function], target)
        self.solver.suppose(scope, function, line)
