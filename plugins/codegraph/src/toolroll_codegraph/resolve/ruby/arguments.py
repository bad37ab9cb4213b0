"""Passing arguments to Ruby's parameters: positions, splats, keywords and the block."""

from __future__ import annotations

from typing import Final

from toolroll_codegraph.facts import ANY_KEY, CallFlag, ParamKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER
from toolroll_codegraph.resolve.solver import Solver

PAIR: Final = "pair"
"""Marks what a hash yields: an array of two."""


class RubyArguments:
    """Gives each parameter what stands at its position or under its name."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.program = solver.program
        self.any_key = solver.program.name(ANY_KEY)

    def give(self, call: Call, function: int) -> None:
        solver = self.solver
        positional = call.positional
        params = self.program.params[function]
        plain: list[int] = []
        rest = block = -1
        for _, slot, shape in params:
            if shape == ParamKind.POSITIONAL:
                plain.append(slot)
            elif shape == ParamKind.REST:
                rest = slot
            elif shape == ParamKind.BLOCK:
                block = slot
        if call.flags & CallFlag.BLOCK and positional:
            solver.edge(positional[-1], block)
            positional = positional[:-1]
        alone = len(positional) == 1 and len(plain) > 1 and positional[0] >= 0
        if alone and self.program.flags[function] & ScopeFlag.BLOCK:  # |a, b| takes one apart
            solver.listen(positional[0], (self._on_spread, plain, rest))
            positional = ()
        for index, item in enumerate(positional):
            if item < -1:
                solver.listen(-item - 2, (self._on_spread, plain[index:], rest))
                for slot in plain[index:]:
                    if slot in solver.returned:
                        solver.edge(slot, call.result)
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

    def _pass_keywords(self, call: Call, function: int, params: list[tuple[int, int, int]]) -> None:
        if not call.keywords:
            return
        solver = self.solver
        by_name = {name: slot for name, slot, shape in params if shape == ParamKind.KEYWORD}
        others = next((slot for _, slot, shape in params if shape == ParamKind.KEYWORDS), -1)
        if others < 0 and not by_name:  # a last positional parameter takes them as a hash
            plain = [slot for _, slot, shape in params if shape == ParamKind.POSITIONAL]
            others = plain[-1] if plain else -1
        for name, slot in call.named():
            if slot < 0:
                continue
            if name in by_name:
                solver.give(call, slot, by_name[name])
            elif others >= 0 and name >= 0:
                made = solver.container((function, "keywords"), 5)
                field = self.program.name("[" + self.program.texts[name])
                solver.edge(slot, solver.field(made, field))
                solver.add(others, made)
            elif name < 0:
                solver.listen(slot, (self._on_keywords, by_name, others))

    @handler
    def _on_keywords(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            by_name: dict[int, int] = listener[1]
            for name, slot in by_name.items():
                field = self.program.name("[" + self.program.texts[name])
                self.solver.edge(self.solver.field(value, field), slot)
            self.solver.add(listener[2], value)

    @handler
    def _on_spread(self, value: int, listener: Listener) -> None:
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
