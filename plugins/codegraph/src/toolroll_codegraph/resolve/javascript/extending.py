"""Objects that nobody here makes, and to which functions are added: `req.logIn = logIn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH
from toolroll_codegraph.resolve.objects import EXTENDED
from toolroll_codegraph.resolve.program import BOUND, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_ADDED: Final = (FUNCTION, BOUND, INSTANCE)


def settle_extended(rules: JavaScriptRules) -> None:
    """Let such a variable have an object of its own, which has what is added.

    Last of all: what a parameter is may be told by all else. What is read from an object stays
    unknown, since each reading of it would be another object.
    """
    solver, bases = rules.solver, rules.program.slot_base
    operations = solver.operations
    extended = dict.fromkeys(_extended(rules, _ADDED))
    if extended:
        read = operations.loads[::LOAD_WIDTH]
        for index, target in zip(operations.load_file, read, strict=True):
            extended.pop(target + bases[index], None)
    for slot in extended:
        solver.add(slot, solver.container((EXTENDED, slot), ObjectKind.RECORD))
    solver.run()


def settle_prototypes(rules: JavaScriptRules) -> None:
    """`Request.prototype.header = …` of a class that nobody knows: its methods find one another.

    Whoever reads the prototype of one variable reads one object.
    """
    solver, program = rules.solver, rules.program
    operations, bases = solver.operations, program.slot_base
    extended = set(_extended(rules, (FUNCTION,)))
    if not extended:
        return
    targets, owners, names = (operations.loads[it::LOAD_WIDTH] for it in range(3))
    for index, target, owner, name in zip(
        operations.load_file, targets, owners, names, strict=True
    ):
        base = bases[index]
        if target + base in extended and program.renames[index][name] == rules.prototype:
            made = solver.container((EXTENDED, owner + base), ObjectKind.RECORD)
            solver.add(target + base, made)


def _extended(rules: JavaScriptRules, kinds: tuple[int, ...]) -> Iterator[int]:
    """The slots that nothing is known of, and values of some kinds are added to under names.

    What has items is a list, as what a regular expression found is.
    """
    solver, program = rules.solver, rules.program
    kind, points, stores = solver.kind, solver.points, solver.operations.stores
    targets, names, sources = (stores[it::STORE_WIDTH] for it in range(3))
    for index, target, name, source in zip(
        solver.operations.store_file, targets, names, sources, strict=True
    ):
        base = program.slot_base[index]
        if source < 0 or target < 0 or points[target + base] is not None:
            continue
        added = any(kind[value] in kinds for value in points[source + base] or ())
        if added and not program.texts[program.renames[index][name]].startswith("["):
            yield target + base
