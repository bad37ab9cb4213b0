"""The hosts of one workspace: one, or several that calls go to in turn, as through a balancer."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, Protocol

from attrs import field, frozen, mutable

from toolroll_conformance.legs.starting import PackServer, Running
from toolroll_conformance.workspace import Workspace

__all__ = ["Elsewhere", "Fleet", "Hosts"]

CALLS_TO_A_KILL: Final = 5
"""In an unrestful fleet a host is killed before every so many calls."""


class Hosts(Protocol):
    """What answers on HTTP."""

    def start(self) -> None:
        """Start them; they listen when this returns."""
        ...

    @contextmanager
    def lend(self) -> Generator[str]:
        """Return the address of the host whose turn it is; no one kills it while it is lent."""
        ...

    def end(self, *, kill: bool) -> None:
        """End them all, with SIGKILL or in order."""
        ...


@frozen
class Elsewhere:
    """A server at a given address, which is not ours to start or end."""

    url: str

    def start(self) -> None:
        """Do nothing."""

    @contextmanager
    def lend(self) -> Generator[str]:
        """Return its address."""
        yield self.url

    def end(self, *, kill: bool) -> None:
        """Do nothing."""


@mutable(eq=False)
class _Host:
    running: Running
    url: str = ""
    calls: int = 0
    is_up: bool = True


@mutable(eq=False)
class Fleet:
    """Hosts that we start, on loopback ports.

    Args:
        starter: Starts one.
        workspace: What they serve.
        size: How many there are.
        unrest: Whether hosts without a call in hand are killed all along, one at a time, and
            started again, while the others answer.
    """

    starter: PackServer
    workspace: Workspace
    size: int = 1
    unrest: bool = False
    _hosts: list[_Host] = field(factory=list[_Host], init=False)
    _turns: itertools.count[int] = field(factory=itertools.count, init=False)
    _changed: threading.Condition = field(factory=threading.Condition, init=False)
    _restart: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """Start every host at once and wait until all listen."""
        self._hosts = [_Host(self.starter.http(self.workspace)) for _ in range(self.size)]
        for host in self._hosts:
            host.url = host.running.address()

    @contextmanager
    def lend(self) -> Generator[str]:
        """Return the address of the next host that is up."""
        with self._changed:
            turn = next(self._turns)
            if self.unrest and turn % CALLS_TO_A_KILL == CALLS_TO_A_KILL - 1:
                self._kill_an_idle_one(turn)
            up = [host for host in self._hosts if host.is_up]
            host = up[turn % len(up)]
            host.calls += 1
        try:
            yield host.url
        finally:
            with self._changed:
                host.calls -= 1

    def end(self, *, kill: bool) -> None:
        """End every host."""
        if self._restart is not None:
            self._restart.join()
        for host in self._hosts:
            if kill:
                host.running.kill()
            else:
                host.running.stop()

    def _kill_an_idle_one(self, turn: int) -> None:
        idle = [host for host in self._hosts if host.is_up and not host.calls]
        if len(idle) < 2 or (self._restart is not None and self._restart.is_alive()):
            return
        host = idle[turn % len(idle)]
        host.is_up = False
        self._restart = threading.Thread(target=self._replace, args=(host,), daemon=True)
        self._restart.start()

    def _replace(self, host: _Host) -> None:
        host.running.kill()
        running = self.starter.http(self.workspace)
        url = running.address()
        with self._changed:
            host.running, host.url, host.is_up = running, url, True
