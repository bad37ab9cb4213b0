"""Python's `__set_name__`, which tells an object in the body of a class its name there.

Source: the language reference, "Creating the class object".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallColumn, CallFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, INSTANCE, MODULE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonNaming(PythonFeature):
    """Calls the `__set_name__` of what a call in the body of a class has made."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._set_name = rules.program.name("__set_name__")

    def find(self) -> None:
        """Find the members of classes that may be such objects."""
        program = self.program
        if not any(members and self._set_name in members for members in program.members):
            return
        made = self._made_in_classes()
        for scope, members in enumerate(program.members):
            if members and program.kind[scope] == ScopeKind.CLASS:
                for name, slot in members.items():
                    if slot in made:
                        self.solver.listen(slot, (self._on_attribute, scope, name))

    def _made_in_classes(self) -> set[int]:
        """The results of calls in class bodies that make what has a `__set_name__`."""
        program, operations = self.program, self.solver.operations
        columns = (CallColumn.RESULT, CallColumn.SCOPE, CallColumn.SOURCE, CallColumn.NAME)
        found: set[int] = set()
        for index, result, scope, source, name in operations.rows(*columns):
            if program.kind[scope + program.scope_base[index]] == ScopeKind.CLASS:
                base = program.slot_base[index]
                name = program.renames[index][name] if name >= 0 else -1
                if any(self._is_told(value, name) for value in self._of(source + base)):
                    found.add(result + base)
        return found

    def _of(self, slot: int) -> tuple[int, ...]:
        return self.solver.points[slot] or ()

    def _is_told(self, value: int, name: int) -> bool:
        """Whether what is called, or what a module has under a name, makes such objects."""
        if name >= 0 and self.solver.kind[value] == MODULE and value < self.program.scopes:
            slot = (self.program.members[value] or {}).get(name, -1)
            return slot >= 0 and any(self._is_told(made, -1) for made in self._of(slot))
        find = self.rules.classes.find
        return self.solver.kind[value] == CLASS and find(value, self._set_name) >= 0

    @handler
    def _on_attribute(self, value: int, listener: Listener) -> None:
        """Tell an object the class and the name that it has there."""
        _, scope, name = listener
        known = value - self.program.scopes
        if (
            self.solver.kind[value] == INSTANCE
            and known < self.program.scopes
            and self.rules.classes.find(known, self._set_name) >= 0
        ):
            owner, text = self.solver.slot(), self.solver.slot()
            self.solver.add(owner, scope)
            self.solver.add(text, self.solver.text(name))
            place = self.rules.kinds.maker(scope)
            call = Call(-1, *place, self._set_name, (owner, text), (), CallFlag.IMPLICIT)
            self.rules.invoke_member(call, value, self._set_name)
