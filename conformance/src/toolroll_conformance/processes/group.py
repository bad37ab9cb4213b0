"""The processes that a started one leaves behind: those of its process group.

What a server starts is in its group, unless it makes itself a daemon. A process that it leaves may
hold the server's standard output, so that who reads it to its end would wait for ever.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["end_group", "group_of"]

_PROCESSES: Final = Path("/proc")
_LONGEST: Final = 200
"""Characters shown of a command line."""


def group_of(leader: int) -> Mapping[int, str]:
    """Return the processes of a group that run, its leader apart: command lines by number.

    Only Linux tells; elsewhere there are none.
    """
    found: dict[int, str] = {}
    for entry in _PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            number = int(entry.name)
            state, _, group = _fields(entry)[:3]
            if int(group) == leader != number and state not in "ZX":
                words = (entry / "cmdline").read_bytes().split(b"\0")
                found[number] = b" ".join(words).decode("utf-8", "replace").strip()[:_LONGEST]
    return found


def _fields(process: Path) -> list[str]:
    """Return what `stat` tells after the name, which may hold anything: state, parent, group."""
    return (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()


def end_group(leader: int) -> None:
    """Kill what is left of a group."""
    for number in group_of(leader):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
