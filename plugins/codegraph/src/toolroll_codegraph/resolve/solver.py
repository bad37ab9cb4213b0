"""Propagating values through the assignment graph of a whole program.

Every slot keeps a small set of abstract values; a worklist moves each value over copy edges once
and wakes the operations that wait for it. Work is bounded: a slot holds at most `MOST_VALUES`
values, an object is made once for each place in the source, and a call enters a function once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final, Protocol

from toolroll_codegraph.facts import CallFlag, FileFacts, ParamKind, ScopeFlag, numbers
from toolroll_codegraph.facts.model import CallRow
from toolroll_codegraph.resolve.program import BOUND, CONTAINER, INSTANCE, TEXT, Program

MOST_VALUES: Final = 16
CERTAIN: Final = 3
LIKELY: Final = 2
POSSIBLE: Final = 1

Listener = tuple[Any, ...]
"""(handler, argument…): the handler is called with a new value and the listener itself."""


class Call:
    """One call site, translated to program numbering when a first value reaches it."""

    __slots__ = ("fired", "flags", "keywords", "line", "name", "positional", "result", "scope")

    def __init__(
        self,
        result: int,
        scope: int,
        line: int,
        name: int,
        positional: tuple[int, ...],
        keywords: tuple[int, ...],
        flags: int,
    ) -> None:
        self.result = result
        self.scope = scope
        self.line = line
        self.name = name
        self.positional = positional
        self.keywords = keywords
        self.flags = flags
        self.fired: list[int] = []  # short: a set for each call would cost 30 MB on Django


class Rules(Protocol):
    """What one language adds: how values are called, read and written."""

    @property
    def imports(self) -> Any: ...
    def call_value(self, call: Call, value: int) -> None: ...
    def call_method(self, call: Call, value: int) -> None: ...
    def load(self, value: int, name: int, listener: Listener) -> None: ...
    def store(self, value: int, name: int, source: int, listener: Listener | None) -> None: ...
    def dynamic(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None: ...
    def prepare(self) -> None: ...
    def settle(self, step: int) -> None: ...


class Solver:
    """The slots of a program, their values and the calls found so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.points: list[tuple[int, ...] | None] = [None] * program.slots
        self.successors: list[list[int] | None] = [None] * program.slots
        self.waiting: list[list[Any] | None] = [None] * program.slots
        self.work: list[int] = []
        self.ready: deque[tuple[Listener, int]] = deque()
        self.singles: dict[int, tuple[int]] = {}
        scopes = program.scopes
        self.kind: list[int] = [*program.object_kind, *([INSTANCE] * scopes)]
        self.detail: list[Any] = [*range(scopes), *range(scopes)]
        self.fields: dict[int, dict[int, int]] = {}
        self.wildcards: dict[int, list[Listener]] = {}
        self.made: dict[tuple[Any, ...], int] = {}
        self.edges: dict[int, list[int]] = {}
        self.confidence = CERTAIN
        self.rules: dict[str, Rules] = {}
        self.calls: list[Call | None] = []
        self.call_rows: list[CallRow] = []
        self.call_file: list[int] = []
        self.late: list[tuple[int, int]] = []
        self.decorated: dict[int, int] = {}
        self.returned: set[int] = set()
        """Parameters that their function returns as they are: each call gets back its own."""
        self.this_owner: dict[int, int] = {}
        self.setters: frozenset[int] = frozenset(
            program.scope_name[scope]
            for scope in range(scopes)
            if program.flags[scope] & ScopeFlag.SETTER
        )
        self.mirrors: dict[int, list[Callable[[int, int], None]]] = {}
        """Called with (name, slot) of every field an object gets."""
        self.own_stores: list[tuple[int, int, int]] = []
        """(class, field, source) of stores through a method's own receiver."""

    # values

    def slot(self) -> int:
        self.points.append(None)
        self.successors.append(None)
        self.waiting.append(None)
        return len(self.points) - 1

    def add(self, slot: int, value: int) -> None:
        if slot < 0:
            return
        points = self.points
        current = points[slot]
        if current is None:
            single = self.singles.get(value)
            if single is None:
                single = self.singles[value] = (value,)
            points[slot] = single
        elif value in current or len(current) >= MOST_VALUES:
            return
        else:
            points[slot] = (*current, value)
        if self.successors[slot] is not None or self.waiting[slot] is not None:
            self.work += (slot, value)

    def edge(self, source: int, target: int) -> None:
        """Let every value of `source` also be a value of `target`."""
        if source < 0 or target < 0 or source == target:
            return
        successors = self.successors[source]
        if successors is None:
            self.successors[source] = [target]
        elif target in successors[-8:]:
            return
        else:
            successors.append(target)
        known = self.points[source]
        if known is not None:
            for value in known:
                self.add(target, value)

    def listen(self, slot: int, listener: Listener) -> None:
        if slot < 0:
            return
        waiting = self.waiting[slot]
        if waiting is None:
            self.waiting[slot] = [listener]
        else:
            waiting.append(listener)
        known = self.points[slot]
        if known is not None:
            # Queued, not called: handlers listen in turn, and chains of them may be long.
            for value in known:
                self.ready.append((listener, value))

    def run(self) -> None:
        """Move values until nothing changes."""
        work, points, successors, waiting = self.work, self.points, self.successors, self.waiting
        singles, fire, ready = self.singles, self._fire, self.ready
        while work or ready:
            if ready:
                listener, value = ready.popleft()
                listener[0](value, listener)
                continue
            value = work.pop()
            slot = work.pop()
            targets = successors[slot]
            if targets is not None:
                for target in targets:
                    current = points[target]
                    if current is None:
                        single = singles.get(value)
                        if single is None:
                            single = singles[value] = (value,)
                        points[target] = single
                    elif value in current or len(current) >= MOST_VALUES:
                        continue
                    else:
                        points[target] = (*current, value)
                    if successors[target] is not None or waiting[target] is not None:
                        work += (target, value)
            listeners = waiting[slot]
            if listeners is not None:
                for position in range(len(listeners)):
                    listener = listeners[position]
                    if type(listener) is int:
                        fire(listener, value)
                    else:
                        listener[0](value, listener)

    # objects

    def make(self, kind: int, *detail: Any) -> int:
        """The object of this kind and detail, made at most once."""
        key = (kind, *detail)
        found = self.made.get(key)
        if found is None:
            found = self.made[key] = len(self.kind)
            self.kind.append(kind)
            self.detail.append(detail)
        return found

    def bound(self, function: int, receiver: int) -> int:
        return self.make(BOUND, function, receiver)

    def text(self, name: int) -> int:
        return self.make(TEXT, name)

    def key_name(self, value: int) -> int:
        """The name that a constant text is."""
        name: int = self.detail[value][0]
        return name

    def key_text(self, value: int) -> str:
        return self.program.texts[self.key_name(value)]

    def container(self, key: tuple[Any, ...], kind: int) -> int:
        return self.make(CONTAINER, kind, *key)

    def field(self, owner: int, name: int) -> int:
        """The slot of a field, made on demand; readers of any field of the owner see it too."""
        fields = self.fields.get(owner)
        if fields is None:
            fields = self.fields[owner] = {}
        slot = fields.get(name)
        if slot is None:
            slot = fields[name] = self.slot()
            for listener in self.wildcards.get(owner, ()):
                self.listen(slot, listener)
            for mirror in self.mirrors.get(owner, ()):
                mirror(name, slot)
        return slot

    def mirror(self, owner: int, receive: Callable[[int, int], None]) -> None:
        """Report every field that an object has now or gets later."""
        self.mirrors.setdefault(owner, []).append(receive)
        for name, slot in list(self.fields.get(owner, {}).items()):
            receive(name, slot)

    def every_field(self, owner: int, listener: Listener) -> None:
        self.wildcards.setdefault(owner, []).append(listener)
        for slot in list(self.fields.get(owner, {}).values()):
            self.listen(slot, listener)

    def copy_to(self, value: int, listener: Listener) -> None:
        self.add(listener[1], value)

    # calls

    def _fire(self, identifier: int, value: int) -> None:
        call = self.calls[identifier]
        if call is None:
            call = self.translate(identifier)
        rules = self.rules[self.program.facts[self.call_file[identifier]].language]
        if call.name >= 0:
            rules.call_method(call, value)
        else:
            rules.call_value(call, value)

    def translate(self, identifier: int) -> Call:
        call = self.calls[identifier]
        if call is not None:
            return call
        index = self.call_file[identifier]
        program = self.program
        base, rename = program.slot_base[index], program.renames[index]
        result, scope, line, _, name, positional, keywords, flags = self.call_rows[identifier]
        if positional:
            positional = tuple(
                item + base if item >= 0 else (item if item == -1 else item - base)
                for item in positional
            )
        if keywords:
            pairs = iter(keywords)
            keywords = tuple(
                part
                for key, slot in zip(pairs, pairs, strict=True)
                for part in (rename[key] if key >= 0 else -1, slot + base if slot >= 0 else -1)
            )
        result += base
        if flags & CallFlag.DECORATOR:
            # What a decorator returns is looked at before it replaces what it decorates.
            result = self.decorated[identifier] = self.slot()
        call = self.calls[identifier] = Call(
            result,
            scope + program.scope_base[index],
            line,
            rename[name] if name >= 0 else -1,
            positional,
            keywords,
            flags,
        )
        return call

    def derived_call(
        self, call: Call, result: int, positional: tuple[int, ...], name: int = -1
    ) -> Call:
        """A call made on behalf of another at the same place (callbacks, protocols)."""
        return Call(result, call.scope, call.line, name, positional, (), CallFlag.IMPLICIT)

    def record(self, scope: int, callee: int, line: int) -> None:
        """Note that the function around `scope` calls `callee`."""
        caller = self.program.caller[scope]
        key = caller * self.program.scopes + callee
        known = self.edges.get(key)
        if known is None:
            self.edges[key] = [self.confidence, line]
        else:
            if self.confidence > known[0]:
                known[0] = self.confidence
            if line not in known[1:]:
                known.append(line)

    # loading the facts

    def load_facts(self) -> None:
        """Enter the copies, reads and writes of every file; values start to move in `run`."""
        for index, facts in enumerate(self.program.facts):
            self._load_file(index, facts, self.rules[facts.language])
            facts.copies = facts.loads = facts.stores = facts.dynamic = b""

    def load_calls(self) -> None:
        """Enter the calls, once the class hierarchies that they look members up in are known."""
        listen = self.waiting
        points = self.points
        for index, facts in enumerate(self.program.facts):
            base = self.program.slot_base[index]
            start = len(self.call_rows)
            self.call_rows += facts.calls
            self.calls += [None] * len(facts.calls)
            self.call_file += [index] * len(facts.calls)
            for identifier, row in enumerate(facts.calls, start):
                source = row[3]
                if source >= 0:
                    source += base
                    known = listen[source]
                    if known is None:
                        listen[source] = [identifier]
                    else:
                        known.append(identifier)
                    if points[source] is not None:
                        self.late.append((identifier, source))
            facts.calls = []
        for identifier, source in self.late:
            for value in points[source] or ():
                self._fire(identifier, value)
        self.late.clear()

    def _load_file(self, index: int, facts: FileFacts, rules: Rules) -> None:
        program = self.program
        base, rename = program.slot_base[index], program.renames[index]
        scope_base = program.scope_base[index]
        successors, waiting = self.successors, self.waiting
        passed = self._passed_parameters(index)
        pairs = iter(numbers(facts.copies))
        for source, target in zip(pairs, pairs, strict=True):
            source += base
            if passed.get(source) == target + base:
                self.returned.add(source)
                continue
            known = successors[source]
            if known is None:
                successors[source] = [target + base]
            else:
                known.append(target + base)
        on_load, on_store, on_dynamic = self._on_load, self._on_store, self._on_dynamic
        items = iter(numbers(facts.loads))
        for target, source, name, scope, line in zip(
            items, items, items, items, items, strict=True
        ):
            listener = (
                on_load, rules, rename[name], target + base, scope + scope_base, line
            )  # fmt: skip
            source += base
            known = waiting[source]
            if known is None:
                waiting[source] = [listener]
            else:
                known.append(listener)
        items = iter(numbers(facts.stores))
        for target, name, source, scope, line in zip(
            items, items, items, items, items, strict=True
        ):
            name = rename[name]
            target += base
            if name not in self.setters:
                if source < 0:
                    continue
                owner = self.this_owner.get(target)
                if owner is not None:
                    self.own_stores.append((owner, name, source + base))
                    continue
            source = source + base if source >= 0 else -1
            listener = (on_store, rules, name, source, scope + scope_base, line)
            known = waiting[target]
            if known is None:
                waiting[target] = [listener]
            else:
                known.append(listener)
        items = iter(numbers(facts.dynamic))
        for result, owner, key, source, attribute in zip(
            items, items, items, items, items, strict=True
        ):
            listener = (
                on_dynamic, rules, key + base, result + base if result >= 0 else -1,
                source + base if source >= 0 else -1, attribute, scope_base,
            )  # fmt: skip
            self.listen(owner + base, listener)

    def _passed_parameters(self, index: int) -> dict[int, int]:
        """Parameter or receiver slot → the return slot of its function."""
        program = self.program
        found: dict[int, int] = {}
        start = program.scope_base[index]
        for scope in range(start, start + program.scope_count[index]):
            result = program.ret[scope]
            if result >= 0:
                for _, slot, shape in program.params[scope]:
                    if shape == ParamKind.POSITIONAL or shape == ParamKind.KEYWORD:
                        found[slot] = result
                if program.this[scope] >= 0:
                    found[program.this[scope]] = result
        return found

    def give(self, call: Call, source: int, parameter: int) -> None:
        """Pass an argument; a parameter that is returned comes back to this call alone."""
        self.edge(source, parameter)
        if parameter in self.returned:
            self.edge(source, call.result)

    def _on_load(self, value: int, listener: Listener) -> None:
        rules, name = listener[1], listener[2]
        rules.load(value, name, listener)

    def _on_store(self, value: int, listener: Listener) -> None:
        listener[1].store(value, listener[2], listener[3], listener)

    def _on_dynamic(self, value: int, listener: Listener) -> None:
        _, rules, key, result, source, attribute, scope = listener
        rules.dynamic(value, key, result, source, attribute, scope)
