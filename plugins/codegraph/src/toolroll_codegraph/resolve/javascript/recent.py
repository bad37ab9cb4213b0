"""What the language was given lately: groups, promises with their resolvers, weak references."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers


class JavaScriptRecent(JavaScriptLibrary):
    """Static functions of ES2024 and ES2025, and of proxies; given are a call and two arguments."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            "Object.groupBy": self._group,
            "Map.groupBy": self._group_in_map,
            "Promise.try": self._try,
            "Promise.withResolvers": self._with_resolvers,
            "Proxy.revocable": self._revocable,
        }

    def _group(self, call: Call, items: int, function: int) -> None:
        """Each item goes to a list under the text that the function returns for it."""
        made = self.models.result(call, ObjectKind.RECORD)
        group = self._grouped(call, items, function, -1)
        self.solver.edge(group, self.solver.field(made, self.models.any_key))

    def _group_in_map(self, call: Call, items: int, function: int) -> None:
        made = self.models.result(call, ObjectKind.MAPPING)
        group = self._grouped(call, items, function, self.models.keys(made))
        self.models.maps.put(made, -1, group)

    def _grouped(self, call: Call, items: int, function: int, key: int) -> int:
        """The slot of a list of some of the items, of which each is given to the function."""
        slot, element = self.solver.slot(), self.solver.slot()
        group = self.solver.container(("group", call.result), ObjectKind.ARRAY)
        self.solver.add(slot, group)
        self.solver.edge(element, self.solver.field(group, self.models.any_key))
        if items >= 0:
            inner = self.solver.derived_call(call, element, ())
            self.solver.listen(items, (self._on_items, inner))
        self.models.callback(call, function, (element,), key)
        return slot

    def _on_items(self, value: int, listener: Listener) -> None:
        self.rules.iteration.iterate(listener[1], value)

    def _try(self, call: Call, function: int, first: int) -> None:
        """`Promise.try(f, …)` calls f at once."""
        self.models.callback(call, function, call.positional[1:], call.result)

    def _with_resolvers(self, call: Call, first: int, second: int) -> None:
        """`{ promise, resolve, reject }`: the promise is what `resolve` is given."""
        made = self.models.result(call, ObjectKind.RECORD)
        promise = self.solver.field(made, self.program.name("promise"))
        key = self.solver.container(("resolve", call.result), ObjectKind.RECORD)
        resolver = self.solver.make(CONTAINER, "resolver", promise, key)
        self.solver.add(self.solver.field(made, self.program.name("resolve")), resolver)

    def _revocable(self, call: Call, first: int, second: int) -> None:
        """`{ proxy, revoke }`."""
        made = self.models.result(call, ObjectKind.RECORD)
        proxy = self.solver.field(made, self.program.name("proxy"))
        inner = Call(proxy, call.scope, call.line, -1, call.positional, (), CallFlag.NEW)
        self.models.methods.make_proxy(inner)
