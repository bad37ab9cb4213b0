"""Lists of what waits for values, in few bytes.

Most listeners are a handler, a call or a read, and perhaps the receiver of that. In a large
project hundreds of thousands of them wait for members that no class has, so that a list holds the
calls and reads alone, behind a heading for the handler and the receiver that those after it share.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from toolroll_codegraph.resolve.calls import Call, Handler, Listener, Read

_PAIR: Final = 2
_TRIPLE: Final = 3


class Heading(msgspec.Struct, eq=False, gc=False):
    """What the calls and reads behind it in a list have in common."""

    handler: Handler
    receiver: int | None
    other: Heading | None
    """The heading of another handler for the same receiver."""


def _nobody(value: int, listener: Listener) -> None:
    raise AssertionError((value, listener))


_FIRST: Final = Heading(_nobody, -1, None)

Listeners = list[Any]
"""The heading that holds at the end; then headings, calls, reads and other listeners in order."""


class Packing:
    """Makes such lists; equal headings are one."""

    def __init__(self) -> None:
        self._headings: dict[int | None, Heading] = {}

    def release(self) -> None:
        """Let the headings hold no handlers, of which the collector does not know."""
        for first in self._headings.values():
            heading: Heading | None = first
            while heading is not None:
                heading.handler, heading = _nobody, heading.other
        self._headings.clear()

    def join(self, known: Listener | Listeners, listener: Listener) -> Listeners:
        """Return what waits already with one listener more."""
        if type(known) is not list:
            known = self.join([_FIRST], known)  # type: ignore[arg-type]  # type() narrows no union
        size = len(listener)
        if size == _PAIR or (size == _TRIPLE and type(listener[2]) is int):
            handler, place = listener[0], listener[1]
            receiver = listener[2] if size == _TRIPLE else None
            last = known[0]
            if handler is last.handler and receiver == last.receiver:
                known.append(place)  # what one handler is given is always alike
                return known
            kind = place.__class__
            if kind is Call or kind is Read:
                known[0] = last = self._heading(handler, receiver)
                known += last, place
                return known
        known.append(listener)
        return known

    def _heading(self, handler: Handler, receiver: int | None) -> Heading:
        first = found = self._headings.get(receiver)
        while found is not None and found.handler != handler:  # some are bound for each listener
            found = found.other
        if found is None:
            found = self._headings[receiver] = Heading(handler, receiver, first)
        return found


def deliver(known: Listeners, values: tuple[int, ...]) -> None:
    """Let all who wait hear of values; who is added meanwhile hears of them elsewhere."""
    handler, receiver = _nobody, None
    for item in known[:]:
        kind = item.__class__
        if kind is Call or kind is Read:
            listener = (handler, item) if receiver is None else (handler, item, receiver)
            for value in values:
                handler(value, listener)
        elif kind is Heading:
            handler, receiver = item.handler, item.receiver
        else:
            own = item[0]
            for value in values:
                own(value, item)


def unpacked(known: Listeners) -> list[Listener]:
    """All who wait, one by one."""
    found: list[Listener] = []
    handler, receiver = _nobody, None
    for item in known:
        kind = item.__class__
        if kind is Call or kind is Read:
            found.append((handler, item) if receiver is None else (handler, item, receiver))
        elif kind is Heading:
            handler, receiver = item.handler, item.receiver
        else:
            found.append(item)
    return found
