"""Flask's `g`, which has what a request puts there, werkzeug's proxies, and click's runner in
tests: `runner.invoke(show)` runs the command, for who asks for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import EXTERNAL, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers

OBJECTS: Final = frozenset(("flask.g", "quart.g"))
"""Objects of names that a library has for a project: to us there is one of each."""
_RUNNER: Final = "click.testing.CliRunner"


class PythonFlask:
    """Does what these are asked for."""

    def __init__(self, models: PythonContainers) -> None:
        self.models = models
        self.solver = models.solver
        self.functions = {
            **dict.fromkeys(OBJECTS, self._nothing),
            "werkzeug.local.LocalProxy": self._proxy,
            _RUNNER: self._runner,
            f"{_RUNNER}.invoke": self._invoke,
        }

    def find(self, name: str) -> int:
        """The object of such a name."""
        return self.models.commands.named("of a library", name)

    def _nothing(self, call: Call, arguments: list[int]) -> None:
        """It is no function."""

    def _proxy(self, call: Call, arguments: list[int]) -> None:
        """`LocalProxy(current)` stands for what the function returns."""
        for item in arguments[:1]:
            self.models.callbacks.apply_later(call, item, (), (), call.result)

    def _runner(self, call: Call, arguments: list[int]) -> None:
        self.solver.add(call.result, self.solver.make(EXTERNAL, _RUNNER))

    def _invoke(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            if item >= 0:
                self.solver.listen(item, (self._on_command, call))

    @handler
    def _on_command(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == FUNCTION:
            self.solver.suppose(call.scope, value, call.line)
