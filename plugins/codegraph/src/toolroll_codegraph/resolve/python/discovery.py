"""What is found among the members of modules, classes and objects, and what tests leave of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import REFUSED
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import BOUND, CLASS, EXTERNAL, FUNCTION, INSTANCE, MODULE
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.python.iterators import ROW

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

DISCOVERED: Final = frozenset(["named", "kind"])
"""The relations of a value with what a test leaves of it."""
MARKED: Final = "marked"
"""That of a value with what a test of an attribute leaves of it."""
ASKS: Final = "asks"
"""That of a function with the attribute that it looks for on what it is given."""
_KINDS: Final = {
    "inspect.isclass": CLASS, "inspect.isfunction": FUNCTION, "inspect.ismethod": BOUND,
}  # fmt: skip


class PythonDiscovered(PythonFeature):
    """Tests of functions and classes that were found: of their names, kinds and bases."""

    @handler
    def on_member(self, value: int, listener: Listener) -> None:
        relation: str = listener[1]
        part: int = listener[2]
        text: str = listener[3]
        kind = self.solver.kind[value]
        inner = self.solver.detail[value][0] if kind == BOUND else value
        function = value if kind == CLASS else self.rules.wrappers.function(inner)
        if relation == "named":
            name = self.program.texts[self.program.scope_name[function]] if function >= 0 else ""
            holds = name.endswith(text) if part & 1 else name.startswith(text)
            left = function < 0 or holds != bool(part & REFUSED)
        else:
            holds = function >= 0 and (kind == CLASS) == (part & 1 == 0)
            left = holds != bool(part & REFUSED)
        if left:
            self.solver.add(listener[4], value)


class PythonMembersOf:
    """`inspect.getmembers`: pairs of the names and members of what it is given."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.solver = models.solver
        self.functions: dict[str, Model] = {
            "inspect.getmembers": self._members,
            **dict.fromkeys(_KINDS, self._nothing),
        }

    def _nothing(self, call: Call, arguments: list[int]) -> None:
        return

    def _members(self, call: Call, arguments: list[int]) -> None:
        wanted = [
            _KINDS.get(self.solver.detail[value][0])
            for value in self.solver.points[arguments[1]] or ()
            if self.solver.kind[value] == EXTERNAL
        ] if len(arguments) > 1 and arguments[1] >= 0 else []  # fmt: skip
        asked = self.models.rules.marks.asking.get(arguments[1], -1) if len(arguments) > 1 else -1
        row = self.solver.container((ROW, call.result, call.scope, call.line), 0)
        self.solver.add(self.solver.field(self.models.result(call), self.models.any_key), row)
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_owner, call, row, wanted, asked))

    @handler
    def _on_owner(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        row: int = listener[2]
        kind, scopes = self.solver.kind[value], self.models.program.scopes
        if kind not in (MODULE, CLASS, INSTANCE):
            return
        known = value - scopes if kind == INSTANCE else value
        members, classes = self.models.program.members, self.models.rules.classes
        if known >= scopes:
            return  # a package without an `__init__.py`, or no class of the project's
        owners = [known] if kind == MODULE else classes.order(known)
        names = {name for owner in owners for name in members[owner] or ()}
        found = self.solver.slot()
        for name in sorted(names):
            self.models.rules.load(value, name, found, call.scope, call.line)
        target = self.solver.field(row, self.models.pair[1])
        if listener[4] >= 0:
            self.models.rules.marks.watch(listener[4], found, target)
        else:
            self.solver.listen(found, (self._on_found, listener[3], target))

    @handler
    def _on_found(self, value: int, listener: Listener) -> None:
        wanted: list[int | None] = listener[1]
        if not wanted or self.solver.kind[value] in wanted:
            self.solver.add(listener[2], value)
