"""What inherited methods give each receiver: `return self.name` is that receiver's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Operation
from toolroll_codegraph.facts.model import LOAD_WIDTH, Returned
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_RETURNED: Final = (Returned.WITHOUT, Returned.WITH, Returned.EITHER)


class PythonResults:
    """Methods of classes with subclasses that return attributes of their receiver, and functions
    that return one thing with an optional argument and another without."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.read: dict[int, list[tuple[int, int]]] = {}
        """Method → (attribute, slot in the method) of what it returns of its receiver."""
        self._found: dict[tuple[int, int], int] = {}
        """(method, receiver) → slot of what the method returns of that."""
        self.split: dict[int, tuple[int, list[tuple[str, int]]]] = {}
        """Function → (its optional argument, (`Returned`, slot) of what it returns)."""
        self._chosen: dict[tuple[int, bool], int] = {}
        """(function, with the argument?) → slot of what it returns so."""

    def find(self) -> None:
        """Cut what such methods return off from what they return to everybody."""
        program, kind = self.program, self.solver.kind
        subclasses, makers = self.rules.classes.subclasses, self.rules.kinds.made_by
        for scope in range(program.scopes):
            if kind[scope] != FUNCTION or program.this[scope] < 0 or program.ret[scope] < 0:
                continue
            parent = program.parent[scope]
            if parent >= 0 and (subclasses.get(program.canonical[parent]) or parent in makers):
                self._find(scope, program.this[scope], program.ret[scope])
        for index, facts in enumerate(program.facts):
            rename, base = program.renames[index], program.slot_base[index]
            for kind, scope, parameter, slot, _ in facts.relations:
                if kind in _RETURNED:
                    known = self.split.setdefault(
                        scope + program.scope_base[index], (rename[parameter], [])
                    )
                    if slot >= 0:
                        known[1].append((kind, slot + base))

    def chosen(self, call: Call, function: int, receiver: int) -> int:
        """The slot of what a function returns to a call; -1 where that is all it ever does.

        An argument that is given may be `None` all the same, but for a decorator's.
        """
        split = self.split.get(function)
        if split is None:
            return -1
        parameter, returned = split
        given = self.rules.arguments.is_given(call, function, parameter, receiver)
        if given is None or (given and not call.flags & CallFlag.DECORATOR):
            return -1
        found = self._chosen.get((function, given))
        if found is None:
            found = self._chosen[function, given] = self.solver.slot()
            chosen = Returned.WITH if given else Returned.WITHOUT
            for kind, slot in returned:
                if kind in (Returned.EITHER, chosen):
                    self.solver.edge(slot, found)
        return found

    def _find(self, method: int, this: int, own: int) -> None:
        operations, program = self.solver.operations, self.program
        flow, starts = operations.flow, operations.flow_start
        for position in range(operations.wait_start[this], operations.wait_start[this + 1]):
            entry = operations.wait[position]
            if entry & Operation.MASK != Operation.LOAD:
                continue
            load = entry >> Operation.SHIFT
            index = operations.load_file[load]
            target, _, name, _, _ = operations.loads[load * LOAD_WIDTH : (load + 1) * LOAD_WIDTH]
            target += program.slot_base[index]
            for place in range(starts[target], starts[target + 1]):
                if flow[place] == own:
                    flow[place] = target  # goes nowhere
                    read = program.renames[index][name], target
                    self.read.setdefault(method, []).append(read)

    def give(self, method: int, receiver: int, result: int) -> None:
        """Send what a method reads of a receiver to the result of a call."""
        own = self.program.ret[method]
        if receiver < 0:
            for _, slot in self.read[method]:
                self.admit(slot, own, result)
            return
        found = self._found.get((method, receiver))
        if found is None:  # read once: what is read may be such a method's result again
            found = self._found[method, receiver] = self.solver.slot()
            line = self.program.first_line[method]
            for name, _ in self.read[method]:
                self.rules.load(receiver, name, found, method, line)
        self.admit(found, own, result)

    def admit(self, source: int, own: int, result: int) -> None:
        """Let a result have values, as far as the annotation of the method admits them."""
        types = self.rules.types
        if own in types.limits:
            self.solver.listen(source, (types.on_limited, own, result))
        else:
            self.solver.edge(source, result)
