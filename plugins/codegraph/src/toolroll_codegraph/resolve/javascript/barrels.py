"""What TypeScript writes in place of `export *` and `import *`: a getter for each name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CONTAINER, EXTERNAL, FUNCTION, MODULE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.exporting import JavaScriptExporting

NAMESPACE: Final = "namespace"
"""A container that stands for the getters of a library's names; its detail has their function."""
_BINDING: Final = ["o", "m", "k", "k2"]
"""The parameters of `__createBinding`."""
_SHARED: Final = "desc.get"
"""The getter since TypeScript 4.4: where there is one in the other module, that is taken."""
_Binder = tuple[int, bool]
"""A getter, and whether it is for what has none."""


class JavaScriptBarrels:
    """Gives a module what others have, each name with a getter that is written once for a file."""

    def __init__(self, exporting: JavaScriptExporting) -> None:
        self.exporting = exporting
        self.models = exporting.models
        self.solver = exporting.solver
        self.program = exporting.program
        self._imported: list[tuple[int, int, int]] = []
        """(slot of a module, result, getter) of what is imported as a whole."""

    def written(self) -> Iterator[tuple[int, Callable[[Call], None]]]:
        """(function, what it does) of such helpers in the files of a program."""
        program, binders = self.program, self._binders
        for scope in range(program.scopes) if binders else ():
            binder = binders.get(program.file_of[scope])
            if binder is None or self.solver.kind[scope] != FUNCTION:
                continue
            names = self._names(scope)
            if names == _BINDING:
                yield scope, _do_nothing
            elif program.texts[program.scope_name[scope]] == "__exportStar":
                yield scope, partial(self._export, binder)
            elif names == ["mod"] and self._imports(scope):
                yield scope, partial(self._import, binder)

    def _names(self, function: int) -> list[str]:
        return [self.program.texts[name] for name, _, _ in self.program.params[function]]

    def _imports(self, function: int) -> bool:
        """Whether it is `__importStar`, which since TypeScript 5.7 a function around it returns."""
        program, around = self.program, self.program.parent[function]
        return program.texts[program.scope_name[function]] == "__importStar" or any(
            program.parent[scope] == around
            and program.texts[program.scope_name[scope]] == "ownKeys"
            for scope in range(around + 1, function)
        )

    @cached_property
    def _binders(self) -> dict[int, _Binder]:
        """By file the getter in its `__createBinding`."""
        program, found = self.program, dict[int, _Binder]()
        for scope in range(program.scopes):
            name = program.texts[program.scope_name[scope]]
            if name in ("get", _SHARED) and self._names(program.parent[scope]) == _BINDING:
                self.exporting.take(scope)
                found[program.file_of[scope]] = scope, name == _SHARED
        return found

    def _export(self, binder: _Binder, call: Call) -> None:
        """`__exportStar(require(…), exports)`."""
        source, target = (*call.positional[:2], -1, -1)[:2]
        self.exporting.copy(binder, target, source)

    def _import(self, binder: _Binder, call: Call) -> None:
        """`__importStar(require(…))`: an ES module as it is, of all else an object with getters."""
        for module in call.positional[:1]:
            if module >= 0 and call.result >= 0:
                self.solver.listen(module, (self._on_module, binder, call))
                self._imported.append((module, call.result, binder[0]))

    def _on_module(self, value: int, listener: Listener) -> None:
        _, binder, call = listener
        solver = self.solver
        if solver.kind[value] not in (MODULE, EXTERNAL) and not self._is_compiled(value):
            made = self.models.result(call, ObjectKind.RECORD)
            solver.add(solver.field(made, self.exporting.default), value)
            source, target = solver.slot(), solver.slot()
            solver.add(source, value)
            solver.add(target, made)
            self.exporting.copy(binder, target, source)
            return
        solver.add(call.result, value)

    def settle(self) -> None:
        """What is of no file of the program has getters for all of its names."""
        for module, result, getter in self._imported:
            if self.solver.is_unknown(module):
                self.solver.add(result, self.solver.make(CONTAINER, NAMESPACE, getter))
        self._imported.clear()

    def _is_compiled(self, value: int) -> bool:
        """Whether something is the exports of what was an ES module."""
        points = self.solver.points
        return any(value in (points[slot] or ()) for slot in self._compiled)

    @cached_property
    def _compiled(self) -> list[int]:
        """The exports of the files that say that they were ES modules."""
        program, rules = self.program, self.models.rules
        mark, exports = program.names.get("__esModule", -1), rules.imports.module_exports
        return [
            members[exports]
            for index, names in enumerate(program.renames)
            if mark in names
            and exports in (members := program.members[program.scope_base[index]] or {})
        ]


def _do_nothing(_: Call) -> None:
    """A binding is made for each name by who asks for it."""
