"""Where modules make instances of classes that keep what their methods are handed."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, FileFacts, ImportKind, ScopeKind, numbers
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.program import Program

DYNAMIC_WIDTH: Final = 5
_MOST_PLACES: Final = 8
_MOST_READ: Final = 24
"""Of descriptors and decorators: classes and modules have several each, and reading one says which
it is."""
_WIDTH: Final = CallColumn.WIDTH
_FIRST: Final = CallColumn.FLAGS + 1
_FILLS: Final = frozenset(["append", "add", "insert", "setdefault", "update", "appendleft"])


def places_of(program: Program) -> dict[int, list[int]]:
    """Class → the results of the calls, in modules and in bodies of classes, that make it."""
    classes: dict[int, int] = {}
    for scope in range(program.own_scopes):
        if program.kind[scope] == ScopeKind.CLASS:
            name = program.scope_name[scope]
            top = program.kind[program.parent[scope]] == ScopeKind.MODULE
            classes[name] = scope if top and name not in classes else -1
    operations = program.operations
    found: dict[int, list[int]] = {}
    decorating: set[int] = set()
    end = 0
    for index, facts in enumerate(program.facts):
        begin = end
        end = bisect_right(operations.call_file, index, begin)
        base, first, rename = (
            program.slot_base[index], program.scope_base[index], program.renames[index],
        )  # fmt: skip
        named = _named(program, index, facts, classes)
        for call in range(begin, end):
            row = call * _WIDTH
            result, scope, _, source, name, flags = operations.calls[row : row + _FIRST]
            if program.kind[scope + first] not in (ScopeKind.MODULE, ScopeKind.CLASS):
                break  # bodies of functions come behind everything else
            made = classes.get(rename[name], -1) if name >= 0 else named.get(source, -1)
            if made >= 0:
                found.setdefault(made, []).append(result + base)
                if flags & CallFlag.DECORATOR:
                    decorating.add(made)
    return {
        made: places
        for made, places in found.items()
        if 1 < len(places) <= _MOST_PLACES
        or (1 < len(places) <= _MOST_READ and (made in decorating or is_descriptor(program, made)))
    }


def is_descriptor(program: Program, scope: int) -> bool:
    """Whether reading an attribute that holds an instance of a class runs a method of it."""
    names = program.members[scope] or ()
    return any(program.texts[name] == "__get__" for name in names)


def _named(
    program: Program, index: int, facts: FileFacts, classes: dict[int, int]
) -> dict[int, int]:
    """The slots of a file that hold a class of the project by its own name."""
    rename, base = program.renames[index], program.slot_base[index]
    named: dict[int, int] = {}
    for slot, kind, _, _, name, _, _ in facts.imports:
        if kind == ImportKind.NAME and name >= 0 and classes.get(rename[name], -1) >= 0:
            named[slot] = classes[rename[name]]
    flow_start, flow = program.operations.flow_start, program.operations.flow
    first = program.scope_base[index]
    for scope in range(first, first + program.scope_count[index]):
        if (
            program.kind[scope] == ScopeKind.CLASS
            and classes.get(program.scope_name[scope]) == scope
        ):
            slot = program.value[scope]
            named[slot - base] = scope
            for target in flow[flow_start[slot] : flow_start[slot + 1]]:
                named[target - base] = scope
    return named


def scopes_in(program: Program, scope: int) -> list[int]:
    """A class with all that is defined in it."""
    found = {scope: None}
    index = program.file_of[scope]
    for inner in range(scope + 1, program.scope_base[index] + program.scope_count[index]):
        if program.parent[inner] in found:
            found[inner] = None
    return list(found)


def rows_of(column: array[int], files: array[int], index: int, width: int) -> Iterator[array[int]]:
    """The rows of a file in a column of operations."""
    begin, end = bisect_left(files, index), bisect_right(files, index)
    for row in range(begin * width, end * width, width):
        yield column[row : row + width]


def keeps_values(program: Program, scope: int) -> bool:
    """Whether methods put what they are handed into what their receiver has, or call that.

    A descriptor gives what it has been handed to who reads it.
    """
    index = program.file_of[scope]
    base, first, rename = (
        program.slot_base[index], program.scope_base[index], program.renames[index],
    )  # fmt: skip
    scopes = set(scopes_in(program, scope))
    receivers = {program.this[inner] - base for inner in scopes if program.this[inner] >= 0}
    handed = {slot - base for inner in scopes for _, slot, _ in program.params[inner]} - receivers
    operations = program.operations
    fields = {
        row[0]
        for row in rows_of(operations.loads, operations.load_file, index, LOAD_WIDTH)
        if row[1] in receivers
    }
    dynamic = numbers(program.facts[index].dynamic)
    for start in range(0, len(dynamic), DYNAMIC_WIDTH):
        _, owner, _, source, attribute = dynamic[start : start + DYNAMIC_WIDTH]
        if owner in fields and source in handed and attribute <= 0:
            return True
    stored: set[int] = set()
    for row in rows_of(operations.stores, operations.store_file, index, STORE_WIDTH):
        if row[2] in handed:
            if row[0] in fields:
                return True
            if row[0] in receivers:
                stored.add(row[1])
    if stored and is_descriptor(program, scope):
        return True
    call = bisect_left(operations.call_file, index)
    for row in rows_of(operations.calls, operations.call_file, index, _WIDTH):
        if stored and row[CallColumn.SCOPE] == 0 and row[CallColumn.NAME] in stored:
            return True  # the module calls what one of them keeps
        if row[CallColumn.SCOPE] + first in scopes:
            source, name = row[CallColumn.SOURCE], row[CallColumn.NAME]
            positional, _ = operations.arguments_of(call)
            if name >= 0 and source in receivers and name in stored:
                return True
            if (
                source in fields
                and handed.intersection(positional)
                and (name >= 0 and program.texts[rename[name]] in _FILLS)
            ):
                return True
        call += 1
    return False
