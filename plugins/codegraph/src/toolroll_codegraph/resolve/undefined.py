"""What waits for members that no class has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolroll_codegraph.resolve.calls import Call, Handler, Listener


class Undefined:
    """Listeners by the name of the member, until a first class has one.

    In a large project every third call that waits for a member waits here, where nothing but the
    call and its receiver is kept.
    """

    def __init__(self, scopes: int) -> None:
        self._scopes = scopes
        self._waiting: dict[int, list[Any]] = {}
        """Name → by turns a receiver and its call, or a class and any other listener."""
        self.on_member: Handler | None = None
        """Who hears, of most calls, what their member is."""

    def wait(self, scope: int, name: int, listener: Listener) -> None:
        """Let a listener wait for the member of a class."""
        waiting = self._waiting.get(name)
        if waiting is None:
            waiting = self._waiting[name] = []
        if listener[0] is self.on_member and listener[2] in (scope, scope + self._scopes):
            waiting += listener[2], listener[1]
        else:
            waiting += scope, listener

    def pop(self, name: int) -> Iterator[tuple[int, Listener]]:
        """Return the listeners of a name in the order they came, each with its class."""
        waiting = iter(self._waiting.pop(name, ()))
        for place, listener in zip(waiting, waiting, strict=True):
            if type(listener) is Call:
                yield self._class_of(place), (self.on_member, listener, place)
            else:
                yield place, listener

    def _class_of(self, receiver: int) -> int:
        return receiver if receiver < self._scopes else receiver - self._scopes

    def release(self) -> None:
        self._waiting.clear()
