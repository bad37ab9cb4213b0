"""Functions that return their argument in an object of its own.

`_interopRequireDefault(module)` of Babel and `__importDefault` of TypeScript return `{ default:
module }` where that is no ES module: one object for all calls would give every import all modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind, ParamKind, numbers
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.calls import Call

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptBoxes:
    """Gives each call of a function of one parameter, `x => ({ name: x })`, its own object."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.solver = rules.solver
        self.program = rules.program
        self._roots = rules.narrowing.roots
        self.names: dict[int, int] = {}
        """Function → the name that it returns its argument under."""
        self._also_itself: set[int] = set()
        """Those that may return the argument itself."""
        operations = self.solver.operations
        first = 0
        for index in range(len(self.program.facts)):
            last = first
            while last < len(operations.store_file) and operations.store_file[last] == index:
                last += 1
            self._find(index, first * STORE_WIDTH, last * STORE_WIDTH)
            first = last

    def _find(self, index: int, begin: int, end: int) -> None:
        program, facts = self.program, self.program.facts[index]
        base, rename = program.slot_base[index], program.renames[index]
        stop = program.scope_base[index + 1] if index + 1 < len(program.facts) else program.scopes
        sources: dict[int, int] = {}
        for scope in range(program.scope_base[index], stop):
            given = program.params[scope]
            if len(given) == 1 and given[0][2] == ParamKind.POSITIONAL and program.ret[scope] >= 0:
                sources[given[0][1] - base] = scope
        rows = self.solver.operations.stores[begin:end]
        kept: dict[int, tuple[int, int]] = {}
        targets = rows[::STORE_WIDTH]
        roots = self._roots
        for place, source in enumerate(rows[2::STORE_WIDTH]):
            source = roots.get(source + base, source + base) - base
            if source in sources:
                kept[targets[place]] = sources[source], rename[rows[place * STORE_WIDTH + 1]]
        if not kept:
            return
        objects = iter(numbers(facts.objects))
        literals = {slot for slot, _, kind in zip(objects, objects, objects, strict=True)
                    if kind == ObjectKind.RECORD}  # fmt: skip
        for slot, (function, name) in kept.items():
            if slot in literals and targets.count(slot) == 1 and self._cut(slot + base, function):
                self.names[function] = name

    def _cut(self, slot: int, function: int) -> bool:
        """Whether an object goes nowhere but out of its function, where it goes no more."""
        operations = self.solver.operations
        flow, start = operations.flow, operations.flow_start
        ret = self.program.ret[function]
        if start[slot + 1] - start[slot] != 1:
            return False
        target = flow[start[slot]]
        if target != ret and list(flow[start[target] : start[target + 1]]) != [ret]:
            return False
        flow[start[slot]] = slot
        given = self.program.params[function][0][1]
        for place in range(start[given], start[given + 1]):
            if flow[place] in (target, ret):
                flow[place] = given
                self._also_itself.add(function)
        return True

    def enter(self, call: Call, function: int) -> None:
        """Make the object of one call."""
        if call.result >= 0 and call.positional:
            if function in self._also_itself:
                self.solver.edge(call.positional[0], call.result)
            made = self.solver.literal(ObjectKind.RECORD)
            if call.positional[0] >= 0:
                field = self.solver.field(made, self.names[function])
                self.solver.edge(call.positional[0], field)
            self.solver.add(call.result, made)
