"""What JavaScript's operators ask of a value: a text, a number, or a trap of a proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.confidence import CERTAIN
from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptConversions(JavaScriptFeature):
    """Runs the methods that convert an object."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.kind = rules.kind
        names, name = rules.program.names, rules.program.name
        self.to_primitive = [name(text) for text in ("@@toPrimitive",) if text in names]
        self.to_tag = [name(text) for text in ("@@toStringTag",) if text in names]
        self.value_of = [name(text) for text in ("valueOf",) if text in names]
        """Names that objects may be asked for a number by, where the program has them at all."""
        self.to_string = name("toString")
        self._traps = {name("@@has"): "has", name("@@deleteProperty"): "deleteProperty"}
        self.asked: dict[int, Callable[[Call, int], None]] = {
            self.to_string: self._to_text, name("@@number"): self._to_number,
            **dict.fromkeys(self._traps, self._trap),
        }  # fmt: skip
        """Name that operators ask for → what then happens."""
        self._converting = self._names_of_literals()

    def _names_of_literals(self) -> set[int]:
        """Names that a literal of the program has a conversion under."""
        program, name = self.program, self.program.name
        methods = {text: name(text) for text in ("toString", "valueOf", "@@toPrimitive")}
        return {
            methods[text]
            for scope in range(program.scopes)
            if not program.flags[scope] & ScopeFlag.METHOD
            and (text := program.texts[program.scope_name[scope]].rpartition(".")[2]) in methods
        }

    def _to_text(self, call: Call, value: int) -> None:
        """Part of a text: most values there are texts and numbers, so only what is sure counts."""
        if self.solver.confidence == CERTAIN:
            self._convert(call, value, (*self.to_primitive, self.to_string, *self.to_tag))

    def _to_number(self, call: Call, value: int) -> None:
        """Reckoned with or compared, which few values are that are not numbers."""
        asked = (*self.to_primitive, *self.value_of)
        if asked and self.solver.confidence == CERTAIN:
            self._convert(call, value, asked)

    def _convert(self, call: Call, value: int, asked: Iterable[int]) -> None:
        """Ask an object for a text or number by the first of these names that it has."""
        if self.kind[value] == INSTANCE:
            any(self.rules.invoke_member(call, value, name) for name in asked)
        elif self.kind[value] == CONTAINER and self.solver.detail[value][0] == ObjectKind.RECORD:
            for name in asked:
                if name in self._converting:
                    self.rules.property(value, name, (self.rules.on_member, call, value))

    def _trap(self, call: Call, value: int) -> None:
        """`in` and `delete`, which only a proxy hears of."""
        methods = self.rules.models.methods
        if self.kind[value] == CONTAINER and methods.is_proxy(value):
            methods.trap(call, value, self._traps[call.name], call.positional)
