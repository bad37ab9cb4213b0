"""What Ruby's `inject` makes of elements, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyFolding:
    """A block, or the method that a symbol names, is given what it has made last."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self._folds: list[tuple[int, tuple[int, ...], int]] | None = []
        """(slot of the elements, of what it begins with, of the result)."""

    def fold(self, call: Call, value: int) -> bool:
        solver = self.solver
        element, total = solver.slot(), solver.slot()
        self.rules.containers.elements(value, element)
        arguments = call.positional[:-1] if call.flags & CallFlag.BLOCK else call.positional
        for item in arguments:
            solver.edge(item, total)
        if not arguments or not call.flags & CallFlag.BLOCK:
            solver.edge(element, total)
        if call.flags & CallFlag.BLOCK:
            made = solver.slot()
            if call.positional[-1] >= 0:
                solver.listen(call.positional[-1], (self._on_folding, call))
            self.rules.procedures.run_block(call, (total, element), made)
            solver.edge(made, total)
            solver.edge(made, call.result)
            if self._folds is not None:
                self._folds.append((element, arguments, call.result))
        elif arguments and arguments[-1] >= 0:  # inject(:+)
            inner = solver.derived_call(call, total, (total, element))
            solver.edge(total, call.result)
            solver.listen(arguments[-1], (self.rules.procedures.on_block, inner))
        return True

    def sum(self, call: Call, value: int) -> bool:
        """`sum` adds the elements, or what a block makes of them, to what it begins with."""
        solver = self.solver
        block = call.flags & CallFlag.BLOCK
        added, total = solver.slot(), solver.slot()
        if block:
            element = solver.slot()
            self.rules.containers.elements(value, element)
            self.rules.procedures.run_block(call, (element,), added)
        else:
            self.rules.containers.elements(value, added)
        beginning = call.positional[:-1] if block else call.positional
        for item in beginning:
            solver.edge(item, total)
        if beginning:
            plus = self.program.name("+")
            self.rules.conversions.ask(call, total, plus, added, total)
        solver.edge(total, call.result)
        return True

    @handler
    def _on_folding(self, value: int, _: Listener) -> None:
        params = self.program.params[value] if self.solver.kind[value] == FUNCTION else ()
        self.rules.making.folded.update(slot for _, slot, _ in params[:1])

    def settle(self) -> None:
        """What is folded without an element that is known may be what it begins with."""
        folds, self._folds = self._folds, None
        for element, beginnings, result in folds or ():
            if self.solver.points[element] is None:
                for item in beginnings:
                    self.solver.edge(item, result)
