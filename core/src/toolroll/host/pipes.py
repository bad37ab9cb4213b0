"""Standard input and output on the event loop, where they are pipes.

The SDK reads and writes them in threads, three hops for each call, and its reader can't be called
off. A pipe needs neither: the loop itself says when there is something to read or room to write.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from attrs import define, field

__all__ = ["Input", "Output", "claimed_pipes"]

CHUNK_BYTES: Final = 65_536
"""Most bytes taken from the pipe at once: what a Linux pipe holds."""


def _nobody(line: bytes) -> bool:
    return False


def _nothing() -> None:
    return


@define(eq=False)
class Input:
    """The part of `anyio.AsyncFile[str]` that the SDK's stdio transport reads, over one pipe.

    Args:
        descriptor: A pipe's or socket's, in non-blocking mode.

    Attributes:
        taken: Is offered each line first, in the event loop; what it takes is not yielded.
        ended: Is called when the pipe has ended and all lines are yielded.
    """

    descriptor: int
    taken: Callable[[bytes], bool] = field(default=_nobody, init=False)
    ended: Callable[[], None] = field(default=_nothing, init=False)
    _begun: list[bytes] = field(factory=list[bytes], init=False)
    _lines: deque[bytes] = field(factory=deque[bytes], init=False)
    _news: asyncio.Event = field(factory=asyncio.Event, init=False)
    _ended: bool = field(default=False, init=False)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield lines as they come, with U+FFFD for what is not UTF-8, until the pipe ends."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                while self._lines:
                    yield self._lines.popleft().decode("utf-8", "replace")
                if self._ended:
                    self.ended()
                    return
                self._news.clear()
                loop.add_reader(self.descriptor, self._read)
                await self._news.wait()
        finally:
            loop.remove_reader(self.descriptor)

    def _read(self) -> None:
        """Take what there is; where a line is left for the reader, wait until it has read it."""
        try:
            chunk = os.read(self.descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return
        except ConnectionResetError:  # a socket's way to end
            chunk = b""
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            self._offer(b"".join([*self._begun, line]))
            self._begun.clear()
        if rest:
            self._begun.append(rest)
        if not chunk:
            self._ended = True
            if last := b"".join(self._begun):
                self._offer(last)
        if self._lines or self._ended:
            asyncio.get_running_loop().remove_reader(self.descriptor)
            self._news.set()

    def _offer(self, line: bytes) -> None:
        if not self.taken(line):
            self._lines.append(line)


@define(eq=False)
class Output:
    """The part of `anyio.AsyncFile[str]` that the SDK's stdio transport writes, over one pipe.

    Args:
        descriptor: A pipe's or socket's, in non-blocking mode.

    Attributes:
        heard: Is shown each text that the SDK writes; None where nobody listens.
    """

    descriptor: int
    heard: Callable[[str], None] | None = field(default=None, init=False)
    _left: deque[memoryview] = field(factory=deque[memoryview], init=False)
    _drained: asyncio.Event = field(factory=asyncio.Event, init=False)

    async def write(self, text: str) -> None:
        """Write a text of the SDK's."""
        if self.heard is not None:
            self.heard(text)
        await self.put(text)

    async def put(self, text: str) -> None:
        """Write a text whole, and wait until there is room for more.

        What has been begun is written even if this is called off. Where nobody reads any more it
        is dropped: the input ends next, and the host with it.
        """
        rest = memoryview(text.encode())
        if not self._left:
            rest = self._written(rest)
        if not rest:
            return
        self._left.append(rest)
        if len(self._left) == 1:
            self._drained.clear()
            asyncio.get_running_loop().add_writer(self.descriptor, self._write_on)
        await self._drained.wait()

    def _written(self, data: memoryview) -> memoryview:
        """Write what there is room for, and return the rest."""
        try:
            return data[os.write(self.descriptor, data) :]
        except BlockingIOError:
            return data
        except (BrokenPipeError, ConnectionResetError):
            return data[:0]

    def _write_on(self) -> None:
        rest = self._written(self._left.popleft())
        if rest:
            self._left.appendleft(rest)
        elif not self._left:
            asyncio.get_running_loop().remove_writer(self.descriptor)
            self._drained.set()

    async def flush(self) -> None:
        """Nothing is held back."""


@contextmanager
def claimed_pipes() -> Generator[tuple[Any, Any]]:
    """Yield what to give to the SDK's `stdio_server`: an `Input`, an `Output`; or None for its own.

    While they are ours, what handlers or their children read from standard input ends at once, and
    what they print goes to standard error: neither can touch the protocol.
    """
    if sys.platform == "win32" or not (_is_pipe(0) and _is_pipe(1)):
        yield None, None
        return
    with ExitStack() as stack:
        reader = stack.enter_context(_moved(0, os.open(os.devnull, os.O_RDONLY)))
        writer = stack.enter_context(_moved(1, os.dup(2)))
        yield Input(reader), Output(writer)


def _is_pipe(descriptor: int) -> bool:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False  # closed
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


@contextmanager
def _moved(descriptor: int, substitute: int) -> Generator[int]:
    """Yield a private, non-blocking duplicate of a standard descriptor, its place taken over."""
    private = os.dup(descriptor)
    os.dup2(substitute, descriptor)
    os.close(substitute)
    os.set_blocking(private, False)
    try:
        yield private
    finally:
        os.set_blocking(private, True)
        os.dup2(private, descriptor)
        os.close(private)
