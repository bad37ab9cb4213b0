"""What JavaScript's objects, functions and classes inherit from their prototypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, Read, handler
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.listeners import Listeners, unpacked
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_MOST_PROTOTYPES: Final = 16
"""So many prototypes a lookup climbs to: of an object that may have any of many in turn, as where a
polyfill sets them, all would be asked for each of its members."""


class JavaScriptPrototypes(JavaScriptFeature):
    """Looks members up along the prototypes of an object, and makes constructors inherit."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.kind = rules.kind
        self.scopes = rules.scopes
        self.having: set[int] = set()
        """Objects that have a prototype."""
        self._own_only: dict[int, Listener | Listeners] = {}
        """Other object → what was looked up in it alone: in large programs a hundred thousand."""
        self._climbed: dict[tuple[int, int], tuple[int, ...]] = {}
        """Lookup of a name → the prototypes that it has climbed to."""
        self._inherited: set[tuple[int, int]] = set()
        """(function, its prototype or one of that): chains of prototypes may end in themselves."""

    def climb(self, value: int, name: int, listener: Listener) -> None:
        """Attach a listener to what the prototypes of an object have."""
        if value in self.having:
            slot = self.solver.field(value, self.rules.proto)
            self.solver.listen(slot, (self._on_proto, name, listener))
            return
        place = listener[1]
        if not (isinstance(place, Call | Read) and place.name == name):
            listener = (self._on_proto, name, listener)  # it does not tell the name itself
        known = self._own_only.get(value)
        packed = listener if known is None else self.solver.packing.join(known, listener)
        self._own_only[value] = packed

    def note(self, value: int) -> None:
        """An object turns out to have a prototype: repeat what was looked up in it alone."""
        if value not in self.having:
            self.having.add(value)
            known = self._own_only.pop(value, None)
            if known is None:
                return
            for listener in unpacked(known) if isinstance(known, list) else (known,):
                if listener[0] is self._on_proto:
                    self.climb(value, *listener[1:])
                else:
                    self.climb(value, listener[1].name, listener)

    @handler
    def _on_proto(self, value: int, listener: Listener) -> None:
        _, name, found = listener
        kind = self.kind[value]
        lookup = name, id(found)
        climbed = self._climbed.get(lookup, ())
        # Prototypes may form a circle here, though not at run time.
        if value in climbed or len(climbed) == _MOST_PROTOTYPES:
            return
        self._climbed[lookup] = (*climbed, value)
        if kind == CONTAINER:
            self.rules.property(value, name, found)
        elif kind == FUNCTION:
            self.rules.function_property(value, name, found)
        elif kind == INSTANCE and value - self.scopes < self.scopes:
            self.rules.classes.lookup(value - self.scopes, name, found)

    @handler
    def on_prototype(self, value: int, listener: Listener) -> None:
        """Make `value` the prototype object of a constructor."""
        function: int = listener[1]
        kind = self.kind[value]
        if kind == INSTANCE and value - self.scopes < self.scopes:
            self.rules.classes.add_base(function, value - self.scopes, 99)
        elif kind == CONTAINER and (function, value) not in self._inherited:
            self._inherited.add((function, value))

            def receive(name: int, slot: int) -> None:
                if name == self.rules.proto:
                    self.solver.listen(slot, (self.on_prototype, function))
                elif name != self.rules.constructor:
                    self.rules.declare_from(slot, function, name)

            self.solver.mirror(value, receive)
