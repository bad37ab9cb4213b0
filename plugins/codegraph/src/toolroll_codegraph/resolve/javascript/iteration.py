"""Iterating in JavaScript: arrays and generators, `Symbol.iterator`, `next` and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import RETURNED, SENT, CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptIteration(JavaScriptFeature):
    """`for … of`, spread, destructuring and `yield*` over any value."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        name = rules.program.name
        asynchronous = "@@asyncIterator" in rules.program.names
        self.iterator, self.async_iterator = name("@@iterator"), name("@@asyncIterator")
        self.protocols = (self.iterator, self.async_iterator)[: 1 + asynchronous]
        """What objects may be asked for an iterator by, of what the program has at all."""
        self.next, self.value, self.closing = name("next"), name("value"), name("return")
        self.sent, self.returned = name(SENT), name(RETURNED)

    def behind(self, generator: int) -> int:
        """What holds the values sent to a generator and returned by it: they are no elements."""
        return self.solver.container(("behind", generator), ObjectKind.RECORD)

    def run(self, call: Call, generator: int) -> None:
        """Who iterates a generator runs its body, whoever has made it."""
        function = self.solver.generators.get(generator, -1)
        if function >= 0:
            self.solver.record(call.scope, function, call.line)

    def resume(self, call: Call, generator: int, sent: int, step: int) -> None:
        """`next(sent)`: the paused `yield` returns that; the last step has the returned value."""
        if self.solver.detail[generator][0] == ObjectKind.GENERATOR:
            self.run(call, generator)
            behind = self.behind(generator)
            self.solver.edge(self.solver.field(behind, self.returned), step)
            if sent >= 0:
                self.solver.edge(sent, self.solver.field(behind, self.sent))

    def iterate(self, call: Call, value: int) -> None:
        kind = self.solver.kind[value]
        contents = self.rules.contents.of(value - self.rules.scopes) if kind == INSTANCE else -1
        if contents >= 0 and self.rules.classes.find(value - self.rules.scopes, self.iterator) < 0:
            self.iterate(call, contents)
        elif kind == CONTAINER:
            if self.solver.detail[value][0] == ObjectKind.MAPPING:
                self.solver.add(call.result, self.rules.models.row(value))
            elif not call.flags & CallFlag.READ:  # an array's positions are read by themselves
                self.rules.models.elements(value, call.result)
                self.run(call, value)
            for name in self.protocols:
                if self._may_define(value, name):
                    self._iterate_protocol(call, value, name)
        elif kind == INSTANCE:
            scope, classes = value - self.rules.scopes, self.rules.classes
            name = self.iterator
            if classes.find(scope, name) < 0 <= classes.find(scope, self.async_iterator):
                name = self.async_iterator
            self._iterate_protocol(call, value, name)
        elif kind == CLASS:
            self._iterate_protocol(call, value, self.iterator)

    def _iterate_protocol(self, call: Call, value: int, name: int) -> None:
        between = self.solver.slot()
        inner = self.solver.derived_call(call, between, ())
        self.solver.listen(between, (self._on_iterator, call))
        if self.solver.kind[value] == INSTANCE:
            self.rules.invoke_member(inner, value, name)
        elif self.solver.kind[value] == CLASS:
            found = (self.rules.on_member, inner, value)
            self.rules.classes.lookup(value, self.rules.static(name), found)
        else:
            self.rules.property(value, name, (self.rules.on_member, inner, value))

    @handler
    def _on_iterator(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        kind = self.solver.kind[value]
        result = self.solver.slot()
        self.solver.listen(result, (self._on_step, call.result))
        step = self.solver.derived_call(call, result, ())
        if call.flags & (CallFlag.ENTER | CallFlag.READ):
            self._close(call, value)
        if kind == CONTAINER:
            if self._may_define(value, self.next):
                self.rules.property(value, self.next, (self.rules.on_member, step, value))
            else:
                self.rules.models.elements(value, call.result)
        elif kind == INSTANCE:
            self.rules.invoke_member(step, value, self.next)

    def _close(self, call: Call, value: int) -> None:
        """Who leaves a loop early, or takes only what is first, runs the iterator's `return`."""
        close = self.solver.derived_call(call, -1, (), self.closing)
        if self.solver.kind[value] == INSTANCE:
            self.rules.invoke_member(close, value, self.closing)
        elif self.solver.kind[value] == CONTAINER and self._may_define(value, self.closing):
            self.rules.property(value, self.closing, (self.rules.on_member, close, value))

    def _may_define(self, value: int, name: int) -> bool:
        """Whether an object may have a method of its own: a literal's properties come later."""
        known = self.solver.detail[value][0] == ObjectKind.RECORD
        return known or name in self.solver.fields_of(value)

    @handler
    def _on_step(self, value: int, listener: Listener) -> None:
        """What `next` returns holds an element."""
        if self.solver.kind[value] == CONTAINER:
            self.rules.load(value, self.value, listener[1], 0, 0)
