"""What `this` is in a JavaScript function that no call of the project reaches."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import LIKELY
from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.javascript.functions import WRAPPED
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules
    from toolroll_codegraph.resolve.solver import Solver

_MOST_HEIRS: Final = 6
_Receiver = tuple[int, int]
"""(slot of `this`, what it is)."""


def settle_receivers(rules: JavaScriptRules) -> None:
    """A function kept in a prototype, in another function or in an object is called on that.

    One with a prototype, or named like a class, makes instances of its own. A method that nobody
    here calls is what others call, on objects of subclasses too.
    """
    solver = rules.solver
    called = solver.edges.callees()
    for this, owner in [*_of_prototypes(rules), *_of_objects(rules), *_of_copies(rules)]:
        solver.add(this, owner)
    solver.confidence = LIKELY
    _pass_to_heirs(rules, called)


def _of_prototypes(rules: JavaScriptRules) -> Iterator[_Receiver]:
    solver, program = rules.solver, rules.program
    for scope in range(program.scopes):
        if solver.kind[scope] != FUNCTION:
            continue
        instance = scope + program.scopes
        members = program.members[scope]
        yield from _unknown(solver, (members or {}).values(), instance)
        name = program.texts[program.scope_name[scope]].rpartition(".")[2]
        makes = bool(members) or name[:1].isupper()
        this = program.this[scope]
        method = program.flags[scope] & ScopeFlag.METHOD
        if makes and not method and this >= 0 and solver.points[this] is None:
            yield this, instance


def _of_objects(rules: JavaScriptRules) -> Iterator[_Receiver]:
    solver = rules.solver
    for owner in solver.with_fields():
        kind = solver.kind[owner]
        record = kind == CONTAINER and solver.detail[owner][0] == ObjectKind.RECORD
        if (record or kind == FUNCTION) and owner not in rules.accessors.descriptors:
            yield from _unknown(solver, solver.fields_of(owner).values(), owner)


def _of_copies(rules: JavaScriptRules) -> Iterator[_Receiver]:
    """What is written in a literal that is copied elsewhere is called there."""
    solver, program = rules.solver, rules.program

    @cache  # before any is added
    def is_open(this: int) -> bool:
        return all(solver.kind[other] == CONTAINER for other in solver.points[this] or ())

    for owner, slot in rules.models.statics.copying.copied:
        for value in solver.points[slot] or ():
            this = program.this[value] if solver.kind[value] == FUNCTION else -1
            if this >= 0 and is_open(this):
                yield this, owner


def _unknown(solver: Solver, slots: Iterable[int], owner: int) -> Iterator[_Receiver]:
    """The receivers of the functions in some slots, wrapped ones too, of which nothing is known."""
    for slot in slots:
        for value in solver.points[slot] or ():
            functions: tuple[int, ...] = (value,)
            if solver.kind[value] == CONTAINER and solver.detail[value][0] == WRAPPED:
                inner: int = solver.detail[value][1]
                functions = solver.points[inner] or ()
            for function in functions:
                if solver.kind[function] == FUNCTION:
                    this = solver.program.this[function]
                    if this >= 0 and solver.points[this] is None:
                        yield this, owner


def _pass_to_heirs(rules: JavaScriptRules, called: set[int]) -> None:
    """Let what subclasses inherit and nobody calls run on them."""
    solver, program = rules.solver, rules.program
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
