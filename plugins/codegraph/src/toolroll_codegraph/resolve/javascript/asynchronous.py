"""Node's `AsyncLocalStorage`, which calls a function while a value is there for all that it calls.

`storage.run(value, f)` calls f at once; `storage.getStore()` has what any of these gave.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

STORAGE: Final = "asynchronous storage"


class JavaScriptAsynchronous(JavaScriptLibrary):
    """Keeps what each storage is given."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            "async_hooks.AsyncLocalStorage": self._make
        }

    def _make(self, call: Call, first: int, second: int) -> None:
        self.solver.add(call.result, self.solver.make(CONTAINER, STORAGE, call.result))

    def method(self, call: Call, value: int) -> bool:
        """A method of a storage; False for what it lacks."""
        name, positional = self.models.program.texts[call.name], call.positional
        kept = self.solver.field(value, self.models.any_key)
        if name == "getStore":
            self.solver.edge(kept, call.result)
        elif name == "exit":
            self.models.callback(call, (*positional, -1)[0], positional[1:], call.result)
        elif name in ("run", "enterWith"):
            store, function = (*positional, -1, -1)[:2]
            self.solver.edge(store, kept)
            self.models.callback(call, function, positional[2:], call.result)
        else:
            return False
        return True
