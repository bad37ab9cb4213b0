"""What a value is by how it is used: the classes that have all the methods called on it.

A library is called by programs that are not there to be read, so many of its parameters never
get a value. Two methods that only one class of the project has tell what such a value is; one
alone does not, unless the parameter is named like the class.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn, Operation, numbers
from toolroll_codegraph.facts.model import LOAD_WIDTH
from toolroll_codegraph.resolve.candidates import Candidates
from toolroll_codegraph.resolve.program import INSTANCE
from toolroll_codegraph.resolve.uses import comes_from, names_used

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.rules import Rules
    from toolroll_codegraph.resolve.solver import Solver


class UsageTypes:
    """Gives slots without a value the instances that their uses tell."""

    def __init__(self, solver: Solver, classes: Classes, rules: Rules) -> None:
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.rules = rules
        self.operations = solver.operations
        self.candidates = Candidates(self.program, classes, rules.common)

    def settle(self) -> None:
        """Find the slots, then the classes; values start to move when all are known."""
        self.candidates.index()
        found: list[tuple[int, int]] = []
        for slots, used, name in self._unknown_values():
            called, loaded = names_used(self.solver, used)
            passed_on = self._passed_on(slots)
            for scope in self.candidates.of_uses(called, loaded, name):
                if any(self._is_own(scope, method) for method in passed_on):
                    continue  # it wraps what it has the methods of
                found += [(slot, scope + self.program.scopes) for slot in slots]
        found += self._named_alike()
        for slot, instance in found:
            self.solver.add(slot, instance)

    def _named_alike(self) -> list[tuple[int, int]]:
        """Parameters that are called as a class is, and of which only what it has is used."""
        texts, points = self.program.texts, self.solver.points
        alike: dict[int, Sequence[int]] = {}
        for name, text in enumerate(texts):
            if text.islower() and (classes := self.candidates.named(text)):
                alike[name] = classes
        found: list[tuple[int, int]] = []
        for name, slot, _ in self.program.params:
            if name in alike and slot >= 0 and points[slot] is None:
                classes = alike[name]
                called, loaded = names_used(self.solver, [slot])
                used = [item for item in called | loaded if not texts[item].startswith("[")]
                if len(classes) == 1 and used and self.candidates.have(classes[0], used):
                    found.append((slot, classes[0] + self.program.scopes))
        return found

    def _unknown_values(self) -> Iterator[tuple[Sequence[int], Sequence[int], str]]:
        """The slots of each unknown value that a telling method is called on, those whose use
        tells what it is, and its name.

        All reads of one attribute of a class are one value; those of its bases are of it too.
        """
        fields, others = self._unknown_slots()
        for (owner, name), slots in fields.items():
            used = list(slots)
            for above in self.classes.order(owner)[1:]:
                used += fields.get((above, name), ())
            yield slots, used, self.program.texts[name].lstrip("@")
        named = self._parameter_names({*others})
        for slot in others:
            yield (slot,), (slot,), named.get(slot, "")

    def _unknown_slots(self) -> tuple[dict[tuple[int, int], list[int]], array[int]]:
        """The slots of reads by class and attribute, and those of other unknown values."""
        program, operations, points = self.program, self.operations, self.solver.points
        owners = self.solver.this_owner
        calls, width = operations.calls, CallColumn.WIDTH
        fields: dict[tuple[int, int], list[int]] = {}
        others = array("i")
        tells: dict[int, bool] = {}
        for index, rename in enumerate(program.renames):
            base = program.slot_base[index]
            begin = bisect_left(operations.call_file, index)
            end = bisect_left(operations.call_file, index + 1)
            rows = calls[begin * width : end * width]  # not all at once: memory is at its peak
            sources = rows[CallColumn.SOURCE :: width]
            slots: set[int] = set()
            for name, source in zip(rows[CallColumn.NAME :: width], sources, strict=True):
                if name >= 0 and source >= 0 and points[source + base] is None:
                    name = rename[name]
                    if name not in tells:
                        tells[name] = self.candidates.tells(name)
                    if tells[name]:
                        slots.add(source + base)
            if not slots:
                continue
            slots = {self.solver.whole.get(slot, slot) for slot in slots}
            outside, reads, producers = self._origins(index, rows)
            for slot in sorted(slots):
                if slot in owners:
                    continue
                read = reads.get(slot)
                owner = -1 if read is None else self._owner(read[0])
                if read is not None and owner >= 0:
                    fields.setdefault((owner, read[1]), []).append(slot)
                elif not comes_from(slot, outside, producers):
                    others.append(slot)
        return fields, others

    def _owner(self, slot: int) -> int:
        """The class whose attributes are read of a slot: a method's own, or all that it holds."""
        owner = self.solver.this_owner.get(slot, -1)
        known = self.solver.points[slot]
        if owner < 0 and known is not None and len(known) == 1:
            instance = known[0] - self.program.scopes
            if self.solver.kind[known[0]] == INSTANCE and instance < self.program.scopes:
                return instance
        return owner

    def _origins(
        self, index: int, calls: Sequence[int]
    ) -> tuple[set[int], dict[int, tuple[int, int]], dict[int, int]]:
        """What is not of this project in a file; (base, name) of its reads; what makes a slot."""
        program, operations, points = self.program, self.operations, self.solver.points
        facts, base = program.facts[index], program.slot_base[index]
        rename = program.renames[index]
        outside = {*program.imported[index]}
        outside.update(slot + base for slot in numbers(facts.free)[1::2])
        outside = {slot for slot in outside if points[slot] is None}
        producers: dict[int, int] = {}
        for slot, known, _ in program.typed(index):
            if known >= 0:
                producers[slot] = known
            else:
                outside.add(slot)
        first = bisect_left(operations.load_file, index) * LOAD_WIDTH
        last = bisect_left(operations.load_file, index + 1) * LOAD_WIDTH
        loads = operations.loads
        targets, bases = loads[first:last:LOAD_WIDTH], loads[first + 1 : last : LOAD_WIDTH]
        names = loads[first + 2 : last : LOAD_WIDTH]
        reads: dict[int, tuple[int, int]] = {}
        for target, source, name in zip(targets, bases, names, strict=True):
            reads[target + base] = source + base, rename[name]
            producers[target + base] = source + base
        results = calls[CallColumn.RESULT :: CallColumn.WIDTH]
        names = calls[CallColumn.NAME :: CallColumn.WIDTH]
        for result, source, name in zip(
            results, calls[CallColumn.SOURCE :: CallColumn.WIDTH], names, strict=True
        ):
            if source < 0:
                continue
            producers[result + base] = source + base
            owner = self._owner(source + base) if name >= 0 <= result else -1
            field = self.rules.attribute_read(owner, rename[name]) if owner >= 0 else -1
            if field >= 0:
                reads[result + base] = source + base, field
        return outside, reads, producers

    def _parameter_names(self, slots: set[int]) -> dict[int, str]:
        texts = self.program.texts
        return {slot: texts[name] for name, slot, _ in self.program.params if slot in slots}

    def _passed_on(self, slots: Iterable[int]) -> list[int]:
        """The methods that call a method of their own name on what some slots hold."""
        operations, program = self.operations, self.program
        found: list[int] = []
        for slot in slots:
            for position in range(operations.wait_start[slot], operations.wait_start[slot + 1]):
                entry = operations.wait[position]
                if entry & Operation.MASK == Operation.CALL:
                    row = entry >> Operation.SHIFT
                    index = operations.call_file[row]
                    start = row * CallColumn.WIDTH
                    scope, name = operations.calls[start + CallColumn.SCOPE], CallColumn.NAME
                    method = program.caller[scope + program.scope_base[index]]
                    used = operations.calls[start + name]
                    if used >= 0 and program.scope_name[method] == program.renames[index][used]:
                        found.append(method)
        return found

    def _is_own(self, scope: int, method: int) -> bool:
        """Whether a method is a class's own, or that of a class above or below it."""
        owner = self.program.owner_class(method)
        return owner >= 0 and (
            owner in self.classes.order(scope) or scope in self.classes.order(owner)
        )
