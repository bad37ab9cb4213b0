"""What views of Django and REST framework call for a request besides the method for its verb.

A view without such a method inherits one, which calls those methods that the project overrides,
and has its form or serializer check what is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.program import CLASS, EXTERNAL

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_AROUND: Final = (
    "setup", "initial", "dispatch", "test_func", "has_permission", "check_permissions",
    "get_permissions", "get_authenticators", "get_throttles", "finalize_response",
)  # fmt: skip
"""What runs whatever the verb is."""
_FOUND: Final = ("get_queryset", "get_object", "filter_queryset", "check_object_permissions")
_WRITTEN: Final = ("get_serializer_class", "get_serializer_context", "get_serializer")
_FORM: Final = ("get_initial", "get_prefix", "get_form_class", "get_form_kwargs", "get_form")
_SHOWN: Final = (
    *_FOUND, *_WRITTEN, *_FORM, "get_ordering", "get_paginate_by", "paginate_queryset",
    "get_context_data", "get_context_object_name", "get_template_names", "render_to_response",
    "get_redirect_url",
)  # fmt: skip
_SENT: Final = (*_FORM, *_WRITTEN, "form_valid", "get_success_url")
_INHERITED: Final = {
    "get": _SHOWN, "post": (*_FOUND, *_SENT, "perform_create", "get_success_headers"),
    "put": (*_FOUND, *_SENT, "perform_update"), "patch": (*_FOUND, *_SENT, "perform_update"),
    "delete": (*_FOUND, "perform_destroy"),
}  # fmt: skip
_OF_FORM: Final = ("clean", "clean_*")
_CHECKED: Final = ("to_internal_value", "validate", "validate_*")
_SAVED: Final = {
    "post": ("perform_create", "create"), "put": ("perform_update", "update"),
    "patch": ("perform_update", "update"),
}  # fmt: skip
"""What of a view saves what is sent, and the serializer's method for it."""


def served(rules: PythonRules, view: int, verb: str, *, inherited: bool) -> list[int]:
    """The functions that a request comes to; `inherited`: the method for its verb is a library's.

    Where it is written, what it calls of these is seen there.
    """
    found = _methods(rules, view, _AROUND)
    if not inherited:
        return found
    names, serializers = _INHERITED.get(verb, ()), _held(rules, view, "serializer_class")
    made = verb == "post" and serializers  # of nothing that has to be found first
    found += _methods(rules, view, [it for it in names if not made or it not in _FOUND])
    for form in _held(rules, view, "form_class") if verb == "post" else ():
        of_model = any(it.endswith("ModelForm") for it in rules.classes.base_names(form, EXTERNAL))
        saves = of_model and not _methods(rules, view, ("form_valid",))
        found += _methods(rules, form, (*_OF_FORM, "save") if saves else _OF_FORM)
    for serializer in serializers if verb != "delete" else ():
        parts = ["to_representation"]
        if verb in _SAVED:
            saving, saved = _SAVED[verb]
            parts += _CHECKED if _methods(rules, view, (saving,)) else (*_CHECKED, saved)
        found += _methods(rules, serializer, parts)
    return found


def _held(rules: PythonRules, view: int, attribute: str) -> list[int]:
    """The classes in an attribute of a view."""
    slot = rules.classes.find(view, rules.program.names.get(attribute, -1))
    values = (rules.solver.points[slot] or ()) if slot >= 0 else ()
    return [value for value in values if rules.kind[value] == CLASS]


def _methods(rules: PythonRules, scope: int, texts: tuple[str, ...] | list[str]) -> list[int]:
    """The functions that a class has under names; a star stands for any end of one."""
    names, classes = rules.program.names, rules.classes
    found: list[int] = []
    for text in texts:
        if text.endswith("*"):
            known = classes.named(scope, text[:-1])
        else:
            known = [names[text]] if text in names else []
        for name in known:
            found += rules.solver.functions(classes.find(scope, name))
    return found
