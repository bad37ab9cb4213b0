"""Pydantic's models: what making one, and writing it out, calls of the project's own.

`User(name="x")` and `User.model_validate(data)` run validators, `user.model_dump()` serializers
and computed fields. The library calls them, for who does that: the edges are of low confidence.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

PYDANTIC: Final = frozenset(
    ["pydantic.BaseModel", "pydantic.RootModel", "pydantic.generics.GenericModel",
     "pydantic.main.BaseModel", "pydantic_settings.BaseSettings", "pydantic.BaseSettings",
     "sqlmodel.SQLModel"]
)  # fmt: skip
"""Classes to derive from."""
CHECKING: Final = "checking or writing"
"""The kind of a decorator of what runs then."""
_MADE: Final = "made"
_WRITTEN: Final = "written"
_DECORATORS: Final = {
    **dict.fromkeys(("field_validator", "model_validator", "root_validator", "validator"), _MADE),
    **dict.fromkeys(("computed_field", "field_serializer", "model_serializer"), _WRITTEN),
}
_AFTER: Final = "model_post_init"
_MAKING: Final = frozenset(
    ["from_orm", "model_validate", "model_validate_json", "model_validate_strings", "parse_file",
     "parse_obj", "parse_raw", "validate"]
)  # fmt: skip
_WRITING: Final = frozenset(["dict", "json", "model_dump", "model_dump_json"])
_COPYING: Final = frozenset(["copy", "model_copy"])


class PythonPydantic(PythonFeature):
    """Collects what models check and compute, and calls it where they are made or written out."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.functions = {
            "pydantic.Field": self._field,
            "sqlmodel.Field": self._field,
            **{f"pydantic.{name}": partial(self._decorator, when)
               for name, when in _DECORATORS.items()},
        }  # fmt: skip
        name = rules.program.name
        self._models: set[int] = set()
        self._names = frozenset(map(name, _MAKING | _WRITING | _COPYING))
        self._after = name(_AFTER)
        self._run: dict[tuple[int, str], list[int]] = {}
        """(class, when) → the functions that run then."""
        self._done: list[tuple[int, int, int, str]] = []
        """(class, scope and line of who does it, what is done)."""

    def note_base(self, scope: int, name: str) -> None:
        """Remember that a class derives from one of the library's."""
        if name in PYDANTIC:
            self._models.add(scope)

    def _is_model(self, scope: int) -> bool:
        return bool(self._models) and not self._models.isdisjoint(self.classes.order(scope))

    def _decorator(self, when: str, call: Call, arguments: list[int]) -> None:
        """`@field_validator("name")` gives the decorator, `@computed_field` is one."""
        for item in arguments:
            self._note(item, when)
            self.solver.edge(item, call.result)
        self.solver.add(call.result, self.solver.make(CONTAINER, CHECKING, when))

    def _field(self, call: Call, arguments: list[int]) -> None:
        """`Field(default_factory=make)` makes what a model is given nothing for."""
        factory = self.rules.models.keyword(call, "default_factory")
        if factory >= 0:
            self.solver.listen(factory, (self._on_factory, call.scope))

    @handler
    def _on_factory(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            found = self._run.setdefault((listener[1], _MADE), [])
            if value not in found:
                found.append(value)

    def use(self, call: Call, value: int) -> None:
        """Decorate a method."""
        for item in call.positional[:1]:
            self.solver.edge(item, call.result)
            self._note(item, self.solver.detail[value][1])

    def _note(self, item: int, when: str) -> None:
        if item >= 0:
            self.solver.listen(item, (self._on_function, when))

    @handler
    def _on_function(self, value: int, listener: Listener) -> None:
        owner = self.program.owner_class(value) if self.solver.kind[value] == FUNCTION else -1
        if owner >= 0:
            found = self._run.setdefault((owner, listener[1]), [])
            if value not in found:
                found.append(value)

    def make(self, call: Call, scope: int) -> None:
        """Make a model by a call of its class."""
        if self._is_model(scope):
            self._done.append((scope, call.scope, call.line, _MADE))

    def call(self, call: Call, value: int) -> bool:
        """Call a method that models have from the library; False for other classes."""
        if call.name not in self._names:
            return False
        kind = self.solver.kind[value]
        scope = value if kind == CLASS else value - self.program.scopes
        if kind not in (CLASS, INSTANCE) or not 0 <= scope < self.program.scopes:
            return False
        if not self._is_model(scope):
            return False
        text = self.program.texts[call.name]
        if text in _MAKING:
            self.solver.add(call.result, scope + self.program.scopes)
            self._done.append((scope, call.scope, call.line, _MADE))
        elif text in _COPYING:
            self.solver.add(call.result, value)
        else:
            self._done.append((scope, call.scope, call.line, _WRITTEN))
        return True

    def settle(self) -> None:
        """Call what runs then; by now it is known what that is."""
        done, self._done = dict.fromkeys(self._done), []
        for scope, caller, line, when in done:
            for known in self.classes.order(scope):
                for function in self._run.get((known, when), ()):
                    self.solver.suppose(caller, function, line)
            slot = self.classes.find(scope, self._after) if when == _MADE else -1
            for function in self.solver.functions(slot):
                self.solver.suppose(caller, function, line)
