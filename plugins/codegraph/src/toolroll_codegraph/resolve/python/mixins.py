"""The methods that a class gets from the abstract classes of `collections.abc`.

They are written in Python and call what the class itself defines: values flow, but who calls them
is the library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_SEQUENCES: Final = frozenset(
    f"{module}.{name}"
    for module in ("collections.abc", "typing")
    for name in ("Sequence", "MutableSequence")
)
_MAPPINGS: Final = frozenset(
    f"{module}.{name}"
    for module in ("collections.abc", "typing")
    for name in ("Mapping", "MutableMapping")
)
MIXINS: Final = _SEQUENCES | _MAPPINGS
_METHODS: Final = (
    "__iadd__", "append", "extend", "get", "items", "keys", "pop", "setdefault", "update", "values",
)  # fmt: skip


class PythonMixins(PythonFeature):
    """Sequences and mappings of the project's own, as far as they derive from such classes."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        name = rules.program.name
        self.getitem, self.setitem = rules.getitem, name("__setitem__")
        self.insert, self.iter = name("insert"), name("__iter__")
        self._methods = frozenset(map(name, _METHODS))
        self._sequences: set[int] = set()
        self._mappings: set[int] = set()

    def note_base(self, scope: int, name: str) -> None:
        """Remember that a class derives from a class of the library."""
        if name in _SEQUENCES:
            self._sequences.add(scope)
        elif name in _MAPPINGS:
            self._mappings.add(scope)

    def is_sequence(self, scope: int) -> bool:
        return bool(self._sequences) and not self._sequences.isdisjoint(self.classes.order(scope))

    def is_mapping(self, scope: int) -> bool:
        return bool(self._mappings) and not self._mappings.isdisjoint(self.classes.order(scope))

    def iterate(self, call: Call, value: int) -> None:
        """Go through a sequence by its positions."""
        self._ask(call, value, self.getitem, (-1,), call.result)

    def call(self, call: Call, value: int) -> bool:
        """Call a method that a class does not define itself; False where it has none."""
        if call.name not in self._methods:
            return False  # most calls, and before the classes are looked through
        scope = value - self.rules.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.rules.scopes:
            return False
        if self.is_sequence(scope):
            return self._of_sequence(call, value)
        return self.is_mapping(scope) and self._of_mapping(call, value)

    def _of_sequence(self, call: Call, value: int) -> bool:
        name, models = self.rules.program.texts[call.name], self.rules.models
        first = call.positional[0] if call.positional else -1
        if name == "append":
            self._ask(call, value, self.insert, (-1, first), -1)
        elif name in ("extend", "__iadd__"):
            elements = models.elements_of(call, first)
            self._ask(call, value, self.insert, (-1, elements), -1)
            if name == "__iadd__":
                self.solver.add(call.result, value)
        elif name == "pop":
            self._ask(call, value, self.getitem, (-1,), call.result)
        else:
            return False
        return True

    def _of_mapping(self, call: Call, value: int) -> bool:
        name, solver, models = self.rules.program.texts[call.name], self.solver, self.rules.models
        first, *others = call.positional or (-1,)
        if name in ("get", "pop", "setdefault"):
            self._ask(call, value, self.getitem, (first,), call.result)
            for default in others:
                solver.edge(default, call.result)
                if name == "setdefault":
                    self._ask(call, value, self.setitem, (first, default), -1)
        elif name in ("keys", "values", "items"):
            keys, items = solver.slot(), solver.slot()
            iterator, inner = solver.slot(), solver.derived_call(call, keys, ())
            inner.flags |= CallFlag.QUIET
            solver.listen(iterator, (self.rules.protocols.on_iterator, inner))
            self._ask(call, value, self.iter, (), iterator)
            if name != "keys":
                self._ask(call, value, self.getitem, (keys,), items)
            made = solver.field(models.result(call), models.any_key)
            if name == "items":
                solver.add(made, models.row(call, keys, items))
            else:
                solver.edge(keys if name == "keys" else items, made)
        elif name == "update":
            for source in call.positional[:1]:
                solver.listen(source, (self._on_update, call, value))
        else:
            return False
        return True

    @handler
    def _on_update(self, source: int, listener: Listener) -> None:
        _, call, value = listener
        if self.solver.kind[source] == CONTAINER:
            items = self.solver.slot()
            self.rules.models.elements(source, items, keys_too=True)
            self._ask(call, value, self.setitem, (-1, items), -1)

    def _ask(
        self, call: Call, value: int, name: int, positional: tuple[int, ...], result: int
    ) -> None:
        inner = self.solver.derived_call(call, result, positional, name)
        inner.flags |= CallFlag.QUIET
        self.rules.invoke_member(inner, value, name)
