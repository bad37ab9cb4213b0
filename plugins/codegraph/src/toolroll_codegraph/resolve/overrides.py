"""What an overriding method is given when no call of the project tells.

Whoever calls the overridden method may call the overriding one, with the same arguments: what is
known of a parameter there, by values or by its annotation, holds here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ScopeFlag
from toolroll_codegraph.resolve.program import FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver


def inherit_parameters(solver: Solver, classes: Classes) -> None:
    """Let unknown parameters of methods see what the overridden methods get."""
    program = solver.program
    found: list[tuple[int, int]] = []
    for method in range(program.scopes):
        if not program.flags[method] & ScopeFlag.METHOD:
            continue
        owner = program.canonical[program.parent[method]]
        order = classes.order(owner)
        if len(order) == 1:
            continue
        parameters = program.params[method]
        unknown = [
            position
            for position, (_, slot, _) in enumerate(parameters)
            if position and slot >= 0 and solver.points[slot] is None
        ]
        if not unknown:
            continue
        slot = classes.find_behind(owner, owner, program.scope_name[method])
        for value in (solver.points[slot] or ()) if slot >= 0 else ():
            if solver.kind[value] == FUNCTION:
                overridden = program.params[value]
                for position in unknown:
                    _, target, shape = parameters[position]
                    if position < len(overridden) and overridden[position][2] == shape:
                        found.append((overridden[position][1], target))
    for source, target in found:
        solver.edge(source, target)
