"""Dictionaries that make what they lack: `defaultdict(Room)` calls `Room` where an item is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers


class PythonDefaults:
    """What such dictionaries are made with, and who reads them."""

    def __init__(self, models: PythonContainers) -> None:
        self._models = models
        self._makers: dict[int, tuple[Call, int]] = {}
        """Dictionary → the call that makes it, and the slot of what it makes items with."""
        self._unread: set[int] = set()

    def make(self, call: Call, container: int, maker: int) -> None:
        """Let the items of a dictionary be what a function gives, which is called later."""
        if maker < 0:
            return
        models, flags = self._models, CallFlag.IMPLICIT | CallFlag.QUIET
        items = models.solver.field(container, models.any_key)
        quiet = Call(items, call.scope, call.line, -1, (), (), flags)
        models.solver.listen(maker, (models.rules.on_called, quiet))
        self._makers[container] = call, maker
        self._unread.add(container)

    def read(self, container: int, scope: int, line: int) -> None:
        """Call what makes an item where one is read."""
        known = self._makers.get(container)
        if known is not None and line:
            self._unread.discard(container)
            reading = Call(-1, scope, line, -1, (), (), CallFlag.IMPLICIT)
            self._models.apply(reading, known[1], [], -1)

    def settle(self) -> None:
        """Call what makes items where a dictionary is made, if nobody is seen to read it."""
        for container in sorted(self._unread):
            call, maker = self._makers[container]
            self._models.apply(call, maker, [], -1)
        self._unread.clear()
