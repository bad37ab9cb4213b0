"""Standard input and output on the event loop, where they are pipes.

The SDK reads and writes them in threads, three hops for each call, and its reader can't be called
off. A pipe needs neither: the loop itself says when there is something to read or room to write.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import AsyncIterator, Generator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import anyio
from attrs import frozen

__all__ = ["Lines", "claimed_pipes"]

CHUNK_BYTES: Final = 65_536
"""Most bytes taken from the pipe at once: what a Linux pipe holds."""


@frozen
class Lines:
    """The part of `anyio.AsyncFile[str]` that the SDK's stdio transport uses, over one pipe.

    Args:
        descriptor: A pipe's or socket's, in non-blocking mode.
    """

    descriptor: int

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield lines as they come, with U+FFFD for what is not UTF-8, until the pipe ends."""
        begun: list[bytes] = []
        while chunk := await self._read():
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                yield b"".join([*begun, line]).decode("utf-8", "replace")
                begun.clear()
            begun.append(rest)
        if last := b"".join(begun):
            yield last.decode("utf-8", "replace")

    async def write(self, text: str) -> None:
        """Write a text whole, waiting for room as often as it takes.

        Where nobody reads any more it is dropped: the input ends next, and the host with it.
        """
        rest = memoryview(text.encode())
        while rest:
            try:
                rest = rest[os.write(self.descriptor, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self.descriptor)
            except (BrokenPipeError, ConnectionResetError):
                return

    async def flush(self) -> None:
        """Nothing is held back."""

    async def _read(self) -> bytes:
        while True:
            try:
                return os.read(self.descriptor, CHUNK_BYTES)
            except BlockingIOError:
                await anyio.wait_readable(self.descriptor)
            except ConnectionResetError:  # a socket's way to end
                return b""


@contextmanager
def claimed_pipes() -> Generator[tuple[Any, Any]]:
    """Yield the streams to give to the SDK's `stdio_server`: both ours, or None for its own.

    While they are ours, what handlers or their children read from standard input ends at once, and
    what they print goes to standard error: neither can touch the protocol.
    """
    if sys.platform == "win32" or not (_is_pipe(0) and _is_pipe(1)):
        yield None, None
        return
    with ExitStack() as stack:
        reader = stack.enter_context(_moved(0, os.open(os.devnull, os.O_RDONLY)))
        writer = stack.enter_context(_moved(1, os.dup(2)))
        yield Lines(reader), Lines(writer)


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
