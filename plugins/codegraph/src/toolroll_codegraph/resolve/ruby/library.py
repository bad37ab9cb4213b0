"""Classes of Ruby's library that keep what they are given: sets, queues, open structures.

The project does not define them: their constant is the text of their name, which makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

LIBRARY: Final = {
    "Set": ObjectKind.SEQUENCE, "SortedSet": ObjectKind.SEQUENCE, "Queue": ObjectKind.SEQUENCE,
    "SizedQueue": ObjectKind.SEQUENCE, "Thread.Queue": ObjectKind.SEQUENCE,
    "OpenStruct": ObjectKind.HASH,
}  # fmt: skip


class RubyLibrary:
    """What is made of such classes is an array or a hash, but for what it asks of its elements."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.made: set[int] = set()
        """What was made: the library, not the caller, asks what is inside."""

    def make(self, call: Call, value: int) -> None:
        """Answer `Set.new(list)`, `Set[item]` and `OpenStruct.new(name: value)`."""
        solver, containers = self.solver, self.rules.containers
        name, text = self.program.texts[call.name], solver.key_text(value)
        kind = LIBRARY.get(text)
        if kind is None or name not in ("new", "[]"):
            return
        made = solver.container(("library", call.result), kind)
        self.made.add(made)
        for item in call.positional:
            if name == "[]":
                containers.put(made, item)
            elif item >= 0:
                containers.take_in(made, item)
        for key, item in call.named():
            if key >= 0 and item >= 0:
                solver.edge(item, solver.field(made, self._key(self.program.texts[key])))
        solver.add(call.result, made)

    def answer(self, call: Call, value: int, name: str) -> bool:
        """Read or write what an open structure has under a name of its own."""
        if self.solver.detail[value][0] != ObjectKind.HASH or value not in self.made:
            return False
        if name.endswith("=") and name != "[]=" and call.positional and call.positional[0] >= 0:
            field = self.solver.field(value, self._key(name[:-1]))
            self.solver.edge(call.positional[0], field)
            return True
        if not call.positional and name.isidentifier():
            self.rules.containers.load(value, self._key(name), call.result)
        return False

    def _key(self, text: str) -> int:
        return self.program.name("[" + text)
