"""Copying the properties of one object to another: `Object.assign`, `{...source}`, mixins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener, handler, replaced
from toolroll_codegraph.resolve.program import BOUND, CLASS, CONTAINER, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptCopying:
    """Gives objects what others have."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.copied: list[tuple[int, int]] = []
        """(object, slot) of properties that were copied to it."""

    def assign(self, call: Call) -> None:
        """Copy from every further argument to the first, which is returned."""
        for target in call.positional[:1]:
            self.solver.edge(target, call.result)
            for source in call.positional[1:]:
                if source >= 0:
                    self.copy(target, source, call)

    def copy(self, target: int, source: int, call: Call) -> None:
        """Copy from what is in one slot to what is in another, where a call stands."""
        self.solver.listen(target, (self._on_target, source, call))

    @handler
    def _on_target(self, value: int, listener: Listener) -> None:
        self.solver.listen(listener[1], (self.on_source, value, listener[2]))

    @handler
    def on_source(self, source: int, listener: Listener) -> None:
        """Copy every property of one object to another, which runs its getters."""
        _, target, call = listener
        if source == target:
            return
        scopes, kind = self.program.scopes, self.solver.kind
        if kind[source] in (CONTAINER, FUNCTION, BOUND):
            self.solver.mirror(source, self._receiver(source, target, call))
            return
        instance = kind[source] == INSTANCE and source - scopes < scopes
        if not instance and source >= scopes:
            return
        receive = self._receiver(source, target, call)
        owner = source - scopes if instance else source
        for name, slot in self._members(owner, static=kind[source] == CLASS):
            if not instance or name != self.rules.constructor:
                receive(name, slot)

    def _receiver(self, source: int, target: int, call: Call) -> Callable[[int, int], None]:
        """What puts a property of one object into another."""
        rules, scopes = self.rules, self.program.scopes
        kept = {*replaced(call), rules.proto}
        mixes = call.name != rules.copying  # a literal `{...source}` is mostly plain data
        owner = target - scopes if self.solver.kind[target] == INSTANCE else -1

        def receive(name: int, slot: int) -> None:
            if name in kept:
                return
            if name in rules.getters:
                getter, slot = slot, self.solver.slot()
                read = rules.reading(slot, name, call.scope, call.line)
                self.solver.listen(getter, (rules.on_read, read, source))
            if 0 <= owner < scopes:
                rules.declare_from(slot, owner, name)
            else:
                rules.store(target, name, slot, -1, 0)
            if mixes:
                self.copied.append((target, slot))

        return receive

    def _members(self, scope: int, *, static: bool) -> list[tuple[int, int]]:
        """The members of a class's instances, or under their plain names its own, or a module's."""
        program, texts = self.program, self.program.texts
        found = list((program.members[scope] or {}).items())
        if static:
            return [
                (program.name(texts[name][1:]), slot)
                for name, slot in found
                if texts[name].startswith(".")
            ]
        return [(name, slot) for name, slot in found if not texts[name].startswith(".")]
