"""What JavaScript's maps have under each key: `map.set("start", onStart)`, `map.get(name)`.

All of a map's values are also its elements, as of an array: who reads it under a key that nothing
tells may get any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_KEY: Final = "[:"
"""Begins the name of the field of one key; the field of all keys that are no texts ends with it."""


class JavaScriptMaps(JavaScriptLibrary):
    """Puts values under keys that are texts, and takes them from there."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self._others = self.program.name(_KEY)
        self._putting: list[tuple[int, int, int]] = []
        self._taking: list[tuple[int, int, int]] = []
        """Map, slot of the key, and slot of the value or of what reads it."""

    def is_map(self, value: int) -> bool:
        solver = self.solver
        return solver.kind[value] == CONTAINER and solver.detail[value][0] == ObjectKind.MAPPING

    def set(self, call: Call, value: int, key: int, source: int) -> None:
        """`map.set(key, source)`: in a function that is given both, of each call by itself."""
        self.solver.edge(source, self.solver.field(value, self.models.any_key))
        if not self.models.rules.pairs.of_map(call, value, key, -1, source):
            self.put(value, key, source)

    def get(self, call: Call, value: int, key: int) -> None:
        """`map.get(key)`: where a function returns it to who gives the key, of each call."""
        if not self.models.rules.pairs.of_map(call, value, key, call.result, -1):
            self.take(value, key, call.result)

    def put(self, value: int, key: int, source: int) -> None:
        """Let a map have a value under a key."""
        if source < 0:
            return
        self.solver.edge(source, self.solver.field(value, self.models.any_key))
        if key < 0:
            self.solver.edge(source, self.solver.field(value, self._others))
        else:
            self.solver.listen(key, (self._on_put, value, source))
            self._putting.append((value, key, source))

    def take(self, value: int, key: int, result: int) -> None:
        """Read what a map has under a key."""
        if result < 0:
            return
        if key < 0:
            self.models.elements(value, result)
        else:
            self.solver.listen(key, (self._on_take, value, result))
            self._taking.append((value, key, result))

    @handler
    def _on_put(self, key: int, listener: Listener) -> None:
        _, value, source = listener
        self.solver.edge(source, self.solver.field(value, self._field(key)))

    @handler
    def _on_take(self, key: int, listener: Listener) -> None:
        _, value, result = listener
        field = self._field(key)
        if field == self._others:
            self.models.elements(value, result)
        else:
            self.solver.edge(self.solver.field(value, field), result)
            self.solver.edge(self.solver.field(value, self._others), result)

    def _field(self, key: int) -> int:
        if self.solver.kind[key] == TEXT:
            text = self.solver.key_text(key)
            if PREFIX not in text:
                return self.program.name(_KEY + text)
        return self._others

    def settle(self) -> bool:
        """A key that nothing is known about may be any; False if there was none."""
        points = self.solver.points
        putting, self._putting = self._putting, []
        taking, self._taking = self._taking, []
        for value, key, source in putting:
            if points[key] is None:
                self.solver.edge(source, self.solver.field(value, self._others))
        for value, key, result in taking:
            if points[key] is None:
                self.models.elements(value, result)
        return bool(putting or taking)
