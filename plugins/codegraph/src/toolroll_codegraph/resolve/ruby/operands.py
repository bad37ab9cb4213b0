"""What operators, and Ruby's own methods of texts and paths, ask of the objects they are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

PATHS: Final = frozenset(("File", "Dir", "Pathname"))
"""Whose own methods take paths; known by name where the project has objects that are paths."""
_DATA: Final = frozenset(("write", "binwrite"))
"""Of which the first argument alone is a path."""


class RubyOperands(RubyFeature):
    """`coerce`, `to_str` and `to_path`."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.conversions = rules.conversions
        name = rules.program.name
        self._to_str, self._to_path = name("to_str"), name("to_path")

    def operand(self, call: Call, text: str) -> None:
        """`1 + object` asks for `coerce`, `"text" + object` for `to_str`."""
        if not call.positional or call.positional[0] < 0:
            return
        other = call.positional[0]
        if self.rules.program.texts[call.name] == "%":
            self.conversions.formatting.operand(call, text, other)
        elif not text.isdigit():
            if call.name == self.conversions.equal:
                self.solver.listen(other, (self._on_equal, call))
            else:
                self.conversions.ask(call, other, self._to_str)
        elif call.name != self.conversions.equal:
            pair, number = self.solver.slot(), self.solver.slot()
            self.solver.add(number, self.solver.text(self.rules.program.name(text)))
            self.conversions.ask(call, other, self.conversions.coerce, number, pair)
            self.solver.listen(pair, (self._on_coerced, call))

    @handler
    def _on_equal(self, value: int, listener: Listener) -> None:
        """A text asks an object that could be one whether they are equal."""
        if self.solver.kind[value] == INSTANCE:
            scope, call = value - self.rules.scopes, listener[1]
            if self.rules.classes.find(scope, self._to_str) >= 0:
                same = self.solver.slot()
                self.solver.add(same, value)
                self.conversions.ask(call, same, self.conversions.equal, -1, call.result)

    def _on_coerced(self, value: int, listener: Listener) -> None:
        """What `coerce` returns is what the operator is called on, and with."""
        solver, call = self.solver, listener[1]
        if solver.kind[value] == CONTAINER:
            first, second = solver.slot(), solver.slot()
            name = self.rules.program.name
            self.rules.containers.load(value, name("[0"), first)
            self.rules.containers.load(value, name("[1"), second)
            self.conversions.ask(call, first, call.name, second, call.result)

    def take_texts(self, call: Call) -> None:
        """A method of a text asks what it is given for a text."""
        if self.rules.classes.definers(self._to_str):
            for item in call.positional[: -1 if call.flags & CallFlag.BLOCK else None]:
                self.conversions.ask(call, item, self._to_str)

    def take_paths(self, call: Call) -> None:
        """`File.exist?(object)` asks for a path, or else for a text."""
        given = call.positional[: -1 if call.flags & CallFlag.BLOCK else None]
        if self.rules.program.texts[call.name] in _DATA:
            given = given[:1]
        for item in given:
            self.solver.listen(item if item >= 0 else -item - 2, (self._on_path, call))

    @handler
    def _on_path(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:  # `File.join(list)`
            self.solver.listen(
                self.conversions.objects_inside(value), (self._on_path_part, listener[1])
            )
        else:
            self._on_path_part(value, listener)

    @handler
    def _on_path_part(self, value: int, listener: Listener) -> None:
        call, rules = listener[1], self.rules
        if self.solver.kind[value] == INSTANCE:
            known = rules.classes.find(value - rules.scopes, self._to_path) >= 0
            asked = self.solver.slot()
            self.solver.add(asked, value)
            self.conversions.ask(call, asked, self._to_path if known else self._to_str)
