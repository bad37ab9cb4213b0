"""Following changes on disk: the worker of the declared collections, and `index --watch`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import toolroll
from toolroll_file_ops.checks import Check, no_check

if TYPE_CHECKING:
    from collections.abc import Generator

    from toolroll_file_ops.serving import Serving
    from toolroll_file_ops.settings import CollectionSettings, FileOpsSettings
    from toolroll_file_ops.space import Space

__all__ = ["Watching", "watch_until"]

IDLE: Final = 60.0
"""Seconds between two looks where nothing is declared or watching is off."""
STEP_MS: Final = 1000
"""Longest time that one step waits for an event."""
DEBOUNCE_MS: Final = 200
LOOK_SECONDS: Final = 2.0
"""Between two looks of a command that nobody tells of changes."""
AGAIN: Final = 60.0
"""Seconds until a declared collection that cannot be indexed is tried again: its directory may be
mounted late."""


class Watching:
    """The worker that indexes the collections of `[[file_ops.collections]]` and watches them."""

    def __init__(self, pack: Serving) -> None:
        self._pack = pack
        self._spaces: list[Space] = []
        self._waiting: dict[CollectionSettings, str] | None = None
        self._due = 0.0
        self._events: Generator[set[tuple[Any, str]], None, None] | None = None
        self._untold = ""
        self._ended = threading.Event()

    def workers(self) -> Sequence[toolroll.Worker]:
        """Return the one worker."""
        return (toolroll.Worker("file_ops-watch", self.step, IDLE, end=self._ended.set),)

    def step(self, context: toolroll.PackContext) -> bool:
        """Index what is declared, once; then wait for a change for at most a second.

        A collection that cannot be indexed keeps none of the others from it.
        """
        settings = cast("FileOpsSettings", context.settings)
        if not settings.collections:
            return False
        if self._waiting is None:
            self._waiting = dict.fromkeys(settings.collections, "")
        if self._waiting and time.monotonic() >= self._due:
            self._begin(context, self._waiting)
            self._due = time.monotonic() + AGAIN
        if not settings.watch or not self._spaces:
            for space in self._spaces:
                space.refresh(self._check)
            return False
        if self._events is None:
            self._events = _events(self._spaces, self._ended)
        try:
            changes = next(self._events)
        except (OSError, StopIteration) as error:
            self._events = None  # tried again after a rest
            self._check()
            if self._untold != str(error):
                self._untold = str(error)
                context.log.warning("%s", _no_notices(error))
            for space in self._spaces:
                space.refresh(self._check)
            return False
        _refresh_changed(self._spaces, changes, self._check)
        return True

    def _check(self) -> None:
        """Raise if the host ends: what is indexed stays, and the next host goes on there."""
        if self._ended.is_set():
            raise toolroll.ResourceBusy("the host ends")

    def _begin(self, context: toolroll.PackContext, waiting: dict[CollectionSettings, str]) -> None:
        """Index the collections that wait for it; say once why one cannot be, and keep it."""
        engine = self._pack.engine(context)
        for item, said in list(waiting.items()):
            try:
                space = engine.declare(
                    context,
                    item.name,
                    item.path,
                    include=list(item.include),
                    exclude=list(item.exclude),
                )
                space.refresh(self._check, force=True)
            except toolroll.ToolError as error:
                if error.retryable:  # of the database: soon, and for all of them
                    raise
                if error.message != said:
                    context.log.warning(
                        "collection %r is not indexed: %s", item.name, error.message
                    )
                waiting[item] = error.message
                continue
            del waiting[item]
            self._spaces.append(space)
            self._events = None  # watched together with the others from the next step on


def watch_until(
    stop: threading.Event,
    spaces: Sequence[Space],
    done: Callable[[], None],
    warn: Callable[[str], None],
) -> None:
    """Index changes as they happen until `stop` is set.

    Args:
        stop: Ends it.
        spaces: The collections.
        done: Called after each change.
        warn: Told once if the system doesn't tell of changes, so that they are looked for.
    """
    try:
        _follow(stop, spaces, done)
    except (OSError, StopIteration) as error:
        if not stop.is_set():
            warn(_no_notices(error))
        while not stop.wait(LOOK_SECONDS):
            before = [space.seq for space in spaces]
            for space in spaces:
                space.refresh(no_check, force=True)
            if [space.seq for space in spaces] != before:
                done()


def _follow(stop: threading.Event, spaces: Sequence[Space], done: Callable[[], None]) -> None:
    events = _events(spaces, stop)
    changes = next(events)
    for space in spaces:  # of what changed before the watch stood nobody tells
        space.refresh(no_check, force=True)
    while not stop.is_set():
        if changes and _refresh_changed(spaces, changes, no_check):
            done()
        changes = next(events)


def _no_notices(error: Exception) -> str:
    return (
        f"the system does not tell of changes ({str(error) or 'it ended'}); they are looked for "
        "now and then, and before each answer. If it is out of watches, raise "
        "fs.inotify.max_user_watches"
    )


def _events(
    spaces: Sequence[Space], stop: threading.Event
) -> Generator[set[tuple[Any, str]], None, None]:
    from watchfiles import watch

    return watch(
        *(space.place.root.path for space in spaces),
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        rust_timeout=STEP_MS,
        yield_on_timeout=True,
        raise_interrupt=False,
        stop_event=stop,
    )


def _refresh_changed(spaces: Sequence[Space], changes: set[tuple[Any, str]], check: Check) -> bool:
    """Look again at each collection in which something that belongs to it changed."""
    touched = False
    for space in spaces:
        root = space.place.root.path
        paths = (Path(path) for _, path in changes)
        inside = [path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)]
        if any(path in space.files or space.rules.admits(path) for path in inside):
            space.refresh(check, force=True)
            touched = True
    return touched
