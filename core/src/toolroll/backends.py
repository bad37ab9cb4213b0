"""What other distributions bring in place of core's engines, chosen by kind and name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from attrs import frozen

from toolroll.configuration import nearest
from toolroll.errors import LoadError, SettingsError
from toolroll.settings import BackendSelection

if TYPE_CHECKING:
    from toolroll.settings import BackendSettings

__all__ = ["KINDS", "Backend", "Backends", "Factory", "checked", "chosen"]

Factory = Callable[..., Any]
"""Takes the settings that stand beside its name, and what `toolroll_backends` says of its kind."""
Backends = Mapping[str, Mapping[str, Factory]]
"""Factories by kind and name."""


@frozen
class Backend:
    """A backend that the settings choose; called, it makes what has the interface of its kind."""

    name: str
    factory: Factory
    settings: Mapping[str, Any]

    def __call__(self, *place: Any) -> Any:
        """Return one, for what `toolroll_backends` says that its kind is made for."""
        return self.factory(self.settings, *place)


KINDS: Final = tuple(BackendSelection.model_fields)


def checked(brought: Any) -> Backends:
    """Return what a distribution's `toolroll_backends` returned.

    Raises:
        LoadError: It is something else than factories by kind and name.
    """
    if not isinstance(brought, Mapping):
        raise _refused(f"toolroll_backends returned {type(brought).__name__}, not a mapping")
    kinds = cast("Mapping[Any, Any]", brought)
    for kind, named in kinds.items():
        if kind not in KINDS:
            raise _refused(f"toolroll_backends returned the kind {kind!r}{nearest(kind, KINDS)}")
        if not isinstance(named, Mapping):
            raise _refused(f"toolroll_backends returned for {kind!r} no mapping by name")
        for name, factory in cast("Mapping[Any, Any]", named).items():
            if not isinstance(name, str) or not callable(factory):
                raise _refused(f"{name!r} of kind {kind!r} is no name with a factory")
    return cast("Backends", kinds)


def chosen(brought: Backends, selection: BackendSelection) -> dict[str, Backend]:
    """Return what `[backends]` chooses, by kind.

    Raises:
        SettingsError: No loaded distribution brings one of them.
    """
    found: dict[str, Backend] = {}
    for kind in KINDS:
        choice: BackendSettings | None = getattr(selection, kind)
        if choice is None:
            continue
        factories = brought.get(kind, {})
        if choice.name not in factories:
            others = nearest(choice.name, sorted(factories)) if factories else ""
            raise SettingsError(
                f"'name' in [backends.{kind}] is {choice.name!r}, which no loaded distribution "
                f"brings{others}"
            )
        found[kind] = Backend(choice.name, factories[choice.name], choice.model_extra or {})
    return found


def _refused(cause: str) -> LoadError:
    return LoadError("register", cause, remedy="return factories by kind and name")
