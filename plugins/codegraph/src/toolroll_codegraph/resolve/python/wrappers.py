"""Functions that stand for what they wrap: each decorated function keeps its own arguments and
result.

A decorator returns one wrapper for all that it decorates. If every call through it gave its
arguments to all of them and got back what any of them returns, a popular decorator would connect
the whole program. A wrapper that calls what its decorator was given is therefore one value for each
decorated function, and hands on to it what each caller gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from toolroll_codegraph.facts import (
    CallColumn,
    CallFlag,
    Operation,
    ParamKind,
    ScopeFlag,
    ScopeKind,
)
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import FUNCTION, INSTANCE, WRAPPED

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_DEEPEST: Final = 6
"""Wrappers around each other."""


class _Wrapper(msgspec.Struct):
    """A function that calls what its enclosing function was given, with its own parameters."""

    forward: Call
    """The call of what it wraps. It passes nothing on until someone calls the wrapper as such."""
    positional: tuple[int, ...]
    keywords: tuple[int, ...]
    """What the call passes on then."""
    exact: bool
    """Whether these are the wrapper's own parameters, all of them as they are."""
    leads: bool
    """Whether it passes on first what it is given first: a method's receiver."""
    source: int
    """The slot of what it wraps."""
    own: int
    """The slot of what the wrapper returns beside what the call returns."""
    returns: bool
    """Whether it returns what the call returns."""


class PythonWrappers:
    """The wrappers of a program, and the calls through them."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self._wrappers: dict[int, _Wrapper] = {}
        self.closed: set[int] = set()
        """Wrappers that nobody has called as such."""
        self._through: dict[tuple[Call, int], Call] = {}
        """The call of what is wrapped, for each call of a wrapper."""

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
        if returns:
            whole = self.program.ret[scope] = solver.slot()
            solver.edge(own, whole)
            solver.edge(call.result, whole)
        positional, rest, _ = self.rules.arguments.signature(scope)
        first = positional[0] if positional else -rest - 2
        leads = exact or call.positional[:1] == (first,)
        self._wrappers[scope] = _Wrapper(
            call, call.positional, call.keywords, exact, leads, source, own, returns
        )
        self.closed.add(scope)
        self.rules.wrapping.given.setdefault(self.program.parent[scope], source)
        call.positional = call.keywords = ()

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
        for _ in range(_DEEPEST):
            if self.solver.kind[value] != WRAPPED:
                break
            value = self.solver.detail[value][1]
        return value if self.solver.kind[value] == FUNCTION else -1

    def enter(self, call: Call, value: int, receiver: int = -1) -> None:
        """Call a wrapper, and through it what it wraps."""
        solver, arguments = self.solver, self.rules.arguments
        scope, inner = solver.detail[value]
        through = self._through.get((call, value))
        if through is None:
            wrapper = self._wrappers[scope]
            positional, keywords = call.positional, call.keywords
            if not wrapper.exact:
                positional, keywords = self._handed_on(scope, call, received=receiver >= 0)
            through = self._through[call, value] = Call(
                call.result if wrapper.returns else -1, wrapper.forward.scope,
                wrapper.forward.line, -1, positional, keywords, call.flags & ~CallFlag.QUIET,
            )  # fmt: skip
            call.fired += (scope,)
            if not call.flags & CallFlag.QUIET:
                solver.record(call.scope, scope, call.line)
            if call.result >= 0:
                solver.edge(wrapper.own, call.result)
            if call.positional or call.keywords:
                arguments.give(call, scope, 1 if receiver >= 0 else 0)
            self._note(call, scope, inner)
        elif receiver < 0:
            return
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

    def _handed_on(
        self, scope: int, call: Call, *, received: bool
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What a wrapper passes on of a call's arguments, with what it adds or puts in their place.

        A receiver that it passes on first is not among them.
        """
        wrapper = self._wrappers[scope]
        own, rest, others = self.rules.arguments.signature(scope)
        template = wrapper.positional[1 if received and wrapper.leads and own else 0 :]
        if any(item < -1 for item in call.positional):
            return template, wrapper.keywords  # which of them is which is not known
        by_name = dict(call.named())
        places = own[1:] if received and own else own
        given = {
            slot: by_name[name]
            for name, slot, shape in self.program.params[scope]
            if name in by_name and shape in (ParamKind.POSITIONAL, ParamKind.KEYWORD)
        } | dict(zip(places, call.positional, strict=False))
        positional: list[int] = []
        for item in template:
            if rest >= 0 and item == -rest - 2:
                positional += call.positional[len(places) :]
            else:
                positional.append(given.get(item, item))
        keywords: list[int] = []
        for name, slot in zip(wrapper.keywords[::2], wrapper.keywords[1::2], strict=True):
            if name < 0 and slot == others:
                taken = {known for known, *_ in self.program.params[scope]}
                for known, source in call.named():
                    if known < 0 or known not in taken:
                        keywords += (known, source)
            else:
                keywords += (name, given.get(slot, slot))
        return tuple(positional), tuple(keywords)

    def _note(self, call: Call, scope: int, inner: int) -> None:
        """Note which function a call of a wrapper stands for, and which the wrapper calls then."""
        solver, caller = self.solver, self.program.caller
        function = self.function(inner)
        if function >= 0:
            called = solver.detail[inner][0] if solver.kind[inner] == WRAPPED else function
            solver.standing.of(caller[call.scope], scope).stands_for.add(function)
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
