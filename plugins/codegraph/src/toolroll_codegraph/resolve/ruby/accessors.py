"""Accessors that classes get while the program runs: `attr_reader name`, `base.attr_reader :x`."""

from __future__ import annotations

from typing import Final

from toolroll_codegraph.facts import OF_SINGLETON, PREFIX
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

ACCESSOR: Final = "accessor"
"""The kind of a member that reads or writes a variable of its receiver."""
_WAYS: Final = {
    "attr_reader": (False,), "attr_writer": (True,), "attr_accessor": (False, True),
    "attr": (False,),
}  # fmt: skip
DECLARING: Final = (*_WAYS, *(OF_SINGLETON + name for name in _WAYS))


class RubyAccessors(RubyFeature):
    """Declares accessors under names that values tell, and answers their calls."""

    def declare(self, call: Call, value: int) -> bool:
        if self.solver.kind[value] != CLASS:
            return False
        text = self.program.texts[call.name]
        named = (self._on_name, value, _WAYS[text.removeprefix(OF_SINGLETON)], text not in _WAYS)
        for item in call.positional:
            if item >= 0:
                self.solver.listen(item, named)
            elif item < -1:
                self.solver.listen(-item - 2, (self._on_names, named))
        return True

    @handler
    def _on_names(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.solver.every_field(value, listener[1])

    @handler
    def _on_name(self, key: int, listener: Listener) -> None:
        _, owner, ways, of_singleton = listener
        text = self.solver.key_text(key) if self.solver.kind[key] == TEXT else PREFIX
        if text.endswith(PREFIX):
            return
        field, name = self.program.name("@" + text), self.program.name
        for writes in ways:
            accessor = name(text + "=" * writes)
            accessor = self.rules.static(accessor) if of_singleton else accessor
            made = self.solver.make(CONTAINER, ACCESSOR, field, writes)
            self.solver.add(self.rules.classes.declare(owner, accessor), made)

    def use(self, call: Call, receiver: int, accessor: int) -> None:
        """Read or write what an accessor of a receiver is for."""
        _, field, writes = self.solver.detail[accessor]
        if not writes:
            self.rules.load(receiver, field, call.result, call.scope, call.line)
        elif call.positional and call.positional[0] >= 0:
            self.rules.store(receiver, field, call.positional[0], call.scope, call.line)
