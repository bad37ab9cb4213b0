"""Methods that return what another method of their own object returns: `return this.rule(…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.properties import JavaScriptProperties


class JavaScriptChaining:
    """Gives each call of such a method its own receiver back, once the other returns it.

    What flowed through the method itself would make one class of all that inherit it.
    """

    def __init__(self, rules: JavaScriptProperties) -> None:
        self.solver = rules.solver
        self.returned = rules.solver.returned
        self._owners = self._find()
        """Result of a call that its method only returns → the receiver of both."""
        self.perhaps: dict[int, list[tuple[int, int]]] = {
            this: [] for this in self._owners.values() if this not in self.returned
        }
        """Receiver that may turn out to be returned → (object, result) of the calls so far."""

    def _find(self) -> dict[int, int]:
        program, operations = self.solver.program, self.solver.operations
        found: dict[int, int] = {}
        columns = (CallColumn.RESULT, CallColumn.SOURCE, CallColumn.SCOPE)
        results, sources, scopes = map(operations.column, columns)
        for index, result, source, scope in zip(
            operations.call_file, results, sources, scopes, strict=True
        ):
            base, function = program.slot_base[index], scope + program.scope_base[index]
            this = program.this[function]
            if 0 <= this == source + base:
                slot = result + base
                begin, end = operations.flow_start[slot], operations.flow_start[slot + 1]
                waits = operations.wait_start[slot + 1] - operations.wait_start[slot]
                if not waits and list(operations.flow[begin:end]) == [program.ret[function]]:
                    found[slot] = this
        return found

    def give_back(self, receiver: int, result: int) -> None:
        """Let a call have its receiver, which the method returns, as do those that hand it on."""
        pending = [(receiver, result)]
        for value, slot in pending:  # which grow meanwhile
            owner = self._owners.get(slot, -1)
            if owner < 0:
                self.solver.add(slot, value)
            elif owner not in self.returned:
                self.returned.add(owner)
                pending += self.perhaps.pop(owner, ())
