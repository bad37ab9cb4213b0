"""The pluggy hooks: few, and called at load time only (a hook call costs some 10 µs)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import pluggy

if TYPE_CHECKING:
    from toolroll.pack import Pack

__all__ = ["GROUP", "hookimpl", "hookspec"]

GROUP: Final = "toolroll"
"""The entry-point group, and the project name of the hooks."""

hookspec: Final = pluggy.HookspecMarker(GROUP)
hookimpl: Final = pluggy.HookimplMarker(GROUP)


@hookspec(firstresult=True)
def toolroll_pack() -> Pack:  # type: ignore[empty-body]
    """Return the pack of this distribution; called once, when the pack is registered."""


@hookspec(firstresult=True)
def toolroll_backends() -> Mapping[str, Mapping[str, Callable[..., Any]]]:  # type: ignore[empty-body]
    """Return factories by kind and name, to be chosen by name in `toolroll.toml`.

    Kinds are `lexical`, `vectors`, `embedder`, `reranker` and `locks`; each factory takes the
    settings table of that kind and returns an object with the interface of that kind.
    """
