"""What `new`, `allocate` and `instance` of a Ruby class make."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyMaking(RubyFeature):
    """Makes objects, and calls their `initialize`."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        name = rules.program.name
        self.initialize, self.new = name("initialize"), name("new")
        self.makers = frozenset((self.new, name("exception")))
        self.make = rules.static(self.new)
        self.renamed: dict[int, set[int]] = {}
        """Another name of `new`, as `class << self; alias [] new; end` gives one → classes."""
        self.instance, self.allocate = name("instance"), name("allocate")
        self._filled = name("[]")
        self._waiting: list[tuple[Call, int]] | None = []
        """Calls of `new` with their classes, where modules have one: hooks extend classes late."""

    def answer(self, call: Call, value: int) -> bool:
        """Let a class answer `new` or `allocate`; False if neither is called."""
        if call.name in self.makers and self.program.kind[value] != ScopeKind.NAMESPACE:
            if not self._modules_make:
                self.instantiate(call, value)
            elif self._waiting is None:
                self._make_extended(call, value)
            else:
                self._waiting.append((call, value))
            return True
        if self.renamed and self._is_renamed(call.name, value):
            inner = Call(call.result, call.scope, call.line, self.new, call.positional,
                         call.keywords, call.flags)  # fmt: skip
            inner.stand_for(call)
            self.rules.class_call(inner, value)
            return True
        if call.name == self._filled and self.rules.structs.is_struct(value):
            self.instantiate(call, value)
            return True
        if call.name == self.allocate:
            self.solver.add(call.result, value + self.program.scopes)
            return True
        return False

    def _is_renamed(self, name: int, scope: int) -> bool:
        """Whether a name is another one that a class, or one above it, has for `new`."""
        owners = self.renamed.get(self.rules.static(name))
        return owners is not None and not owners.isdisjoint(self.classes.order(scope))

    def answer_instance(self, call: Call, value: int) -> bool:
        """Let a class answer `instance`, as one with `Singleton` does."""
        if call.name != self.instance:
            return False
        self.instantiate(call, value, CallFlag.QUIET)  # called from the library
        return True

    @cached_property
    def _modules_make(self) -> bool:
        """Whether a module has a `new` for the classes that it extends."""
        return any(
            self.program.kind[scope] == ScopeKind.NAMESPACE
            for scope in self.classes.definers(self.new)
        )

    def settle(self) -> None:
        """Make what waited until it is known which classes have a `new` of a module."""
        waiting, self._waiting = self._waiting, None
        for call, value in waiting or ():
            self._make_extended(call, value)

    def _make_extended(self, call: Call, value: int) -> None:
        if not self.rules.ask_extended(call, value):
            self.instantiate(call, value)

    def instantiate(self, call: Call, scope: int, more: int = 0) -> None:
        if not call.once_of(self.rules.mark(scope)):
            return
        instance = scope + self.program.scopes
        self.classes.instantiated.add(scope)
        positional = call.positional
        folding = self.rules.folding
        first = positional[0] if call.flags & CallFlag.ANY_CLASS and positional else -1
        if first in folding.folded or first in folding.given:
            positional = folding.around(instance, first), *positional[1:]
        self.solver.add(call.result, instance)
        inner = Call(-1, call.scope, call.line, self.initialize, positional, call.keywords,
                     call.flags & CallFlag.BLOCK | CallFlag.IMPLICIT | more)  # fmt: skip
        if not self.classes.lookup(scope, self.initialize, (self.rules.on_member, inner, instance)):
            self.rules.objects.make(call, scope)
            self.solver.record(call.scope, scope, call.line)
