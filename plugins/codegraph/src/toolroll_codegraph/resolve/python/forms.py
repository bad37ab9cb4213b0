"""What forms of Django and WTForms, models, and serializers call of a project's own methods.

`serializer.save()` comes to `create` or `update`, `is_valid()` to `validate` and `validate_title`,
a form's to `clean` and `clean_title`. The library calls these, for who asks it: the edges are of
low confidence. REST framework's views have their serializers, and these objects of their model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_SERIALIZERS: Final = frozenset(
    f"rest_framework.serializers.{name}Serializer"
    for name in ("", "Base", "HyperlinkedModel", "List", "Model")
)
_FORMS: Final = frozenset(
    f"django.forms{module}.{name}"
    for module, names in (
        ("", ("BaseForm", "BaseModelForm", "Form", "ModelForm")),
        (".forms", ("BaseForm", "Form")),
        (".models", ("BaseModelForm", "ModelForm")),
    )
    for name in names
)
_WTFORMS: Final = frozenset(
    ("flask_wtf.FlaskForm", "flask_wtf.form.FlaskForm", "wtforms.Form", "wtforms.form.Form")
)
FORMS: Final = _SERIALIZERS | _FORMS | _WTFORMS
_CALLED: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "serializer": {
        "save": ("create", "update"),
        "is_valid": ("to_internal_value", "validate", "validate_*"),
    },
    "form": {"is_valid": ("clean", "clean_*"), "full_clean": ("clean", "clean_*")},
    "wtform": {
        "validate": ("validate_*",),
        "validate_on_submit": ("validate", "validate_*"),
    },
    "model": {"full_clean": ("clean", "clean_fields")},
}
"""Method of the library → methods of the project's that it calls; a star stands for any name."""
_FIELD: Final = "rest_framework.serializers.SerializerMethodField"
_MAKING: Final = "get_serializer"
_GIVEN: Final = {"perform_create": 1, "perform_update": 1}
"""Methods of a view that are given a serializer, and where."""
_SHOWING: Final = {"to_representation": 1, "update": 1}
"""Methods of a serializer that are given an object of its model, and where."""


class PythonForms(PythonFeature):
    """Calls such methods where nobody in the project does."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        name = rules.program.name
        self._kinds: dict[str, set[int]] = {
            kind: set() for kind in ("serializer", "form", "wtform")
        }
        called = {text for methods in _CALLED.values() for text in methods}
        self._names = frozenset(map(name, (*called, _MAKING)))
        self._serializer_class = name("serializer_class")
        self._meta, self._model = name("Meta"), name("model")
        self.functions = {_FIELD: self._field}

    def note_base(self, scope: int, name: str) -> None:
        """Remember that a class derives from one of these."""
        if name in FORMS:
            kind = "wtform" if name in _WTFORMS else "form"
            self._kinds["serializer" if name in _SERIALIZERS else kind].add(scope)

    def call(self, call: Call, value: int) -> bool:
        """Call a method that a class has from such a library; False for others."""
        scope = value - self.program.scopes
        if call.name not in self._names or not 0 <= scope < self.program.scopes:
            return False
        text = self.program.texts[call.name]
        if text == _MAKING:
            return self._make(scope, call.result)
        for kind, methods in _CALLED.items():
            if text in methods and self._is(kind, scope):
                for name in methods[text]:
                    self._run(call, value, name)
                return True
        return False

    def _is(self, kind: str, scope: int) -> bool:
        if kind == "model":
            return self.rules.django.is_model(scope)
        known = self._kinds[kind]
        return bool(known) and not known.isdisjoint(self.classes.order(scope))

    def _run(self, call: Call, value: int, text: str) -> None:
        scope = value - self.program.scopes
        names = [self.program.name(text)]
        if text.endswith("*"):
            names = self.classes.named(scope, text[:-1])
        for name in names:
            given = (-1,) * self._given(scope, name)
            inner = self.solver.derived_call(call, call.result, given, name)
            inner.flags |= CallFlag.QUIET
            self.rules.invoke_member(inner, value, name)
            self.classes.lookup(scope, name, (self._on_called, call))

    def _given(self, scope: int, name: int) -> int:
        """How many arguments the library gives to a method: as many as it must have."""
        methods = self._methods(scope, self.program.texts[name])
        return max((self.rules.arguments.bounds(it)[0] - 1 for it in methods[:1]), default=0)

    @handler
    def _on_called(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        if self.solver.kind[value] == FUNCTION:
            self.solver.suppose(call.scope, value, call.line)

    # views

    def _make(self, scope: int, target: int) -> bool:
        """`self.get_serializer(book)` is an object of the view's `serializer_class`."""
        slot = self.classes.find(scope, self._serializer_class)
        if slot >= 0:
            self.rules.models.instantiate_in(slot, target)
        return slot >= 0

    # serializers

    def _field(self, call: Call, arguments: list[int]) -> None:
        named = arguments[0] if arguments else self.rules.models.keyword(call, "method_name")
        made = self.solver.make(CONTAINER, _FIELD, named, call.scope, call.line)
        self.solver.add(call.result, made)

    def settle(self) -> None:
        """Call what fields are computed by, and give methods what the library hands them."""
        for scope in list(self.classes.definers(self._serializer_class)):
            for text, place in _GIVEN.items():
                for parameter in self._parameters(scope, text, place):
                    self._make(scope, parameter)
        known = self._kinds["serializer"]
        for scope in sorted(known.union(*map(self.classes.below, known))):
            for text, place in _SHOWING.items():
                for parameter in self._parameters(scope, text, place):
                    self._show(scope, parameter)
            for name, slot in list((self.program.members[scope] or {}).items()):
                for value in self.solver.points[slot] or ():
                    detail = self.solver.detail[value]
                    if self.solver.kind[value] == CONTAINER and detail[0] == _FIELD:
                        self._compute(scope, name, *detail[1:])

    def _compute(self, scope: int, field: int, named: int, caller: int, line: int) -> None:
        """`score = SerializerMethodField()` is what `get_score` returns."""
        texts = [f"get_{self.program.texts[field]}"]
        if named >= 0:
            values = self.solver.points[named] or ()
            texts = [self.solver.key_text(it) for it in values if self.solver.kind[it] == TEXT]
        for text in texts:
            for function in self._methods(scope, text):
                self.solver.suppose(caller, function, line)
            for parameter in self._parameters(scope, text, 1):
                self._show(scope, parameter)

    def _show(self, scope: int, target: int) -> None:
        """An object of the model that `class Meta` names."""
        meta = self.classes.find(scope, self._meta)
        for known in (self.solver.points[meta] or ()) if meta >= 0 else ():
            slot = self.classes.find(known, self._model) if self.solver.kind[known] == CLASS else -1
            self.rules.models.instantiate_in(slot, target)

    def _methods(self, scope: int, text: str) -> list[int]:
        return self.solver.functions(self.classes.find(scope, self.program.name(text)))

    def _parameters(self, scope: int, text: str, place: int) -> list[int]:
        """The slot of a parameter of a method, if no object is known to come there."""
        kind, points = self.solver.kind, self.solver.points
        return [
            slot
            for function in self._methods(scope, text)
            for _, slot, _ in self.program.params[function][place : place + 1]
            if not any(kind[value] == INSTANCE for value in points[slot] or ())
        ]
