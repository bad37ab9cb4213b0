"""What SQLAlchemy, SQLModel and Flask-SQLAlchemy give of a mapped class: queries and their results.

A session is mostly a parameter of which nothing is known; that it is one its methods tell, which
are handed a mapped class, or a statement made of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_SELECT: Final = ("sqlalchemy.select", "sqlalchemy.future.select", "sqlmodel.select")
_GETTING: Final = frozenset(["get", "get_one", "merge", "get_or_404", "scalar"])
_RUNNING: Final = frozenset(
    ["query", "select", "execute", "exec", "scalars", "stream", "stream_scalars"]
)


class PythonSQLAlchemy(PythonFeature):
    """Follows classes through statements and sessions to their objects."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.functions = dict.fromkeys(_SELECT, self._select)
        self._query = rules.program.name("query")
        self._query_class = rules.program.name("query_class")
        self._queries: list[tuple[int, int]] = []
        """(class, slot of what its `query` is read into)."""

    def load(self, value: int, name: int, target: int) -> None:
        """Note that `User.query` is read, which Flask-SQLAlchemy gives each mapped class."""
        if name == self._query:
            self._queries.append((value, target))

    def _select(self, call: Call, arguments: list[int]) -> None:
        """`select(User)` is what its results are: something that holds users."""
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_source, call.result, False))

    def settle(self) -> None:
        """Methods of what nothing is known of, that are handed a mapped class or a statement."""
        solver, program = self.solver, self.program
        names = {
            program.names[name]: name in _GETTING
            for name in _GETTING | _RUNNING
            if name in program.names
        }
        operations = solver.operations
        rows = zip(
            operations.column(CallColumn.NAME), operations.column(CallColumn.SOURCE), strict=True
        )
        for identifier, (name, source) in enumerate(rows):
            index = operations.call_file[identifier]
            name = program.renames[index][name] if name >= 0 else -1
            if name not in names or source < 0:
                continue
            call = solver.translate(identifier)
            source += program.slot_base[index]
            if call.result < 0 or call.fired or not solver.is_unknown(source):
                continue
            for item in call.positional[:1]:
                if item >= 0:
                    solver.listen(item, (self._on_source, call.result, names[name]))
        for model, target in self._queries:
            if self._is_mapped(model):
                solver.add(target, self.rules.query_sets.rows(model))
                listener = (self._on_query_class, target)
                self.rules.classes.lookup(model, self._query_class, listener)
        self._queries.clear()

    @handler
    def _on_query_class(self, value: int, listener: Listener) -> None:
        """A query is an object of the class that its model names."""
        if self.solver.kind[value] == CLASS:
            self.solver.add(listener[1], value + self.program.scopes)

    @handler
    def _on_source(self, value: int, listener: Listener) -> None:
        _, target, single = listener
        query_sets = self.rules.query_sets
        if self.solver.kind[value] == CLASS and self._is_mapped(value):
            self._give(value, target, single=single)
        elif value in query_sets.model_of:
            self._give(query_sets.model_of[value], target, single=single)

    def _give(self, model: int, target: int, *, single: bool) -> None:
        rows = self.rules.query_sets.rows(model)
        self.solver.add(target, model + self.program.scopes if single else rows)

    def _is_mapped(self, scope: int) -> bool:
        """Whether a class derives from one that the project does not have."""
        bases = self.program.bases
        return any(
            self.solver.is_unknown(slot)
            for known in self.rules.classes.order(scope)
            for slot in bases[known]
        )
