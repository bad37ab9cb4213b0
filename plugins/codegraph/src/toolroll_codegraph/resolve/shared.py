"""Functions in which what several calls hand over meets, and the calls that enter them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeKind
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.program import Program
    from toolroll_codegraph.resolve.solver import Solver

MOST_CALLS: Final = 32
"""Calls of a function that each have a copy of it."""
MOST_DECLARATIONS: Final = 128
"""The same where all of them are in one place: a library of streams declares sixty kinds so."""
_TOLD_APART: Final = frozenset([FUNCTION, CLASS, INSTANCE, CONTAINER, TEXT])
_CONSTRUCTORS: Final = frozenset(["__init__", "__new__", "constructor", "initialize"])

Place = tuple[int, int]
"""(file, scope or call of that file)."""


def shared_functions(solver: Solver, kept: Iterable[Place]) -> dict[Place, list[Place]]:
    """Functions in which values meet → the calls that enter them.

    To be asked of a solver that has found everything, with what `kept_by_classes` finds in it.
    """
    program, operations = solver.program, solver.operations
    first = operations.first_calls()
    sites: dict[int, list[Place]] = {}
    made: set[int] = set()
    linked: set[int] = set()
    """What holds a method that calls that of another such object, as scopes do of the one around
    them: with copies, each of these would be called by way of all."""
    for identifier, call in enumerate(solver.calls):
        index = operations.call_file[identifier]
        if call is None or index >= len(program.by_path):
            continue
        for item in call.fired:
            if 0 <= item < program.own_scopes and solver.kind[item] == FUNCTION:
                sites.setdefault(item, []).append((index, identifier - first[index]))
                if call.flags & CallFlag.NEW:
                    made.add(item)
                if call.name >= 0 and item in _around(program, call.scope):
                    linked.update(_around(program, program.parent[item]))
    changed = _changed(solver)
    keeping = {program.scope_base[index] + scope for index, scope in kept}
    found: dict[Place, list[Place]] = {}
    for scope, calls in sorted(sites.items()):
        name = program.texts[program.scope_name[scope]]
        few = len(calls) <= MOST_CALLS
        if not few and len(calls) <= MOST_DECLARATIONS:
            few = len({solver.translate(first[it] + number).scope for it, number in calls}) == 1
        if (
            few
            and scope not in made
            and scope not in linked
            and name not in _CONSTRUCTORS
            and (program.this[scope] not in changed or _module_of(program, scope) in keeping)
            and _is_shared(solver, scope)
        ):
            index = program.file_of[scope]
            found[index, scope - program.scope_base[index]] = calls
    return found


def _changed(solver: Solver) -> set[int]:
    """The slots of objects that attributes are assigned to.

    What a method keeps in its receiver all instances of the class have, whoever calls it.
    """
    operations, base = solver.operations, solver.program.slot_base
    targets = operations.stores[::STORE_WIDTH]
    return {
        slot + base[index]
        for slot, index in zip(targets, operations.store_file, strict=True)
        if slot >= 0
    }


def kept_by_classes(solver: Solver) -> list[Place]:
    """Ruby's modules whose methods run on several classes and on no instance.

    What such a method keeps each of these classes has for itself.
    """
    program, kind = solver.program, solver.kind
    receivers: dict[int, set[int]] = {}
    for scope in range(program.own_scopes if program.family == "ruby" else 0):
        module = _module_of(program, scope)
        if module >= 0:
            receivers.setdefault(module, set()).update(solver.points[program.this[scope]] or ())
    return [
        (program.file_of[module], module - program.scope_base[program.file_of[module]])
        for module, values in receivers.items()
        if len(values) > 1 and all(kind[value] == CLASS for value in values)
    ]


def _module_of(program: Program, scope: int) -> int:
    """The module that a method is written in, or -1."""
    owner = program.canonical[program.parent[scope]] if program.parent[scope] >= 0 else -1
    method = program.kind[scope] == ScopeKind.FUNCTION and program.this[scope] >= 0
    return owner if method and program.kind[owner] == ScopeKind.NAMESPACE else -1


def _is_shared(solver: Solver, scope: int) -> bool:
    """Whether several values meet in a parameter, or all callers get what is made inside."""
    program, points, kind = solver.program, solver.points, solver.kind
    for slot in (program.this[scope], *(slot for _, slot, _ in program.params[scope])):
        values = points[slot] if slot >= 0 else None
        if values is not None and sum(kind[value] in _TOLD_APART for value in values) > 1:
            return True
    returned = points[program.ret[scope]] if program.ret[scope] >= 0 else None
    return any(
        kind[value] == CONTAINER or (kind[value] == FUNCTION and scope in _around(program, value))
        for value in returned or ()
    )


def _around(program: Program, scope: int) -> Iterator[int]:
    """A scope and those that it is in, from the innermost on."""
    while scope >= 0:
        yield scope
        scope = program.parent[scope]
