"""Classes that are made of their fields: what a call gives them, and what they are unpacked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonRecords:
    """The fields of data classes and named tuples, in order."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.program = rules.program
        self.classes = rules.classes
        self._own: dict[int, list[int]] = {}
        """Class → the names of the fields that it adds."""
        self._tuples: set[int] = set()
        for index, facts in enumerate(self.program.facts):
            base, rename = self.program.scope_base[index], self.program.renames[index]
            for kind, scope, name, is_tuple, _ in facts.relations:
                if kind == "field":
                    self._own.setdefault(scope + base, []).append(rename[name])
                    if is_tuple:
                        self._tuples.add(scope + base)

    def make(self, call: Call, scope: int) -> None:
        """Let the fields of a class have what it is made with."""
        if not self._own:
            return
        fields = self._fields(scope)
        if not fields:
            return
        for name, item in zip(fields, call.positional, strict=False):
            if item < -1:
                break
            self._give(scope, name, item)
        pairs = iter(call.keywords)
        for name, item in zip(pairs, pairs, strict=True):
            if name in fields:
                self._give(scope, name, item)

    def item(self, scope: int, key: str) -> int:
        """The slot of what a named tuple has at a position; -1 for other classes."""
        if key.startswith("@"):
            return self._matched(scope, key[1:])
        if not key.isdigit() or self._tuples.isdisjoint(self.classes.order(scope)):
            return -1
        fields = self._fields(scope)
        return self.classes.find(scope, fields[int(key)]) if int(key) < len(fields) else -1

    def _matched(self, scope: int, position: str) -> int:
        """What a pattern takes by position: what `__match_args__` says, or else a field."""
        known = self.classes.find(scope, self.program.name("__match_args__"))
        solver = self.rules.solver
        wanted = self.program.name("[" + position)
        for value in (solver.points[known] or ()) if known >= 0 else ():
            slot = solver.fields_of(value).get(wanted)
            for text in (solver.points[slot] or ()) if slot is not None else ():
                if solver.kind[text] == TEXT:
                    return self.classes.find(scope, solver.key_name(text))
        fields = self._fields(scope)
        index = int(position)
        return self.classes.find(scope, fields[index]) if index < len(fields) else -1

    def _fields(self, scope: int) -> list[int]:
        order = self.classes.order(scope)
        return [
            *dict.fromkeys(name for known in reversed(order) for name in self._own.get(known, ()))
        ]

    def _give(self, scope: int, name: int, source: int) -> None:
        slot = self.classes.find(scope, name)
        if source >= 0 and slot >= 0:
            self.rules.arguments.admit(source, slot)
