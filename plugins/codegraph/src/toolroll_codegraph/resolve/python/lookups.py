"""What looking something up in a container calls: `__hash__`, `__eq__`, and `__index__`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers

_KEYED: Final = frozenset(
    ["__getitem__", "__setitem__", "__delitem__", "__contains__", "get", "setdefault", "add"]
)
"""What looks its first argument up by its hash."""
_FOUND: Final = frozenset(
    ["__getitem__", "__delitem__", "__contains__", "get", "pop", "remove", "index", "count"]
)
"""What compares its first argument with what the container has."""
_COMPARED: Final = frozenset(["__contains__", "remove", "index", "count"])
"""What does so in a sequence."""


class PythonLookups:
    """Calls of the special methods of what is looked up."""

    def __init__(self, models: PythonContainers) -> None:
        self.models = models
        self.solver = models.solver
        self.program = models.program
        self.classes = models.rules.classes
        name = models.program.name
        self.hash, self.equal, self.index = name("__hash__"), name("__eq__"), name("__index__")
        self._asked: dict[tuple[int, int, int, int], Call] = {}
        """One call of a special method for all values that one look-up may be of."""
        self._tuples: set[tuple[int, int, int, int]] = set()
        """Where the items of which container are asked for their hashes."""

    def find(self, call: Call, container: int, name: str) -> None:
        """Look the first argument of a method up in a container."""
        if not call.positional:
            return
        definers, sought = self.classes.definers, call.positional[0]
        mapping = self.solver.detail[container][0] == ObjectKind.MAPPING
        if sought < 0:
            return
        if name in _KEYED:
            self.hash_all(call, sought)
        if name in _FOUND and definers(self.equal):
            compared = (self._on_sought, call, self.equal)
            if mapping:
                self.solver.listen(sought, compared)
            elif name in _COMPARED:
                self.solver.every_field(container, compared)
        if name == "__getitem__" and not mapping and definers(self.index):
            self.solver.listen(sought, (self._on_sought, call, self.index))

    def hash_all(self, call: Call, keys: int) -> None:
        """Ask what a slot holds for its hash."""
        if self.classes.definers(self.hash):
            self.solver.listen(keys, (self._on_sought, call, self.hash))

    def hash_parts(self, call: Call, container: int) -> None:
        """Ask the items of a tuple for their hashes."""
        place = call.scope, call.line, call.result, container
        sequence = self.solver.detail[container][0] == ObjectKind.SEQUENCE
        if sequence and place not in self._tuples and self.classes.definers(self.hash):
            self._tuples.add(place)
            self.solver.every_field(container, (self._on_sought, call, self.hash))

    @handler
    def _on_sought(self, value: int, listener: Listener) -> None:
        """Call a method that a class of the project has: of many kinds, that tells too little."""
        _, call, name = listener
        scope = value - self.program.scopes
        if (
            self.solver.kind[value] == INSTANCE
            and scope < self.program.scopes
            and self.classes.find(scope, name) >= 0
        ):
            key = call.result, call.scope, call.line, name
            inner = self._asked.get(key)
            if inner is None:
                compared = call.positional[:1] if name == self.equal else ()
                inner = self._asked[key] = self.solver.derived_call(call, -1, compared, name)
            self.models.rules.protocols.convert_later(inner, value)
        elif name == self.hash and self.solver.kind[value] == CONTAINER:
            self.hash_parts(call, value)
