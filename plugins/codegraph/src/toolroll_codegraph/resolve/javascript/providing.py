"""What a component of Vue's or Svelte's gives those in it under a key: `provide` and `inject`,
`setContext` and `getContext`. Who is in whom is not looked at: a key is written for one purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.javascript.vue import MODULES
from toolroll_codegraph.resolve.program import TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers


class JavaScriptProviding(JavaScriptLibrary):
    """Gives what is asked for by its key, which is a text or symbol."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **{f"{module}.provide": self._provide for module in MODULES},
            **{f"{module}.inject": self._inject for module in MODULES},
            "svelte.setContext": self._provide, "svelte.getContext": self._inject,
        }  # fmt: skip
        self._provided: dict[int, int] = {}
        """Name of a key → the slot of what is given under it."""

    def _provide(self, call: Call, key: int, value: int) -> None:
        self.solver.edge(value, call.result)
        self.solver.listen(key, (self._on_key, value, -1))

    def _inject(self, call: Call, key: int, default: int) -> None:
        self.solver.edge(default, call.result)
        self.solver.listen(key, (self._on_key, -1, call.result))

    def _on_key(self, key: int, listener: Listener) -> None:
        _, source, target = listener
        if self.solver.kind[key] != TEXT:
            return
        name = self.solver.key_name(key)
        slot = self._provided.get(name)
        if slot is None:
            slot = self._provided[name] = self.solver.slot()
        if source >= 0:
            self.solver.edge(source, slot)
        if target >= 0:
            self.solver.edge(slot, target)
