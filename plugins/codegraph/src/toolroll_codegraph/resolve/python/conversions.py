"""What asks its arguments for a special method: `str(x)`, `len(x)`, `copy.copy(x)`, `dir(x)`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers
    from toolroll_codegraph.resolve.python.models import Model

_CONVERT: Final = {
    "str": "__str__", "repr": "__repr__", "len": "__len__", "bool": "__bool__",
    "hash": "__hash__", "int": "__int__", "float": "__float__", "abs": "__abs__",
    "bytes": "__bytes__", "round": "__round__", "format": "__format__",
    "divmod": "__divmod__", "pow": "__pow__", "complex": "__complex__", "hex": "__index__",
    "oct": "__index__", "bin": "__index__", "math.floor": "__floor__", "math.ceil": "__ceil__",
    "math.trunc": "__trunc__",
}  # fmt: skip
"""What is called on the first argument."""
_CONVERT_ALL: Final = {"print": "__str__", "range": "__index__"}
_CHECKS: Final = {"isinstance": "__instancecheck__", "issubclass": "__subclasscheck__"}
"""What is called on the second, a class, by its metaclass."""
_DEEP: Final = "__deepcopy__"
_COPYING: Final = {"copy.copy": "__copy__", "copy.deepcopy": _DEEP}
"""What gives its first argument back, by way of a method where there is one."""


class PythonConversions:
    """Calls of such functions, and the special methods that they call."""

    def __init__(self, models: PythonContainers) -> None:
        self.models = models
        self.solver = models.solver
        self.program = models.program
        checks = {name: it for name, it in _CHECKS.items() if it in self.program.names}
        self.functions: dict[str, Model] = {
            **{name: partial(self._copied, special) for name, special in _COPYING.items()},
            **{name: partial(self._convert, special) for name, special in _CONVERT.items()},
            **{name: partial(self._convert_all, special) for name, special in _CONVERT_ALL.items()},
            **{name: partial(self._check, special) for name, special in checks.items()},
            "dir": self._dir,
        }

    def _copied(self, special: str, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.edge(item, call.result)
            self.convert(call, item, special)
            if special == _DEEP:
                self.solver.listen(item, (self._on_copied, call))

    @handler
    def _on_copied(self, value: int, listener: Listener) -> None:
        """Copy what a container has, too."""
        if self.solver.kind[value] == CONTAINER:
            copied = (self._on_convert, listener[1], self.program.name(_DEEP))
            self.solver.every_field(value, copied)

    def _convert(self, special: str, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.convert(call, item, special)

    def _convert_all(self, special: str, call: Call, arguments: list[int]) -> None:
        for item in arguments:
            self.convert(call, item, special)

    def _check(self, special: str, call: Call, arguments: list[int]) -> None:
        for item in arguments[1:2]:
            self.convert(call, item, special)

    def convert(self, call: Call, source: int, special: str) -> None:
        """Call a special method of what a slot holds."""
        if source >= 0:
            self.solver.listen(source, (self._on_convert, call, self.program.name(special)))

    @handler
    def _on_convert(self, value: int, listener: Listener) -> None:
        _, call, name = listener
        self.models.rules.protocols.convert(call, value, name)

    def _dir(self, call: Call, arguments: list[int]) -> None:
        """List names of which nothing is known, until a test says how they begin."""
        if arguments:
            self._convert("__dir__", call, arguments)
            names = self.solver.field(self.models.result(call), self.models.any_key)
            self.solver.add(names, self.solver.text(self.program.name(PREFIX)))
