"""The modules that classes are extended by."""

from __future__ import annotations

from collections.abc import Sequence, Set

from toolroll_codegraph.resolve.classes import Classes


class RubyExtensions:
    """Modules whose methods are methods of a class itself, and of the classes below it."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._own: dict[int, list[int]] = {}
        self._known: dict[int, tuple[int, Sequence[int], Set[int]]] = {}
        """Class → (changes of orders, its modules, all that these inherit from)."""

    def add(self, owner: int, module: int) -> bool:
        """Extend a class by a module; False if it has been."""
        own = self._own.setdefault(owner, [])
        if module in own:
            return False
        own.append(module)
        self._known.clear()
        return True

    def of(self, scope: int) -> tuple[Sequence[int], Set[int]]:
        """The modules that extend a class, nearest first, and all that these inherit from."""
        known = self._known.get(scope)
        if known is None or known[0] != self.classes.changes:
            order = self.classes.order
            modules = [item for base in order(scope) for item in self._own.get(base, ())]
            reach = {item for module in modules for item in order(module)}
            known = self._known[scope] = (self.classes.changes, modules, reach)
        return known[1:]
