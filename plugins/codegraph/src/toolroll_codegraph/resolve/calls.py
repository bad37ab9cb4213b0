"""Call sites while they are resolved, and what waits for values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any, Final

import msgspec

Listener = tuple[Any, ...]
"""(handler, argument…): the handler is called with a new value and the listener itself."""
Handler = Callable[[int, Listener], None]


class handler:
    """A method that listens, bound once for each object.

    A bound method for each of the many listeners would take as much memory as they do.
    """

    def __init__(self, method: Callable[[Any, int, Listener], None]) -> None:
        self._method = method

    def __get__(self, owner: Any, kind: type) -> Handler:
        bound: Handler = MethodType(self._method, owner)
        # It is found before this is asked again; to write into `__dict__` would make it a mapping,
        # in which CPython looks for a method each time that one of the object is called.
        setattr(owner, self._method.__name__, bound)
        return bound


OBJECT_BITS: Final = 32


class Read(msgspec.Struct, eq=False, gc=False):
    """One read of a member: the slot it fills, and where and under which name it is made."""

    target: int
    name: int
    scope: int
    line: int


class Call(msgspec.Struct, eq=False, gc=False):
    """One call site, translated to program numbering when a first value reaches it.

    It holds nothing but numbers, so that the collector need not know of it.
    """

    result: int
    scope: int
    line: int
    name: int
    positional: tuple[int, ...]
    keywords: tuple[int, ...]
    flags: int
    fired: tuple[int, ...] | list[int] = ()
    """What was entered: few, so that a set for each call would cost 30 MB on Django."""

    def named(self) -> Iterator[tuple[int, int]]:
        """(name, slot) of the arguments by name; of a spread mapping the name is -1."""
        pairs = iter(self.keywords)
        return zip(pairs, pairs, strict=True)

    def hides(self, place: int) -> bool:
        """Whether a spread leaves open what is given at a position."""
        return any(item < -1 for item in self.positional[: place + 1])

    def argument(self, place: int, parameter: int) -> int:
        """The slot of what is given at a position, -1 for nothing; of what any call gives the
        parameter there, if a spread hides it.
        """
        if self.hides(place):
            return parameter
        return self.positional[place] if place < len(self.positional) else -1

    def enter_object(self, value: int) -> bool:
        """Note that an object is called; False if this call has called it already.

        An object may be called by way of itself: `A.__call__ = A()`, in Ruby
        `define_method(:call, A.new)` in A. Noted is a large negative number, which is that of
        nothing else a call has entered.
        """
        return self.once(-1 - (value << OBJECT_BITS))

    def once(self, mark: int) -> bool:
        """Note that this call has entered what a number stands for; False if it had already."""
        return self.once_of((mark,))

    def once_of(self, mark: tuple[int]) -> bool:
        """As `once`, of a number in a tuple that many calls share."""
        if mark[0] in self.fired:
            return False
        self.fired += mark
        return True

    def stand_for(self, call: Call) -> None:
        """Be made on behalf of another call: what one of them has entered, both have."""
        call.fired = self.fired = call.fired if isinstance(call.fired, list) else [*call.fired]


def replaced(call: Call) -> frozenset[int]:
    """Of what a call copies, the names that another value is written under right after it."""
    return frozenset(name for name, slot in call.named() if slot < 0 <= name)
