"""What the modules that know a library of JavaScript have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, MODULE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers


class JavaScriptLibrary:
    """Does what functions of a library do; given are a call and its first two arguments, or -1."""

    def __init__(self, models: JavaScriptContainers) -> None:
        self.models = models
        self.rules = models.rules
        self.solver = models.solver
        self.program = models.program

    def same(self, call: Call, first: int, second: int) -> None:
        """Give the first argument back."""
        self.solver.passing.hand_back(first, call.result)

    def instance_of(self, source: int, target: int) -> None:
        """Let a slot have an object of the class that another has."""
        self.solver.listen(source, (self._on_class, target))

    @handler
    def _on_class(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.solver.add(listener[1], value + self.program.scopes)

    def default_of(self, module: int, call: Call) -> None:
        """Let a call return what a module exports by default."""
        self.solver.listen(module, (self._on_module, call))

    @handler
    def _on_module(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == MODULE:
            default = self.program.name("default")
            self.rules.load(value, default, call.result, call.scope, call.line)

    def mirror(self, value: int, receive: Callable[[int, int], None]) -> None:
        """Report every field that an object has now or gets later."""
        if self.solver.kind[value] == CONTAINER:
            self.solver.mirror(value, receive)
