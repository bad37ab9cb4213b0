"""What inherited methods give each receiver: `return self.name` is that receiver's own, and so is
what `return self.make()` makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, Operation, ScopeFlag
from toolroll_codegraph.facts.model import LOAD_WIDTH, Returned
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_OTHERWISE: Final = CallFlag.SUPER | CallFlag.IMPLICIT | CallFlag.DECORATOR
"""Calls that find what they call in another way than by a member's name."""
_UNLIKE: Final = (
    ScopeFlag.ABSTRACT | ScopeFlag.PROPERTY | ScopeFlag.STATIC | ScopeFlag.CLASSMETHOD
    | ScopeFlag.GENERATOR
)  # fmt: skip
"""Functions that give more, or something else, than their result slot has of a receiver, but for
those that give this, or another of its class."""
_RETURNED: Final = (Returned.WITHOUT, Returned.WITH, Returned.EITHER)


class PythonResults(PythonFeature):
    """Methods of classes with subclasses that return attributes of their receiver, and functions
    that return one thing with an optional argument and another without."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.read: dict[int, list[tuple[int, int]]] = {}
        """Method → (attribute, slot in the method) of what it returns of its receiver."""
        self.called: dict[int, list[tuple[int, int]]] = {}
        """Method → (member, slot of what any has from it) of what it returns that that gives."""
        self._found: dict[tuple[int, int], int] = {}
        """(method, receiver) → slot of what the method returns of that."""
        self.split: dict[int, tuple[int, list[tuple[str, int]]]] = {}
        """Function → (its optional argument, (`Returned`, slot) of what it returns)."""
        self._by_calling: set[int] = set()
        """Those that ask whether the argument can be called."""
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
            for kind, scope, parameter, slot, by_calling in facts.relations:
                if kind in _RETURNED:
                    scope += program.scope_base[index]
                    known = self.split.setdefault(scope, (rename[parameter], []))
                    if by_calling:
                        self._by_calling.add(scope)
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
        if given and function in self._by_calling and self._gives_text(call):
            given = False
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

    def _gives_text(self, call: Call) -> bool:
        """Whether nothing that a call gives by position can be called."""
        return not call.flags & CallFlag.DECORATOR and all(
            item == -1 or (item >= 0 and self._is_text(item)) for item in call.positional
        )

    def _is_text(self, slot: int) -> bool:
        values = self.solver.points[slot]
        return values is not None and all(self.solver.kind[value] == TEXT for value in values)

    def _find(self, method: int, this: int, own: int) -> None:
        operations, program = self.solver.operations, self.program
        flow, starts = operations.flow, operations.flow_start
        for position in range(operations.wait_start[this], operations.wait_start[this + 1]):
            entry = operations.wait[position]
            kind, identifier = entry & Operation.MASK, entry >> Operation.SHIFT
            if kind == Operation.LOAD:
                index, found = operations.load_file[identifier], self.read
                start = identifier * LOAD_WIDTH
                target, _, name, _, _ = operations.loads[start : start + LOAD_WIDTH]
            elif kind == Operation.CALL:
                index, found = operations.call_file[identifier], self.called
                start = identifier * CallColumn.WIDTH
                target, name, flags = (
                    operations.calls[start + column]
                    for column in (CallColumn.RESULT, CallColumn.NAME, CallColumn.FLAGS)
                )
                if name < 0 or flags & _OTHERWISE:
                    continue
            else:
                continue
            target += program.slot_base[index]
            for place in range(starts[target], starts[target + 1]):
                if flow[place] == own:
                    flow[place] = target  # goes nowhere
                    found.setdefault(method, []).append((program.renames[index][name], target))

    def depends(self, function: int) -> bool:
        """Whether a function returns what it has of its receiver."""
        return function in self.read or function in self.called

    def give(self, method: int, receiver: int, result: int) -> None:
        """Send what a method reads of a receiver to the result of a call."""
        own = self.program.ret[method]
        read, called = self.read.get(method, ()), self.called.get(method, ())
        if receiver < 0:
            for _, slot in (*read, *called):
                self.admit(slot, own, result)
            return
        found = self._found.get((method, receiver))
        if found is None:  # read once: what is read may be such a method's result again
            found = self._found[method, receiver] = self.solver.slot()
            line = self.program.first_line[method]
            for name, _ in read:
                self.rules.load(receiver, name, found, method, line)
            for name, slot in called:
                self._ask(receiver, name, slot, found)
        self.admit(found, own, result)

    def _ask(self, receiver: int, name: int, whole: int, found: int) -> None:
        """Let a slot have of what a member gives anybody what it gives one receiver."""
        scope = receiver - self.program.scopes
        if self.solver.kind[receiver] != INSTANCE or scope >= self.program.scopes:
            self.solver.edge(whole, found)
            return
        listener = self._on_asked, receiver, whole, found
        if not self.rules.classes.lookup(scope, name, listener):
            self.solver.edge(whole, found)

    @handler
    def _on_asked(self, value: int, listener: Listener) -> None:
        receiver: int = listener[1]
        whole: int = listener[2]
        found: int = listener[3]
        kind, solver, program = self.solver.kind[value], self.solver, self.program
        if kind == CLASS and self.rules.classes.find(value, self.rules.new) < 0:
            solver.add(found, value + program.scopes)
        elif kind == FUNCTION and not program.flags[value] & _UNLIKE and self._is_plain(value):
            solver.edge(program.ret[value], found)
            this, factory = program.this[value], program.flags[value] & ScopeFlag.FACTORY
            if factory or this in solver.returned:
                solver.add(found, receiver)
            if self.depends(value):
                self.give(value, receiver, found)
        else:
            solver.edge(whole, found)

    def _is_plain(self, function: int) -> bool:
        """Whether what a function returns is all in its result, whoever calls it."""
        returned, perhaps = self.solver.returned, self.solver.passing.perhaps
        return function not in self.split and not any(
            slot in returned or slot in perhaps
            for _, slot, _ in self.program.params[function]
            if slot != self.program.this[function]
        )

    def admit(self, source: int, own: int, result: int) -> None:
        """Let a result have values, as far as the annotation of the method admits them."""
        types = self.rules.types
        if own in types.limits:
            self.solver.listen(source, (types.on_limited, own, result))
        else:
            self.solver.edge(source, result)
