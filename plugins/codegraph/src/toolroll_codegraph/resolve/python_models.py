"""What Python's builtins do with functions, containers and iterators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import RETURNED, SENT, CallFlag, ObjectKind
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    TEXT,
    WRAPPED,
)
from toolroll_codegraph.resolve.python_classes import ENUMERATIONS, PROTOCOLS
from toolroll_codegraph.resolve.python_commands import PARSER, PythonCommands
from toolroll_codegraph.resolve.python_iterators import ROW, PythonIterators
from toolroll_codegraph.resolve.solver import Call, Listener

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python_rules import PythonRules

_CONVERT: Final = {
    "str": "__str__", "repr": "__repr__", "len": "__len__", "bool": "__bool__",
    "hash": "__hash__", "int": "__int__", "float": "__float__", "abs": "__abs__",
    "bytes": "__bytes__", "dir": "__dir__", "round": "__round__", "format": "__format__",
    "print": "__str__",
}  # fmt: skip
_FILTERS: Final = frozenset(["groupby", "takewhile", "dropwhile", "filterfalse", "starmap"])
_ORDER: Final = {"sorted": "__lt__", "min": "__lt__", "max": "__lt__", "heapify": "__lt__",
                 "heappop": "__lt__", "sum": "__radd__"}  # fmt: skip
"""What is called on the elements."""
STACK: Final = "stack"
_CONSUME: Final = frozenset(
    ["list", "tuple", "set", "frozenset", "sum", "any", "all", "sorted", "iter", "reversed"]
)
_BUILTINS: Final = frozenset(
    [
        *_CONVERT,
        *_CONSUME,
        *[
            "map",
            "filter",
            "sorted",
            "min",
            "max",
            "zip",
            "enumerate",
            "dict",
            "next",
            "type",
            "super",
            "globals",
            "__import__",
            "staticmethod",
            "classmethod",
            "property",
        ],
    ]
)
_EXTERNALS: Final = frozenset(
    [
        "functools",
        "functools.partial",
        "functools.reduce",
        "functools.partialmethod",
        "functools.wraps",
        "functools.lru_cache",
        "functools.cache",
        "itertools",
        *[
            f"itertools.{name}"
            for name in (
                "chain",
                "groupby",
                "takewhile",
                "dropwhile",
                "filterfalse",
                "starmap",
                "islice",
                "cycle",
                "zip_longest",
            )
        ],
        "functools.cmp_to_key",
        "heapq",
        "heapq.heappush",
        "heapq.heappop",
        "heapq.heapify",
        "operator",
        "operator.itemgetter",
        "operator.methodcaller",
        "operator.attrgetter",
        "collections",
        "collections.OrderedDict",
        "collections.defaultdict",
        "collections.deque",
        "copy",
        "copy.copy",
        "copy.deepcopy",
        "dataclasses",
        "dataclasses.replace",
        "importlib",
        "importlib.import_module",
        "contextlib",
        "contextlib.closing",
        "contextlib.ExitStack",
        "contextlib.AsyncExitStack",
        "argparse",
        PARSER,
        "enum",
        *ENUMERATIONS,
        *PROTOCOLS,
        "typing",
        "typing_extensions",
        "typing.cast",
        "asyncio",
        "asyncio.run",
        "asyncio.gather",
        "asyncio.create_task",
        "asyncio.wait_for",
    ]
)
_APPEND: Final = frozenset(["append", "appendleft", "add"])
_CHANGE: Final = frozenset([*_APPEND, "insert", "extend", "update", "setdefault", "pop"])
_TAKE: Final = frozenset(["pop", "popleft", "popitem", "get", "setdefault", "__getitem__"])
_SAME: Final = frozenset(["copy", "__or__", "keys", "union", "__mul__"])


class PythonModels:
    """The part of the standard library that moves project values around."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.any_key = self.program.name("[*")
        self.append, self.enter = self.program.name("append"), self.program.name("__enter__")
        self.commands = PythonCommands(self)
        self.iterators = PythonIterators(self)

    def is_builtin(self, name: str) -> bool:
        return name in _BUILTINS

    def add_external(self, slot: int, dotted: str) -> None:
        if slot >= 0 and dotted in _EXTERNALS:
            self.solver.add(slot, self.solver.make(EXTERNAL, dotted))

    def load_external(self, value: int, name: int, target: int) -> None:
        dotted = f"{self.solver.detail[value][0]}.{self.program.texts[name]}"
        self.add_external(target, dotted)

    # calls of builtins

    def call(self, call: Call, value: int) -> None:
        if self.solver.kind[value] == CONTAINER:
            detail = self.solver.detail[value]
            if detail[0] in ("partial", "partialmethod"):
                self.call_partial(call, detail[1], detail[2])
            return
        name: str = self.solver.detail[value][0]
        if self.solver.kind[value] == EXTERNAL:
            name = name.rpartition(".")[2]
        if not call.once(-2 - value):
            return
        arguments = [item for item in call.positional if item >= -1]
        first = arguments[0] if arguments else -1
        key = self.keyword(call, "key")
        if key >= 0 and name in ("sorted", "min", "max"):
            self.apply(call, key, [self.elements_of(call, first)], -1)
        elif name in _ORDER and first >= 0 and len(arguments) == 1:
            special = self.program.name(_ORDER[name])
            elements = self.elements_of(call, first)
            self.solver.listen(elements, (self._on_convert, call, special))
        if name in ("map", "filter", "reduce"):
            self.iterators.map(call, name, first, arguments[1:])
        elif name in _FILTERS:
            self.iterators.filter(call, name, arguments)
        elif name in _CONSUME or name in ("deque", "chain", "islice", "cycle"):
            self.collect(call, arguments if name == "chain" else arguments[:1])
        elif name in ("min", "max"):
            if len(arguments) == 1:
                self.solver.edge(self.elements_of(call, first), call.result)
            for item in arguments[1:] and arguments:
                self.solver.edge(item, call.result)
        elif name == "next":
            self.solver.listen(first, (self._on_next, call)) if first >= 0 else None
        elif name in ("zip", "enumerate", "zip_longest"):
            self.iterators.zip(call, name, arguments)
        elif name in ("dict", "OrderedDict", "defaultdict"):
            self._dict(call, name, arguments)
        elif name == "type" and len(arguments) == 1:
            self.solver.listen(first, (self._on_type, call)) if first >= 0 else None
        elif name in ("partial", "partialmethod"):
            if first >= 0:
                self.solver.listen(first, (self._on_partial, call, name))
        elif name in ("import_module", "__import__"):
            if first >= 0:
                self.solver.listen(first, (self._on_module_name, call))
        elif name == "heappush" and len(arguments) > 1:
            pushed = self.solver.derived_call(call, -1, tuple(arguments[1:]), self.append)
            self.solver.listen(first, (self._on_method, pushed))
        elif name == "heappop":
            self.solver.edge(self.elements_of(call, first), call.result)
        elif name in ("ExitStack", "AsyncExitStack"):
            self.solver.add(call.result, self.solver.make(CONTAINER, STACK, call.result))
        elif name == "ArgumentParser":
            self.commands.make(call)
        elif name == "globals":
            index = self.program.file_of[call.scope]
            self.solver.add(call.result, self.program.scope_base[index])
        elif name in (
            "staticmethod",
            "classmethod",
            "closing",
            "copy",
            "deepcopy",
            "replace",
            "cmp_to_key",
            "run",
            "create_task",
            "wait_for",
        ):
            self.solver.edge(first, call.result)
        elif name == "cast" and len(arguments) == 2:
            self.solver.edge(arguments[1], call.result)
            self.solver.listen(first, (self._on_class, call.result)) if first >= 0 else None
        elif name == "property":
            self.rules.descriptors.make_property(call)
        elif name in ("wraps", "lru_cache", "cache"):
            self._identity_decorator(call, name, first)
        if name in _CONVERT and first >= 0:
            self.solver.listen(first, (self._on_convert, call, self.program.name(_CONVERT[name])))

    def _identity_decorator(self, call: Call, name: str, first: int) -> None:
        if name == "cache" or (name == "lru_cache" and first >= 0):
            self.solver.edge(first, call.result)

    def keyword(self, call: Call, name: str) -> int:
        wanted = self.program.name(name)
        pairs = iter(call.keywords)
        return next((slot for key, slot in zip(pairs, pairs, strict=True) if key == wanted), -1)

    def apply(self, call: Call, function: int, positional: list[int], result: int) -> None:
        """Call a function that was handed to a builtin, from the builtin's caller."""
        if function >= 0:
            inner = self.solver.derived_call(call, result, tuple(positional))
            self.solver.listen(function, (self._on_callback, inner))

    def _on_callback(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def elements_of(self, call: Call, source: int) -> int:
        if source < 0:
            return -1
        result = self.solver.slot()
        inner = self.solver.derived_call(call, result, ())
        self.solver.listen(source, (self._on_iterable, inner))
        return result

    def _on_iterable(self, value: int, listener: Listener) -> None:
        self.rules.protocols.iterate(listener[1], value)

    def result(self, call: Call, kind: int = ObjectKind.SEQUENCE) -> int:
        """The container a call returns, one for each call site."""
        container = self.solver.container(("call", call.result, call.scope, call.line), kind)
        self.solver.add(call.result, container)
        return container

    def _on_method(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.method(listener[1], value)

    def collect(self, call: Call, sources: list[int]) -> None:
        slot = self.solver.field(self.result(call), self.any_key)
        for source in sources:
            if source >= 0:
                self.solver.edge(self.elements_of(call, source), slot)

    def _dict(self, call: Call, name: str, arguments: list[int]) -> None:
        container = self.result(call, ObjectKind.MAPPING)
        pairs = iter(call.keywords)
        for key, slot in zip(pairs, pairs, strict=True):
            if key >= 0 and slot >= 0:
                field = self.program.name("[" + self.program.texts[key])
                self.solver.edge(slot, self.solver.field(container, field))
        if arguments and arguments[0] >= 0:
            if name == "defaultdict":
                default = self.solver.field(container, self.any_key)
                self.apply(call, arguments[0], [], default)
            else:
                self.solver.listen(arguments[0], (self._on_update, container))

    def _on_update(self, value: int, listener: Listener) -> None:
        container = listener[1]
        if self.solver.kind[value] != CONTAINER or value == container:
            return
        for name, slot in list(self.solver.fields_of(value).items()):
            self.solver.edge(slot, self.solver.field(container, name))
        self.solver.edge(
            self.solver.field(value, self.any_key), self.solver.field(container, self.any_key)
        )

    def _on_module_name(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == TEXT:
            call: Call = listener[1]
            imports = self.rules.imports
            stem = imports.locate(self.program.file_of[call.scope], 0, self.solver.key_text(value))
            if stem is not None:
                self.solver.add(call.result, imports.module_object(stem))

    def _on_next(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == CONTAINER:
            self.elements(value, call.result)
        elif self.solver.kind[value] == INSTANCE:
            inner = self.solver.derived_call(call, call.result, ())
            self.rules.invoke_member(inner, value, self.rules.protocols.next)

    def _on_type(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == INSTANCE:
            self.solver.add(listener[1].result, value - self.program.scopes)

    def _on_class(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.solver.add(listener[1], value + self.program.scopes)

    def _on_partial(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] in (FUNCTION, BOUND, WRAPPED, CLASS, INSTANCE):
            made = self.solver.make(CONTAINER, listener[2], value, call)
            self.solver.add(call.result, made)

    def call_partial(self, call: Call, function: int, first: Call) -> None:
        if not call.once(-2 - function):
            return
        merged = Call(
            call.result, call.scope, call.line, -1,
            (*first.positional[1:], *call.positional), (*first.keywords, *call.keywords),
            call.flags,
        )  # fmt: skip
        self.rules.call_value(merged, function)

    def _on_convert(self, value: int, listener: Listener) -> None:
        _, call, name = listener
        self.rules.protocols.convert(call, value, name)

    # containers

    def elements(self, container: int, target: int, *, keys_too: bool = False) -> None:
        """Send every element of a container to a slot; iterating a mapping gives its keys."""
        kind = self.solver.detail[container][0]
        if kind == ObjectKind.MAPPING and not keys_too:
            return
        if kind == ObjectKind.GENERATOR:  # what it is sent and returns is no element
            self.solver.edge(self.solver.field(container, self.any_key), target)
            return
        if target >= 0:
            self.solver.every_field(container, (self.solver.copy_to, target))

    def load(self, container: int, name: int, target: int) -> None:
        text = self.program.texts[name]
        if not text.startswith("["):
            if self.commands.is_parser(container):
                self.commands.load(container, name, target)
            elif text in (SENT, RETURNED):
                self.solver.edge(self.solver.field(container, name), target)
            return
        if text == "[*" or text.startswith("[-"):
            self.elements(container, target, keys_too=True)
            return
        if text.endswith(":") and text[1:-1].isdigit():  # `first, *rest = …`
            self._rest(container, int(text[1:-1]), target)
            return
        self.solver.edge(self.solver.field(container, name), target)
        self.solver.edge(self.solver.field(container, self.any_key), target)

    def _rest(self, container: int, start: int, target: int) -> None:
        rest = self.solver.container(("rest", container, start), ObjectKind.SEQUENCE)
        self.solver.add(target, rest)

        def receive(name: int, slot: int) -> None:
            text = self.program.texts[name][1:]
            if not text.isdigit():
                self.solver.edge(slot, self.solver.field(rest, self.any_key))
            elif int(text) >= start:
                name = self.program.name(f"[{int(text) - start}")
                self.solver.edge(slot, self.solver.field(rest, name))

        self.solver.mirror(container, receive)

    def method(self, call: Call, value: int) -> None:
        """A method of a list, dict, set or generator."""
        if self.solver.kind[value] == EXTERNAL:
            slot = self.solver.slot()
            self.load_external(value, call.name, slot)
            for found in self.solver.points[slot] or ():
                self.call(call, found)
            return
        name = self.program.texts[call.name]
        if self.solver.kind[value] == TEXT and name in ("format", "lower"):
            self.solver.add(call.result, value)
        if self.solver.kind[value] != CONTAINER or value in call.fired:
            return
        call.fired += (value,)
        if self.commands.is_parser(value):
            self.commands.method(call, value)
            return
        solver = self.solver
        first = call.positional[0] if call.positional else -1
        if solver.detail[value][0] == STACK:
            self._use_stack(call, value, name, first)
        elif name in ("__iter__", "__next__", "__enter__", "__aenter__", "__anext__", "send"):
            if name == "send":
                solver.edge(first, solver.field(value, self.program.name(SENT)))
            self.elements(value, call.result)
        elif name in _CHANGE and solver.detail[value][1] == ROW:
            return  # a tuple: this is called on what else the receiver may be
        elif name in _APPEND:
            solver.edge(first, solver.field(value, self.any_key))
        elif name == "insert" and len(call.positional) > 1:
            solver.edge(call.positional[1], solver.field(value, self.any_key))
        elif name in ("extend", "__iadd__"):
            solver.edge(self.elements_of(call, first), solver.field(value, self.any_key))
            solver.add(call.result, value)
        elif name == "update":
            if first >= 0:
                solver.listen(first, (self._on_update, value))
        elif name in _TAKE:
            self._take(call, value, name, first)
        elif name == "values":
            made = self.result(call)
            target = solver.field(made, self.any_key)
            self.elements(value, target, keys_too=True)
        elif name == "items":
            row = solver.container((ROW, call.result, call.scope, call.line), 0)
            self.elements(value, solver.field(row, self.program.name("[1")), keys_too=True)
            solver.add(solver.field(self.result(call), self.any_key), row)
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

    def _use_stack(self, call: Call, value: int, name: str, first: int) -> None:
        """`ExitStack`: what it enters, it gives."""
        if name in ("__enter__", "__aenter__"):
            self.solver.add(call.result, value)
        elif name in ("enter_context", "enter_async_context") and first >= 0:
            special = self.enter if name == "enter_context" else self.program.name("__aenter__")
            inner = self.solver.derived_call(call, call.result, (), special)
            inner.flags |= CallFlag.ENTER
            self.solver.listen(first, (self._on_entered, inner))
        elif name == "push":
            self.solver.edge(first, call.result)

    def _on_entered(self, value: int, listener: Listener) -> None:
        self.rules.call_method(listener[1], value)

    def _take(self, call: Call, value: int, name: str, first: int) -> None:
        solver = self.solver
        if first >= 0 and name in ("get", "setdefault", "pop"):
            self.rules.dynamic(value, first, call.result, -1, 0, call.scope)
        else:
            self.elements(value, call.result, keys_too=True)
        if len(call.positional) > 1 and call.positional[1] >= 0:
            solver.edge(call.positional[1], call.result)
            if name == "setdefault":
                solver.edge(call.positional[1], solver.field(value, self.any_key))


__all__ = ["BUILTIN", "PythonModels"]
