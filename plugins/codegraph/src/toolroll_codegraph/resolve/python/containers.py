"""Lists, dictionaries, sets, generators and what their methods do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from toolroll_codegraph.facts import RETURNED, SENT, CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE, TEXT
from toolroll_codegraph.resolve.python.callbacks import PythonCallbacks
from toolroll_codegraph.resolve.python.commands import PythonCommands
from toolroll_codegraph.resolve.python.contents import PythonContents
from toolroll_codegraph.resolve.python.defaults import PythonDefaults
from toolroll_codegraph.resolve.python.generics import PythonGenerics
from toolroll_codegraph.resolve.python.holders import PythonHolders
from toolroll_codegraph.resolve.python.iterators import ROW
from toolroll_codegraph.resolve.python.lookups import PythonLookups
from toolroll_codegraph.resolve.python.texts import PythonTexts

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.contexts import PythonContexts
    from toolroll_codegraph.resolve.python.rules import PythonRules
    from toolroll_codegraph.resolve.python.signals import PythonSignals

_APPEND: Final = frozenset(["append", "appendleft", "add"])
_PUT: Final = frozenset([*_APPEND, "insert", "extend", "__iadd__", "update", "__ior__"])
_CHANGE: Final = frozenset([*_APPEND, "insert", "extend", "update", "setdefault", "pop"])
_SHIFT: Final = frozenset(["insert", "remove", "sort", "reverse", "rotate", "popleft"])
"""What gives items other positions."""
_TAKE: Final = frozenset(["pop", "popleft", "get", "setdefault", "__getitem__"])
_FIELDS: Final = frozenset([SENT, RETURNED, "value", "exceptions"])
"""What a generator has, and what a handler catches: `StopIteration`, or a group."""
_SAME: Final = frozenset(["copy", "keys", "__mul__", "__isub__", "__iand__"])
_PAIRS: Final = frozenset(["items", "most_common"])
_LESS: Final = frozenset(["__sub__", "difference"])
_COMMON: Final = frozenset(
    ["__and__", "intersection", "__xor__", "__ixor__", "symmetric_difference"]
)
"""What gives a set with elements of the one or the other."""
_SLICE: Final = re.compile(r"\[(\d+|\?):(?:(\d+):)?")
"""What `first, *rest = …` and `items[1:3]` read; a key may be a text with colons too."""
METHOD: Final = "method"
"""Kind of a container's method that is handed on: `walk(tree, found.append)`."""
_READ: Final = (_PUT | _TAKE) - {"__iadd__", "__ior__", "__getitem__"}


class PythonContainers(PythonContents):
    """What is put into containers, taken out, and called on the way."""

    contexts: PythonContexts
    signals: PythonSignals

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.commands = PythonCommands(self)
        self.lookups = PythonLookups(self)
        self.callbacks = PythonCallbacks(self)
        self.holders = PythonHolders(self)
        self.generics = PythonGenerics(self)
        self.defaults = PythonDefaults(self)
        self.texts = PythonTexts(self)

    def load(self, container: int, name: int, target: int) -> None:
        text = self.program.texts[name]
        if not text.startswith("["):
            if self.commands.is_parser(container):
                self.commands.load(container, name, target)
            elif text in _FIELDS:
                self.solver.edge(self.solver.field(container, name), target)
            elif self.signals.load(container, text, target):
                return
            elif text in _READ:
                method = self.solver.make(CONTAINER, METHOD, container, name)
                self.solver.add(target, method)
            elif self.solver.detail[container][1:2] == (ROW,):
                self.solver.edge(self.solver.field(container, name), target)
            else:
                self.generics.load(container, text, target)
            return
        if text == "[*" or (text.startswith("[-") and text[2:].isdigit()):
            self.elements(container, target, keys_too=True)
            return
        part = _SLICE.fullmatch(text)
        if part is not None:
            start, end = part.groups()
            first = -1 if start == "?" else int(start)
            self.sliced(container, first, int(end) if end else None, target)
            return
        self.solver.edge(self.solver.field(container, name), target)
        self.solver.edge(self.solver.field(container, self.any_key), target)

    def method(self, call: Call, value: int) -> None:
        """A method of a list, dict, set or generator."""
        name = self.program.texts[call.name]
        if self.solver.kind[value] == TEXT:
            self.texts.method(call, value, name)
        if self.solver.kind[value] != CONTAINER or value in call.fired:
            return
        call.fired += self.solver.alone(value)
        solver = self.solver
        if call.name == self.lookups.hash:
            self.lookups.hash_parts(call, value)
            return
        self.lookups.find(call, value, name)
        if (owner := self.rules.namespaces.owner(value)) >= 0:
            self.rules.namespaces.method(call, owner)
            return
        if self.commands.is_parser(value):
            self.commands.method(call, value)
            return
        first = call.positional[0] if call.positional else -1
        if isinstance(solver.detail[value][0], str) and self._use(call, value, name, first):
            return
        if name in _SHIFT or (name == "pop" and call.positional):
            self._shift(value)
        if name in _CHANGE and solver.detail[value][1] == ROW:
            return  # a tuple: this is called on what else the receiver may be
        if call.name == self.rules.init:
            if self.solver.detail[value][0] != ObjectKind.MAPPING:  # theirs are of many kinds
                self.fill(call, value)
        elif name in _PUT:
            self._put(call, value, name, first)
        else:
            self._give(call, value, name, first)

    def fill(self, call: Call, value: int) -> None:
        """Put into what a class derives from what a call makes an object of it with."""
        first = call.positional[0] if call.positional else -1
        if first < -1:  # the first of what is spread
            spread = self.elements_of(call, -first - 2)
            call = msgspec.structs.replace(call, positional=(spread,), fired=())
        if self.solver.detail[value][0] == ObjectKind.MAPPING:
            self.update(call, value)
        elif call.positional:
            elements = self.elements_of(call, call.positional[0])
            self.solver.edge(elements, self.solver.field(value, self.any_key))

    @handler
    def on_unbound(self, value: int, listener: Listener) -> None:
        """Call a method of a builtin class on what it is given first: `dict.update(self, …)`."""
        kind = self.solver.kind[value]
        contents = self.rules.protocols.contents(value) if kind == INSTANCE else value
        if contents >= 0 and self.solver.kind[contents] == CONTAINER:
            self.method(listener[1], contents)

    def _put(self, call: Call, value: int, name: str, first: int) -> None:
        """A method that puts into a container what it is given."""
        solver = self.solver
        if name in _APPEND:
            solver.edge(first, solver.field(value, self.any_key))
        elif name == "insert":
            if len(call.positional) > 1:
                solver.edge(call.positional[1], solver.field(value, self.any_key))
        else:
            if name in ("extend", "__iadd__"):
                solver.edge(self.elements_of(call, first), solver.field(value, self.any_key))
            else:
                self.update(call, value)
            solver.add(call.result, value)

    def _give(self, call: Call, value: int, name: str, first: int) -> None:
        """A method that gives what is in a container."""
        solver = self.solver
        if name in ("__iter__", "__next__", "__enter__", "__aenter__", "__anext__", "send"):
            if name == "send":
                solver.edge(first, solver.field(value, self.program.name(SENT)))
            self.elements(value, call.result)
        elif name in _FIELDS:
            solver.listen(solver.field(value, call.name), (self.on_callback, call))
        elif name == "__getitem__" and call.flags & CallFlag.IMPLICIT:
            self.defaults.read(value, call.scope, call.line)  # `value[key]` is read by its key
        elif name in ("__or__", "union"):
            made = self.result(call, solver.detail[value][0])
            self.on_update(value, (None, made, call))
            self.update(call, made)
        elif name in _LESS:
            self.elements(value, solver.field(self.result(call), self.any_key))
        elif name in _COMMON:
            target = solver.field(self.result(call), self.any_key)
            self.elements(value, target)
            for source in call.positional:
                if source >= 0:
                    solver.edge(self.elements_of(call, source), target)
        elif name == "popitem":
            solver.add(call.result, self.item_row(call, value))
        elif name in _TAKE:
            self._take(call, value, name, first)
        elif name == "values":
            made = self.result(call)
            target = solver.field(made, self.any_key)
            self.elements(value, target, keys_too=True)
        elif name in _PAIRS:
            solver.add(solver.field(self.result(call), self.any_key), self.item_row(call, value))
        elif name == "__add__":
            target = solver.field(self.result(call), self.any_key)
            self.elements(value, target)
            solver.edge(self.elements_of(call, first), target)
        elif name in _SAME:
            solver.add(call.result, value)
        elif name == "sort":
            key = self.keyword(call, "key")
            elements = self.solver.slot()
            self.elements(value, elements)
            self.apply(call, key, [elements], -1)

    def _shift(self, value: int) -> None:
        """Let any item of a sequence be where any other was."""
        kind, *origin = self.solver.detail[value]
        if kind == ObjectKind.SEQUENCE and origin[0] != ROW:
            self.elements(value, self.solver.field(value, self.any_key))

    def _use(self, call: Call, value: int, name: str, first: int) -> bool:
        """Call a method of an object that is no container of elements; False for others."""
        return (
            self.rules.supers.use(call, value)
            or self.rules.query_sets.method(call, value)
            or self.contexts.method(call, value, name, first)
            or self.callbacks.method(call, value, name, first)
            or self.signals.method(call, value, name, first)
            or self.holders.method(call, value, name, first)
        )

    def _take(self, call: Call, value: int, name: str, first: int) -> None:
        solver = self.solver
        default = call.positional[1] if len(call.positional) > 1 else -1
        kept = default if name == "setdefault" else -1
        if name == "setdefault" and solver.detail[value][0] == ObjectKind.MAPPING:
            solver.edge(first, self.keys_of(value))
        if first >= 0 and name in ("get", "setdefault", "pop"):
            if kept >= 0 and not self._is_text(first):
                solver.edge(kept, solver.field(value, self.any_key))
                kept = -1
            self.rules.dynamic(value, first, call.result, kept, 0, call.scope)
        else:
            self.elements(value, call.result, keys_too=True)
        if default >= 0:
            solver.edge(default, call.result)

    def _is_text(self, slot: int) -> bool:
        return any(self.solver.kind[value] == TEXT for value in self.solver.points[slot] or ())
