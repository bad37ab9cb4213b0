"""Types with their arguments on their way from where they are written to where they tell something.

They move beside the values, over the same flow: all objects of a class are one value, which cannot
tell `Stack<Item>` from other stacks.
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import RESULT, CallColumn, CallFlag
from toolroll_codegraph.facts.model import LOAD_WIDTH
from toolroll_codegraph.resolve.javascript.type_arguments import JavaScriptTypeArguments
from toolroll_codegraph.resolve.javascript.type_declarations import Expression
from toolroll_codegraph.resolve.javascript.type_table import MOST_TERMS, UNKNOWN, Type, joined
from toolroll_codegraph.resolve.program import FUNCTION

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_ELEMENT: Final = ("pop", "shift", "at", "find", "findLast", "get")
"""Methods of containers that return an element of theirs."""


class JavaScriptTypeFlow(JavaScriptTypeArguments):
    """Moves types, and asks them what is read of them and called on them."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.receivers: dict[int, Type] = {}
        """Result of a call of a method → types of what it is called on, with arguments."""
        self.chosen: set[int] = set()
        """Results that are what a type argument says."""
        self.used: set[int] = set()
        """Slots from which something is read, or on which it is called, that types may tell of."""
        self._full: set[int] = set()
        """Slots that may hold too many types."""
        self._pending: deque[int] = deque()
        self._indegree = bytearray()
        """How many slots flow into each, up to 2."""
        self._loads = array("i")
        """Where such a read is from, its name, and the slot that it fills, flat."""
        self._calls = array("i")
        names = self.program.names
        self._element = {names[name] for name in _ELEMENT if name in names}

    def note_operations(self) -> None:
        """Find the reads and calls that types may tell of, and count what flows where."""
        self._indegree = self._count_flow()
        self._find_operations()

    def _count_flow(self) -> bytearray:
        found = bytearray(self.program.slots)
        for target in self.solver.operations.flow:
            if found[target] < 2:
                found[target] += 1
        return found

    def _find_operations(self) -> None:
        """Find the reads and calls of what has a type with arguments."""
        program, operations, terms = self.program, self.solver.operations, self.terms
        texts, names = program.texts, set[int]()
        for _, name in terms.fields:
            text = texts[name]
            names.add(program.name(text.removesuffix(RESULT)))
        for scope in range(program.scopes):
            if self.solver.kind[scope] == FUNCTION and program.ret[scope] in terms.declared:
                names.add(program.scope_name[scope])
        wanted = [
            {own for own, name in enumerate(rename) if name in names} for rename in program.renames
        ]
        rows, width = operations.loads, LOAD_WIDTH
        for place, index in enumerate(operations.load_file):
            name = rows[place * width + 2]
            if name in wanted[index]:
                slots, rename = program.slot_base[index], program.renames[index]
                target, base = rows[place * width], rows[place * width + 1]
                self._loads.extend((base + slots, rename[name], target + slots))
        self.used.update(self._loads[::3])
        called = operations.column(CallColumn.NAME)
        self._calls.extend(
            call
            for call, index in enumerate(operations.call_file)
            if called[call] in wanted[index]
            or operations.calls[call * CallColumn.WIDTH] + program.slot_base[index] in terms.given
        )
        self.used.update(map(self._source, self._calls))

    def move(self, receivers: Callable[[int], Type]) -> None:
        """Move types until nothing changes; of slots without any somebody else may tell one."""
        self._pending.extend(self.types)
        numbers = iter(self._loads)
        for base, name, target in zip(numbers, numbers, numbers, strict=True):
            self._read(receivers(base), name, target)
        for call in self._calls:
            source = self._source(call)
            self._call(receivers(source), call, source)
        self._flow()

    def seed(self) -> None:
        """Give every slot what it is declared as, but for parameters of the code around it."""
        for slot, told in self.terms.declared.items():
            if _tells(told):
                self._put(slot, self.terms.value(told, ()))

    def _add(self, slot: int, types: Type) -> None:
        """Let a slot hold a type, unless it says itself what it holds."""
        if slot >= 0 and slot not in self.terms.declared:
            self._put(slot, types)

    def _put(self, slot: int, types: Type) -> None:
        if slot in self._full:
            return
        types = self.terms.closed(types)
        known = self.types.get(slot, ())
        if types == known:
            return
        found = (*dict.fromkeys((*known, *types)),) if known else types
        telling = self.terms.telling
        if len(found) > MOST_TERMS:
            self._full.add(slot)
            self.types.pop(slot, None)
        elif len(found) > len(known):
            self.types[slot] = found
            if any([telling[item] for item in found]):
                self._pending.append(slot)

    def _flow(self) -> None:
        """Move types until nothing changes."""
        operations, last = self.solver.operations, self.program.slots
        starts, flow = operations.flow_start, operations.flow
        while self._pending:
            slot = self._pending.popleft()
            types = self.types.get(slot)
            if types is None:
                continue
            for target in self.solver.found_flow.targets(slot):
                self._add(target, types)
            if slot >= last:
                continue
            for target in flow[starts[slot] : starts[slot + 1]]:
                alone = self._indegree[target] < 2
                self._add(target, types if alone else (*dict.fromkeys((*types, 0)),))
            for index, target, name in operations.reads_of(slot):
                base, name = self.program.slot_base[index], self.program.renames[index][name]
                self._read(types, name, target + base)
            for call in operations.calls_on(slot):
                self._call(types, call, slot)

    def _read(self, types: Type, name: int, target: int) -> None:
        terms = self.terms.terms
        element = self.program.texts[name].startswith("[")
        found: list[Type] = []
        for item in types:
            if terms[item][0] == "e":
                found.append(terms[item][1] if element else UNKNOWN)
                continue
            told, env = self.terms.member(item, name)
            found.append(self.terms.value(told, env))
            self._note_parameter(target, told)
        self.result(target, joined(found))

    def _call(self, types: Type, call: int, source: int) -> None:
        operations = self.solver.operations
        index = operations.call_file[call]
        row = operations.calls[call * CallColumn.WIDTH : (call + 1) * CallColumn.WIDTH]
        result = row[CallColumn.RESULT] + self.program.slot_base[index]
        flags, name = row[CallColumn.FLAGS], row[CallColumn.NAME]
        if flags & CallFlag.NEW:
            self.result(result, self._made(source, result))
            return
        if name < 0:
            self.result(result, self.terms.inner("f", types))
        elif flags & CallFlag.ITERATE:
            self.result(result, self.terms.inner("e", types))
        else:
            self._call_method(types, self.program.renames[index][name], call, result)

    def _call_method(self, types: Type, name: int, call: int, result: int) -> None:
        found: list[Type] = []
        terms = self.terms
        for item in types:
            term = terms.terms[item]
            if term[0] == "e":
                found.append(term[1] if name in self._element else UNKNOWN)
                continue
            function, told, env = terms.called(item, name)
            found.append(terms.value(told, env + self.own_arguments(function, call, result)))
            self._note_parameter(result, told)
        applied = tuple([item for item in types if terms.telling[item]])
        if applied:
            self.receivers[result] = applied
        self.result(result, joined(found))

    def _note_parameter(self, result: int, told: Expression) -> None:
        """Note a result that is a type parameter, or a part of one: the arguments alone tell."""
        parts = told[1:] if told[0] == "|" else (told,)
        if any(part[0] in "pk" for part in parts):
            self.chosen.add(result)

    def _source(self, call: int) -> int:
        operations = self.solver.operations
        source = operations.calls[call * CallColumn.WIDTH + CallColumn.SOURCE]
        return source + self.program.slot_base[operations.call_file[call]] if source >= 0 else -1

    def result(self, slot: int, types: Type) -> None:
        if types != UNKNOWN and types:
            self._add(slot, self.terms.known(types))

    def _made(self, source: int, result: int) -> Type:
        """What `new Stack<Item>()` makes."""
        given = self.terms.given.get(result)
        if given is None or source < 0:
            return UNKNOWN
        return self.terms.value(("g", source, *given), ())


def _tells(told: Expression) -> bool:
    """Whether an expression tells something without the parameters in it."""
    head, *parts = told
    if head == "g":
        return any(part[0] in "no" or _tells(part) for part in parts[1:])
    if head in "ef|":
        return any(part[0] in "no" or _tells(part) for part in parts)
    return head in "km"
