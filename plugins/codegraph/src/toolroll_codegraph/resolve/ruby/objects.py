"""Ruby objects that are made or changed at run time: structs, delegators, extended objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.ruby.core_methods import CORE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_MIXINS: Final = ("include", "extend", "prepend")


class RubyObjects:
    """What `Struct.new`, `SimpleDelegator`, `object.extend` and patterns of names bring."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.classes = rules.classes
        self.fields: dict[int, list[tuple[int, int]]] = {}
        """Struct → (name, instance variable) of its fields, in order."""
        self.delegators: set[int] = set()
        self.delegated: set[tuple[int, int, int, int]] = set()
        self.patterns: dict[int, list[tuple[str, int]]] = {}
        """Class → beginning of the names and slot of methods defined in a loop."""
        name = self.program.name
        self.target, self.get_object = name("@delegate_sd_obj"), name("__getobj__")
        self.to_proc = name("to_proc")

    def make(self, call: Call, scope: int) -> bool:
        """What `new` does where no `initialize` is written; False if nothing is known of it."""
        for known in self.classes.order(scope):
            if known in self.delegators:
                slot = self.classes.declare(known, self.target)
                if call.positional and call.positional[0] >= 0:
                    self.solver.edge(call.positional[0], slot)
                return True
            fields = self.fields.get(known)
            if fields is not None:
                self._fill(call, known, fields)
                return True
        return False

    def _fill(self, call: Call, scope: int, fields: list[tuple[int, int]]) -> None:
        for (_, variable), item in zip(fields, call.positional, strict=False):
            if item >= 0:
                self.solver.edge(item, self.classes.declare(scope, variable))
        by_name = dict(fields)
        pairs = iter(call.keywords)
        for name, item in zip(pairs, pairs, strict=True):
            if item >= 0 and name in by_name:
                self.solver.edge(item, self.classes.declare(scope, by_name[name]))

    def answer(self, call: Call, value: int, scope: int, name: int) -> bool:
        """A method that the class does not write down: delegated, or defined in a loop."""
        order = self.classes.order(scope)
        if self.patterns.keys().isdisjoint(order) and self.delegators.isdisjoint(order):
            return False
        text = self.program.texts[name]
        for known in order:
            for beginning, slot in self.patterns.get(known, ()):
                if text.startswith(beginning):
                    self.solver.listen(slot, (self.rules.on_member, call, value))
                    return True
            if known in self.delegators:
                slot = self.classes.declare(known, self.target)
                if name == self.get_object:
                    self.solver.edge(slot, call.result)
                elif (slot, call.scope, call.line, name) not in self.delegated:  # once each
                    self.delegated.add((slot, call.scope, call.line, name))
                    inner = Call(
                        call.result, call.scope, call.line, name, call.positional, call.keywords,
                        call.flags & CallFlag.BLOCK | CallFlag.QUIET,
                    )  # fmt: skip
                    inner.stand_for(call)
                    self.solver.listen(slot, (self._on_delegate, inner))
                return True
        return False

    def _on_delegate(self, value: int, listener: Listener) -> None:
        self.rules.call_method(listener[1], value)

    def is_known_elsewhere(self, scope: int, name: int) -> bool:
        """Whether a class of Ruby itself answers, so that nothing is missing."""
        if self.rules.reflection.is_object_method(name):
            return True
        bases = self.program.bases
        return self.program.texts[name] in CORE and any(
            len(self.classes.found_bases.get(known, ())) < len(bases[known])
            for known in self.classes.order(scope)
        )

    def mix(self, call: Call, value: int, kind: str) -> bool:
        """`object.extend(Module)`, and `Name.include(Module)` outside of the class's body."""
        if kind not in _MIXINS or not call.positional:
            return False
        for item in call.positional:
            if item >= 0:
                self.solver.listen(item, (self._on_module, call, value, kind))
        return True

    def _on_module(self, module: int, listener: Listener) -> None:
        _, call, value, kind = listener
        if self.solver.kind[module] != CLASS:
            return
        if self.solver.kind[value] == CLASS:
            self.rules.declarations.mix(module, value, kind)
            self.rules.hooks.mixed_in(module, value, kind, call.line, call.scope)
        else:
            if self.solver.kind[value] == INSTANCE:
                self.rules.declarations.mix(module, value - self.program.scopes, "include")
            self.rules.hooks.run(module, kind, call.scope, call.line)

    def send_named(self, call: Call, value: int, text: str) -> bool:
        """`send("visit_#{kind}")`: every method whose name begins so; False for a whole name."""
        beginning = text.removesuffix(PREFIX)
        if beginning == text or not beginning.isidentifier():
            return False
        kind, scopes = self.solver.kind[value], self.program.scopes
        names: list[int] = []
        if kind == INSTANCE:
            names = self.classes.named(value - scopes, beginning)
        elif kind == CLASS:
            named = self.classes.named(value, "." + beginning)
            names = [self.program.name(self.program.texts[name][1:]) for name in named]
        for name in names:
            inner = Call(
                call.result, call.scope, call.line, name, call.positional, call.keywords, call.flags
            )
            inner.stand_for(call)
            self.rules.call_method(inner, value)
        return True
