"""Entering what the facts of a program's files say into a solver, besides their flow."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Operation, numbers

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.calls import Listener
    from toolroll_codegraph.resolve.solver import Solver

_CALL: Final = Operation.CALL
_MASK: Final = Operation.MASK
_SHIFT: Final = Operation.SHIFT


def load_facts(solver: Solver) -> None:
    """Enter what needs no value to be known; values start to move in `run`."""
    program, operations = solver.program, solver.operations
    owners, setters = solver.this_owner, solver.setters
    items = iter(operations.stores)
    for identifier, (target, name, source, _, _) in enumerate(
        zip(items, items, items, items, items, strict=True)
    ):
        if source >= 0:
            index = operations.store_file[identifier]
            base = program.slot_base[index]
            owner = owners.get(target + base)
            if owner is not None and owner not in solver.kept_by_classes:
                name = program.renames[index][name]
                if name not in setters:
                    solver.own_stores.append((owner, name, source + base))
                    solver.store_done[identifier] = 1
    for source, target in zip(program.bridges[0::2], program.bridges[1::2], strict=True):
        solver.edge(source, target)
    for index, facts in enumerate(program.facts):
        solver.passing.enter(index, facts)
        _load_dynamic(solver, index, numbers(facts.dynamic))
        facts.returned = facts.tails = facts.dynamic = b""


def _load_dynamic(solver: Solver, index: int, rows: array[int]) -> None:
    program = solver.program
    base = program.slot_base[index]
    items = iter(rows)
    for result, owner, key, source, attribute in zip(
        items, items, items, items, items, strict=True
    ):
        # An attribute says which scope reads it, in JavaScript also whether it is called there.
        scope = program.scope_base[index] + max(abs(attribute) - 1, 0)
        listener = (
            _on_dynamic, solver.rules, key + base, result + base if result >= 0 else -1,
            source + base if source >= 0 else -1, attribute, scope,
        )  # fmt: skip
        solver.listen(owner + base, listener)


def _on_dynamic(value: int, listener: Listener) -> None:
    _, rules, key, result, source, attribute, scope = listener
    rules.dynamic(value, key, result, source, attribute, scope)


def open_calls(solver: Solver) -> None:
    """Enter the calls, once the class hierarchies that they look members up in are known."""
    solver.calls_open = True
    points, operations = solver.points, solver.operations
    known: list[int] = []
    starts, wait = operations.wait_start, operations.wait
    for slot in range(solver.program.slots):
        if points[slot] is not None:
            for entry in wait[starts[slot] : starts[slot + 1]]:
                if entry & _MASK == _CALL:
                    known.append(entry >> _SHIFT << 32 | slot)
    known.sort()

    def begin(item: int) -> None:
        call = solver.translate(item >> 32)
        for value in points[item & 0xFFFFFFFF] or ():
            solver.answer(call, value)

    solver.faults.each(known, begin)
