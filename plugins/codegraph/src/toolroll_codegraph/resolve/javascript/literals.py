"""Literals that have methods, of which a slot holds as many as of functions.

Each module of a family writes such an object where one of another language defines a class: the
plug-ins of an optimizer, the visitors that rules return, the fields of a schema. The rows of a
table, `[pattern, function]`, are such too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, numbers
from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.resolve.program import FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.program import Program

_KINDS: Final = (ObjectKind.RECORD, ObjectKind.ARRAY)


def literals_with_methods(program: Program) -> set[int]:
    """The slots of those that are written with a function, or with another such literal."""
    literals, found = set[int](), set[int]()
    for index, facts in enumerate(program.facts):
        items, base = iter(numbers(facts.objects)), program.slot_base[index]
        rows = zip(items, items, items, strict=True)
        for slot, _, kind in rows:
            if kind in _KINDS:
                literals.add(slot + base)
            elif kind == ObjectKind.GENERATOR:
                found.add(slot + base)
    operations = program.operations
    inside: dict[int, list[int]] = {}
    targets, sources = operations.stores[::STORE_WIDTH], operations.stores[2::STORE_WIDTH]
    for index, target, source in zip(operations.store_file, targets, sources, strict=True):
        base = program.slot_base[index]
        if source >= 0 and target + base in literals:
            inside.setdefault(source + base, []).append(target + base)
    pending = [
        slot for slot, kind in zip(program.value, program.object_kind, strict=True)
        if kind == FUNCTION
    ]  # fmt: skip
    for slot in pending:
        for owner in inside.get(slot, ()):
            if owner not in found:
                found.add(owner)
                pending.append(owner)
    return found
