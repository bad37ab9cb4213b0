"""The variables of one file, and what they are where branches and loops meet.

Local variables are versioned as in single static assignment: a name maps to the slot of its
current value, branches join in a fresh slot, and only names that a nested function captures
get a summary slot. Straight-line code is therefore resolved flow-sensitively at no later cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolroll_codegraph.facts.frames import UNKNOWN, Exits, Frame
from toolroll_codegraph.facts.model import ScopeKind


class Variables:
    """The names, slots and scopes of a file, with the flow between its variables."""

    def __init__(self) -> None:
        self.name_ids: dict[bytes, int] = {}
        self.slots = 0
        self.frames: list[Frame] = []
        self.copies: list[int] = []
        self.free: dict[int, int] = {}
        self.narrowed: dict[int, int] = {}
        """Slots of variables where a condition tells their class, with their names."""
        self.open_slots: set[int] = set()
        """Values not known where a name is declared: what inner scopes assign reaches them."""
        self.steady: set[int] = set()
        """Slots that are read in loops without one of the loop's own: `*args`, `**options`."""
        self.shared: set[int] = set()
        """Names that a scope inside says it binds: whatever they are, it may be what that binds."""
        self.plain: set[int] = set()
        """Slots of names in loops that nothing of interest was bound to before, as to a counter."""
        self.settled: dict[int, int] = {}
        """Slot of a name where a loop begins anew → slot from before, which the loop leaves."""

    # names, slots, scopes

    def name(self, text: bytes) -> int:
        ids = self.name_ids
        found = ids.get(text)
        if found is None:
            found = ids[text] = len(ids)
        return found

    def slot(self) -> int:
        slot = self.slots
        self.slots = slot + 1
        return slot

    def open_slot(self) -> int:
        """The slot of a variable declared empty, which a function inside may fill."""
        slot = self.slot()
        self.open_slots.add(slot)
        return slot

    def open_frame(self, kind: int, name: int, parent: Frame | None, line: int) -> Frame:
        frame = Frame(len(self.frames), kind, name, parent, line)
        frame.value = self.slot()
        self.frames.append(frame)
        return frame

    def lambda_name(self, frame: Frame) -> int:
        frame.lambdas += 1
        return self.name(b"<lambda%d>" % frame.lambdas)

    # variables

    def assign(self, frame: Frame, name: int, slot: int) -> None:
        """Bind a name: strong in straight-line code, joined where branches meet."""
        target = frame.globals.get(name)
        if target is not None and target is not frame:
            self._assign_outer(target, name, slot)
            return
        if name in self.shared and frame.kind != ScopeKind.CLASS:
            slot = self._share(slot)
        env = frame.env
        frame.journal.append((name, env.get(name)))
        env[name] = slot
        versions = frame.versions.get(name)
        if versions is None:
            versions = frame.versions[name] = []
        if slot >= 0:
            versions.append(slot)
            if frame.loops:
                frame.fresh[name] = slot, len(frame.loops)
                if frame.is_receiver(name) and slot not in self.narrowed:
                    # The receiver is read without a slot of the loop's own.
                    self.copies += (slot, frame.this)
                elif versions[0] in self.steady:
                    self.copies += (slot, versions[0])

    def _share(self, slot: int) -> int:
        """A slot of its own for a value that a function inside may replace."""
        shared = self.open_slot()
        if slot >= 0:
            self.copies += (slot, shared)
        return shared

    def _assign_outer(self, target: Frame, name: int, slot: int) -> None:
        versions = target.versions.setdefault(name, [])
        if slot < 0:
            return
        for known in versions:
            if known in self.open_slots:
                self.copies += (slot, known)
        summary = target.summaries.get(name)
        if summary is None:
            versions.append(slot)
        elif summary < 0:
            target.summaries[name] = slot
        else:
            self.copies += (slot, summary)

    def read(self, frame: Frame, name: int) -> int:
        """The slot a name stands for here; names bound nowhere become free slots."""
        slot = frame.env.get(name)
        if slot is not None:
            if (
                not frame.loops
                or slot in self.steady
                or (slot == frame.this and frame.is_receiver(name))
            ):
                return slot
            return self._through_loops(frame, name, slot)
        if frame.kind == ScopeKind.CLASS and frame.parent is not None:
            around = frame.parent
            while around.kind == ScopeKind.CLASS and around.parent is not None:
                around = around.parent  # no class sees the names of one around it
            return self.read(around, name)  # a class body runs in line
        scope: Frame | None = frame.globals.get(name) or frame.parent
        while scope is not None:
            if scope.kind != ScopeKind.CLASS and name in scope.versions:
                return self.summary(scope, name)
            scope = scope.parent
        slot = self.free.get(name)
        if slot is None:
            slot = self.free[name] = self.slot()
        return slot

    def origin(self, slot: int) -> int:
        """The slot whose values alone another has, where that is one of a loop that binds none."""
        while slot in self.settled:
            slot = self.settled[slot]
        return slot

    def _through_loops(self, frame: Frame, name: int, slot: int) -> int:
        """What a name may be where a loop begins anew, unless it was bound since."""
        fresh = frame.fresh.get(name)
        start = fresh[1] if fresh is not None and fresh[0] == slot else 0
        for phis in frame.loops[start:]:
            if name not in phis:
                phi = self.slot()
                if slot >= 0:
                    self.copies += (slot, phi)
                    self.settled[phi] = slot
                if slot < 0 or slot in self.plain:
                    self.plain.add(phi)
                phis[name] = phi
                frame.env[name] = slot = phi
                frame.journal.append((name, phi))
                if start:
                    frame.fresh[name] = phi, start
            else:
                slot = frame.env[name]
        return slot

    def summary(self, frame: Frame, name: int) -> int:
        """One slot for every value a name ever has in a scope."""
        slot = frame.summaries.get(name)
        if slot is None:
            slot = self.join(frame.versions[name])
            if slot < 0:
                slot = self.slot()
            frame.summaries[name] = slot
        return slot

    def join(self, slots: Iterable[int]) -> int:
        distinct = sorted({slot for slot in slots if slot >= 0})
        if not distinct:
            return UNKNOWN
        if len(distinct) == 1:
            return distinct[0]
        joined = self.slot()
        for slot in distinct:
            self.copies += (slot, joined)
        return joined

    # control flow

    def branch(self, frame: Frame, walk: Callable[[], bool]) -> dict[int, int] | None:
        """Walk one alternative, undo its bindings and return them; None when it never ends."""
        journal, env = frame.journal, frame.env
        mark = len(journal)
        fresh = frame.fresh.copy() if frame.fresh else {}
        ends = walk()
        changed: dict[int, int] = {}
        for name, old in reversed(journal[mark:]):
            if name not in changed:
                changed[name] = env[name]
                if name in fresh:
                    frame.fresh[name] = fresh[name]
            if old is None:
                env.pop(name, None)
            else:
                env[name] = old
        del journal[mark:]
        return None if ends else changed

    def forget(self, branch: dict[int, int] | None) -> None:
        """What a condition told of a variable holds inside of its branch only."""
        if branch and self.narrowed:
            for name, slot in list(branch.items()):
                if self.narrowed.get(slot) == name:
                    del branch[name]

    def merge(self, frame: Frame, branches: list[dict[int, int] | None]) -> None:
        """Join the alternatives: each name gets one slot for all the values it may have."""
        live = [branch for branch in branches if branch is not None]
        if not live:
            return
        names: dict[int, None] = {}
        for branch in live:
            for name in branch:
                names[name] = None
        env = frame.env
        for name in names:
            frame.fresh.pop(name, None)
            before = env.get(name)
            slots = [branch.get(name, UNKNOWN if before is None else before) for branch in live]
            joined = self.join(slots)
            if joined != before:
                frame.journal.append((name, before))
                env[name] = joined

    def rewind_join(self, frame: Frame, mark: int) -> None:
        """Let a handler of exceptions see any binding made since: some of it may not have run."""
        env = frame.env
        earlier: dict[int, int] = {}
        for name, old in reversed(frame.journal[mark:]):
            earlier[name] = UNKNOWN if old is None else old
        for name, old in earlier.items():
            current = env.get(name, UNKNOWN)
            if old >= 0 and old != current:
                frame.journal.append((name, current))
                env[name] = self.join((old, current))

    def open_loop(self, frame: Frame, label: bytes = b"") -> None:
        phis: dict[int, int] = {}
        frame.loops.append(phis)
        frame.exits.append(Exits(len(frame.journal), phis, label))

    def close_loop(
        self, frame: Frame, after: dict[int, int] | None, *, endless: bool = False
    ) -> list[dict[int, int]]:
        """Bind what holds where a loop has run to its end; return what is bound where it is left.

        `after` is what its body leaves bound; one that is endless ends by leaving alone.
        """
        exits, phis = frame.exits.pop(), frame.loops.pop()
        repeated = exits.again if after is None else [_changed(after, phis), *exits.again]
        for bound in repeated:
            for name, slot in bound.items():
                phi = phis.get(name, UNKNOWN)
                if phi >= 0 and slot >= 0:
                    self.copies += (slot, phi)
                    self.settled.pop(phi, None)
        for name, phi in phis.items():
            known = frame.fresh.get(name)
            if known is not None and known[0] == phi and phi in self.settled:
                frame.fresh[name] = self.settled[phi], known[1]
        if not endless:
            self.merge(frame, [{}, *repeated])
        return exits.left

    def unwind(self, frame: Frame, before: tuple[int, int]) -> None:
        """Forget the loops, and the ways out, that a statement given up has left open."""
        del frame.loops[before[0] :], frame.exits[before[1] :]

    def open_exits(self, frame: Frame, label: bytes = b"") -> None:
        """Begin a statement that `break` leaves and that is no loop."""
        frame.exits.append(Exits(len(frame.journal), None, label))

    def close_exits(self, frame: Frame) -> list[dict[int, int]]:
        return frame.exits.pop().left

    def leave_loop(self, frame: Frame, label: bytes = b"", *, again: bool) -> None:
        """Note what is bound where control leaves a loop, or begins it anew."""
        for exits in reversed(frame.exits):
            if exits.label == label if label else exits.phis is not None or not again:
                env = frame.env
                bound = {name: env.get(name, UNKNOWN) for name, _ in frame.journal[exits.mark :]}
                kept = exits.again if again and exits.phis is not None else exits.left
                kept.append(_changed(bound, exits.phis or {}))
                return


def _changed(bound: dict[int, int], phis: dict[int, int]) -> dict[int, int]:
    """Bindings without those of names that are what they were where the loop began."""
    return {name: slot for name, slot in bound.items() if phis.get(name) != slot}
