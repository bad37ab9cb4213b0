"""Functions that stand for what they wrap: each decorated function keeps its own arguments and
result.

A decorator returns one wrapper for all that it decorates. If every call through it gave its
arguments to all of them and got back what any of them returns, a popular decorator would connect
the whole program. A wrapper that calls what its decorator was given is therefore one value for each
decorated function, and hands on to it what each caller gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import (
    CallColumn,
    CallFlag,
    Operation,
    ParamKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import FUNCTION, INSTANCE, WRAPPED
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.python.forwarding import Wrapper

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


_MOST_VARIABLES: Final = 64
"""Slots of a wrapper that are looked at for what it returns."""


class PythonWrappers(PythonFeature):
    """The wrappers of a program, and the calls through them."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._wrappers: dict[int, Wrapper] = {}
        self.closed: set[int] = set()
        """Wrappers that nobody has called as such."""
        self._through: dict[tuple[Call, int], Call] = {}
        """The call of what is wrapped, for each call of a wrapper."""
        self._receivers: dict[tuple[Call, int], set[int]] = {}
        """What each call of a wrapper is made on: of what it may return, it gets that."""

    def find(self) -> None:
        """Find the wrappers before any value moves."""
        program = self.program
        for scope in range(program.scopes):
            outer = program.parent[scope]
            if (
                outer >= 0
                and program.kind[scope] == program.kind[outer] == ScopeKind.FUNCTION
                and program.ret[scope] >= 0
            ):
                positional, _, _ = self.rules.arguments.signature(outer)
                flags = program.flags[outer]
                method = flags & ScopeFlag.METHOD and not flags & ScopeFlag.STATIC
                for position, slot in enumerate(positional):
                    if slot >= 0:
                        self._find(scope, slot, decorated=position == bool(method))
        self.solver.wrappers = self._wrappers.keys()

    def _find(self, scope: int, source: int, *, decorated: bool) -> None:
        """Look for a call of what a parameter has; of one that a decorator need not be given for
        what it decorates, one that passes on exactly what the wrapper gets.
        """
        operations, program = self.solver.operations, self.program
        for position in range(operations.wait_start[source], operations.wait_start[source + 1]):
            entry = operations.wait[position]
            if entry & Operation.MASK != Operation.CALL or scope in self._wrappers:
                continue
            identifier = entry >> Operation.SHIFT
            row = identifier * CallColumn.WIDTH
            inside = operations.calls[row + CallColumn.SCOPE]
            if (
                operations.calls[row + CallColumn.NAME] >= 0
                or operations.calls[row + CallColumn.FLAGS] & CallFlag.DECORATOR
                or inside + program.scope_base[program.file_of[scope]] != scope
            ):
                continue
            call = self.solver.translate(identifier)
            exact = self._passes_on(scope, call)
            if exact or decorated:
                self._add(scope, call, source, exact=exact)

    def _passes_on(self, scope: int, call: Call) -> bool:
        """Whether a call gets exactly the parameters of its function."""
        positional: list[int] = []
        keywords: list[int] = []
        for name, slot, shape in self.program.params[scope]:
            if shape in (ParamKind.POSITIONAL, ParamKind.UNNAMED):
                positional.append(slot)
            elif shape == ParamKind.REST:
                positional.append(-slot - 2)
            else:
                keywords += (name if shape == ParamKind.KEYWORD else -1, slot)
        return bool(positional) and (
            tuple(positional) == call.positional and tuple(keywords) == call.keywords
        )

    def _add(self, scope: int, call: Call, source: int, *, exact: bool) -> None:
        solver, operations = self.solver, self.solver.operations
        own = self.program.ret[scope]
        start, end = operations.flow_start[call.result], operations.flow_start[call.result + 1]
        returns = False
        for position in range(start, end):
            if operations.flow[position] == own:
                operations.flow[position] = call.result  # goes nowhere
                returns = True
        waits = operations.wait_start[call.result + 1] - operations.wait_start[call.result]
        keeps = end - start > returns or waits > 0
        if returns:
            whole = self.program.ret[scope] = solver.slot()
            solver.edge(own, whole)
            solver.edge(call.result, whole)
        positional, rest, _ = self.rules.arguments.signature(scope)
        first = positional[0] if positional else -rest - 2
        leads = exact or call.positional[:1] == (first,)
        self._wrappers[scope] = Wrapper(
            call, call.positional, call.keywords, exact, leads, source, own,
            returns or self._reaches(call.result, own), keeps,
        )  # fmt: skip
        self.closed.add(scope)
        self.rules.wrapping.given.setdefault(self.program.parent[scope], source)
        call.positional = call.keywords = ()

    def _reaches(self, start: int, end: int) -> bool:
        """Whether what a slot has gets into another by way of variables."""
        operations = self.solver.operations
        seen, work = {start}, [start]
        while work:
            slot = work.pop()
            begin, stop = operations.flow_start[slot], operations.flow_start[slot + 1]
            following = {*operations.flow[begin:stop]} - seen
            if end in following:
                return True
            if len(seen) < _MOST_VARIABLES:
                seen |= following
                work += following
        return False

    def open(self, scope: int) -> None:
        """Let a wrapper that is called as such pass on what it is given."""
        self.closed.discard(scope)
        self.solver.unwrapped.add(scope)
        wrapper = self._wrappers[scope]
        call = wrapper.forward
        call.positional, call.keywords, call.fired = wrapper.positional, wrapper.keywords, ()
        for value in self.solver.points[wrapper.source] or ():
            self.solver.answer(call, value)

    def pass_on(self) -> None:
        """Let wrappers that nobody calls pass on what they are given: no caller's arguments mix."""
        called = {self.solver.detail[value][0] for _, value in self._through}
        for scope in sorted(self.closed - called):
            self.open(scope)

    def function(self, value: int) -> int:
        """The function that a value wraps, -1 if it wraps something else."""
        value = self.solver.innermost(value)
        return value if self.solver.kind[value] == FUNCTION else -1

    def enter(self, call: Call, value: int, receiver: int = -1) -> None:
        """Call a wrapper, and through it what it wraps."""
        solver, arguments = self.solver, self.rules.arguments
        scope: int
        inner: int
        scope, inner = solver.detail[value]
        through = self._through.get((call, value))
        if through is None:
            wrapper = self._wrappers[scope]
            positional, keywords = call.positional, call.keywords
            if not wrapper.exact:
                positional, keywords = wrapper.handed_on(
                    call, self.program.params[scope], received=receiver >= 0
                )
            through = self._through[call, value] = Call(
                call.result if wrapper.returns else -1, wrapper.forward.scope,
                wrapper.forward.line, -1, positional, keywords, call.flags & ~CallFlag.QUIET,
            )  # fmt: skip
            call.fired += self.solver.alone(scope)
            if not call.flags & CallFlag.QUIET:
                solver.record(call.scope, scope, call.line)
            if call.result >= 0 and (wrapper.keeps or receiver >= 0):
                others = self._of_others(wrapper, scope, receiver)
                receivers = self._receivers[call, value] = {receiver}
                solver.listen(wrapper.own, (self._on_own, others, call.result, receivers))
            elif call.result >= 0:
                solver.edge(wrapper.own, call.result)
            if call.positional or call.keywords:
                arguments.give(call, scope, 1 if receiver >= 0 else 0)
            self._note(call, scope, inner)
        elif receiver < 0:
            return
        elif call.result >= 0:
            self._receivers.setdefault((call, value), set()).add(receiver)
            own = self._wrappers[scope].own
            if receiver in (solver.points[own] or ()):
                solver.add(call.result, receiver)
        if receiver >= 0:
            arguments.receive(scope, receiver)
            if not self._wrappers[scope].leads:
                receiver = -1
        kind = solver.kind[inner]
        if kind == FUNCTION:
            self.rules.enter(through, inner, receiver)
        elif kind == WRAPPED:
            self.enter(through, inner, receiver)
        else:
            self.rules.call_value(through, inner)

    @handler
    def _on_own(self, value: int, listener: Listener) -> None:
        """Return what a wrapper has from elsewhere than from what it wraps: of that, each caller
        gets what its own function returns, and of receivers its own.
        """
        _, others, result, receivers = listener
        points = self.solver.points
        if value in receivers or not any(value in (points[slot] or ()) for slot in others):
            self.solver.add(result, value)

    def _of_others(self, wrapper: Wrapper, scope: int, receiver: int) -> list[int]:
        """Slots of a wrapper whose values a call that is made on a receiver may not get."""
        positional, _, _ = self.rules.arguments.signature(scope)
        others = [wrapper.forward.result] if wrapper.keeps else []
        return [*others, positional[0]] if receiver >= 0 and positional else others

    def _note(self, call: Call, scope: int, inner: int) -> None:
        """Note which function a call of a wrapper stands for, and which the wrapper calls then."""
        solver, caller = self.solver, self.program.caller
        function = self.function(inner)
        if function >= 0:
            called = solver.detail[inner][0] if solver.kind[inner] == WRAPPED else function
            solver.standing.of(caller[call.scope], scope).stands_for.add(function)
            solver.standing.of(scope, called).passes_on.add(function)

    def finish(self) -> None:
        """Note that of what a wrapper is given it calls each for those alone who call that: of what
        nobody calls, for none."""
        solver = self.solver
        for scope, wrapper in self._wrappers.items():
            for value in solver.points[wrapper.source] or ():
                function = self.function(value)
                if function >= 0:
                    called = solver.detail[value][0] if solver.kind[value] == WRAPPED else function
                    solver.standing.of(scope, called).passes_on.add(function)

    def invoke(self, call: Call, value: int, receiver: int) -> None:
        """Call a wrapped member that was found in a class, with its receiver."""
        self.enter(call, value, self._receiver(value, receiver))

    def read(self, value: int, target: int, receiver: int, scope: int, line: int) -> None:
        """Read a wrapped member: bind it, or run it if it is a property."""
        function = self.function(value)
        known = self._receiver(value, receiver)
        if known < 0:
            self.solver.add(target, value)
        elif not self.program.flags[function] & ScopeFlag.PROPERTY:
            self.solver.add(target, self.solver.bound(value, known))
        elif not self.program.flags[function] & ScopeFlag.SETTER:
            call = Call(target, scope, line, -1, (), (), CallFlag.IMPLICIT)
            self.enter(call, value, known)

    def _receiver(self, value: int, receiver: int) -> int:
        """What a member is called on: what it was found by, its class, or -1 for nothing."""
        function = self.function(value)
        flags = self.program.flags[function] if function >= 0 else 0
        if not flags & ScopeFlag.METHOD or flags & ScopeFlag.STATIC:
            return -1
        instance = self.solver.kind[receiver] == INSTANCE
        if flags & ScopeFlag.CLASSMETHOD:
            return receiver - self.program.scopes if instance else receiver
        if instance or self.program.scope_name[function] == self.rules.new:
            return receiver
        return -1
