"""Copying the properties of one object to another: `Object.assign`, `{...source}`, mixins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler, replaced
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import BOUND, CLASS, CONTAINER, FUNCTION, INSTANCE, MODULE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_Property = Callable[[int, int], None]
"""What is told the name and the slot of a property."""
_GATHERED: Final = "gathered"


class JavaScriptCopying(JavaScriptFeature):
    """Gives objects what others have."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.copied: list[tuple[int, int]] = []
        """(object, slot) of properties that were copied to it."""
        self._set: set[tuple[int, int, int]] = set()
        """(object, name, slot) of what setters were given."""
        self._gathered: dict[tuple[int, ...], int] = {}
        """For each place that copies what is in a slot an object with all of it, or -1."""
        self._targets: dict[int, None] = {}
        """Slots that `Object.assign` copies to."""

    def assign(self, call: Call) -> None:
        """Copy from every further argument to the first, which is returned."""
        for target in call.positional[:1]:
            self._targets[target] = None
            self.solver.edge(target, call.result)
            for source in call.positional[1:]:
                if source >= 0:
                    self.copy(target, source, call)

    def settle(self) -> None:
        """Of `Object.assign(new Error(text), { retry })` it is known what it is given."""
        for target in self._targets:
            if target >= 0 and self.solver.points[target] is None:
                self.solver.add(
                    target, self.solver.container(("assigned", target), ObjectKind.RECORD)
                )

    def copy(self, target: int, source: int, call: Call) -> None:
        """Copy from what is in one slot to what is in another, where a call stands."""
        self.solver.listen(target, (self._on_target, source, call))

    @handler
    def _on_target(self, value: int, listener: Listener) -> None:
        self.give(value, listener[1], listener[2])

    def give(self, target: int, sources: int, call: Call) -> None:
        """Copy every property of the objects in a slot to one object.

        From a second target on, they are gathered in one object that all further ones get them
        from: jQuery's `extend` copies sixty objects of two hundred properties to sixty others.
        """
        solver, put = self.solver, self._putter(target, call)
        place = (sources, call.line, *sorted(replaced(call)))
        gathered = self._gathered.get(place)
        if gathered is None:
            self._gathered[place] = -1
            solver.listen(sources, (self._on_source, target, call, put))
            return
        if gathered < 0:
            gathered = self._gathered[place] = solver.make(CONTAINER, _GATHERED, *place)
            gather = self._gatherer(gathered)
            solver.listen(sources, (self._on_source, gathered, call, gather))
        solver.mirror(gathered, put)

    @handler
    def _on_source(self, source: int, listener: Listener) -> None:
        """Copy every property of one object to another, which runs its getters or has them too."""
        target: int = listener[1]
        call: Call = listener[2]
        put: _Property = listener[3]
        if source == target:
            return
        scopes, kind = self.program.scopes, self.solver.kind
        receive = self._reader(source, call, put)
        if kind[source] in (CONTAINER, FUNCTION, BOUND):
            self.solver.mirror(source, receive)
            return
        instance = kind[source] == INSTANCE and source - scopes < scopes
        if not instance and source >= scopes:
            return
        owner = source - scopes if instance else source
        of_class, plainly = kind[owner] == CLASS, kind[target] == CONTAINER
        if call.name in self.rules.copies:  # a loop copies from one prototype to another, too
            plain = instance and of_class and plainly
        else:
            plain = instance and (of_class or plainly)
        for name, slot in self._members(owner, static=kind[source] == CLASS):
            if not instance or name != self.rules.constructor:
                receive(name, self._own(owner, slot) if plain else slot)

    def _own(self, owner: int, slot: int) -> int:
        """What an object has itself: `Object.assign` leaves what its prototype has."""
        own = self.solver.slot()
        self.solver.listen(slot, (self._on_own, owner, own))
        return own

    def _on_own(self, value: int, listener: Listener) -> None:
        _, owner, own = listener
        program = self.program
        if self.solver.kind[value] == FUNCTION:
            if program.parent[value] == owner and program.flags[value] & ScopeFlag.METHOD:
                return
            name = program.texts[program.scope_name[value]]
            if name.startswith(f"{program.texts[program.scope_name[owner]]}."):
                return
            if program.flags[value] & ScopeFlag.PROPERTY:
                return
        self.solver.add(own, value)

    def _reader(self, source: int, call: Call, put: _Property) -> _Property:
        """What reads a property of one object and puts it into another."""
        rules, solver = self.rules, self.solver
        kept = {*replaced(call), rules.proto}
        runs = call.name != rules.describing

        def receive(name: int, slot: int) -> None:
            if name in kept:
                return
            if runs and (name in rules.getters or source in rules.exporting.owners):
                getter, slot = slot, solver.slot()
                read = rules.reading(slot, name, call.scope, call.line)
                solver.listen(getter, (rules.on_read, read, source))
            put(name, slot)

        return receive

    def _gatherer(self, gathered: int) -> _Property:
        solver = self.solver
        return lambda name, slot: solver.edge(slot, solver.field(gathered, name))

    def _putter(self, target: int, call: Call) -> _Property:
        """What puts a property into an object."""
        rules, scopes = self.rules, self.program.scopes
        mixes = call.name != rules.copying  # a literal `{...source}` is mostly plain data
        runs = call.name != rules.describing
        owner = target - scopes if self.solver.kind[target] == INSTANCE else -1

        def put(name: int, slot: int) -> None:
            if runs and name in rules.solver.setters and (mixes or 0 <= owner < scopes):
                rules.solver.listen(slot, (self._on_set, target, name, slot, call))
            if 0 <= owner < scopes:
                rules.declare_from(slot, owner, name)
            else:
                rules.store(target, name, slot, -1, 0)
            if mixes:
                self.copied.append((target, slot))

        return put

    def _on_set(self, _: int, listener: Listener) -> None:
        """What has a setter runs that, once there is something that it is given."""
        _, target, name, slot, call = listener
        if (target, name, slot) not in self._set:
            self._set.add((target, name, slot))
            self.rules.run_setters(target, name, slot, call.scope, call.line)

    def _members(self, scope: int, *, static: bool) -> list[tuple[int, int]]:
        """The members of a class's instances, or under their plain names its own, or a module's."""
        program, texts = self.program, self.program.texts
        if self.solver.kind[scope] == MODULE:
            return list(self.rules.imports.exported(scope).items())
        found = list((program.members[scope] or {}).items())
        if static:
            return [
                (program.name(texts[name][1:]), slot)
                for name, slot in found
                if texts[name].startswith(".")
            ]
        return [(name, slot) for name, slot in found if not texts[name].startswith(".")]
