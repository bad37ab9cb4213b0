"""Arguments that are kept before a function is called: `inspect.signature(f).bind(*args)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import EXTERNAL
from toolroll_codegraph.resolve.python.iterators import ROW

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

_SIGNATURE: Final = "inspect.Signature"


class PythonSignatures:
    """Signatures, and the `args` and `kwargs` of what they bind."""

    def __init__(self, models: PythonModels) -> None:
        self.solver = models.solver
        self.program = models.program
        self.functions: dict[str, Model] = {
            "inspect.signature": self._make,
            f"{_SIGNATURE}.from_callable": self._make,
            f"{_SIGNATURE}.bind": self._bind,
            f"{_SIGNATURE}.bind_partial": self._bind,
        }

    def _make(self, call: Call, arguments: list[int]) -> None:
        self.solver.add(call.result, self.solver.make(EXTERNAL, _SIGNATURE))

    def _bind(self, call: Call, arguments: list[int]) -> None:
        solver, name = self.solver, self.program.name
        bound = solver.container((ROW, call.result, call.scope, call.line), 0)
        solver.add(call.result, bound)
        args, kwargs = (
            self._part(call, bound, part, kind)
            for part, kind in (("args", ObjectKind.SEQUENCE), ("kwargs", ObjectKind.MAPPING))
        )
        for position, item in enumerate(call.positional):
            if item >= 0:
                solver.edge(item, solver.field(args, name(f"[{position}")))
            elif item < -1:  # one that is spread is taken for all there are
                solver.edge(-item - 2, solver.field(bound, name("args")))
        for key, slot in call.named():
            if key >= 0:
                solver.edge(slot, solver.field(kwargs, name("[" + self.program.texts[key])))
            else:
                solver.edge(slot, solver.field(bound, name("kwargs")))

    def _part(self, call: Call, bound: int, part: str, kind: int) -> int:
        """A container of what is written one by one."""
        made = self.solver.container((part, call.result, call.scope, call.line), kind)
        self.solver.add(self.solver.field(bound, self.program.name(part)), made)
        return made
