"""What the methods of JavaScript's arrays, maps, sets and generators do with what is in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_Method = Callable[[Call, int, int], None]
"""Does what a method does; given are the call, the container and the first argument, or -1."""
PROMISE: Final = frozenset(["then", "catch", "finally"])
_TESTED: Final = ("forEach", "some", "every", "findIndex", "findLastIndex")
_FOUND: Final = ("find", "findLast")
REDUCED: Final = ("reduce", "reduceRight")
_SORTED: Final = ("sort", "toSorted")
REPLACED: Final = ("replace", "replaceAll")
MAPPED: Final = ("map", "flatMap")
CALLBACKS: Final = frozenset([*_TESTED, *_FOUND, *REDUCED, *_SORTED, *REPLACED, *MAPPED, "filter"])
"""Methods that call a function that they are given."""
_TAKEN: Final = ("pop", "shift", "at", "get", "deref")
_SAME: Final = ("reverse", "toReversed", "copyWithin", "@@iterator", "return")
_MOVING: Final = frozenset(["copyWithin", "reverse", "shift", "sort", "splice", "unshift"])
"""Behind these an element may be at another position than it was put."""
_UNITED: Final = ("union", "symmetricDifference")
_PARTS: Final = ("intersection", "difference")
_OTHERS: Final = frozenset(["add", "deref", "set", *_UNITED, *_PARTS])
"""Methods that arrays do not have."""


class JavaScriptArrays(JavaScriptLibrary):
    """Calls of such methods; each container answers to all of them."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self._methods: dict[str, _Method] = {
            **dict.fromkeys(_TESTED, self._test),
            **dict.fromkeys(_FOUND, self._find),
            **dict.fromkeys(REDUCED, self._reduce),
            **dict.fromkeys(_SORTED, self._sort),
            **dict.fromkeys(REPLACED, self._replace),
            **dict.fromkeys(_TAKEN, self._take),
            **dict.fromkeys(_SAME, self._same),
            **dict.fromkeys(("splice", "toSpliced", "with"), self._splice),
            "slice": self._slice,
            **dict.fromkeys(("push", "unshift"), self._push),
            **dict.fromkeys(("add", "fill"), self._add),
            **dict.fromkeys(("concat", *_UNITED), self._concat),
            **dict.fromkeys(_PARTS, self._part),
            "entries": self._entries,
            "filter": self._filter,
            "flat": self._flat,
            "flatMap": self._flat_map,
            "keys": self._keys,
            "map": self._map,
            "next": self._next,
            "set": self._set,
            "values": self._values,
        }
        self.names = {self.program.name(name) for name in self._methods.keys() - _OTHERS}
        """What arrays have."""

    def call(self, call: Call, value: int, name: str) -> None:
        method = self._methods.get(name)
        if name in _MOVING:
            self.models.elements(value, self.solver.field(value, self.models.any_key))
        if method is not None:
            method(call, value, call.positional[0] if call.positional else -1)

    def _elements(self, value: int) -> int:
        """A slot of the elements of a container."""
        element = self.solver.slot()
        self.models.elements(value, element)
        return element

    def _made(self, call: Call) -> int:
        """The slot of the elements of the array that a call returns."""
        return self.solver.field(self.models.result(call), self.models.any_key)

    def _is_map(self, value: int) -> bool:
        return self.solver.detail[value][0] == ObjectKind.MAPPING

    # what goes in

    def _push(self, call: Call, value: int, first: int) -> None:
        self._put(call, call.positional, value)

    def _put(self, call: Call, items: tuple[int, ...], value: int) -> None:
        field = self.solver.field(value, self.models.any_key)
        for item in items:
            if item >= 0:
                self.solver.edge(item, field)
            elif item < -1:
                self.solver.listen(-item - 2, (self.models.on_source, value, False, call))

    def _add(self, call: Call, value: int, first: int) -> None:
        self._push(call, value, first)
        self.solver.add(call.result, value)

    def _set(self, call: Call, value: int, key: int) -> None:
        if len(call.positional) > 1:
            source = call.positional[1]
            self.solver.add(call.result, value)
            if self._is_map(value):
                self.models.maps.set(call, value, key, source)
                self.solver.edge(key, self.models.keys(value))
            else:
                self.solver.edge(source, self.solver.field(value, self.models.any_key))

    # what comes out

    def _take(self, call: Call, value: int, first: int) -> None:
        if self._is_map(value):
            self.models.maps.get(call, value, first)
        else:
            self.models.elements(value, call.result)

    def _same(self, call: Call, value: int, first: int) -> None:
        self.solver.add(call.result, value)

    def _slice(self, call: Call, value: int, first: int) -> None:
        kind = self.solver.detail[value][0]
        if call.positional or kind == ObjectKind.RECORD:  # to other positions than they had
            self.models.elements(value, self._made(call))
        else:
            self.solver.add(call.result, value)

    def _splice(self, call: Call, value: int, first: int) -> None:
        """`splice(at, count, ...items)` and `toSpliced`; `with(at, item)` makes another, too."""
        name = self.program.texts[call.name]
        items = call.positional[1:] if name == "with" else call.positional[2:]
        self.models.elements(value, self._made(call))
        self._put(call, items, value if name == "splice" else self.models.result(call))

    def _concat(self, call: Call, value: int, first: int) -> None:
        self.models.elements(value, self._made(call))
        for item in call.positional:
            self.solver.listen(item, (self._on_joined, self.models.result(call)))

    def _part(self, call: Call, value: int, first: int) -> None:
        self.models.elements(value, self._made(call))

    def _flat(self, call: Call, value: int, first: int) -> None:
        self.solver.listen(self._elements(value), (self._on_joined, self.models.result(call)))

    @handler
    def _on_joined(self, value: int, listener: Listener) -> None:
        """Put something into an array, or what that has if it is one too."""
        target = self.solver.field(listener[1], self.models.any_key)
        if self.solver.kind[value] == CONTAINER:
            self.models.elements(value, target)
        else:
            self.solver.add(target, value)

    def _values(self, call: Call, value: int, first: int) -> None:
        if self._is_map(value):
            self.models.elements(value, self._made(call))
        else:
            self.solver.add(call.result, value)

    def _keys(self, call: Call, value: int, first: int) -> None:
        if self._is_map(value):
            self.solver.edge(self.models.keys(value), self._made(call))
        else:
            self.solver.add(call.result, value)

    def _entries(self, call: Call, value: int, first: int) -> None:
        self.solver.add(self._made(call), self.models.row(value))

    def _next(self, call: Call, value: int, sent: int) -> None:
        made = self.solver.container(("step", call.result), ObjectKind.RECORD)
        step = self.solver.field(made, self.program.name("value"))
        self.models.elements(value, step)
        self.rules.iteration.resume(call, value, sent, step)
        self.solver.add(call.result, made)

    # what is called

    def _run(self, call: Call, function: int, arguments: tuple[int, ...], result: int = -1) -> None:
        """Call a function for each element, with `this` where one is given."""
        self.models.callback(call, function, arguments, result)
        self.models.callback_receiver(call, function)

    def _test(self, call: Call, value: int, function: int) -> None:
        element = self._elements(value)
        keyed = self._is_map(value) and self.program.texts[call.name] == "forEach"
        self._run(call, function, (element, self.models.keys(value)) if keyed else (element,))

    def _find(self, call: Call, value: int, function: int) -> None:
        self._run(call, function, (self._elements(value),))
        self.models.elements(value, call.result)

    def _filter(self, call: Call, value: int, function: int) -> None:
        self._run(call, function, (self._elements(value),))
        self.solver.add(call.result, value)

    def _sort(self, call: Call, value: int, function: int) -> None:
        element = self._elements(value)
        self._run(call, function, (element, element))
        self.solver.add(call.result, value)

    def _map(self, call: Call, value: int, function: int) -> None:
        self._run(call, function, (self._elements(value),), self._made(call))

    def _flat_map(self, call: Call, value: int, function: int) -> None:
        result = self.solver.slot()
        self.solver.listen(result, (self._on_joined, self.models.result(call)))
        self._run(call, function, (self._elements(value),), result)

    def _reduce(self, call: Call, value: int, function: int) -> None:
        element, total = self._elements(value), self.solver.slot()
        self.solver.edge(call.positional[1] if len(call.positional) > 1 else element, total)
        self.solver.edge(total, call.result)
        self.models.callback(call, function, (total, element), total)

    def _replace(self, call: Call, value: int, pattern: int) -> None:
        for function in call.positional[1:2]:  # of a text that may be an array
            self.models.callback(call, function, (), -1)
