"""The libraries of which it is known what their functions do, together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.dotted import with_modules
from toolroll_codegraph.resolve.javascript.asynchronous import JavaScriptAsynchronous
from toolroll_codegraph.resolve.javascript.emitting import EMITTERS, JavaScriptEmitters
from toolroll_codegraph.resolve.javascript.injecting import JavaScriptInjecting
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.javascript.mongoose import JavaScriptMongoose
from toolroll_codegraph.resolve.javascript.pinia import JavaScriptPinia
from toolroll_codegraph.resolve.javascript.providing import JavaScriptProviding
from toolroll_codegraph.resolve.javascript.react import JavaScriptReact
from toolroll_codegraph.resolve.javascript.redux import JavaScriptRedux
from toolroll_codegraph.resolve.javascript.repositories import STORED
from toolroll_codegraph.resolve.javascript.testing import JavaScriptTesting
from toolroll_codegraph.resolve.javascript.vue import JavaScriptVue
from toolroll_codegraph.resolve.javascript.vue_options import JavaScriptVueOptions
from toolroll_codegraph.resolve.javascript.zustand import JavaScriptZustand

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers


class JavaScriptLibraries(JavaScriptLibrary):
    """What calling functions of libraries does, and calling what these made."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        react, zustand, vue = (
            JavaScriptReact(models), JavaScriptZustand(models), JavaScriptVue(models),
        )  # fmt: skip
        pinia = JavaScriptPinia(models)
        testing = JavaScriptTesting(models)
        redux, self.mongoose = JavaScriptRedux(models), JavaScriptMongoose(models)
        self.options = JavaScriptVueOptions(models)
        self.emitters = JavaScriptEmitters(models)
        self.storages = JavaScriptAsynchronous(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **react.functions,
            **zustand.functions,
            **vue.functions,
            **self.options.functions,
            **pinia.functions,
            **redux.functions,
            **testing.functions,
            **self.mongoose.functions,
            **self.emitters.functions,
            **self.storages.functions,
            **JavaScriptInjecting(models).functions,
            **JavaScriptProviding(models).functions,
            **models.repositories.functions,
        }
        self.called: dict[str, Callable[[Call, int], None]] = {
            **react.called,
            **zustand.called,
            **pinia.called,
            **redux.called,
            **testing.called,
            **self.mongoose.called,
        }
        """Kind of a container that a library made → what calling it does."""
        self.externals = with_modules((*self.functions, *STORED, *EMITTERS))
