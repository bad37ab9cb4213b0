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
    """Return factories by kind and name, to be chosen in `toolroll.toml` as `[backends.KIND]`.

    A distribution may bring them beside a pack or without one. Each factory takes the rest of that
    table as a mapping, and returns what has the interface of its kind (`toolroll.search`,
    `toolroll.locks`):

    - `embedder(settings)`, `reranker(settings)`, `locks(settings)`;
    - `lexical(settings, directory)`: a `SeparateIndex` for each project or collection, whose data
      lie in that directory. It is opened again after each commit, in other processes too, and the
      directory removed to be rid of it: one that keeps data elsewhere is new where it is empty;
    - `vectors(settings, dimension)`: a new, empty index in this process.
    """
