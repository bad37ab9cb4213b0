"""What compiled code imports in place of its own helpers: `tslib`, and Babel's runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CONTAINER, MODULE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.statics import JavaScriptStatics

_RUNTIME: Final = "@babel/runtime/helpers/"
_BABEL: Final = {
    "interopRequireDefault": "__importDefault",
    "interopRequireWildcard": "__importStar",
    "inherits": "__extends",
    "inheritsLoose": "__extends",
    "extends": "__assign",
    "objectSpread": "__assign",
    "objectSpread2": "__assign",
    "slicedToArray": "__read",
    "toArray": "__read",
    "toConsumableArray": "__read",
    "asyncToGenerator": "__read",
}
"""Helpers of Babel, with those of TypeScript that do as much with values."""
HELPERS: Final = (
    "__assign", "__exportStar", "__extends", "__importDefault", "__importStar", "__read", "__rest",
)  # fmt: skip


def helper_name(dotted: str) -> str:
    """The name of an import, for a helper of Babel that of TypeScript's."""
    if not dotted.startswith(_RUNTIME):
        return dotted
    return f"tslib.{_BABEL.get(dotted.rpartition('/')[2], '')}"


class JavaScriptHelpers:
    """The helpers that hand on, copy or box their arguments."""

    def __init__(self, statics: JavaScriptStatics) -> None:
        self.models = statics.models
        self.solver = statics.solver
        self.copying = statics.copying
        self.default = statics.program.name("default")

    def import_default(self, call: Call, module: int, second: int) -> None:
        """An ES module as it is, all else as `{ default: module }`."""
        if call.result >= 0:
            self.solver.listen(module, (self._on_module, call))

    def export_star(self, call: Call, module: int, exports: int) -> None:
        if module >= 0:
            self.copying.copy(exports, module, call)

    def _on_module(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == MODULE:
            self.solver.add(call.result, value)
            return
        made = self.models.result(call, ObjectKind.RECORD)
        self.solver.add(self.solver.field(made, self.default), value)

        def receive(name: int, slot: int) -> None:
            if name == self.default:  # it was compiled from an ES module
                self.solver.add(call.result, value)

        if self.solver.kind[value] == CONTAINER:
            self.solver.mirror(value, receive)
