"""What `super` finds: behind the class it is written in, for each receiver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CLASS, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import CORE, OBJECT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


_OF_RUBY: Final = CORE | OBJECT
"""What Ruby's own classes answer, and so is not missing."""


class RubySuper(RubyFeature):
    """`super` in methods, in singleton methods, in refinements and in blocks that are methods."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.by_name = rules.program.name("super")
        """Stands for the name of a method that values tell, the first argument."""

    def call(self, call: Call, value: int) -> None:
        owner = self.program.owner_class(call.scope)
        if owner < 0:
            self._of_no_class(call, value)
            return
        if call.name == self.by_name and call.positional and call.positional[0] >= 0:
            self.solver.listen(call.positional[0], (self._on_super_name, call, value))
            return
        kind = self.solver.kind[value]
        if kind == CLASS and self._of_class(call, value, owner):
            return
        if kind == INSTANCE:
            start, name = value - self.program.scopes, call.name
        elif kind == CLASS:
            start, name = value, self.rules.static(call.name)
        else:
            return
        perhaps = self.rules.objects.perhaps
        if perhaps and any((known, owner, name) in perhaps for known in self.classes.order(start)):
            self.classes.lookup(start, name, (self._behind, call, value))
            return
        if kind == INSTANCE and start != owner and self._of_holder(call, value, (start,)):
            return
        if owner not in self.classes.order(start):
            if kind == CLASS:  # an extended module: the class's own singleton method is behind
                if not self.classes.lookup(start, name, (self.rules.on_member, call, value)):
                    self._make(call, start)
                return
            if owner in self.rules.refinements.scopes:  # behind it is the class that it refines
                self.classes.lookup(start, name, (self.rules.on_member, call, value))
                return
            if self._of_holder(call, value, self.classes.order(start)):
                return
            start = owner
        withdrawn = self.rules.withdrawn.get(name)
        if withdrawn and self.classes.find_behind(start, owner, name) in withdrawn:
            self.rules.missing.call(call, value, start, name)
            return
        if self.rules.read_attribute(call, start, name, owner):
            return
        found = self.rules.wrapping.lookup_behind(
            start, name, (self.rules.on_member, call, value), owner
        )
        if not found and kind == INSTANCE:
            if name == self.rules.making.initialize:
                self.rules.objects.make(call, start)
            elif name in self.rules.conversions.copying:
                inner = self.solver.derived_call(call, -1, call.positional[:1])
                self.rules.instance_call(inner, value, self.rules.conversions.copy)
            elif not (
                self.rules.protocols.protocol(call, value, start, name)
                or self.rules.objects.answer(call, value, start, name)
                or self._of_object(call, value)
                or self.program.kind[owner] == ScopeKind.NAMESPACE  # it joins others yet
                or self.program.texts[name] in _OF_RUBY
                or self.rules.objects.is_of_ruby(start)
            ):
                self.rules.missing.call(call, value, start, name)
        if found or kind != CLASS:
            return
        for module in self.rules.extensions.of(start):
            if self.classes.lookup(module, call.name, (self.rules.on_member, call, value)):
                return
        self._make(call, start)

    def _of_class(self, call: Call, value: int, owner: int) -> bool:
        """A method of a class itself: modules that extend it stand behind, then other classes."""
        extensions, passed = self.rules.extensions, False
        if not extensions.having(value, call.name):
            return False
        static = self.rules.static(call.name)
        for holder, name in extensions.chain(value, call.name, static):
            if passed:
                found = (self.rules.on_member, call, value)
                return self.classes.lookup(holder, name, found)
            passed = holder == owner or (owner in self.classes.order(holder) and name == call.name)
        return False

    def _of_no_class(self, call: Call, value: int) -> None:
        """A method of one object, or of the class that a block is evaluated for."""
        if self.solver.kind[value] != INSTANCE:
            return
        scope = value - self.program.scopes
        if not self._of_holder(call, value, self.classes.order(scope)):
            self.classes.lookup(scope, call.name, (self._behind, call, value))

    def _of_holder(self, call: Call, value: int, holders: Sequence[int]) -> bool:
        """A method that a block has given to one of some classes, wherever it is written."""
        scope, method = value - self.program.scopes, self.program.caller[call.scope]
        for known in holders:
            slot = (self.program.members[known] or {}).get(call.name, -1)
            if slot >= 0 and method in (self.solver.points[slot] or ()):
                found, last = (self.rules.on_member, call, value), self._last(scope, known, call)
                self.rules.wrapping.lookup_behind(scope, call.name, found, last)
                return True
        return False

    def _last(self, scope: int, holder: int, call: Call) -> int:
        """The last of the classes from a holder on that have the method which calls `super`: the
        module that its block is written in seems to have it, too."""
        order, method = self.classes.order(scope), self.program.caller[call.scope]
        for known in order[order.index(holder) + 1 :] if holder in order else ():
            slot = (self.program.members[known] or {}).get(call.name, -1)
            if slot >= 0 and method not in (self.solver.points[slot] or ()):
                break
            if slot >= 0:
                holder = known
        return holder

    def method(self, call: Call, function: int, receiver: int) -> None:
        """`method(:name).super_method`: what stands behind a method that a receiver has."""
        owner, name = self.program.owner_class(function), self.program.scope_name[function]
        if owner >= 0 and self.solver.kind[receiver] == INSTANCE:
            found = (self.rules.reflection.bind, call.result, receiver)
            self.classes.lookup(receiver - self.program.scopes, name, found, after=owner)

    def _of_object(self, call: Call, value: int) -> bool:
        """`super` in `freeze`, `dup` or `respond_to?`: what every object answers."""
        answer = self.rules.reflection.answers.get(call.name)
        return answer is not None and answer(call, value)

    def _make(self, call: Call, scope: int) -> None:
        """Behind every `new` is that of Ruby's own classes."""
        if call.name in self.rules.making.makers and self.program.kind[scope] == ScopeKind.CLASS:
            self.rules.making.instantiate(call, scope)

    def _on_super_name(self, key: int, listener: Listener) -> None:
        """`super` in a method that is defined under a name known only now."""
        _, call, value = listener
        if self.solver.kind[key] == TEXT:
            inner = Call(call.result, call.scope, call.line, self.solver.key_name(key),
                         call.positional[1:], call.keywords, call.flags)  # fmt: skip
            self.call(inner, value)

    def _behind(self, value: int, listener: Listener) -> None:
        if value != self.program.caller[listener[1].scope]:
            self.rules.invoke(value, listener)
