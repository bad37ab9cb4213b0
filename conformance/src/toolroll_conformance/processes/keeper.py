"""The process that `WarmLauncher` forks from: `python -m toolroll_conformance.processes.keeper`.

Its arguments name packs to import too. It talks over the Unix socket that is its standard input: a
line of JSON with three file descriptors in, `{"started": pid}` and later `{"ended": pid, "exit":
code}` out. It ends when the socket does.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import logging
import os
import pkgutil
import random
import select
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["main"]

HEAVY: Final = (
    "toolroll.cli.main",
    "toolroll.cli.serve",
    "toolroll.host.stdio",
    "toolroll.host.http",
    "toolroll.storage.migrations",
    "toolroll.storage.sqlite",
    "sqlalchemy.orm",
    "sqlalchemy.dialects.sqlite",
    "alembic.command",
    "alembic.config",
    "anyio._backends._asyncio",
    "filelock",
    "sqlite3",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.websockets.auto",
    "rich.console",
)
"""What every server imports sooner or later; none of it starts a thread."""
WITH_PACKS: Final = (
    "sqlalchemy.dialects.postgresql.psycopg",
    "redis",
    "numpy",
    "wordllama",
    "faiss",
)
"""What packs import at their first call, as far as it is installed."""
_MODULE: Final = "toolroll_conformance.processes.keeper"
_MOST_REQUEST: Final = 1 << 20


def main() -> None:
    """Import, then fork on demand; in a child, run the `toolroll` command line."""
    packs = sys.argv[1:]
    for name in HEAVY:
        _import(name)
    if packs:
        _import_packs(packs)
    gc.freeze()
    arguments = _keep()
    if arguments is None:
        return
    from toolroll.cli.main import main as toolroll

    sys.argv = ["toolroll", *arguments]
    toolroll()


def _import(name: str) -> None:
    with contextlib.suppress(Exception):  # the child says what is wrong, as a cold one would
        importlib.import_module(name)


def _import_packs(packs: Sequence[str]) -> None:
    """Import packs, each with all its modules, and what they import later.

    No fork has the threads that a pack starts on import: then this begins again without any pack.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy's would start threads on import
    logging.root.addHandler(logging.NullHandler())  # wordllama would set up logging on import
    for name in WITH_PACKS:
        _import(name)
    logging.root.handlers.clear()
    del os.environ["OPENBLAS_NUM_THREADS"]
    for name in packs:
        _import(name)
        paths = getattr(sys.modules.get(name), "__path__", ())
        for module in pkgutil.walk_packages(paths, f"{name}.", onerror=lambda name: None):
            if not module.name.endswith(".__main__"):
                _import(module.name)
    _read_tools(packs)
    if _has_threads():
        os.execv(sys.executable, [sys.executable, "-m", _MODULE])  # noqa: S606 (ourselves)


def _read_tools(packs: Sequence[str]) -> None:
    """Let the schemas of packs' tools be worked out before: half of what a fork has to do."""
    from toolroll.pack import Pack

    kinds: list[type[Pack]] = [Pack]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if kind.__module__.partition(".")[0] in packs:
            with contextlib.suppress(Exception):  # the child says what is wrong
                kind().tools()


def _has_threads() -> bool:
    tasks = Path("/proc/self/task")
    return threading.active_count() > 1 or (tasks.is_dir() and len(list(tasks.iterdir())) > 1)


def _keep() -> list[str] | None:
    """Serve requests; return in each child with its arguments, and in the keeper with None."""
    wire = socket.socket(fileno=os.dup(0))
    wake_in, wake_out = socket.socketpair()
    wake_out.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake_out.fileno())
    running: set[int] = set()
    while True:
        ready, _, _ = select.select([wire, wake_in], [], [])
        if wake_in in ready:
            wake_in.recv(4096)
            _reap(wire, running)
        if wire not in ready:
            continue
        data, descriptors, _, _ = socket.recv_fds(wire, _MOST_REQUEST, 3)
        if not data:
            break
        request = json.loads(data)
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for item in (wire, wake_in, wake_out):
                item.close()
            return _become(request, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        running.add(pid)
        _tell(wire, {"started": pid})
    for pid in running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return None


def _become(request: dict[str, Any], descriptors: list[int]) -> list[str]:
    os.setpgid(0, 0)  # what it leaves behind is told by its group
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(request["cwd"])
    random.seed()  # forks would all draw the same numbers
    return request["arguments"]


def _reap(wire: socket.socket, running: set[int]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        running.discard(pid)
        _tell(wire, {"ended": pid, "exit": os.waitstatus_to_exitcode(status)})


def _tell(wire: socket.socket, event: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        wire.sendall(json.dumps(event).encode() + b"\n")


if __name__ == "__main__":
    main()
