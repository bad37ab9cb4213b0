"""What waits for the members of classes."""

from __future__ import annotations

import msgspec

from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.listeners import Listeners, Packing


class Lookup(msgspec.Struct, eq=False, gc=False):
    """Everything that waits for one member of a class."""

    behind: LookupBehind | None = None
    """The last lookup of the same member behind another class."""
    slot: int = -1
    listeners: Listener | Listeners | None = None

    def join(self, packing: Packing, listener: Listener) -> None:
        """Let one listener more wait."""
        known = self.listeners
        self.listeners = listener if known is None else packing.join(known, listener)

    def of_those_behind(self, after: int) -> LookupBehind:
        """The lookup of the same member behind a class, made when it is new."""
        found = self.behind
        while found is not None and found.after != after:
            found = found.behind
        if found is None:
            found = self.behind = LookupBehind(behind=self.behind, after=after)
        return found


class LookupBehind(Lookup, eq=False, gc=False):
    """A lookup in the classes behind one in the order, as for `super`."""

    after: int = -1
    asked: int = -1
    """How many changes of orders it knows of."""
