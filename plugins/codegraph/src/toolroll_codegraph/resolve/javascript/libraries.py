"""The libraries of which it is known what their functions do, together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.dotted import with_modules
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.javascript.mongoose import JavaScriptMongoose
from toolroll_codegraph.resolve.javascript.react import JavaScriptReact
from toolroll_codegraph.resolve.javascript.redux import JavaScriptRedux
from toolroll_codegraph.resolve.javascript.repositories import STORED
from toolroll_codegraph.resolve.javascript.vue import JavaScriptVue
from toolroll_codegraph.resolve.javascript.zustand import JavaScriptZustand
from toolroll_codegraph.resolve.program import CLASS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Listener
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_INJECTING = (
    "@angular/core.inject",
    "@angular/core/testing.TestBed.inject",
    "tsyringe.container.resolve",
)
"""What gives an object of the class that it is asked for."""


class JavaScriptLibraries(JavaScriptLibrary):
    """What calling functions of libraries does, and calling what these made."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        react, zustand, vue = (
            JavaScriptReact(models), JavaScriptZustand(models), JavaScriptVue(models),
        )  # fmt: skip
        redux, self.mongoose = JavaScriptRedux(models), JavaScriptMongoose(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **react.functions,
            **zustand.functions,
            **vue.functions,
            **redux.functions,
            **self.mongoose.functions,
            **dict.fromkeys(_INJECTING, self._instance),
        }
        self.called: dict[str, Callable[[Call, int], None]] = {
            **react.called, **zustand.called, **redux.called, **self.mongoose.called,
        }  # fmt: skip
        """Kind of a container that a library made → what calling it does."""
        self.externals = with_modules((*self.functions, *STORED))

    def _instance(self, call: Call, first: int, second: int) -> None:
        """An object of the class that is asked for."""
        self.solver.listen(first, (self._on_injected, call.result))

    def _on_injected(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.solver.add(listener[1], value + self.models.program.scopes)
