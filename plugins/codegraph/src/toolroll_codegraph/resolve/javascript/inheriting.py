"""How compiled classes inherit: what Babel writes in place of `extends` and `super`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CLASS, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.statics import JavaScriptStatics

_INHERITS: Final = ("_inherits", "_inheritsLoose", "_inherits_loose")
_PROTOTYPE: Final = ("_getPrototypeOf", "_get_prototype_of")
_SUPER: Final = ("_callSuper", "_call_super")


class JavaScriptInheriting:
    """Links a constructor to the one that it extends, and finds that again."""

    def __init__(self, statics: JavaScriptStatics) -> None:
        self.statics = statics
        self.solver = statics.solver
        self.scopes = statics.program.scopes

    def written(self, name: str, helper: int) -> Callable[[Call], None] | None:
        """What a function of the program of this name does, None for any other."""
        if name in _INHERITS:
            return self.inherits
        if name in _PROTOTYPE:
            return self._prototype_of
        if name in _SUPER:
            return partial(self._call_super, helper)
        return None

    def extended(self, value: int) -> list[int]:
        """The slots of what a class or constructor extends."""
        if self.solver.kind[value] == CLASS:
            return list(self.solver.program.bases[value])
        return [self.solver.field(value, self.statics.rules.proto)]

    def inherits(self, call: Call) -> None:
        derived, base = (*call.positional[:2], -1, -1)[:2]
        if derived >= 0 and base >= 0:
            self.statics.run(call, "util", "inherits")
            self.solver.listen(derived, (self._on_derived, base))

    def _on_derived(self, value: int, listener: Listener) -> None:
        rules = self.statics.rules
        if self.solver.kind[value] == FUNCTION:
            rules.store(value, rules.proto, listener[1], -1, 0)

    def _prototype_of(self, call: Call) -> None:
        """Babel asks it of a class or, to find what `super` is, of a class's prototype."""
        for item in call.positional[:1]:
            self.solver.listen(item, (self._on_class, (self.solver.copy_to, call.result)))

    def _on_class(self, value: int, listener: Listener) -> None:
        """Tell another listener what a class extends, and of a prototype that of its class."""
        kind, found = self.solver.kind[value], listener[1]
        if kind in (CLASS, FUNCTION):
            for slot in self.extended(value):
                self.solver.listen(slot, found)
        elif kind == INSTANCE and value - self.scopes < self.scopes:
            for slot in self.extended(value - self.scopes):
                self.solver.listen(slot, (self._on_base, found))

    def _on_base(self, value: int, listener: Listener) -> None:
        found = listener[1]
        if self.solver.kind[value] in (CLASS, FUNCTION):
            found[0](value + self.scopes, found)

    def _call_super(self, helper: int, call: Call) -> None:
        """`_callSuper(this, Class, arguments)` calls what the class extends, and returns `this`."""
        receiver, derived, arguments = (*call.positional[:3], -1, -1, -1)[:3]
        self.solver.edge(receiver, call.result)
        given = (-arguments - 2,) if arguments >= 0 else ()
        line = self.solver.program.first_line[helper]
        inner = Call(-1, helper, line, -1, given, (), CallFlag.IMPLICIT)
        self.solver.listen(derived, (self._on_class, (self._on_extended, inner, receiver)))

    def _on_extended(self, value: int, listener: Listener) -> None:
        _, inner, receiver = listener
        if self.solver.kind[value] in (CLASS, FUNCTION):
            self.solver.listen(receiver, (self._on_receiver, inner, value))

    def _on_receiver(self, value: int, listener: Listener) -> None:
        _, inner, base = listener
        rules = self.statics.rules
        if self.solver.kind[base] == FUNCTION:
            rules.enter(inner, base, value)
        else:
            rules.classes.lookup(base, rules.constructor, (rules.on_member, inner, value))
