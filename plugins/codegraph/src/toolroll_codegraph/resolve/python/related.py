"""What fields of Django's models relate: an object, or many, and what these are given back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.django import PythonDjango


class PythonRelated:
    """Makes of a foreign key the object that it is, and gives its model the others."""

    def __init__(self, django: PythonDjango) -> None:
        self.django = django
        self.solver = django.solver
        self.program = django.program
        self.functions = {
            "django.db.models.ForeignKey": partial(self._relate, False, True),
            "django.db.models.OneToOneField": partial(self._relate, False, False),
            "django.db.models.ManyToManyField": partial(self._relate, True, True),
        }

    def _relate(self, many: bool, back: bool, call: Call, arguments: list[int]) -> None:
        """A field for one or `many` objects, which have one or many `back`."""
        target = arguments[0] if arguments else self.django.rules.models.keyword(call, "to")
        if target >= 0:
            self.solver.listen(target, (self._on_target, call, many, back))

    @handler
    def _on_target(self, value: int, listener: Listener) -> None:
        _, call, many, back = listener
        kind, owner = self.solver.kind[value], self.program.owner_class(call.scope)
        if kind == TEXT:
            text = self.solver.key_text(value)
            found = [owner] if text == "self" else self._by_name(text.rpartition(".")[2])
        else:
            found = [value] if kind == CLASS else []
        for model in found if owner >= 0 else ():
            instance = model + self.program.scopes
            self.solver.add(call.result, self.django.query_sets.rows(model) if many else instance)
            self._give_back(call, model, owner, many=back)

    def _give_back(self, call: Call, model: int, owner: int, *, many: bool) -> None:
        """Give a model what relates to it, under the name that is told or Django's own."""
        given = self.django.query_sets.rows(owner) if many else owner + self.program.scopes
        named = self.django.rules.models.keyword(call, "related_name")
        if named >= 0:
            self.solver.listen(named, (self._on_name, model, given))
            return
        name = self.program.texts[self.program.scope_name[owner]].rpartition(".")[2].lower()
        self._declare(model, f"{name}_set" if many else name, given)

    @handler
    def _on_name(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == TEXT:
            self._declare(listener[1], self.solver.key_text(value), listener[2])

    def _declare(self, model: int, name: str, given: int) -> None:
        if name.isidentifier():
            self.solver.add(self.django.classes.declare(model, self.program.name(name)), given)

    def _by_name(self, name: str) -> list[int]:
        """The only model of a name."""
        found = self.django.names().get(name, [])
        return found if len(found) == 1 else []
