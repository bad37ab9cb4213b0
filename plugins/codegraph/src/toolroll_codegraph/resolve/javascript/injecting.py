"""What containers of dependencies give for a class: an object of it.

Angular, tsyringe and NestJS are asked by calls; what they pass to constructors is told by the
types of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import EXTERNAL

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_APPLICATION: Final = "@nestjs/core.application"
_BUILDER: Final = "@nestjs/testing.builder"
_BED: Final = "@angular/core/testing.TestBed"
_INSTANCES: Final = (
    "@angular/core.inject", f"{_BED}.inject", f"{_BED}.get", "tsyringe.container.resolve",
    *(f"{_APPLICATION}.{name}" for name in ("get", "resolve", "create")),
)  # fmt: skip
_MADE: Final = {
    _APPLICATION: (
        *(f"@nestjs/core.NestFactory.{name}"
          for name in ("create", "createApplicationContext", "createMicroservice")),
        *(f"{_APPLICATION}.{name}" for name in ("createNestApplication", "init", "select")),
        f"{_BUILDER}.compile",
    ),
    _BUILDER: (
        "@nestjs/testing.Test.createTestingModule",
        *(f"{_BUILDER}.{name}"
          for name in ("overrideFilter", "overrideGuard", "overrideInterceptor", "overrideModule",
                       "overridePipe", "overrideProvider", "setLogger", "useClass", "useFactory",
                       "useMocker", "useModule", "useValue")),
    ),
}  # fmt: skip
"""What such functions return; those of a builder the builder."""


class JavaScriptInjecting(JavaScriptLibrary):
    """Gives objects of the classes that are asked for."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self._component = models.program.name("componentInstance")
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **dict.fromkeys(_INSTANCES, self._instance),
            f"{_BED}.createComponent": self._fixture,
            **dict.fromkeys(_MADE[_APPLICATION], self._application),
            **dict.fromkeys(_MADE[_BUILDER], self._builder),
        }

    def _instance(self, call: Call, first: int, second: int) -> None:
        """An object of the class that is asked for."""
        self.instance_of(first, call.result)

    def _fixture(self, call: Call, first: int, second: int) -> None:
        """`TestBed.createComponent(Page).componentInstance`."""
        made = self.models.result(call, ObjectKind.RECORD)
        self.instance_of(first, self.solver.field(made, self._component))

    def _application(self, call: Call, first: int, second: int) -> None:
        self.solver.add(call.result, self.solver.make(EXTERNAL, _APPLICATION))

    def _builder(self, call: Call, first: int, second: int) -> None:
        self.solver.add(call.result, self.solver.make(EXTERNAL, _BUILDER))
