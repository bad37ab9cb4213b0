"""Objects that nobody here passes, and to which functions are added: `req.logIn = logIn`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.objects import EXTENDED
from toolroll_codegraph.resolve.program import FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


def settle_extended(rules: JavaScriptRules) -> None:
    """Let such a parameter have an object of its own, which has what is added.

    Last of all: what a parameter is may be told by all else.
    """
    solver, program, operations = rules.solver, rules.program, rules.solver.operations
    kind, points = solver.kind, solver.points
    unknown = {slot for _, slot, _ in program.params if points[slot] is None}
    targets, sources = operations.stores[::STORE_WIDTH], operations.stores[2::STORE_WIDTH]
    extended = dict[int, None]()
    for index, target, source in zip(operations.store_file, targets, sources, strict=True):
        base = program.slot_base[index]
        stored = points[source + base] if source >= 0 and target + base in unknown else ()
        if any(kind[value] == FUNCTION for value in stored or ()):
            extended[target + base] = None
    for slot in extended:
        solver.add(slot, solver.container((EXTENDED, slot), ObjectKind.RECORD))
    solver.run()
