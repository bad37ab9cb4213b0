"""Calls of methods that a Ruby class has only later, if at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.ruby.extensions import MOST_WATCHED

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyUnanswered:
    """What waits until a class is extended, or until it or a module that extends it gets a method.

    A class is asked once for all calls of a name, and once for all that it may be missing: in a
    large project most calls that reach a class are not meant for it.
    """

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.classes = rules.classes
        self.calls: dict[int, list[Call]] = {}
        """Class → its calls."""
        self.missing = rules.static(rules.missing.name)
        self._watched: dict[int, set[int]] = {}
        """Class → names that the modules extending it are asked for."""
        self._missing: set[int] = set()
        """Classes whose calls hear of the first `method_missing` that they get."""

    def add(self, call: Call, value: int) -> None:
        """Let a call wait for what the class is extended by, and for what that gets later."""
        self.calls.setdefault(value, []).append(call)
        modules = self.rules.extensions.of(value)
        if modules and len(modules) <= MOST_WATCHED:
            watched = self._watched.setdefault(value, set())
            if call.name not in watched:
                watched.add(call.name)
                self._watch(modules, call.name, value)

    def extend(self, owner: int, module: int) -> None:
        """Ask a module for all that the class which it extends has not answered."""
        for value, calls in [*self.calls.items()]:
            if owner in self.classes.order(value):
                for call in calls:
                    if call.name in self.rules.attributes:
                        self.rules.extended_attribute(call, value)
                for name in dict.fromkeys([call.name for call in calls]):
                    self._watch((module,), name, value)

    def _watch(self, modules: Iterable[int], name: int, value: int) -> None:
        listener = (self._on_method, name, value)
        for module in modules:
            self.classes.lookup(module, name, listener)

    @handler
    def _on_method(self, method: int, listener: Listener) -> None:
        _, name, value = listener
        if name == self.rules.hooks.added.name:
            self.calls[value] += self.rules.hooks.added.untold(value)
        for call in self.calls[value]:
            if call.name == name:
                self.rules.invoke(method, (self.rules.on_member, call, value))

    def call_missing(self, call: Call, value: int) -> None:
        """Call the `method_missing` that the class has, or gets later."""
        if value in self._missing:
            return
        if self.classes.find(value, self.missing) >= 0:
            self.classes.lookup(value, self.missing, (self.rules.missing.on_missing, call, value))
        else:
            self._missing.add(value)
            self.classes.lookup(value, self.missing, (self._on_missing, value))

    @handler
    def _on_missing(self, _: int, listener: Listener) -> None:
        value: int = listener[1]
        if value in self._missing:
            self._missing.remove(value)
            for call in self.calls[value]:
                if not call.flags & CallFlag.IMPLICIT:
                    self.call_missing(call, value)
