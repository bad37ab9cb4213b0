"""The modules that classes are extended by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolroll_codegraph.resolve.classes import Classes

MOST_WATCHED: Final = 8
"""So many extending modules are asked again when they get a method later."""


class RubyExtensions:
    """Modules whose methods are methods of a class itself, and of the classes below it."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._own: dict[int, list[int]] = {}
        self._known: dict[int, tuple[int, ...]] = {}
        """Class → what extends it."""
        self._first: dict[tuple[int, ...], Mapping[int, int]] = {}
        """Such modules → whichever of them comes first to each that they inherit from."""
        self._prepended: dict[int, list[int]] = {}
        """Class → modules whose methods come before the class's own, the last one first."""
        self._behind: dict[int, bool] = {}
        """Class → whether such modules come before it."""
        self._changes = 0
        """How many changes of orders these know of."""

    def add(self, owner: int, module: int) -> bool:
        """Extend a class by a module; False if it has been."""
        own = self._own.setdefault(owner, [])
        if module in own:
            return False
        own.insert(0, module)
        self._known.clear()
        return True

    def joined(self) -> Mapping[int, Sequence[int]]:
        """The modules that extend each class itself, or come before it, the nearest first."""
        before, own = self._prepended, self._own
        return {
            owner: (*before.get(owner, ()), *own.get(owner, ()))
            for owner in sorted({*before, *own})
        }

    def prepend(self, owner: int, module: int) -> None:
        """Let the methods of a module come before those of the class itself."""
        own = self._prepended.setdefault(owner, [])
        if module not in own:
            own.insert(0, module)
            self._behind.clear()

    def chain(self, scope: int, name: int, static: int) -> list[tuple[int, int]]:
        """Who answers a call of a class's method, in order: classes, and modules around them.

        Each with the name that the method has there, if it has it now.
        """
        rows: list[tuple[int, int]] = []
        for base in self.classes.order(scope):
            rows += [(module, name) for module in self._prepended.get(base, ())]
            rows.append((base, static))
            rows += [(module, name) for module in self._own.get(base, ())]
        members, find = self.classes.members, self.classes.find
        return [
            (holder, known)
            for holder, known in dict.fromkeys(rows)
            if (find(holder, name) >= 0 if known == name else static in (members[holder] or ()))
        ]

    def nearest(self, scope: int, name: int, static: int) -> int:
        """The module that answers a call before the classes that could do; -1 where none does."""
        holders = self.classes.definers(static)
        modules = self.having(scope, name) if holders else ()
        if not modules and not self._preceded(scope):
            return -1
        before, own = self._prepended, self._own
        for base in self.classes.order(scope):
            if base in before:
                for module in before[base]:
                    if self.classes.find(module, name) >= 0:
                        return module
            if base in holders:
                break
            if modules and base in own:
                for module in own[base]:
                    if module in modules:
                        return module
        return -1

    def _preceded(self, scope: int) -> bool:
        """Whether some module's methods come before those of a class, or of one above it."""
        self._keep_up()
        known = self._behind.get(scope)
        if known is None:
            order = self.classes.order(scope)
            known = self._behind[scope] = not self._prepended.keys().isdisjoint(order)
        return known

    def alone(self, most: int) -> Iterator[tuple[int, list[int]]]:
        """The modules that extend only a few classes, with these."""
        extended: dict[int, list[int]] = {}
        for owner, modules in self._own.items():
            for module in modules:
                extended.setdefault(module, []).append(owner)
        return ((module, owners) for module, owners in extended.items() if len(owners) <= most)

    def of(self, scope: int) -> tuple[int, ...]:
        """The modules that extend a class, nearest first."""
        self._keep_up()
        known = self._known.get(scope)
        if known is None:
            own = self._own
            known = self._known[scope] = tuple(
                [item for base in self.classes.order(scope) if base in own for item in own[base]]
            )
        return known

    def _keep_up(self) -> None:
        """Forget what depends on orders when one has changed."""
        if self._changes != self.classes.changes:
            self._changes = self.classes.changes
            self._known.clear()
            self._first.clear()
            self._behind.clear()

    def first(self, modules: tuple[int, ...]) -> Mapping[int, int]:
        """What such modules inherit from, themselves too, and which comes first to each."""
        found = self._first.get(modules)
        if found is None:
            order = self.classes.order
            found = self._first[modules] = {
                item: module for module in reversed(modules) for item in order(module)
            }
        return found

    def having(self, scope: int, name: int) -> Sequence[int]:
        """Those modules that have a member now, nearest first; one for each definition."""
        definers = self.classes.definers(name)
        if not definers:  # as of most names
            return ()
        modules = self.of(scope)
        if not modules:
            return ()
        first = self.first(modules)
        found = {first[known] for known in first.keys() & definers}
        return [module for module in modules if module in found] if found else ()

    def asked(self, scope: int, name: int) -> Sequence[int]:
        """The modules to look a member up in: if they are few, those too that may get it later."""
        modules = self.of(scope)
        return modules if len(modules) <= MOST_WATCHED else self.having(scope, name)
