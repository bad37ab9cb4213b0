"""Ruby's blocks, procs, lambdas and method objects, and how they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ParamKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import BOUND, CLASS, CONTAINER, FUNCTION
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_CALLS: Final = ("call", "()", "yield", "[]", "===", "instance_exec")
CURRIED: Final = "curried"
"""The kind of a procedure that has been given some of its arguments, or of a method object that
stands for what no function does: `Name.method(:new)`."""

COMPOSED: Final = "composed"
"""The kind of `first >> second`: what the one returns is handed to the other."""
_DEEPEST: Final = 6
"""Compositions of compositions; what a loop composes is called as it comes."""


class RubyProcedures(RubyFeature):
    """What can be called without a name."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._keyed: list[tuple[Call, int]] = []
        """What reads a key of a procedure, unless a hash turns up that it reads that of."""
        self._settled = False

    def function_method(self, call: Call, value: int) -> None:
        """Calls of procs, lambdas and method objects."""
        name = self.program.texts[call.name]
        if name == "[]" and call.positional[:1] > (-1,):
            self._call_keyed(call, value)
        elif name in _CALLS:
            self.rules.call_value(call, value)
        elif name == "curry" and self._wanted(value) > 1:
            self.solver.add(
                call.result, self.solver.make(CONTAINER, CURRIED, value, call.result, 0)
            )
        elif name in ("to_proc", "curry", "unbind", "lambda?", "freeze", "dup"):
            self.solver.add(call.result, value)
        elif name in (">>", "<<"):
            self._compose(call, value, forward=name == ">>")
        elif name == "super_method" and self.solver.kind[value] == BOUND:
            function, receiver = self.solver.detail[value]
            self.rules.supers.method(call, function, receiver)
        elif self.solver.kind[value] == CONTAINER:  # for no receiver but its own
            if name == "bind":
                self.solver.add(call.result, value)
        elif name in ("bind", "bind_call"):
            function = value
            if self.solver.kind[value] == BOUND:
                function = self.solver.detail[value][0]
            if call.positional and call.positional[0] >= 0:
                inner = self.solver.derived_call(call, call.result, call.positional[1:])
                found = (self._on_bind, inner, function, name == "bind_call")
                self.solver.listen(call.positional[0], found)

    def _call_keyed(self, call: Call, value: int) -> None:
        """`value[key]` calls a procedure where it reads no hash, nor object with a `[]`: that is
        what a key mostly is for."""
        if not self._settled:
            self._keyed.append((call, value))
        elif not any(mark >= 0 for mark in call.fired):
            self.rules.call_value(call, value)

    def settle(self) -> None:
        """Call the procedures that stand where nothing else was found."""
        self._settled = True
        waiting = [item for item in self._keyed if not any(mark >= 0 for mark in item[0].fired)]
        self._keyed.clear()
        for call, value in waiting:
            self.rules.call_value(call, value)

    def _compose(self, call: Call, value: int, *, forward: bool) -> None:
        """`first >> second`, of procedures or objects and classes that can be called."""
        solver = self.solver
        second = call.positional[0] if call.positional else -1
        if second < 0:
            return
        deep, within = 0, value
        while solver.kind[within] == CONTAINER and solver.detail[within][0] == COMPOSED:
            _, within, known, _ = solver.detail[within]
            deep = _DEEPEST if known == second else deep + 1
        if deep >= _DEEPEST:  # called with what it is given, one as the other
            solver.add(call.result, value)
            return
        made = solver.make(CONTAINER, COMPOSED, value, second, forward)
        solver.add(call.result, made)

    def call_composed(self, call: Call, value: int) -> None:
        """Call one with what is given, and the other with what that returns."""
        solver = self.solver
        _, first, second, forward = solver.detail[value]
        if not call.once_of(solver.alone(value)):
            return
        between = solver.slot()
        steps = (between, call.positional), (call.result, (between,))
        for_first, for_second = steps if forward else steps[::-1]
        self.rules.call_value(self.on_behalf(call, *for_first), first)
        solver.listen(second, (self._on_second, self.on_behalf(call, *for_second)))

    @handler
    def _on_second(self, value: int, listener: Listener) -> None:
        call, rules = listener[1], self.rules
        if self.solver.kind[value] == CLASS:
            name = rules.static(rules.call_name)
            rules.classes.lookup(value, name, (rules.on_member, call, value))
        else:
            rules.call_value(call, value)

    def _on_bind(self, receiver: int, listener: Listener) -> None:
        _, call, function, called = listener
        if called:
            self.rules.enter(call, function, receiver)
        else:
            self.solver.add(call.result, self.solver.bound(function, receiver))

    def _wanted(self, value: int) -> int:
        """How many arguments a procedure waits for."""
        kind, function = self.solver.kind[value], value
        if kind not in (FUNCTION, BOUND):  # one that is curried already, or an object
            return 0
        if kind == BOUND:
            function = self.solver.detail[value][0]
        shapes = [shape for _, _, shape in self.program.params[function]]
        return shapes.count(ParamKind.POSITIONAL)

    def named(self, value: int, name: int) -> int:
        """A method object of a receiver, by its name alone."""
        return self.solver.make(CONTAINER, CURRIED, value, -2 - name, 0)

    def call_curried(self, call: Call, value: int) -> None:
        """A curried procedure waits until it has all of its arguments."""
        solver, name = self.solver, self.program.name
        _, function, place, known = solver.detail[value]
        if not call.once_of(solver.alone(value)):
            return
        given = (*(solver.field(value, name(f"[{place}")) for place in range(known)),
                 *call.positional)  # fmt: skip
        if len(given) >= self._wanted(function) or min(call.positional, default=0) < -1:
            inner = self.on_behalf(call, call.result, given, -2 - place if place < -1 else -1)
            solver.answer(inner, function)
            return
        made = solver.make(CONTAINER, CURRIED, function, call.result, len(given))
        for place, item in enumerate(given):
            if item >= 0:
                solver.edge(item, solver.field(made, name(f"[{place}")))
        solver.add(call.result, made)

    def on_behalf(
        self, call: Call, result: int, positional: tuple[int, ...], name: int = -1
    ) -> Call:
        """A call made at the same place as another, by the caller if that has one here."""
        inner = self.solver.derived_call(call, result, positional, name)
        inner.flags |= call.flags & CallFlag.QUIET
        return inner

    def run_block(self, call: Call, positional: tuple[int, ...], result: int) -> None:
        """Run the block a builtin was given, from the builtin's caller."""
        if call.flags & CallFlag.BLOCK and call.positional:
            inner = self.on_behalf(call, result, positional)
            if call.positional[-1] >= 0:
                self.solver.listen(call.positional[-1], (self.on_block, inner))

    @handler
    def on_block(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)
