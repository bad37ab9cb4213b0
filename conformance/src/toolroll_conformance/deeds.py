"""What handlers do to the process that they share with the host and every other pack.

The leg in process notices it by Python's audit events, and by stand-ins for functions that raise
none. Only what a handler itself brings about counts: not what a library does while it is imported,
nor what the host does for a handler. What would end or copy the process is prevented, since it
would take the suite along.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import importlib
import inspect
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final
from unittest import mock

from attrs import field, frozen

__all__ = ["Watch", "standing_in", "watched"]

_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_IMPORTING: Final = "<frozen importlib._bootstrap>"
_SHARED: Final[dict[str, str]] = {
    "locale.setlocale": "format without the locale",
    "logging.basicConfig": "log by ctx.log, or a logger of the pack's own",
    "logging.disable": "log by ctx.log, or a logger of the pack's own",
    "os.umask": "give files their mode by os.open or os.fchmod",
    "random.seed": "make a random.Random(seed) of the pack's own",
    "socket.setdefaulttimeout": "set the timeout of each connection",
}
"""Functions that change what packs share and raise no audit event, with what to do instead."""
_PATHS: Final[dict[str, tuple[int, ...]]] = {
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.symlink": (1,),
    "os.truncate": (0,),
}
"""Audit events of changes to files, with which of their arguments are paths that change."""
_ENDING: Final = "which ends the host with every pack in it: raise a toolroll error instead"


@frozen(eq=False)
class Watch:
    """Notices what one call does to the process.

    Attributes:
        package: The top-level package of the pack, whose code is held to account.
        places: Directories in which handlers may write.
        deeds: What was noticed, each once, in the order it was done.
    """

    package: str
    places: Sequence[Path]
    _deeds: dict[str, None] = field(factory=dict[str, None], init=False)

    @property
    def deeds(self) -> tuple[str, ...]:
        """What was noticed so far, each as `did so, which is bad: do this instead (file:line)`."""
        return tuple(self._deeds)

    def note(self, what: str) -> bool:
        """Note a deed if the pack's code did it; say whether it did."""
        frame = _of_package(self.package, inspect.currentframe())
        if frame is not None:
            place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
            self._deeds.setdefault(f"{what} ({place})")
        return frame is not None


class Prevented(RuntimeError):
    """A handler was about to end or copy the process."""


_WATCH: Final[contextvars.ContextVar[Watch | None]] = contextvars.ContextVar("watch", default=None)


@contextlib.contextmanager
def watched(watch: Watch) -> Generator[None]:
    """Let a watch notice what is done in this context, and in threads that take it over."""
    _listen()
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


@contextlib.contextmanager
def standing_in() -> Generator[None]:
    """Put stand-ins where functions raise no audit event; for who isn't watched they are the same.

    They are put where modules keep them: a name that was imported out of one stays unnoticed.
    """
    with contextlib.ExitStack() as stack:
        for path, instead in _SHARED.items():
            _stand_in(stack, path, functools.partial(_tell_shared, path, instead))
        _stand_in(stack, "os._exit", _prevent_exit)
        _stand_in(stack, "time.sleep", _tell_sleep)
        yield


def _stand_in(stack: contextlib.ExitStack, path: str, tell: Callable[..., None]) -> None:
    module_name, name = path.rsplit(".", 1)
    module = importlib.import_module(module_name)
    real = getattr(module, name)

    @functools.wraps(real)
    def stand_in(*args: Any, **named: Any) -> Any:
        if (watch := _WATCH.get()) is not None:
            tell(watch, *args, **named)
        return real(*args, **named)

    stack.enter_context(mock.patch.object(module, name, stand_in))


def _tell_shared(path: str, instead: str, watch: Watch, *args: Any, **named: Any) -> None:
    if path == "locale.setlocale" and (args[1:] or (named.get("locale"),)) == (None,):
        return  # a question
    watch.note(f"called {path}, which changes it for every pack of the host: {instead}")


def _prevent_exit(watch: Watch, code: int) -> None:
    _prevent(watch, f"called os._exit({code}), {_ENDING}")


def _prevent(watch: Watch, what: str) -> None:
    if watch.note(what):
        raise Prevented(f"the suite has prevented it: {what}")


@functools.cache
def _listen() -> None:
    """Hear audit events from now on; nothing can take a hook away."""
    sys.addaudithook(_hear)


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if event not in _HEARD or (watch := _WATCH.get()) is None:
        return
    _HEARD[event](watch, event, args)


def _moved(watch: Watch, event: str, args: tuple[Any, ...]) -> None:
    watch.note(
        "changed the working directory, which every pack of the host shares: "
        "work with absolute paths, and give programs theirs by cwd="
    )


def _changed_environment(watch: Watch, event: str, args: tuple[Any, ...]) -> None:
    watch.note(
        f"changed the environment variable {os.fsdecode(args[0])}, which every pack of the host "
        "shares: give programs theirs by env="
    )


def _forked(watch: Watch, event: str, args: tuple[Any, ...]) -> None:
    _prevent(
        watch,
        "forked the host, whose other threads the copy does not have, and whose locks it may wait "
        "for for ever: start a program with subprocess, or with multiprocessing's 'spawn'",
    )


def _replaced(watch: Watch, event: str, args: tuple[Any, ...]) -> None:
    _prevent(watch, f"replaced the process by another program, {_ENDING}")


def _killed(watch: Watch, event: str, args: tuple[Any, ...]) -> None:
    number, signal_number = args
    own = {0, os.getpgrp()} if event == "os.killpg" else {0, -1, os.getpid(), -os.getpgrp()}
    if number in own and signal_number:
        _prevent(watch, f"sent the host signal {int(signal_number)}, {_ENDING}")


def _tell_sleep(watch: Watch, seconds: float) -> None:
    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        watch.note(
            "called time.sleep on the event loop, where every other call waits for it: "
            "await asyncio.sleep, or make the handler a plain def without brief"
        )


def _opened(watch: Watch, event: str, args: tuple[Any, ...]) -> None:
    path, _, flags = args
    if flags & _WRITING:
        _wrote(watch, path)


def _changed_file(watch: Watch, event: str, args: tuple[Any, ...]) -> None:
    for number in _PATHS[event]:
        _wrote(watch, args[number])


def _wrote(watch: Watch, path: Any) -> None:
    """Note a change of a file, if its path is absolute: others may be told from a descriptor."""
    if not isinstance(path, str | bytes) or not (named := Path(os.fsdecode(path))).is_absolute():
        return
    real = Path(os.path.realpath(named))
    if not any(real.is_relative_to(place) for place in (*watch.places, *_common_places())):
        watch.note(
            f"wrote to {real}, which is neither the project's nor the data's: write below "
            "ctx.root, in ctx.data_dir, or where tempfile does"
        )


def _common_places() -> Iterator[Path]:
    """Return where anybody may write: temporary files, caches and devices."""
    caches = ("~/.cache", "~/Library/Caches", os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    for place in (tempfile.gettempdir(), *caches, "/dev", "/proc"):
        yield Path(os.path.realpath(Path(place).expanduser()))


def _of_package(package: str, frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of a package; None if an import or core's own code is nearer."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if module == package:
            return frame
        if module == "toolroll" or frame.f_code.co_filename == _IMPORTING:
            return None
        frame = frame.f_back
    return None


_HEARD: Final[dict[str, Callable[[Watch, str, tuple[Any, ...]], None]]] = {
    "open": _opened,
    "os.chdir": _moved,
    "os.exec": _replaced,
    "os.fork": _forked,
    "os.forkpty": _forked,
    "os.kill": _killed,
    "os.killpg": _killed,
    "os.putenv": _changed_environment,
    "os.unsetenv": _changed_environment,
    **dict.fromkeys(_PATHS, _changed_file),
}
"""What is told of each audit event."""
