"""What objects of a class that extends Array, Map or Set keep, as those do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import BUILTIN

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_KINDS: Final = {
    "Array": ObjectKind.ARRAY, "Set": ObjectKind.ARRAY, "WeakSet": ObjectKind.ARRAY,
    "Map": ObjectKind.MAPPING, "WeakMap": ObjectKind.MAPPING,
}  # fmt: skip
_OF_ITS_CLASS: Final = frozenset(("add", "concat", "filter", "map", "set", "slice", "sort"))
"""Methods that return the object, or another of its class."""


class JavaScriptContents(JavaScriptFeature):
    """Has a container for each such class, which does what its methods and positions do."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self._found: dict[int, int] = {}
        """Class → the container of its objects, -1 for most."""

    def of(self, scope: int) -> int:
        """The container of a class's objects, -1 where they are none."""
        if scope >= self.program.scopes:
            return -1
        found = self._found.get(scope)
        if found is None:
            names = self.rules.classes.base_names(scope, BUILTIN)
            kind = next((_KINDS[name] for name in names if name in _KINDS), None)
            made = -1 if kind is None else self.solver.container(("contents", scope), kind)
            found = self._found[scope] = made
        return found

    def call(self, call: Call, value: int) -> None:
        """A method that an object's class has of Array, Map or Set, or of an event emitter."""
        if self.rules.models.statics.libraries.emitters.of_instance(call, value):
            return
        container = self.of(value - self.rules.scopes)
        if container < 0:
            return
        if call.name == self.rules.constructor:
            self.fill(call, container)
            return
        if self.program.texts[call.name] in _OF_ITS_CLASS:
            self.solver.add(call.result, value)
        self.rules.models.method(call, container)

    def make(self, call: Call, scope: int) -> None:
        """`new Names(items)`, where the class has no constructor of its own."""
        container = self.of(scope)
        if container >= 0:
            self.fill(call, container)

    def fill(self, call: Call, container: int) -> None:
        """Put in what `new Map(pairs)`, `new Set(items)` or `new Array(...items)` is given."""
        models = self.rules.models
        pairs = self.solver.detail[container][0] == ObjectKind.MAPPING
        for item in call.positional[:1]:
            if item >= 0:
                self.solver.listen(item, (models.on_source, container, pairs, call))
        if not pairs:
            models.arrays.call(call, container, "push")

    def load(self, scope: int, name: int, read: Listener) -> None:
        """Read a position of an object that is an array."""
        if self.program.texts[name].startswith("[") and (container := self.of(scope)) >= 0:
            self.rules.property(container, name, read)

    def store(self, scope: int, name: int, source: int) -> None:
        """Write one."""
        if self.program.texts[name].startswith("[") and (container := self.of(scope)) >= 0:
            self.solver.edge(source, self.solver.field(container, name))
