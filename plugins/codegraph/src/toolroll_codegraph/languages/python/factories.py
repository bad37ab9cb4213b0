"""Python methods that return a new instance of their receiver's class.

`cls(…)` in a class method, `super().__new__(cls)`, and `self.__class__(…)`, `type(self)(…)` or
`copy.copy(self)` in any, make another class for each caller. Kept apart from other returned values,
the instance goes to that caller alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, ScopeFlag
from toolroll_codegraph.facts.model import LOAD_WIDTH

if TYPE_CHECKING:
    from toolroll_codegraph.facts import FactBuilder

_COPYING: Final = (b"copy", b"deepcopy")


def mark_factories(facts: FactBuilder) -> None:
    """Flag the methods, and take what they return so out of the flow to their result."""
    receivers = {frame.this: frame for frame in facts.frames if frame.this >= 0 <= frame.ret}
    made = _instances(facts, _own_classes(facts, set(receivers)), set(receivers))
    if not made:
        return
    results = {frame.ret: frame for frame in receivers.values()}
    copies: list[int] = []
    pairs = iter(facts.copies)
    for source, target in zip(pairs, pairs, strict=True):
        frame = results.get(target)
        if frame is not None and made.get(source) == frame.this:
            frame.flags |= ScopeFlag.FACTORY
        else:
            copies += (source, target)
    facts.copies = copies


def _own_classes(facts: FactBuilder, receivers: set[int]) -> dict[int, int]:
    """The slots that hold a receiver's class, with the receiver's slot."""
    found = {
        frame.this: frame.this
        for frame in facts.frames
        if frame.this in receivers and frame.flags & ScopeFlag.CLASSMETHOD
    }
    own_class = facts.name_ids.get(b"__class__")
    if own_class is not None:
        for row in range(0, len(facts.loads), LOAD_WIDTH):
            result, base, name = facts.loads[row : row + 3]
            if name == own_class and base in receivers:
                found[result] = base
    builtin = facts.free.get(facts.name_ids.get(b"type", -1))
    if builtin is not None:
        sources = facts.calls[CallColumn.SOURCE :: CallColumn.WIDTH]
        for index, source in enumerate(sources):
            if source == builtin:
                row = index * CallColumn.WIDTH
                first = facts.calls[row + CallColumn.START]
                count = facts.calls[row + CallColumn.POSITIONAL]
                if count == 1 and facts.call_arguments[first] in receivers:
                    found[facts.calls[row]] = facts.call_arguments[first]
    return found


def _instances(facts: FactBuilder, classes: dict[int, int], receivers: set[int]) -> dict[int, int]:
    """The results of calls of those classes, with the receiver's slot."""
    own_class, new = (facts.name_ids.get(name, -2) for name in (b"__class__", b"__new__"))
    copying = _copying(facts)
    if not classes and own_class < 0 and new < 0 and not copying:
        return {}
    found: dict[int, int] = {}
    calls, width = facts.calls, CallColumn.WIDTH
    for result, source, name, start, count in zip(
        calls[CallColumn.RESULT :: width],
        calls[CallColumn.SOURCE :: width],
        calls[CallColumn.NAME :: width],
        calls[CallColumn.START :: width],
        calls[CallColumn.POSITIONAL :: width],
        strict=True,
    ):
        if source in classes and name < 0:
            found[result] = classes[source]
        elif name == own_class and source in receivers:
            found[result] = source
        elif count and (name == new or (source, name) in copying):
            first = facts.call_arguments[start]
            if first in receivers:
                found[result] = first
    return found


def _copying(facts: FactBuilder) -> set[tuple[int, int]]:
    """(slot, name) of what is called to copy something: -1 for the function itself."""
    names = [facts.name_ids[name] for name in _COPYING if name in facts.name_ids]
    imported = {row[0]: row[4] for row in facts.imports if row[3] == "copy"} if names else {}
    if not imported:
        return set()
    pairs = iter(facts.copies)  # what a module binds is read in functions from another slot
    imported |= {
        target: imported[source]
        for source, target in zip(pairs, pairs, strict=True)
        if source in imported
    }
    functions = {(slot, -1) for slot, name in imported.items() if name in names}
    modules = [slot for slot, name in imported.items() if name < 0]
    return functions.union((slot, name) for slot in modules for name in names)
