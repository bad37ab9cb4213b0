"""Django's admin: the objects and query sets that it hands to the classes that are registered.

`@admin.register(Book)`, `admin.site.register(Book, BookAdmin)` and an inline's `model` say which
model's. Methods that are handed one object call it `obj`, or take nothing else; actions have a
`queryset`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

REGISTERING: Final = "registering in the admin"
"""The kind of what decorates a class so."""
_ADMIN: Final = "django.contrib.admin"
INLINES: Final = frozenset(f"{_ADMIN}.{name}Inline" for name in ("Stacked", "Tabular"))
_LISTS: Final = ("actions", "list_display", "readonly_fields")
"""Attributes with functions."""


class PythonAdmin(PythonFeature):
    """Gives what the admin gives."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.functions = {
            f"{_ADMIN}.register": self._decorator,
            f"{_ADMIN}.site.register": self._register,
        }
        self._inlines: list[int] = []
        self._models: dict[int, int] = {}
        """Class → slot of its models."""

    def note_base(self, scope: int, name: str) -> None:
        """Remember that a class derives from an inline."""
        if name in INLINES:
            self._inlines.append(scope)

    def _decorator(self, call: Call, arguments: list[int]) -> None:
        models = self.solver.slot()
        for item in arguments:
            self.solver.edge(item, models)
        self.solver.add(call.result, self.solver.make(CONTAINER, REGISTERING, models))

    def use(self, call: Call, value: int) -> None:
        """Decorate a class."""
        for item in call.positional[:1]:
            self.solver.edge(item, call.result)
            self.solver.listen(item, (self._on_class, self.solver.detail[value][1]))

    def _register(self, call: Call, arguments: list[int]) -> None:
        """`site.register(Book, BookAdmin)`, of one model or of several."""
        admin = (
            arguments[1] if len(arguments) > 1 else self.rules.models.keyword(call, "admin_class")
        )
        if arguments and admin >= 0:
            models = self.solver.slot()
            self.solver.edge(arguments[0], models)
            self.solver.edge(self.rules.models.elements_of(call, arguments[0]), models)
            self.solver.listen(admin, (self._on_class, models))

    @handler
    def _on_class(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self._models[value] = listener[1]

    def settle(self) -> None:
        """Hand objects over, now that it is known which classes have which models."""
        named = self.program.names.get("model", -1)
        for scope in self._inlines:
            if (slot := self.classes.find(scope, named)) >= 0:
                self._models.setdefault(scope, slot)
        for scope, models in self._models.items():
            known = [it for it in self.solver.points[models] or () if self.solver.kind[it] == CLASS]
            for function in self._functions(scope):
                self._give(function, known)

    def _functions(self, scope: int) -> list[int]:
        """The methods of a class, and functions in its lists."""
        found = [
            value
            for base in self.classes.order(scope)
            for slot in (self.program.members[base] or {}).values()
            for value in self.solver.functions(slot)
        ]
        for text in _LISTS:
            slot = self.classes.find(scope, self.program.names.get(text, -1))
            for listed in (self.solver.points[slot] or ()) if slot >= 0 else ():
                if self.solver.kind[listed] == CONTAINER:
                    fields = self.solver.fields_of(listed).values()
                    found += (it for field in fields for it in self.solver.functions(field))
        return found

    def _give(self, function: int, models: list[int]) -> None:
        parameters = self.program.params[function]
        alone = 2 if self.program.owner_class(function) >= 0 else 1  # with `self` before it
        for place, (name, slot, _) in enumerate(parameters, 1):
            text = self.program.texts[name]
            for model in models:
                if text == "queryset":
                    self.solver.add(slot, self.rules.query_sets.rows(model))
                elif text == "obj" or (place == len(parameters) == alone and text != "request"):
                    self.solver.add(slot, model + self.program.scopes)
