"""What Python's builtins do with functions, containers and iterators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Handler, Listener
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    TEXT,
    WRAPPED,
)
from toolroll_codegraph.resolve.python.callbacks import CALLBACKS
from toolroll_codegraph.resolve.python.catalogue import (
    BUILTINS,
    CONSUME,
    CONVERT,
    EXTERNALS,
    FILTERS,
    ORDER,
    PATTERN,
)
from toolroll_codegraph.resolve.python.containers import STACK, PythonContainers
from toolroll_codegraph.resolve.python.getters import GETTERS, OPERATORS, PythonGetters
from toolroll_codegraph.resolve.python.holders import HOLDERS
from toolroll_codegraph.resolve.python.iterators import PythonIterators

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonModels(PythonContainers):
    """The part of the standard library that moves project values around."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.append = self.program.name("append")
        self.iterators = PythonIterators(self)
        self.getters = PythonGetters(self)
        self.reversed = self.program.name("__reversed__")
        self._on_converted: Handler = self._on_convert

    def is_builtin(self, name: str) -> bool:
        return name in BUILTINS

    def add_external(self, slot: int, dotted: str) -> None:
        if slot >= 0 and dotted in EXTERNALS:
            self.solver.add(slot, self.solver.make(EXTERNAL, dotted))

    def load_external(self, value: int, name: int, target: int) -> None:
        dotted = f"{self.solver.detail[value][0]}.{self.program.texts[name]}"
        self.add_external(target, dotted)

    def call_external(self, call: Call, value: int) -> None:
        """Call a function of a library module: `functools.partial(…)`."""
        slot = self.solver.slot()
        self.load_external(value, call.name, slot)
        for found in self.solver.points[slot] or ():
            self.call(call, found)

    def call(self, call: Call, value: int) -> None:
        if self.solver.kind[value] == CONTAINER:
            detail = self.solver.detail[value]
            if detail[0] in ("partial", "partialmethod"):
                self.call_partial(call, detail[1], detail[2])
            elif detail[0] in GETTERS:
                self.getters.call(call, value)
            else:
                self.holders.call(call, value)
            return
        name: str = self.solver.detail[value][0]
        if not call.once(-2 - value):
            return
        module = ""
        if self.solver.kind[value] == EXTERNAL:
            if name in CALLBACKS:
                self.callbacks.call(call, name)
                return
            if name in HOLDERS:
                self.holders.make(call, name)
                return
            module, _, name = name.rpartition(".")
        if module == "operator" and name in OPERATORS:
            self.getters.operate(call, name)
            return
        arguments = [item for item in call.positional if item >= -1]
        if name in ("min", "max") and not arguments and call.positional:
            arguments = [-call.positional[0] - 2]  # `max(*values)` is `max(values)`
        first = arguments[0] if arguments else -1
        key = self.keyword(call, "key")
        several = len(arguments) > 1 and name in ("min", "max")
        if key >= 0 and name in ("sorted", "min", "max"):
            for item in arguments if several else [self.elements_of(call, first)]:
                self.apply(call, key, [item], -1)
        elif name in ORDER and first >= 0:
            special = self.program.name(ORDER[name])
            for item in arguments if several else [self.elements_of(call, first)]:
                if item >= 0:
                    self.solver.listen(item, (self._on_converted, call, special))
        if name == "sum":
            self.iterators.sum(call, arguments)
        if name in ("map", "filter", "reduce"):
            self.iterators.map(call, name, first, arguments[1:])
        elif name in FILTERS:
            self.iterators.filter(call, name, arguments)
        elif name in CONSUME or name in ("deque", "chain", "islice", "cycle"):
            if name == "iter" and len(arguments) > 1:  # calls it until it returns the second
                slot = self.solver.field(self.result(call), self.any_key)
                self.apply(call, first, [], slot)
            elif name == "reversed" and first >= 0:
                self.solver.listen(first, (self._on_reversed, call))
            else:
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
        elif name == "compile":
            self.solver.add(call.result, self.solver.make(EXTERNAL, PATTERN))
        elif name in ("sub", "subn"):
            if first >= 0:  # the replacement may be a function of the match
                self.apply(call, first, [-1], -1)
        elif name == "ArgumentParser":
            self.commands.make(call)
        elif name == "globals":
            index = self.program.file_of[call.scope]
            self.rules.namespaces.of(self.program.scope_base[index], call.result)
        elif name == "vars" and first >= 0:
            self.solver.listen(first, (self._on_vars, call.result))
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
        elif name == "field":
            defaults = self.keyword(call, "default"), self.keyword(call, "default_factory")
            self.rules.records.field(call, *defaults)
        elif name == "super":
            self.rules.supers.make(call)
        elif name == "property":
            self.rules.descriptors.make_property(call)
        elif name in GETTERS:
            self.getters.make(call, name)
        elif name in ("wraps", "lru_cache", "cache"):
            self._identity_decorator(call, name, first)
        if name in CONVERT:
            special = self.program.name(CONVERT[name])
            for item in arguments if name in ("print", "range") else arguments[:1]:
                if item >= 0:
                    self.solver.listen(item, (self._on_converted, call, special))

    def _identity_decorator(self, call: Call, name: str, first: int) -> None:
        if name == "cache" or (name == "lru_cache" and first >= 0):
            self.solver.edge(first, call.result)

    def collect(self, call: Call, sources: list[int]) -> None:
        slot = self.solver.field(self.result(call), self.any_key)
        for source in sources:
            if source >= 0:
                self.solver.edge(self.elements_of(call, source), slot)

    def _dict(self, call: Call, name: str, arguments: list[int]) -> None:
        container = self.result(call, ObjectKind.MAPPING)
        if name != "defaultdict":
            self.update(call, container)
        elif arguments and arguments[0] >= 0:
            default = self.solver.field(container, self.any_key)
            self.apply(call, arguments[0], [], default)

    def _on_method(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.method(listener[1], value)

    def _on_module_name(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == TEXT:
            call: Call = listener[1]
            imports, name = self.rules.imports, self.solver.key_text(value)
            tail = name.lstrip(".")
            level = len(name) - len(tail)
            package = self.keyword(call, "package") if level else -1
            for known in self.solver.points[package] or () if package >= 0 else ():
                if self.solver.kind[known] == TEXT:  # else `__package__`: that of the file
                    parts = self.solver.key_text(known).split(".")
                    tail, level = ".".join([*parts[: len(parts) + 1 - level], tail]), 0
            stem = imports.modules.locate(self.program.file_of[call.scope], level, tail)
            if stem is not None:
                self.solver.add(call.result, imports.module_object(stem))

    def _on_next(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == CONTAINER:
            self.elements(value, call.result)
        elif self.solver.kind[value] == INSTANCE:
            inner = self.solver.derived_call(call, call.result, ())
            self.rules.invoke_member(inner, value, self.rules.protocols.next)

    def _on_vars(self, value: int, listener: Listener) -> None:
        self.rules.namespaces.of(value, listener[1])

    def _on_reversed(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        inner = self.solver.derived_call(call, call.result, (), self.reversed)
        if self.solver.kind[value] == INSTANCE and self.rules.invoke_member(
            inner, value, self.reversed
        ):
            return
        slot = self.solver.field(self.result(call), self.any_key)
        self.rules.protocols.iterate(self.solver.derived_call(call, slot, ()), value)

    def builtin_method(self, call: Call, value: int) -> None:
        """A class method of a builtin class: `dict.fromkeys(…)`, `object.__new__(…)`."""
        owner, name = self.solver.detail[value][0], self.program.texts[call.name]
        if owner == "dict" and name == "fromkeys" and len(call.positional) > 1:
            slot = self.solver.field(self.result(call, ObjectKind.MAPPING), self.any_key)
            self.solver.edge(call.positional[1], slot)
        elif owner == "object" and name == "__new__":
            self.make_instance(call)

    def make_instance(self, call: Call) -> None:
        """An instance of the class that is given, as `object.__new__` makes it."""
        if call.positional and call.positional[0] >= 0:
            self.solver.listen(call.positional[0], (self._on_class, call.result))

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
