"""Ruby's enumerators: what a method yields, and the method that is called once they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.ruby.core_methods import ENUMERABLE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyEnumerators:
    """What `to_enum` makes, an array of what the method yields."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self._made: dict[int, tuple[int, int, tuple[int, ...]]] = {}
        """Container → receiver, method's name (a slot or -1) and arguments of `to_enum`."""

    def make(self, call: Call, value: int) -> bool:
        """`to_enum(:each)`: the method is called later."""
        solver = self.solver
        positional = call.positional
        if call.flags & CallFlag.BLOCK:
            return False
        made = solver.container(("enumerator", call.scope, call.line), ObjectKind.SEQUENCE)
        solver.add(call.result, made)
        block = solver.slot()
        solver.add(block, made)
        key = positional[0] if positional else -1
        self._made[made] = (value, key, (*positional[1:], block))
        self._run(call, made, CallFlag.QUIET)
        return True

    def run_over(self, call: Call, container: int, name: str) -> None:
        """A method runs over a container: call the method that it stands for, if it does."""
        if container in self._made and (name in ENUMERABLE or name == "each"):
            self._run(call, container, CallFlag.IMPLICIT)

    def _run(self, call: Call, made: int, flags: int) -> None:
        """Call the method that an enumerator stands for, which yields into it."""
        value, key, arguments = self._made[made]
        inner = Call(-1, call.scope, call.line, self.rules.each, arguments, (),
                     CallFlag.BLOCK | flags)  # fmt: skip
        if key >= 0:
            self.rules.reflection.send(key, inner, value)
        else:
            self.rules.call_method(inner, value)
