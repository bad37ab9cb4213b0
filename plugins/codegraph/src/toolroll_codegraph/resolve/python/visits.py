"""Methods that are chosen by the class of what they visit: `getattr(self, "visit_" + name)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import PREFIX
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonVisits(PythonFeature):
    """What such a method is given first."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._visited: dict[int, list[int]] = {}
        """Method name → the classes that its end is the name of."""

    def find(self) -> None:
        """Find their names: a beginning that the project's texts have, and the name of a class."""
        program = self.program
        beginnings = {
            text[: -len(PREFIX)]: position
            for position, text in enumerate(program.texts)
            if len(text) > len(PREFIX) and text.endswith(PREFIX) and text[0] != "["
        }
        if not beginnings:
            return
        named: dict[str, list[int]] = {}
        for scope in range(program.scopes):
            if program.object_kind[scope] == CLASS:
                named.setdefault(program.texts[program.scope_name[scope]], []).append(scope)
        lengths, any_beginning = sorted(set(map(len, beginnings))), tuple(beginnings)
        for name in set(program.scope_name):
            text = program.texts[name]
            if text.startswith(any_beginning):
                known = [
                    (beginnings[text[:end]], named[text[end:]])
                    for end in lengths
                    if text[:end] in beginnings and text[end:] in named
                ]
                if known:
                    self._visited[name] = max(known)[1]

    def is_visit(self, function: int) -> bool:
        return bool(self._visited) and self.program.scope_name[function] in self._visited

    @handler
    def on_visited(self, value: int, listener: Listener) -> None:
        """Let `visit_Name` see a `Name`, whatever else of its hierarchy comes by."""
        _, function, target = listener
        if self.solver.kind[value] != INSTANCE or value >= 2 * self.program.scopes:
            self.solver.add(target, value)
            return
        order = self.rules.classes.order
        known = order(value - self.program.scopes)
        expected = self._visited[self.program.scope_name[function]]
        if any(scope in known for scope in expected):
            self.solver.add(target, value)
            return
        for scope in expected:
            if not set(known).isdisjoint(order(scope)):
                self.solver.add(target, scope + self.program.scopes)
