"""What holds the objects of a class: the query sets of Django, queries and results of SQLAlchemy.

Methods that give one object give one of the class; others, but for numbers and the like, give what
holds its objects again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import CONTAINER
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_ROWS: Final = "query set"
"""Kind of a container of a model's objects."""
ONE: Final = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "a")
    for name in (
        "get", "first", "last", "latest", "earliest", "create", "one", "one_or_none", "scalar",
        "scalar_one", "scalar_one_or_none", "get_one", "get_or_404", "first_or_404", "one_or_404",
    )
)  # fmt: skip
PAIR: Final = frozenset(
    f"{prefix}{name}" for prefix in ("", "a") for name in ("get_or_create", "update_or_create")
)
OTHER: Final = frozenset(
    f"{prefix}{name}"
    for prefix in ("", "a")
    for name in (
        "aggregate", "count", "exists", "delete", "update", "values", "values_list", "bulk_update",
        "explain", "contains", "dates", "datetimes", "in_bulk",
    )
)  # fmt: skip
"""Methods of query sets that give no objects."""
NO_QUERY_SET: Final = ONE | PAIR | OTHER


class PythonQuerySets(PythonFeature):
    """Makes what holds the objects of a class, one for each, and does what its methods do."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.model_of: dict[int, int] = {}
        """Query set → the class of its objects."""

    def rows(self, model: int) -> int:
        """The query sets of a model, which are one."""
        rows = self.solver.make(CONTAINER, _ROWS, model)
        self.model_of[rows] = model
        slot = self.solver.field(rows, self.rules.models.any_key)
        if self.solver.points[slot] is None:
            self.rules.classes.instantiated.add(model)
            self.solver.add(slot, model + self.program.scopes)
        return rows

    def method(self, call: Call, value: int) -> bool:
        """Call a method of a query set; False for what any container has, and for others."""
        model = self.model_of.get(value)
        if model is None or call.flags & CallFlag.IMPLICIT:
            return False
        if not self.rules.django.call_manager(call, model):
            self.give(call, value)
        return True

    def give(self, call: Call, value: int) -> None:
        """Give what a method of a query set does."""
        name = self.program.texts[call.name]
        if call.result < 0 or name in OTHER:
            return
        model = self.model_of[value]
        instance = model + self.program.scopes
        if name in ONE:
            self.solver.add(call.result, instance)
        elif name in PAIR:
            pair = self.solver.container(("pair", model), ObjectKind.ARRAY)
            self.solver.add(self.solver.field(pair, self.program.name("[0")), instance)
            self.solver.add(call.result, pair)
        else:
            self.solver.add(call.result, value)
