"""What methods of a base class assign to an attribute that a subclass assigns too.

An object has one attribute of a name, whichever class's method assigns it. Members are looked up
class by class, so that the subclass's own would hide what the base class assigns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts.model import STORE_WIDTH

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_Stores = dict[tuple[int, int], list[tuple[int, bool]]]
"""(class, attribute) → what its methods assign to it, and whether the constructor does."""


class PythonInherited:
    """Attributes that classes assign above one another."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program

    def find(self) -> None:
        """Let a subclass's attribute have what the base class assigns.

        But where both constructors assign: that of the subclass has the last word.
        """
        classes, stores = self.rules.classes, self._stores()
        for (owner, name), assigned in stores.items():
            for child in classes.below(owner) if classes.subclasses.get(owner) else ():
                own = stores.get((child, name))
                if own is None:
                    continue
                replaced = any(first for _, first in own)
                target = classes.declare(child, name)
                for source, first in assigned:
                    if not (replaced and first):
                        self.solver.edge(source, target)

    def _stores(self) -> _Stores:
        """The writes through a method's own receiver, of names that several classes assign."""
        program, solver, operations = self.program, self.solver, self.solver.operations
        first = {
            program.this[scope]
            for scope in range(program.scopes)
            if program.scope_name[scope] == self.rules.init
        }
        found: _Stores = {}
        owners: dict[int, set[int]] = {}
        for identifier, index in enumerate(operations.store_file):
            if not solver.store_done[identifier]:
                continue
            place = identifier * STORE_WIDTH
            target, name, source = operations.stores[place : place + 3]
            slots = program.slot_base[index]
            name = program.renames[index][name]
            owner = solver.this_owner[target + slots]
            owners.setdefault(name, set()).add(owner)
            found.setdefault((owner, name), []).append((source + slots, target + slots in first))
        return {key: rows for key, rows in found.items() if len(owners[key[1]]) > 1}
