"""Ruby's enumerators: what a method yields, and the method that is called once they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.ruby.core_methods import ENUMERABLE, INDEXED, MAPPED, ROWS
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_LISTING: Final = ("to_a", "entries", "force")
_DEFERRED_NAMES: Final = """
chunk_while collect collect_concat compact drop drop_while each_with_index eager filter filter_map
find_all flat_map grep grep_v lazy map reject select slice_after slice_before slice_when take
take_while uniq with_index zip
"""
_DEFERRED: Final = frozenset(_DEFERRED_NAMES.split())
"""What a lazy enumerator makes another one of, which runs nothing yet."""
_FORCING: Final = ENUMERABLE | {"each", "force", "next"}
_GIVEN_MORE: Final = INDEXED | {"each_with_object"}


class RubyEnumerators(RubyFeature):
    """What `to_enum` makes, an array of what the method yields."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._made: dict[int, tuple[int, int, tuple[int, ...]]] = {}
        """Container → receiver, method's name (a slot or -1) and arguments of `to_enum`."""
        self._lazy: set[int] = set()
        """Of these, what runs once an element is wanted."""
        self._changed: set[int] = set()
        """What has not the elements that the method yields, but what is made of them."""

    def make(self, call: Call, value: int, *, lazy: bool = False) -> bool:
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
        if lazy:
            self._lazy.add(made)
        self._run(call, made, CallFlag.QUIET)
        return True

    def _defer(self, call: Call, source: int, name: str) -> None:
        """What is made of a lazy enumerator's elements runs that, too, once one is wanted."""
        key = ("call" if name in MAPPED else "rows", call.result)
        made = self.solver.container(key, ObjectKind.SEQUENCE)
        self._made.setdefault(made, self._made[source])
        self._lazy.add(made)
        self._changed.add(made)

    def run_over(self, call: Call, container: int, name: str) -> Call:
        """A method runs over a container: call the method that it stands for, if it does.

        That is who calls the block, so that what is returned is a call that does not.
        """
        if container not in self._made or name not in _FORCING:
            return call
        if container in self._lazy and name in _DEFERRED:
            if name in MAPPED or name in ROWS:
                self._defer(call, container, name)
        else:
            self._run(call, container, CallFlag.IMPLICIT)
        if container in self._changed:
            return call
        if not call.flags & CallFlag.BLOCK or name in _GIVEN_MORE or call.positional[-1] < 0:
            return call
        self._run(call, container, CallFlag.QUIET, call.positional[-1:])
        quiet = self.solver.derived_call(call, call.result, call.positional, call.name)
        quiet.flags |= CallFlag.BLOCK | CallFlag.QUIET
        return quiet

    def list(self, call: Call, container: int) -> bool:
        """The array that an enumerator makes is none."""
        solver, containers = self.solver, self.rules.containers
        if container not in self._made or self.rules.program.texts[call.name] not in _LISTING:
            return False
        made = solver.container(("listed", call.result), ObjectKind.SEQUENCE)
        containers.elements(container, solver.field(made, containers.any_key))
        solver.add(call.result, made)
        return True

    def _run(self, call: Call, made: int, flags: int, block: tuple[int, ...] = ()) -> None:
        """Call the method that an enumerator stands for, which yields into it or to a block."""
        value, key, arguments = self._made[made]
        arguments = (*arguments[:-1], *block) if block else arguments
        inner = Call(-1, call.scope, call.line, self.rules.each, arguments, (),
                     CallFlag.BLOCK | flags)  # fmt: skip
        if key >= 0:
            self.rules.reflection.send(key, inner, value)
        else:
            self.rules.call_method(inner, value)
