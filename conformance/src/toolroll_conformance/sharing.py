"""Servers that one check leaves to the next: what their calls did changed nothing."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from contextlib import ExitStack
from typing import Final

from attrs import field, frozen

from toolroll_conformance.case_runner import CaseRun
from toolroll_conformance.legs.base import Connection

__all__ = ["Idle", "Lease", "Worn"]

MOST_IDLE: Final = 8


class Worn(Exception):
    """Something failed on a server that earlier checks have used: only a fresh one can tell."""


@frozen(eq=False)
class Lease:
    """A server with its workspace.

    Attributes:
        stack: Ends both.
    """

    stack: ExitStack
    run: CaseRun
    connection: Connection


@frozen(eq=False)
class Idle:
    """Servers that wait for the next check, by what has been done on them."""

    _leases: list[tuple[Hashable, Lease]] = field(factory=list[tuple[Hashable, Lease]])
    _lock: threading.Lock = field(factory=threading.Lock)

    def take(self, key: Hashable) -> Lease | None:
        """Return a server on which just that has been done, if there is one."""
        with self._lock:
            for index, (done, lease) in enumerate(self._leases):
                if done == key:
                    del self._leases[index]
                    return lease
        return None

    def give(self, key: Hashable, lease: Lease) -> None:
        """Keep a server, or end it where enough are kept."""
        with self._lock:
            if len(self._leases) < MOST_IDLE:
                self._leases.append((key, lease))
                return
        lease.stack.close()

    def close(self) -> None:
        """End them all."""
        while self._leases:
            self._leases.pop()[1].stack.close()
