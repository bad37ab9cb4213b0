"""Routes of Devise: `devise_for :users, controllers: { sessions: "users/sessions" }`.

Those that lead to Devise's own controllers are left out with these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

_SIGN: Final = (b"sign_in", b"sign_out", b"sign_up")
_ACTIONS: Final[Mapping[bytes, tuple[tuple[bytes, bytes, bytes, bytes], ...]]] = {
    b"sessions": (
        (b"new", b"get", b"sign_in", b"new_%s_session"),
        (b"create", b"post", b"sign_in", b"%s_session"),
        (b"destroy", b"delete get", b"sign_out", b"destroy_%s_session"),
    ),
    b"registrations": (
        (b"cancel", b"get", b"cancel", b"cancel_%s_registration"),
        (b"new", b"get", b"sign_up", b"new_%s_registration"),
        (b"edit", b"get", b"edit", b"edit_%s_registration"),
        (b"update", b"patch put", b"", b"%s_registration"),
        (b"destroy", b"delete", b"", b"%s_registration"),
        (b"create", b"post", b"", b"%s_registration"),
    ),
    b"passwords": (
        (b"new", b"get", b"password/new", b"new_%s_password"),
        (b"edit", b"get", b"password/edit", b"edit_%s_password"),
        (b"update", b"patch put", b"password", b"%s_password"),
        (b"create", b"post", b"password", b"%s_password"),
    ),
    b"confirmations": (
        (b"new", b"get", b"confirmation/new", b"new_%s_confirmation"),
        (b"show", b"get", b"confirmation", b"%s_confirmation"),
        (b"create", b"post", b"confirmation", b"%s_confirmation"),
    ),
    b"unlocks": (
        (b"new", b"get", b"unlock/new", b"new_%s_unlock"),
        (b"show", b"get", b"unlock", b"%s_unlock"),
        (b"create", b"post", b"unlock", b"%s_unlock"),
    ),
}
"""Controller → each action: its verbs, what stands behind the path, and the helper's name."""


def devise_routes(
    single: bytes, controllers: Mapping[bytes, bytes], names: Mapping[bytes, bytes]
) -> Iterator[tuple[bytes, bytes, bytes, bytes, bytes]]:
    """The verbs, path, helper, controller and action of each route.

    `controllers` are the project's own, `names` what stands in the place of `sign_in` and others.
    """
    for kind, controller in controllers.items():
        for action, verbs, behind, helper in _ACTIONS.get(kind, ()):
            part = names.get(behind, behind) if behind in _SIGN else behind
            yield verbs, part, helper % single, controller, action


KINDS: Final = tuple(_ACTIONS)
