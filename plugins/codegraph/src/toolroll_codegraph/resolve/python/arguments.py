"""How a Python call's arguments reach the parameters of a function."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind, ParamKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


_ANY_NUMBER: Final = 1 << 16
_WITH_DEFAULT: Final = ("get", "pop")
_LOOSE: Final = CallFlag.IMPLICIT | CallFlag.DECORATOR
"""Calls whose arguments are not all written."""


class PythonArguments(PythonFeature):
    """Positions, names, defaults, `*` and `**` on both sides of a call."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.any_key = rules.any_key
        self.signatures: dict[int, tuple[list[int], int, int]] = {}
        self.number: dict[int, tuple[int, int]] = {}
        """What `bounds` has found."""
        self._names: dict[int, frozenset[int] | None] = {}
        """Function → what it may be given by name; None for anything."""
        self._pairs: dict[tuple[int, int], tuple[int, int]] = {}
        """One pair for all functions with the same bounds."""
        self._named: list[tuple[int, dict[int, int]]] = []
        """(mapping, parameters) of mappings that are passed as `**`."""

    def _is_receiver(self, function: int, slot: int) -> bool:
        return slot == self.program.this[function]

    @handler
    def _on_receiver(self, value: int, listener: Listener) -> None:
        """Let a method called as a plain function run on what its class has made."""
        _, call, function = listener
        owner = self.program.owner_class(function)
        kind = self.solver.kind[value]
        if kind in (INSTANCE, CLASS):
            known = value - self.program.scopes if kind == INSTANCE else value
            if known < self.program.scopes and owner in self.rules.classes.order(known):
                self.rules.receive(function, value, call.result)
                if function in self.rules.kept.fields:
                    self.rules.kept.give(call, function, value, 0)

    def signature(self, function: int) -> tuple[list[int], int, int]:
        """The slots of a function's positional parameters, of `*` and of `**`."""
        known = self.signatures.get(function)
        if known is None:
            positional: list[int] = []
            rest = keywords = -1
            for _, slot, shape in self.program.params[function]:
                if shape in (ParamKind.POSITIONAL, ParamKind.UNNAMED):
                    positional.append(slot)
                elif shape == ParamKind.REST:
                    rest = slot
                elif shape != ParamKind.KEYWORD:
                    keywords = slot
            known = self.signatures[function] = (positional, rest, keywords)
        return known

    def _by_name(self, function: int, taken: Collection[int] = ()) -> dict[int, int]:
        """The slots of the parameters that can be given by name: not those given by position."""
        return {
            name: slot
            for name, slot, shape in self.program.params[function]
            if (shape == ParamKind.POSITIONAL or shape == ParamKind.KEYWORD) and slot not in taken
        }

    def bounds(self, function: int) -> tuple[int, int]:
        """The fewest and the most positional arguments a function may be called with."""
        flags = self.program.flags[function]
        positional, rest, _ = self.signature(function)
        if flags & ScopeFlag.DECORATED:
            found = 0, _ANY_NUMBER
        else:
            most = len(positional) if rest < 0 else _ANY_NUMBER
            found = flags // ScopeFlag.REQUIRED, most
        found = self.number[function] = self._pairs.setdefault(found, found)
        return found

    def fits(self, call: Call, function: int, given: int) -> bool:
        """Whether a call that gives too few or too many by position can be one of a function."""
        if call.flags & _LOOSE or any(item < -1 for item in call.positional):
            return True
        fewest, most = self.number.get(function) or self.bounds(function)
        named = call.keywords[::2]
        if given > most or -1 in named:
            return given <= most
        positional, by_name = self.signature(function)[0], self._by_name(function)
        told = {by_name.get(name) for name in named}
        return all(slot in told for slot in positional[given:fewest])

    def knows(self, call: Call, function: int) -> bool:
        """Whether a function has all parameters that a call gives by name."""
        if call.flags & _LOOSE:
            return True
        if function in self._names:
            names = self._names[function]
        else:
            open_ended = self.program.flags[function] & ScopeFlag.DECORATED
            takes_any = open_ended or self.signature(function)[2] >= 0
            names = None if takes_any else frozenset(self._by_name(function))
            self._names[function] = names
        return names is None or all(name < 0 or name in names for name in call.keywords[::2])

    def is_given(self, call: Call, function: int, name: int, receiver: int) -> bool | None:
        """Whether a call gives a parameter; None where that is not to be seen."""
        if -1 in call.keywords[::2] or any(item < -1 for item in call.positional):
            return None
        if name in call.keywords[::2]:
            return True
        positional, rest, _ = self.signature(function)
        slot = next(slot for known, slot, _ in self.program.params[function] if known == name)
        place = positional.index(slot) if slot in positional else _ANY_NUMBER
        place = len(positional) if slot == rest else place
        return place < len(call.positional) + (receiver >= 0)

    def receive(self, function: int, receiver: int) -> None:
        """Pass a receiver to a function that is no method itself."""
        positional, rest, _ = self.signature(function)
        if positional:
            self.solver.add(positional[0], receiver)
        elif rest >= 0:
            container = self.solver.container((function, b"*"), ObjectKind.SEQUENCE)
            self.solver.add(self.solver.field(container, self.program.name("[0")), receiver)
            self.solver.add(rest, container)

    def give(self, call: Call, function: int, offset: int) -> None:
        solver, visits = self.solver, self.rules.visits
        positional, rest, keywords = self.signature(function)
        count, limits = len(positional), self.rules.types.limits
        returned, perhaps = solver.returned, solver.passing.perhaps
        position = offset
        spread = False
        for item in call.positional:
            if spread:  # how many came before is not known
                self._give_anywhere(call, function, item, positional[position:], rest)
            elif item >= 0:
                if position < count:
                    parameter = positional[position]
                    if position == 0 and self._is_receiver(function, parameter):
                        solver.listen(item, (self._on_receiver, call, function))
                    elif position == 1 and visits.is_visit(function):
                        solver.listen(item, (visits.on_visited, function, parameter))
                    elif parameter in limits or parameter in returned or parameter in perhaps:
                        self._pass(call, item, parameter)
                    else:
                        solver.edge(item, parameter)
                elif rest >= 0:
                    key = self.program.name(f"[{position - count}")
                    self._collect(function, rest, b"*", key, item)
                position += 1
            elif item == -1:
                position += 1
            else:
                targets = positional[position:]
                if position == 0 and targets and self._is_receiver(function, targets[0]):
                    slot = targets[0] = solver.slot()
                    solver.listen(slot, (self._on_receiver, call, function))
                solver.listen(-item - 2, (self._on_spread, targets, function, call))
                spread = True
        if not call.keywords:
            return
        taken = positional[: offset if spread else position]
        by_name = self._by_name(function, taken)
        for name, slot in call.named():
            if slot < 0:
                continue
            if name < 0:
                solver.listen(slot, (self._on_keywords, by_name, keywords, call))
            elif name in by_name:
                self._pass(call, slot, by_name[name])
            elif keywords >= 0:
                key = self.program.name("[" + self.program.texts[name])
                self._collect(function, keywords, b"**", key, slot)

    def _pass(self, call: Call, source: int, parameter: int) -> None:
        """Pass an argument, as far as the parameter's annotation admits it."""
        solver, types = self.solver, self.rules.types
        if parameter not in types.limits:
            solver.give(call, source, parameter)
            return
        self.admit(source, parameter)
        if parameter not in solver.returned:
            solver.passing.give_back(call, source, parameter)
        elif call.result >= 0:
            solver.listen(source, (types.on_limited, parameter, call.result))

    def admit(self, source: int, parameter: int) -> None:
        """Let a parameter or a field have values, as far as its annotation admits them."""
        types = self.rules.types
        if parameter in types.limits:
            self.solver.listen(source, (types.on_limited, parameter, parameter))
        else:
            self.solver.edge(source, parameter)

    def _collect(self, function: int, target: int, stars: bytes, key: int, source: int) -> None:
        kind = ObjectKind.SEQUENCE if stars == b"*" else ObjectKind.MAPPING
        container = self.solver.container((function, stars), kind)
        self.solver.edge(source, self.solver.field(container, key))
        self.solver.add(target, container)

    def give_defaults(self) -> None:
        """What `options.pop("run", f)` gives where nobody gives `**options` anything: the default.

        So it is with most public functions of a library.
        """
        program, solver = self.program, self.solver
        asked = {program.name(name) for name in _WITH_DEFAULT}
        for function in range(program.scopes):
            for _, slot, shape in program.params[function] or ():
                if shape == ParamKind.KEYWORDS and solver.points[slot] is None:
                    for call in map(solver.translate, solver.operations.calls_on(slot)):
                        default = call.positional[1] if len(call.positional) > 1 else -1
                        if call.name in asked and default >= 0:
                            solver.edge(default, call.result)

    def settle(self) -> None:
        """Pass what `**` has to every parameter with a name, if none of its keys is known."""
        for value, by_name in self._named:
            fields = self.solver.fields_of(value)
            if any(
                name != self.any_key and self.solver.points[slot] is not None
                for name, slot in fields.items()
            ):
                continue
            for target in by_name.values():
                self.admit(fields.get(self.any_key, -1), target)
        self._named.clear()

    def _give_anywhere(
        self, call: Call, function: int, item: int, targets: list[int], rest: int
    ) -> None:
        """Pass an argument that comes behind a spread one."""
        if item == -1:
            return
        source = item
        if item < -1:
            source = self.solver.slot()
            self.solver.listen(-item - 2, (self._on_later, source))
        for target in targets:
            self._pass(call, source, target)
        if rest >= 0:
            self._collect(function, rest, b"*", self.any_key, source)

    @handler
    def _on_later(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.rules.models.elements(value, listener[1])

    @handler
    def _on_spread(self, value: int, listener: Listener) -> None:
        _, targets, function, call = listener
        rest = self.signature(function)[1]
        if self.solver.kind[value] == INSTANCE and self.rules.records.is_tuple(value):
            for index, target in enumerate(targets):
                item = self.rules.records.item(value - self.program.scopes, str(index))
                if item >= 0:
                    self._pass(call, item, target)
            return
        if self.solver.kind[value] != CONTAINER:
            items = self.solver.slot()
            self.rules.protocols.iterate(self.solver.derived_call(call, items, ()), value)
            self._give_anywhere(call, function, items, targets, rest)
            return
        for index, target in enumerate(targets):
            for key in (self.program.name(f"[{index}"), self.any_key):
                self._pass(call, self.solver.field(value, key), target)
        if rest >= 0 and targets:
            self.rules.models.sliced(value, len(targets), None, rest)
        elif rest >= 0:
            self.solver.add(rest, value)

    @handler
    def _on_keywords(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] != CONTAINER:
            return
        by_name: dict[int, int] = listener[1]
        keywords: int = listener[2]
        call: Call = listener[3]
        texts = self.program.texts
        owner = self.rules.namespaces.owner(value)
        for name, slot in by_name.items():
            field = self.program.name("[" + texts[name])
            if owner < 0:
                self._pass(call, self.solver.field(value, field), slot)
            else:
                self._pass(call, self.rules.namespaces.item(owner, field), slot)
        if owner < 0:
            self._named.append((value, by_name))
        if keywords >= 0:
            self.solver.add(keywords, value)
