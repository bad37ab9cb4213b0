"""Writers that wait for one another share a transaction, and so one sync to disk.

SQLite lets one writer in at a time, and a durable commit costs more than most changes. So a writer
that has finished while others of its process wait hands its open transaction to the next; the last
of a group commits for all, and none is told of success before. A writer alone commits at once.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Final

from attrs import define, field

from toolroll.errors import ResourceBusy

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["GroupCommit"]

MOST_MEMBERS: Final = 32
"""Writers in one transaction at most."""
LONGEST_SECONDS: Final = 0.05
"""Age from which on a transaction is committed although others wait."""


@define(eq=False)
class _Group:
    """The writers of one transaction; each but the last waits until it has ended.

    Attributes:
        begun: When the first writer got its turn, on the clock of `time.monotonic`.
        lost: Why nothing of it was committed.
    """

    give_back: Callable[[Connection], None]
    connection: Connection | None = None
    members: int = 0
    begun: float = field(factory=time.monotonic)
    ended: threading.Event = field(factory=threading.Event)
    lost: BaseException | None = None
    _committed: bool = field(default=False, init=False)

    def takes_more(self) -> bool:
        """Say whether one more writer may join."""
        young = time.monotonic() - self.begun < LONGEST_SECONDS
        return young and self.members < MOST_MEMBERS and self._is_whole()

    def _is_whole(self) -> bool:
        """Say whether nothing was lost; SQLite itself rolls all back when, say, a disk is full."""
        driver = self.connection.connection.dbapi_connection if self.connection else None
        return getattr(driver, "in_transaction", False)

    def commit(self) -> None:
        """Make it durable and give the connection back."""
        assert self.connection is not None
        try:
            if not self._is_whole():
                raise ResourceBusy("SQLite gave the transaction up; nothing was written; try again")
            self.connection.commit()
            self._committed = True
        except BaseException as error:
            self.lost = error
            raise
        finally:
            self.end()

    def end(self) -> None:
        """Give the connection back, without what was not committed, and free those who wait."""
        try:
            if self._committed and self.connection is not None:
                self.give_back(self.connection)
            elif self.connection is not None:
                self.connection.close()
        finally:
            self.ended.set()


@define(eq=False)
class _Waiter:
    """A writer that waits for its turn, and the group it then belongs to."""

    turn: threading.Event = field(factory=threading.Event)
    group: _Group | None = None


class GroupCommit:
    """The writers of one process on one SQLite file: one at a time, first come first served.

    Args:
        give_back: Takes a connection that has committed; any other is closed.
    """

    def __init__(self, give_back: Callable[[Connection], None]) -> None:
        self._give_back = give_back
        self._guard = threading.Lock()
        self._writing = False
        self._waiters: deque[_Waiter] = deque()

    @property
    def busy(self) -> bool:
        """Whether anybody writes, or waits for it."""
        return self._writing

    @contextlib.contextmanager
    def member(self, begin: Callable[[float], Connection], timeout: float) -> Generator[Connection]:
        """Write in a transaction that is durable once the block has ended without an error.

        Args:
            begin: Begins a transaction, waiting at most so many seconds for other processes.
            timeout: Seconds to wait for other writers.

        Raises:
            ResourceBusy: They took longer, or the shared transaction failed: nothing was written.
        """
        until = time.monotonic() + timeout
        group = self._enter(timeout)
        try:
            if group.connection is None:
                group.connection = begin(max(until - time.monotonic(), 0.0))
        except BaseException:
            self._next()
            raise
        group.members += 1
        try:
            if group.members == 1:
                yield group.connection
            else:  # what this writer does may fail without the others
                with group.connection.begin_nested():
                    yield group.connection
        except BaseException:
            group.members -= 1
            self._withdraw(group)
            raise
        if group.takes_more() and self._next(group):
            group.ended.wait()
            if group.lost is not None:
                raise ResourceBusy("the commit failed, nothing was written") from group.lost
        else:
            self._commit(group)

    def _enter(self, timeout: float) -> _Group:
        """Wait for the turn; return the group to join, or a new one."""
        with self._guard:
            if not self._writing:
                self._writing = True
                return _Group(self._give_back)
            waiter = _Waiter()
            self._waiters.append(waiter)
        try:
            waiter.turn.wait(timeout)
        except BaseException:  # an interrupt; a turn that has come meanwhile must not be lost
            if group := self._stop_waiting(waiter):
                self._withdraw(group)
            raise
        group = self._stop_waiting(waiter)
        if group is None:
            raise ResourceBusy(f"other calls are writing; not done within {timeout:g} s; try again")
        return group

    def _stop_waiting(self, waiter: _Waiter) -> _Group | None:
        with self._guard:
            if waiter.group is None:
                self._waiters.remove(waiter)
            return waiter.group

    def _withdraw(self, group: _Group) -> None:
        """Leave a group without a change of one's own; what those before did is committed."""
        if not group.members:
            try:
                group.end()
            finally:
                self._next()
        elif not (group.takes_more() and self._next(group)):
            with contextlib.suppress(Exception):  # those who wait for the group are told
                self._commit(group)

    def _commit(self, group: _Group) -> None:
        try:
            group.commit()
        finally:
            self._next()

    def _next(self, group: _Group | None = None) -> bool:
        """Give the turn to who has waited longest, in this group or a new one; False if none."""
        with self._guard:
            if not self._waiters:
                if group is None:
                    self._writing = False
                return False
            waiter = self._waiters.popleft()
            waiter.group = group or _Group(self._give_back)
        waiter.turn.set()
        return True
