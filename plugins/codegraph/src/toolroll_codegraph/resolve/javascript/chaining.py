"""Methods that return what another method of their own object returns: `return this.rule(…)`.

It may be used in between: `const next = this.clone(); next.limit = 1; return next`. Static methods
that return `new this(…)` give each call an object of its own class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn, CallFlag

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.properties import JavaScriptProperties


class JavaScriptChaining:
    """Gives each call of such a method its own receiver back, once the other returns it.

    What flowed through the method itself would make one class of all that inherit it.
    """

    def __init__(self, rules: JavaScriptProperties) -> None:
        self.solver = rules.solver
        self.returned = rules.solver.returned
        self._used: dict[int, int] = {}
        """Result of a call that its method uses, too → the slot of what uses it."""
        self.makers: set[int] = set()
        """Methods that return an object of the class they are called on."""
        self._owners = self._find()
        """Result of a call that its method returns → the receiver of both."""
        self.perhaps: dict[int, list[tuple[int, int]]] = {
            this: [] for this in self._owners.values() if this not in self.returned
        }
        """Receiver that may turn out to be returned → (object, result) of the calls so far."""

    def _find(self) -> dict[int, int]:
        program, operations = self.solver.program, self.solver.operations
        found: dict[int, int] = {}
        columns = CallColumn.RESULT, CallColumn.SOURCE, CallColumn.SCOPE, CallColumn.FLAGS
        for identifier, row in enumerate(operations.rows(*columns)):
            index, result, source, scope, flags = row
            base, function = program.slot_base[index], scope + program.scope_base[index]
            this, ret, slot = program.this[function], program.ret[function], result + base
            if this < 0 or this != source + base:
                continue
            begin, end = operations.flow_start[slot], operations.flow_start[slot + 1]
            targets = operations.flow[begin:end]
            if ret in targets and flags & CallFlag.NEW:
                operations.flow[begin + targets.index(ret)] = slot  # to itself: nowhere
                self.makers.add(function)
            elif ret in targets:
                waits = operations.wait_start[slot + 1] - operations.wait_start[slot]
                if waits or len(targets) > 1:
                    operations.flow[begin + targets.index(ret)] = slot
                    slot = self._split(identifier, index, slot, ret)
                found[slot] = this
        return found

    def _split(self, identifier: int, index: int, used: int, ret: int) -> int:
        """Let a call have a result of its own, from which its method both uses and returns."""
        slot = self.solver.slot()
        self._used[slot] = used
        row = identifier * CallColumn.WIDTH + CallColumn.RESULT
        self.solver.operations.calls[row] = slot - self.solver.program.slot_base[index]
        self.solver.edge(slot, used)
        self.solver.edge(slot, ret)
        return slot

    def give_back(self, receiver: int, result: int) -> None:
        """Let a call have its receiver, which the method returns, as do those that hand it on."""
        pending = [(receiver, result)]
        for value, slot in pending:  # which grow meanwhile
            owner = self._owners.get(slot, -1)
            if owner < 0:
                self.solver.add(slot, value)
                continue
            if slot in self._used:
                self.solver.add(self._used[slot], value)
            if owner not in self.returned:
                self.returned.add(owner)
                pending += self.perhaps.pop(owner, ())

    def give_made(self, receiver: int, result: int) -> None:
        """Let a call have an object of the class that a method which makes one is called on."""
        if receiver < self.solver.program.scopes:
            self.solver.add(result, receiver + self.solver.program.scopes)
