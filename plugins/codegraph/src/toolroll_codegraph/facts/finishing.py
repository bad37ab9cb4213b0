"""Packing what was collected of one file into its facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts.frames import UNKNOWN
from toolroll_codegraph.facts.model import (
    FACTS_VERSION,
    LOAD_WIDTH,
    STORE_WIDTH,
    CallColumn,
    FileFacts,
    Operation,
    ScopeKind,
)
from toolroll_codegraph.facts.packing import group, pack_numbers
from toolroll_codegraph.facts.returning import Returning

if TYPE_CHECKING:
    from toolroll_codegraph.facts.builder import FactBuilder


def pack_facts(builder: FactBuilder) -> FileFacts:
    """Return the facts of a file that has been walked to its end."""
    _find_members(builder)
    scopes = [
        (
            int(frame.kind),
            frame.name,
            frame.parent.index if frame.parent else -1,
            frame.line,
            frame.end,
            int(frame.flags),
            frame.this,
            frame.ret,
            tuple(frame.params),
            tuple(frame.bases),
            tuple(frame.members.items()),
            frame.value,
        )
        for frame in builder.frames
    ]
    returning = Returning(builder)
    returned, copies = returning.split_copies()
    flow_counts, flow = group(copies[0::2], copies[1::2], builder.slots)
    wait_counts, waits = _waits(builder)
    return FileFacts(
        version=FACTS_VERSION,
        language=builder.language,
        names=[text.decode("utf-8", "replace") for text in builder.name_ids],
        slots=builder.slots,
        scopes=scopes,
        flow_counts=flow_counts,
        flow=flow,
        wait_counts=wait_counts,
        waits=waits,
        returned=pack_numbers(returned),
        tails=pack_numbers(returning.tails()),
        loads=pack_numbers(builder.loads),
        stores=pack_numbers(builder.stores),
        dynamic=pack_numbers(builder.dynamic),
        calls=pack_numbers(builder.calls),
        arguments=pack_numbers(builder.call_arguments),
        objects=pack_numbers(builder.objects),
        constants=pack_numbers(builder.constants),
        imports=builder.imports,
        free=pack_numbers([item for pair in builder.free.items() for item in pair]),
        relations=builder.relations,
        types=pack_numbers(builder.types),
        tests=pack_numbers(builder.tests),
        exported=builder.exported,
        parse_errors=builder.parse_errors,
    )


def _find_members(builder: FactBuilder) -> None:
    """What is bound in a class or module is its member."""
    for frame in builder.frames:
        if frame.kind in (ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.NAMESPACE):
            last_wins = builder.language == "python" and frame.kind == ScopeKind.CLASS
            for name in frame.versions:
                if name not in frame.members:
                    # Nothing reads a Python class before its body has run to the end.
                    last = frame.env.get(name, UNKNOWN) if last_wins else UNKNOWN
                    frame.members[name] = last if last >= 0 else builder.summary(frame, name)


def _waits(builder: FactBuilder) -> tuple[bytes, bytes]:
    """The operations that each slot's values start."""
    step = 1 << Operation.SHIFT
    sources: list[int] = []
    entries: list[int] = []
    for column, kind in (
        (builder.loads[1::LOAD_WIDTH], Operation.LOAD),
        (builder.stores[0::STORE_WIDTH], Operation.STORE),
        (builder.calls[CallColumn.SOURCE :: CallColumn.WIDTH], Operation.CALL),
    ):
        sources += column
        entries += range(kind, kind + len(column) * step, step)
    return group(sources, entries, builder.slots)
