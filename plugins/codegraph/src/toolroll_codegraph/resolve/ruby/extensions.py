"""The modules that classes are extended by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from toolroll_codegraph.resolve.classes import Classes

MOST_WATCHED: Final = 8
"""So many extending modules are asked again when they get a method later."""


class RubyExtensions:
    """Modules whose methods are methods of a class itself, and of the classes below it."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._own: dict[int, list[int]] = {}
        self._known: dict[int, tuple[int, Sequence[int], Mapping[int, int]]] = {}
        """Class → (changes of orders, its modules, what each that they inherit from comes by)."""

    def add(self, owner: int, module: int) -> bool:
        """Extend a class by a module; False if it has been."""
        own = self._own.setdefault(owner, [])
        if module in own:
            return False
        own.append(module)
        self._known.clear()
        return True

    def of(self, scope: int) -> tuple[Sequence[int], Mapping[int, int]]:
        """The modules that extend a class, nearest first, and whichever of them comes first to
        each that they inherit from."""
        known = self._known.get(scope)
        if known is None or known[0] != self.classes.changes:
            order = self.classes.order
            modules = [item for base in order(scope) for item in self._own.get(base, ())]
            first = {item: module for module in reversed(modules) for item in order(module)}
            known = self._known[scope] = (self.classes.changes, modules, first)
        return known[1:]

    def having(self, scope: int, name: int) -> Sequence[int]:
        """Those modules that have a member now, nearest first; one for each definition."""
        definers = self.classes.definers(name)
        if not definers:  # as of most names
            return ()
        modules, first = self.of(scope)
        found = {first[known] for known in first.keys() & definers}
        return [module for module in modules if module in found] if found else ()

    def asked(self, scope: int, name: int) -> Sequence[int]:
        """The modules to look a member up in: if they are few, those too that may get it later."""
        modules, _ = self.of(scope)
        return modules if len(modules) <= MOST_WATCHED else self.having(scope, name)
