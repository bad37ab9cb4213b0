"""Objects and modules that answer for names they lack: `__getattr__`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import BOUND, CLASS, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.uses import names_used

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_ANSWERED: Final = {"answered by": "", "answered by items of": "["}
"""Kind of relation → what the names of such members begin with."""
_MOST_ANSWERS: Final = 16
"""More values than these are not what one name stands for."""


class PythonUnanswered(PythonFeature):
    """Reads and calls of members that nobody defines."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.getattr = rules.program.name("__getattr__")
        self._waiting: list[tuple[int, int, Call, bool]] = []
        """(object, name, call that wants it, whether it calls it)."""
        self._answered: dict[int, list[tuple[int, int, str]]] = {}
        """Function → (slot of what has members, slot of what it reads of those under the name that
        it is asked for, what the member's name begins with)."""
        for index, facts in enumerate(self.program.facts):
            scopes, slots = self.program.scope_base[index], self.program.slot_base[index]
            for kind, scope, base, result, _ in facts.relations:
                if kind in _ANSWERED:
                    known = self._answered.setdefault(scope + scopes, [])
                    known.append((base + slots, result + slots, _ANSWERED[kind]))

    def _class(self, value: int) -> int:
        """The class that an object is of, which for a class is its metaclass; -1 for others."""
        if self.solver.kind[value] == CLASS:
            metaclass = self.rules.kinds.metaclass(value)
            return -1 if metaclass is None else metaclass
        known = value - self.program.scopes
        return known if known < self.program.scopes else -1

    def _answers(self, value: int, scope: int) -> bool:
        """Whether `__getattr__` may be asked; a class knows the attributes that its own have."""
        known = self._class(value)
        return (
            known >= 0
            and self.classes.find(known, self.getattr) >= 0
            and (scope < 0 or self.program.owner_class(scope) not in self.classes.order(known))
        )

    def call(self, call: Call, value: int) -> None:
        """Note that a method is called which no class has."""
        if self._answers(value, -1):
            self._waiting.append((value, call.name, call, True))

    def read(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        """Note that an attribute is read which no class has."""
        if self._answers(value, scope):
            call = Call(target, scope, line, name, (), (), CallFlag.IMPLICIT)
            self._waiting.append((value, name, call, False))

    def settle(self) -> None:
        """Ask `__getattr__` for what is still not known."""
        waiting, self._waiting = self._waiting, []
        solver = self.solver
        for value, name, call, is_call in waiting:
            scope = self._class(value)
            if self.classes.find(scope, name) >= 0:
                continue
            if solver.kind[value] == CLASS:  # `type`, from which a metaclass derives, has no others
                if self.classes.find(value, name) >= 0:
                    continue
            elif self._may_inherit(scope, name):
                continue
            if call.fired if is_call else solver.points[call.result] is not None:
                continue  # another of the objects that may be here has it
            found, key = solver.slot(), solver.slot()
            solver.add(key, solver.text(name))
            inner = solver.derived_call(call, found, (key,), self.getattr)
            self.classes.lookup(scope, self.getattr, (self.rules.on_member, inner, value))
            others = self._ask(scope, call, name, is_call)
            solver.listen(found, (self._on_answer, call, name, is_call, found, others))

    def _may_inherit(self, scope: int, name: int) -> bool:
        """Whether a class may have a name from outside of the project; of `dict` it is known."""
        derived = self.rules.plain.of_class(scope)
        text = self.program.texts[name]
        return derived is None or any(hasattr(known, text) for known in derived)

    def _ask(self, scope: int, call: Call, name: int, is_call: bool) -> list[int]:
        """Read what `__getattr__` reads under a name, and nothing else that it is asked for.

        What it reads under any name is in the slots returned.
        """
        solver, others = self.solver, list[int]()
        slot = self.classes.find(scope, self.getattr) if self._answered else -1
        for getter in (solver.points[slot] or ()) if slot >= 0 else ():
            for base, result, before in self._answered.get(getter, ()):
                member = self.program.name(before + self.program.texts[name])
                own = solver.slot()
                others.append(result)
                solver.listen(base, (self._on_asked, member, own, getter))
                solver.listen(own, (self._on_own, call, is_call))
        return others

    @handler
    def _on_asked(self, value: int, listener: Listener) -> None:
        member: int = listener[1]
        getter: int = listener[3]
        self.rules.load(value, member, listener[2], getter, self.program.first_line[getter])

    @handler
    def _on_own(self, value: int, listener: Listener) -> None:
        self._use(listener[1], value, is_call=listener[2])

    def _use(self, call: Call, value: int, *, is_call: bool) -> None:
        if is_call:
            self.rules.call_value(call, value)
        else:
            self.solver.add(call.result, value)

    @handler
    def _on_answer(self, value: int, listener: Listener) -> None:
        """Use what `__getattr__` returns for a name.

        A method of another name is for others, and so are functions where it may return any.
        """
        _, call, name, is_call, _, others = listener
        found: int = listener[4]
        points = self.solver.points
        if any(value in (points[slot] or ()) for slot in others):
            return
        kind = self.solver.kind[value]
        function = self.solver.detail[value][0] if kind == BOUND else value
        if kind in (FUNCTION, BOUND) and self.solver.kind[function] == FUNCTION:
            own = self.program.scope_name[function]
            if own != name and len(points[found] or ()) > _MOST_ANSWERS:
                return
            other = own != name and self.solver.kind[self.program.parent[function]] == CLASS
            if other and (
                kind == FUNCTION or own not in self._read_by(self.solver.detail[value][1])
            ):
                return
        self._use(call, value, is_call=is_call)

    def _read_by(self, receiver: int) -> set[int]:
        """The attributes of itself that the `__getattr__` of an object reads by their names."""
        scope = receiver - self.program.scopes
        if self.solver.kind[receiver] != INSTANCE or scope >= self.program.scopes:
            return set()
        slot = self.classes.find(scope, self.getattr)
        if slot < 0:
            return set()
        getters = [known for known in self.solver.points[slot] or () if known < self.program.scopes]
        this = [self.program.this[known] for known in getters]
        return names_used(self.solver, [found for found in this if found >= 0])[1]

    def ask_module(self, getter: int, name: int, scope: int, line: int, found: int) -> None:
        """Call a module's `__getattr__` for a name that the module does not have."""
        key = self.solver.slot()
        self.solver.add(key, self.solver.text(name))
        call = Call(found, scope, line, -1, (key,), (), CallFlag.IMPLICIT)
        self.solver.listen(getter, (self.rules.on_entered, call, -1))
