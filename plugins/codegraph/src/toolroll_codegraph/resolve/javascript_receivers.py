"""What `this` is in a JavaScript function that no call of the project reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolroll_codegraph.resolve.javascript_rules import JavaScriptRules


def settle_receivers(rules: JavaScriptRules) -> None:
    """A function kept in a prototype, in another function or in an object is called on that."""
    solver, program = rules.solver, rules.program
    found: list[tuple[int, int]] = []

    def note(owner: int, slots: Iterable[int]) -> None:
        for slot in slots:
            for value in solver.points[slot] or ():
                if solver.kind[value] == FUNCTION:
                    this = program.this[value]
                    if this >= 0 and solver.points[this] is None:
                        found.append((this, owner))

    for scope in range(program.scopes):
        members = program.members[scope]
        if members and solver.kind[scope] == FUNCTION:
            note(scope + program.scopes, members.values())
    for owner, fields in solver.fields.items():
        kind = solver.kind[owner]
        if kind == FUNCTION or (kind == CONTAINER and solver.detail[owner][0] == ObjectKind.RECORD):
            note(owner, fields.values())
    for this, owner in found:
        solver.add(this, owner)
