"""What the modules that know a library of JavaScript have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers


class JavaScriptLibrary:
    """Does what functions of a library do; given are a call and its first two arguments, or -1."""

    def __init__(self, models: JavaScriptContainers) -> None:
        self.models = models
        self.rules = models.rules
        self.solver = models.solver

    def same(self, call: Call, first: int, second: int) -> None:
        """Give the first argument back."""
        self.solver.passing.hand_back(first, call.result)

    def instance_of(self, source: int, target: int) -> None:
        """Let a slot have an object of the class that another has."""
        self.solver.listen(source, (self._on_class, target))

    @handler
    def _on_class(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.solver.add(listener[1], value + self.models.program.scopes)
