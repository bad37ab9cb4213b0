"""What `this` is in a JavaScript function that no call of the project reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.javascript.models import WRAPPED
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION
from toolroll_codegraph.resolve.solver import LIKELY

_MOST_HEIRS: Final = 6

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


def settle_receivers(rules: JavaScriptRules) -> None:
    """A function kept in a prototype, in another function or in an object is called on that.

    One with a prototype, or named like a class, makes instances of its own. A method that nobody
    here calls is what others call, on objects of subclasses too.
    """
    solver, program = rules.solver, rules.program
    found: list[tuple[int, int]] = []
    called = solver.edges.callees()

    def note(owner: int, slots: Iterable[int]) -> None:
        for slot in slots:
            for value in solver.points[slot] or ():
                functions: tuple[int, ...] = (value,)
                if solver.kind[value] == CONTAINER and solver.detail[value][0] == WRAPPED:
                    inner: int = solver.detail[value][1]
                    functions = solver.points[inner] or ()
                for function in functions:
                    if solver.kind[function] == FUNCTION:
                        this = program.this[function]
                        if this >= 0 and solver.points[this] is None:
                            found.append((this, owner))

    for scope in range(program.scopes):
        if solver.kind[scope] != FUNCTION:
            continue
        members = program.members[scope]
        if members:
            note(scope + program.scopes, members.values())
        this = program.this[scope]
        name = program.texts[program.scope_name[scope]].rpartition(".")[2]
        makes = bool(members) or name[:1].isupper()
        method = program.flags[scope] & ScopeFlag.METHOD
        if makes and not method and this >= 0 and solver.points[this] is None:
            found.append((this, scope + program.scopes))
    for owner in solver.with_fields():
        fields = solver.fields_of(owner)
        kind = solver.kind[owner]
        if owner in rules.accessors.descriptors:
            continue
        if kind == FUNCTION or (kind == CONTAINER and solver.detail[owner][0] == ObjectKind.RECORD):
            note(owner, fields.values())
    for owner, slot in rules.models.statics.copying.copied:
        for value in solver.points[slot] or ():
            this = program.this[value] if solver.kind[value] == FUNCTION else -1
            # What is written in a literal that is copied elsewhere is called there.
            known = solver.points[this] or () if this >= 0 else (owner,)
            if all(solver.kind[other] == CONTAINER for other in known):
                found.append((this, owner))
    for this, owner in found:
        solver.add(this, owner)
    solver.confidence = LIKELY
    for owner, heirs in list(rules.classes.subclasses.items()):
        if len(heirs) > _MOST_HEIRS:
            continue
        for name, slot in list((program.members[owner] or {}).items()):
            for value in solver.points[slot] or ():
                this = program.this[value] if solver.kind[value] == FUNCTION else -1
                if this >= 0 and value not in called:
                    for heir in heirs:
                        if name not in (program.members[heir] or ()):
                            solver.add(this, heir + program.scopes)
