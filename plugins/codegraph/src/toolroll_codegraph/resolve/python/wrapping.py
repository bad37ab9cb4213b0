"""What a decorator that is called like any function returns: `mark_safe = keep_lazy(str)(mark)`.

Its wrapper is one value for each function that a call gives it, as it is for each function that it
decorates. A wrapper around something that is not known is one value, too: nobody then calls the
wrapper as such, which would give it whatever anybody wraps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import EXTERNAL, WRAPPED
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonWrapping(PythonFeature):
    """Calls of the functions that return wrappers."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.given: dict[int, int] = {}
        """Function that makes a wrapper → the parameter with what it wraps."""
        self._waiting: list[tuple[int, int, int]] = []
        """(wrapper, argument, result) of the calls that have returned one."""

    def give_back(self, call: Call, function: int, receiver: int, found: int) -> None:
        """Let a call have what its function returns, a slot: a wrapper around what it is given."""
        source = self._argument(call, function, receiver)
        self.solver.listen(found, (self._on_returned, call.result, source, function))

    def _argument(self, call: Call, function: int, receiver: int) -> int:
        """The slot of what a call gives to be wrapped, -1 if that is not to be seen."""
        wanted = self.given[function]
        if any(item < -1 for item in call.positional):
            return -1
        positional, _, _ = self.rules.arguments.signature(function)
        place = positional.index(wanted) - (receiver >= 0)
        if place < len(call.positional):
            return call.positional[place] if place >= 0 else -1
        names = {slot: name for name, slot, _ in self.program.params[function]}
        return dict(call.named()).get(names[wanted], -1)

    @handler
    def _on_returned(self, value: int, listener: Listener) -> None:
        _, result, source, function = listener
        if value in self.solver.wrappers and self.program.parent[value] == function:
            if source >= 0:
                self.solver.listen(source, (self._on_given, value, result))
            self._waiting.append((value, source, result))
        else:
            self.solver.add(result, value)

    @handler
    def _on_given(self, value: int, listener: Listener) -> None:
        _, wrapper, result = listener
        if not self._has(value, wrapper):
            value = self.solver.wrapped(wrapper, value)
        self.solver.add(result, value)

    def _has(self, value: int, wrapper: int) -> bool:
        """Whether a value is in this wrapper already: loops wrap again and again."""
        while self.solver.kind[value] == WRAPPED:
            outer, value = self.solver.detail[value]
            if outer == wrapper:
                return True
        return False

    def settle(self) -> None:
        """Let a wrapper be around something unknown where nothing is known of what it is given."""
        unknown = self.solver.make(EXTERNAL, "")
        for wrapper, source, result in self._waiting:
            if source < 0 or self.solver.points[source] is None:
                self.solver.add(result, self.solver.wrapped(wrapper, unknown))
        self._waiting.clear()
