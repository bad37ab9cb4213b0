"""Functions with a cache: taken for the function itself, which is their `__wrapped__` too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import EXTERNAL, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

_CACHES: Final = ("functools.cache", "functools.lru_cache")


class PythonCaches:
    """What gives functions a cache."""

    def __init__(self, models: PythonModels) -> None:
        self.solver = models.solver
        self.wrapped = models.program.name("__wrapped__")
        self.functions: dict[str, Model] = dict.fromkeys(_CACHES, self._give)

    def _give(self, call: Call, arguments: list[int]) -> None:
        """`@lru_cache`, and `@lru_cache(maxsize=9)`, which gives the decorator."""
        if not arguments or arguments[0] < 0:
            self.solver.add(call.result, self.solver.make(EXTERNAL, _CACHES[0]))
        else:
            self.solver.edge(arguments[0], call.result)
            self.solver.listen(arguments[0], (self._on_function,))

    @handler
    def _on_function(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.solver.add(self.solver.field(value, self.wrapped), value)
