"""The helpers of compiled code: those of `tslib` and Babel's runtime, and those it has itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.barrels import JavaScriptBarrels
from toolroll_codegraph.resolve.javascript.exporting import JavaScriptExporting
from toolroll_codegraph.resolve.javascript.inheriting import JavaScriptInheriting
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, MODULE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.statics import JavaScriptStatics

_Helper = Callable[[Call], None]
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
    "assertThisInitialized": "__rest",
    "possibleConstructorReturn": "__rest",
    "objectWithoutProperties": "__rest",
    "objectWithoutPropertiesLoose": "__rest",
    "createClass": "__createClass",
    "defineProperty": "__defineProperty",
}
"""Helpers of Babel, with those of TypeScript that do as much with values."""
_COPIES: Final = ("__assign", "_extends", "_objectSpread", "_objectSpread2")
_HANDS_ON: Final = (
    "__read", "__rest", "__spread", "__values", "_objectWithoutProperties",
    "_objectWithoutPropertiesLoose", "_slicedToArray", "_toArray", "_toConsumableArray",
)  # fmt: skip
_CREATE_CLASS: Final = ["Constructor", "protoProps", "staticProps"]
_JOINS: Final = ("__spreadArray", "__spreadArrays")
HELPERS: Final = (
    "__assign", "__createClass", "__defineProperty", "__exportStar", "__extends",
    "__importDefault", "__importStar", "__read", "__rest",
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
        self.inheriting = JavaScriptInheriting(statics)
        self.exporting = JavaScriptExporting(statics)
        self.barrels = JavaScriptBarrels(self.exporting)
        self.default = statics.program.name("default")

    def written(self) -> dict[int, _Helper]:
        """The helpers that a program has for itself, function by function.

        Each call gets what it gives: what flowed through such a function would come to all calls.
        """
        known: dict[str, _Helper] = {
            **dict.fromkeys(_COPIES, self.copying.assign),
            **dict.fromkeys(_HANDS_ON, self._hand_on),
            **dict.fromkeys(_JOINS, self._join),
            **dict.fromkeys(("_createClass", "_create_class"), self._create_class),
        }
        program = self.solver.program
        found: dict[int, _Helper] = {}
        makers: set[int] = set()
        for scope in range(program.scopes):
            if program.object_kind[scope] == FUNCTION:
                text = program.texts[program.scope_name[scope]]
                if text[:1] == "_":
                    helper = (
                        known.get(text)
                        or self.inheriting.written(text, scope)
                        or self.exporting.written(text, scope)
                    )
                    if helper is not None:
                        found[scope] = helper
                elif text == "defineProperties":
                    makers.add(program.parent[scope])
                # TypeScript's `__extends(derived, base)` would make it a class between the two
                if text == "__" and len(program.params[program.parent[scope]]) == 2:
                    found[program.parent[scope]] = self.inheriting.inherits
        found.update(dict.fromkeys(self._returned_by(makers), self._create_class))
        found.update(self.barrels.written())
        return found

    def _returned_by(self, makers: set[int]) -> Iterator[int]:
        """`var _createClass = function () { function defineProperties…; return function (…) … }()`.

        Babel has written it so until it was a function of its own.
        """
        program = self.solver.program
        for scope in range(program.scopes) if makers else ():
            if program.parent[scope] in makers:
                names = [program.texts[name] for name, _, _ in program.params[scope]]
                if names == _CREATE_CLASS:
                    yield scope

    def _create_class(self, call: Call) -> None:
        owner, elements = (*call.positional[:2], -1, -1)[:2]
        self.create_class(call, owner, elements)

    def _hand_on(self, call: Call) -> None:
        for item in call.positional[:1]:
            self.solver.edge(item, call.result)

    def _join(self, call: Call) -> None:
        for item in call.positional:
            self.solver.edge(item, call.result)

    def create_class(self, call: Call, owner: int, elements: int) -> None:
        """`createClass(Class, [{ key, value }, …], [{ key, get }, …])`: static ones come last."""
        static = call.positional[2] if len(call.positional) > 2 else -1
        self.solver.listen(owner, (self._on_class, elements, static))
        if owner >= 0:
            self.solver.edge(owner, call.result)

    def _on_class(self, value: int, listener: Listener) -> None:
        _, elements, static = listener
        if self.solver.kind[value] in (FUNCTION, CLASS):
            instance = value + self.solver.program.scopes
            self.solver.listen(elements, (self._on_elements, instance))
            self.solver.listen(static, (self._on_elements, value))

    def _on_elements(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.solver.every_field(value, (self._on_element, listener[1]))

    def _on_element(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            key = self.solver.field(value, self.solver.program.name("key"))
            element = self.solver.slot()
            self.solver.add(element, value)
            self.models.rules.accessors.on_define(listener[1], (self._on_element, key, element))

    def define_property(self, call: Call, owner: int, key: int) -> None:
        """`defineProperty(object, key, value)` returns the object."""
        if owner >= 0 and len(call.positional) > 2:
            self.solver.edge(owner, call.result)
            source, scope = call.positional[2], call.scope
            self.solver.listen(owner, (self._on_defined, key, source, scope))

    def _on_defined(self, value: int, listener: Listener) -> None:
        _, key, source, scope = listener
        self.models.rules.keys.follow(value, key, -1, source, scope)

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
