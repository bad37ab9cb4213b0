"""What Django gives a project's models: managers, query sets, related objects, views' objects.

`Book.objects.filter(…)` has books, and so has what any further method of it returns that is no
method of the project's own manager; `get` gives one. A foreign key is an object of the other model,
and gives that model the books. Of views as of Django REST framework `get_object` is what they show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature
from toolroll_codegraph.resolve.python.query_sets import NO_QUERY_SET
from toolroll_codegraph.resolve.python.related import PythonRelated

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolroll_codegraph.resolve.python.rules import PythonRules

_DB: Final = "django.db.models."
_MODELS: Final = frozenset(
    [
        f"{_DB}Model",
        *[f"django.contrib.auth.models.{name}"
          for name in ("AbstractUser", "AbstractBaseUser", "PermissionsMixin", "User", "Group")],
        "django.contrib.gis.db.models.Model",
    ]
)  # fmt: skip
_MANAGERS: Final = frozenset(
    [
        f"{_DB}Manager", f"{_DB}QuerySet", f"{_DB}manager.Manager", f"{_DB}query.QuerySet",
        "django.contrib.auth.models.UserManager", "django.contrib.auth.models.BaseUserManager",
        "django.contrib.auth.base_user.BaseUserManager",
    ]
)  # fmt: skip
_VIEWS: Final = frozenset(
    [
        *[f"django.views.generic.{name}"
          for name in ("DetailView", "ListView", "CreateView", "UpdateView", "DeleteView")],
        *[f"rest_framework.viewsets.{name}"
          for name in ("GenericViewSet", "ModelViewSet", "ReadOnlyModelViewSet")],
        *[f"rest_framework.generics.{name}APIView"
          for name in (
              "Generic", "Create", "List", "Retrieve", "Destroy", "Update", "ListCreate",
              "RetrieveUpdate", "RetrieveDestroy", "RetrieveUpdateDestroy",
          )],
    ]
)  # fmt: skip
DJANGO: Final = _MODELS | _MANAGERS | _VIEWS
"""Classes to derive from."""
_OWN: Final = frozenset(["objects", "_default_manager", "_base_manager"])
"""The managers that a model has without defining one."""


class PythonDjango(PythonFeature):
    """Knows the project's models and managers, and does what their base classes do."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.query_sets = rules.query_sets
        self._models: set[int] = set()
        self._users: set[int] = set()
        """Those of them that may stand for who is logged in."""
        self._managers: set[int] = set()
        self._views: set[int] = set()
        self._asked = {rules.program.name(text) for text in (*_OWN, "model", "object")}
        self._known = False
        """Whether all bases are known."""
        self._wanted: list[tuple[int, int]] = []
        """(class, slot of what its manager is read into)."""
        self._models_of: dict[int, list[int]] = {}
        self._managers_of: dict[int, list[int]] = {}
        """Manager of the project's own → the models that have it, and the other way round."""
        self._called: dict[int, list[Call]] = {}
        """Model or manager → what was called on the query sets of the one, or on the other."""
        self._read: dict[int, list[int]] = {}
        """Manager → where its model is read into."""
        self._named: dict[str, list[int]] | None = None
        self.functions: dict[str, Callable[[Call, list[int]], None]] = {
            **PythonRelated(self).functions,
            "django.shortcuts.get_object_or_404": self._get,
            "django.shortcuts.aget_object_or_404": self._get,
            "django.shortcuts.get_list_or_404": self._list,
            "django.contrib.auth.get_user_model": self._user,
            f"{_DB}Manager.from_queryset": self._from_queryset,
        }

    def note_base(self, scope: int, name: str) -> None:
        """Remember that a class derives from a class of Django's."""
        if name in _MODELS:
            self._models.add(scope)
            if "User" in name:
                self._users.add(scope)
        elif name in _MANAGERS:
            self._managers.add(scope)
        elif name in _VIEWS:
            self._views.add(scope)

    def is_model(self, scope: int) -> bool:
        return self._is(self._models, scope)

    def make(self) -> None:
        """Give models the managers that they were asked for before their bases were known."""
        self._known = True
        self._give_own()
        for model in self._every_model() if self._managers else ():
            for base in self.classes.order(model):
                for slot in (self.program.members[base] or {}).values():
                    self.solver.listen(slot, (self._on_member, model))

    def _give_own(self) -> None:
        if self._known:
            for scope, target in self._wanted:
                if self._is(self._models, scope):
                    self.solver.add(target, self.query_sets.rows(scope))
            self._wanted.clear()

    @handler
    def _on_member(self, value: int, listener: Listener) -> None:
        """A model turns out to have a manager of the project's own: what was asked is repeated."""
        model: int = listener[1]
        if self.solver.kind[value] != INSTANCE or not self._is(self._managers, self._class(value)):
            return
        known = self._models_of.setdefault(value, [])
        if model in known:
            return
        known.append(model)
        self._managers_of.setdefault(model, []).append(value)
        for call in list(self._called.get(model, ())):
            self.rules.invoke_member(call, value, call.name)
        for call in list(self._called.get(value, ())):
            self.query_sets.give(call, self.query_sets.rows(model))
        for target in self._read.get(value, ()):
            self.solver.add(target, model)

    # members that no class of the project defines

    def load(self, value: int, name: int, target: int) -> None:
        """Read a member of a class or of an instance."""
        scope = self._class(value) if name in self._asked else -1
        if scope < 0:
            return
        text = self.program.texts[name]
        if self.solver.kind[value] == CLASS:
            if text in _OWN:
                self._wanted.append((scope, target))
                self._give_own()
        elif text == "model" and self._is(self._managers, scope):
            self._read.setdefault(value, []).append(target)
            for model in self._models_of.get(value, ()):
                self.solver.add(target, model)
        elif text == "object" and self._is(self._views, scope):
            self._shown(scope, target, single=True)

    def call(self, call: Call, value: int) -> bool:
        """Call a method of a class or of an instance; False where Django has none either."""
        if not (self._managers or self._views) or call.flags & CallFlag.IMPLICIT:
            return False
        scope = self._class(value)
        if scope < 0:
            return False
        name = self.program.texts[call.name]
        if self.solver.kind[value] == CLASS:
            if name == "as_manager" and self._is(self._managers, scope):
                self.solver.add(call.result, scope + self.program.scopes)
                return True
        elif name == "model" and self._is(self._managers, scope):
            made = self.solver.slot()
            self.load(value, call.name, made)
            self.solver.listen(made, (self.rules.on_called, call))
            return True
        elif self._is(self._managers, scope):
            self._called.setdefault(value, []).append(call)
            models = self._models_of.get(value, ())
            if not models and name not in NO_QUERY_SET:
                self.solver.add(call.result, value)
            for model in models:
                self.query_sets.give(call, self.query_sets.rows(model))
            return True
        elif self._is(self._views, scope) and name in ("get_object", "get_queryset"):
            self._shown(scope, call.result, single=name == "get_object")
            return True
        return False

    def call_manager(self, call: Call, model: int) -> bool:
        """Call what a manager of the project's own has under a name; False where none has it."""
        self._called.setdefault(model, []).append(call)
        return any(
            [
                self.rules.invoke_member(call, manager, call.name)
                for manager in self._managers_of.get(model, ())
            ]
        )

    # functions

    def _get(self, call: Call, arguments: list[int]) -> None:
        if arguments and arguments[0] >= 0:
            self.solver.listen(arguments[0], (self._on_source, call.result, True))

    def _list(self, call: Call, arguments: list[int]) -> None:
        if arguments and arguments[0] >= 0:
            self.solver.listen(arguments[0], (self._on_source, call.result, False))

    @handler
    def _on_source(self, value: int, listener: Listener) -> None:
        """A model, manager or query set whose objects, or one of them, are asked for."""
        _, target, single = listener
        kind, models = self.solver.kind[value], list[int]()
        if kind == CLASS and self._is(self._models, value):
            models = [value]
        elif value in self.query_sets.model_of:
            models = [self.query_sets.model_of[value]]
        elif kind == INSTANCE and self._is(self._managers, self._class(value)):
            models = self._models_of.get(value, [])
        for model in models:
            one = model + self.program.scopes
            self.solver.add(target, one if single else self.query_sets.rows(model))

    def _user(self, call: Call, arguments: list[int]) -> None:
        users = [model for model in self._every_model() if self._is(self._users, model)]
        if len(users) == 1:
            self.solver.add(call.result, users[0])

    def _from_queryset(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.edge(item, call.result)

    def _shown(self, scope: int, target: int, *, single: bool) -> None:
        """What a view shows: objects of its `model`, or of its `queryset`."""
        for name in ("model", "queryset"):
            slot = self.classes.find(scope, self.program.name(name))
            if slot >= 0:
                self.solver.listen(slot, (self._on_source, target, single))

    # models and managers

    def _class(self, value: int) -> int:
        if self.solver.kind[value] == CLASS:
            return value
        scope = value - self.program.scopes
        return scope if 0 <= scope < self.program.scopes else -1

    def _is(self, known: set[int], scope: int) -> bool:
        return bool(known) and scope >= 0 and not known.isdisjoint(self.classes.order(scope))

    def _every_model(self) -> list[int]:
        return [model for models in self.names().values() for model in models]

    def names(self) -> dict[str, list[int]]:
        """Name → the models that have it."""
        if self._named is None:
            self._named = {}
            program = self.program
            for scope in range(program.scopes):
                if program.kind[scope] == ScopeKind.CLASS and self._is(self._models, scope):
                    name = program.texts[program.scope_name[scope]].rpartition(".")[2]
                    self._named.setdefault(name, []).append(scope)
        return self._named
