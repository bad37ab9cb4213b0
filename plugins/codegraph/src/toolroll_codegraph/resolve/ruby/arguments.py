"""Passing arguments to Ruby's parameters: positions, splats, keywords and the block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolroll_codegraph.facts import ANY_KEY, CallFlag, ObjectKind, ParamKind, ScopeFlag
from toolroll_codegraph.facts.returning import NAMED
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER
from toolroll_codegraph.resolve.solver import Solver

_ANY_NUMBER: Final = 255
PAIR: Final = "pair"
"""Marks what a hash yields: an array of two."""


class RubyArguments:
    """Gives each parameter what stands at its position or under its name."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.program = solver.program
        self.any_key = solver.program.name(ANY_KEY)
        self._compare = solver.program.name("<=>")
        self._initialize = solver.program.name("initialize")
        self._most = bytearray(solver.program.scopes)
        """For each function one more than the positional arguments that it takes, `_ANY_NUMBER`
        with a rest, and 0 if that was not asked yet."""

    def fit(self, call: Call, function: int) -> bool:
        """Whether a method takes as many arguments as a call has: otherwise Ruby runs none of it.

        Only of calls as they are written: others tell no more arguments than somebody follows.
        """
        implicit = call.flags & CallFlag.IMPLICIT and call.name != self._initialize
        if implicit or call.name == self._compare:
            return True
        given = call.positional[:-1] if call.flags & CallFlag.BLOCK else call.positional
        if not call.keywords and min(given, default=0) >= -1:
            fewest = self.program.flags[function] // ScopeFlag.REQUIRED
            most = self._most[function] or self._count(function)
            return fewest <= len(given) and (len(given) < most or most == _ANY_NUMBER)
        params = self.program.params[function]
        shapes = [shape for _, _, shape in params]
        splats, most = sum(item < -1 for item in given), len(given) + bool(call.keywords)
        least = len(given) - splats
        named = {name for name, _ in call.named() if name >= 0}
        known = {name for name, _, shape in params if shape == ParamKind.KEYWORD}
        if ParamKind.KEYWORDS not in shapes and not named <= known:
            if known:
                return False
            least += 1  # they are a hash
        if least > shapes.count(ParamKind.POSITIONAL) and ParamKind.REST not in shapes:
            return False
        return bool(splats) or most >= self.program.flags[function] // ScopeFlag.REQUIRED

    def _count(self, function: int) -> int:
        """Note how many positional arguments a function takes."""
        shapes = [shape for _, _, shape in self.program.params[function]]
        most = _ANY_NUMBER if ParamKind.REST in shapes else shapes.count(ParamKind.POSITIONAL) + 1
        self._most[function] = min(most, _ANY_NUMBER)
        return self._most[function]

    def give(self, call: Call, function: int, *, block_too: bool = True) -> None:
        solver = self.solver
        positional = call.positional
        params = self.program.params[function]
        plain: list[int] = []
        last: list[int] = []
        rest = block = -1
        for _, slot, shape in params:
            if shape == ParamKind.POSITIONAL:
                (plain if rest < 0 else last).append(slot)
            elif shape == ParamKind.REST:
                rest = slot
            elif shape == ParamKind.BLOCK:
                block = slot
        if call.flags & CallFlag.BLOCK and positional:
            if block_too:
                solver.edge(positional[-1], block)
            positional = positional[:-1]
        several = len(plain) + len(last) + (rest >= 0) > 1
        alone = (
            len(positional) == 1
            and several
            and positional[0] >= 0
            and self.program.flags[function] & ScopeFlag.BLOCK
        )
        if alone:  # |a, b| takes one apart
            solver.listen(positional[0], (self.on_spread, plain + last, rest))
            solver.passing.give_back_any(call, plain + last)
            solver.passing.give_none(call, plain[1:] + last)
            positional = ()
        elif last:
            positional = self._give_last(call, positional, plain, last)
        if rest >= 0 and len(positional) <= len(plain):
            self._give_rest(function, rest)
        if not alone and min(positional, default=0) >= -1:
            solver.passing.give_none(call, plain[len(positional) :])
        for index, item in enumerate(positional):
            if item < -1:
                solver.listen(-item - 2, (self.on_spread, plain[index:], rest))
                solver.passing.give_back_any(call, plain[index:])
                self._give_behind(call, positional[index + 1 :], plain[index:], rest, function)
                break
            if item < 0:
                continue
            if index < len(plain):
                solver.give(call, item, plain[index])
            elif rest >= 0:
                made = solver.container((function, "rest"), 0)
                field = self.program.name(f"[{index - len(plain)}")
                solver.edge(item, solver.field(made, field))
                solver.add(rest, made)
        self._pass_keywords(call, function, params)

    def give_none(self, call: Call, function: int) -> None:
        """What is not given leaves a default."""
        self._give_rest(function, -1)
        slots = [slot for _, slot, shape in self.program.params[function] if shape in NAMED]
        self.solver.passing.give_none(call, slots)

    def _give_rest(self, function: int, rest: int) -> None:
        """What is not given leaves a rest an empty array, to which may be added."""
        for _, slot, shape in self.program.params[function]:
            if shape == ParamKind.REST and rest in (slot, -1):
                self.solver.add(slot, self.solver.container((function, "rest"), 0))

    def _give_last(
        self, call: Call, positional: tuple[int, ...], plain: list[int], last: list[int]
    ) -> tuple[int, ...]:
        """Pass the last arguments to parameters behind a rest, and return the others."""
        behind = len(positional) - len(last)
        splats = [item for item in positional if item < -1]
        if splats:  # which of its elements are the last is not known
            for item in splats:
                self.solver.listen(-item - 2, (self._on_last, last))
            self.solver.passing.give_back_any(call, last)
            return positional
        if behind < 0:
            plain += last
            return positional
        for item, slot in zip(positional[behind:], last, strict=True):
            if item >= 0:
                self.solver.give(call, item, slot)
        return positional[:behind]

    def _give_behind(
        self, call: Call, items: tuple[int, ...], plain: list[int], rest: int, function: int
    ) -> None:
        """Pass what stands behind a splat: to the rest, or else to the last parameters."""
        for place, item in enumerate(items):
            source = item if item >= 0 else -item - 2
            if rest >= 0 and source >= 0:
                made = self.solver.container((function, "rest"), 0)
                inside = self.solver.field(made, self.any_key)
                if item >= 0:
                    self.solver.edge(item, inside)
                    self.solver.add(rest, made)
                else:
                    self.solver.listen(source, (self.on_spread, [], rest))
            elif item >= 0 and len(items) - place <= len(plain):
                self.solver.give(call, item, plain[place - len(items)])

    def _pass_keywords(
        self, call: Call, function: int, params: Sequence[tuple[int, int, int]]
    ) -> None:
        solver = self.solver
        by_name = {name: slot for name, slot, shape in params if shape == ParamKind.KEYWORD}
        given = {name for name, _ in call.named()} if call.keywords else ()
        if by_name and -1 not in given:
            solver.passing.give_none(call, [by_name[it] for it in by_name.keys() - given])
        if not call.keywords:
            return
        others = next((slot for _, slot, shape in params if shape == ParamKind.KEYWORDS), -1)
        if others < 0 and not by_name:  # a last positional parameter takes them as a hash
            plain = [slot for _, slot, shape in params if shape == ParamKind.POSITIONAL]
            others = plain[-1] if plain else -1
        gathered = False
        for name, slot in call.named():
            if name in by_name and slot >= 0:
                solver.give(call, slot, by_name[name])
            elif name not in by_name and others >= 0 <= name:  # a key is one, whatever it is for
                made = solver.container((function, "keywords"), 5)
                field = self.program.name("[" + self.program.texts[name])
                solver.edge(slot, solver.field(made, field))
                solver.add(others, made)
                gathered = True
            elif name < 0 <= slot:
                solver.listen(slot, (self._on_keywords, by_name, others, call))
                gathered = True
        if gathered:
            solver.passing.give_back(call, others, others)

    def taken_apart(self, source: int) -> tuple[int, int]:
        """The slot of the first element of a splat, and the splat of the others, as an argument."""
        first, others = self.solver.slot(), self.solver.slot()
        self.solver.listen(source, (self._on_taken_apart, first, others))
        return first, -others - 2

    @handler
    def _on_taken_apart(self, value: int, listener: Listener) -> None:
        solver, texts = self.solver, self.program.texts
        if solver.kind[value] != CONTAINER:
            return
        made = solver.container(("behind the first", value), ObjectKind.SEQUENCE)

        def receive(name: int, slot: int) -> None:
            place = texts[name].removeprefix("[")
            if place in ("0", ANY_KEY):
                solver.edge(slot, listener[1])
            if place.isdigit() and place != "0":
                name = self.program.name(f"[{int(place) - 1}")
            if place != "0":
                solver.edge(slot, solver.field(made, name))

        solver.mirror(value, receive)
        solver.add(listener[2], made)

    @handler
    def _on_keywords(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            by_name: dict[int, int] = listener[1]
            for name, slot in by_name.items():
                field = self.program.name("[" + self.program.texts[name])
                self.solver.give(listener[3], self.solver.field(value, field), slot)
            self.solver.add(listener[2], value)

    @handler
    def _on_last(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            for slot in listener[1]:
                self.solver.every_field(value, (self.solver.copy_to, slot))

    @handler
    def on_spread(self, value: int, listener: Listener) -> None:
        _, targets, rest = listener
        if self.solver.kind[value] != CONTAINER:
            if targets:
                self.solver.add(targets[0], value)
            return
        pair = self.solver.detail[value][1] == PAIR
        for index, target in enumerate(targets):
            field = self.program.name(f"[{index}")
            self.solver.edge(self.solver.field(value, field), target)
            if not pair:
                self.solver.edge(self.solver.field(value, self.any_key), target)
        if rest >= 0:
            self.solver.add(rest, value)
