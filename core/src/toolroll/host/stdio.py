"""The stdio transport: one process, one client, drained on SIGTERM."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Final

import anyio
from mcp.server.stdio import stdio_server

from toolroll.host.express import Express
from toolroll.host.pipes import claimed_pipes
from toolroll.host.server import Warmup, build_server
from toolroll.runtime import Runtime

__all__ = ["serve_stdio"]

DRAIN_SECONDS: Final = 10.0
"""How long calls under way may take to end after SIGTERM."""
PATIENCE_SECONDS: Final = 0.5
"""How long until those that can stop are asked to: many clients kill a host 2 s after SIGTERM."""
SWITCH_SECONDS: Final = 0.0005
"""How long a thread may keep Python's lock while others want it. A call asks for it a dozen times:
with Python's own 0.005 a background worker would keep it waiting ten times as long."""
LAST_WORDS_SECONDS: Final = 0.25
"""How long their answers may take to leave."""


def serve_stdio(runtime: Runtime) -> None:
    """Serve until standard input ends or SIGTERM comes, then drain and close."""
    sys.setswitchinterval(SWITCH_SECONDS)
    anyio.run(_serve, runtime)


async def _serve(runtime: Runtime) -> None:
    warmup = Warmup(runtime)
    server = build_server(runtime, warmup)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_drain_on_signal, runtime, warmup)
        with claimed_pipes() as streams:
            async with _express(runtime, *streams), stdio_server(*streams) as (reader, writer):
                await server.run(reader, writer, server.create_initialization_options())
        tasks.cancel_scope.cancel()
    warmup.stop()
    runtime.close()


def _express(runtime: Runtime, source: Any, target: Any) -> AbstractAsyncContextManager[Any]:
    """Answer simple calls past the SDK, where the streams are ours."""
    return nullcontext() if source is None else Express(runtime, source, target)


async def _drain_on_signal(runtime: Runtime, warmup: Warmup) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            grace = DRAIN_SECONDS - PATIENCE_SECONDS
            await anyio.to_thread.run_sync(runtime.caller.finish, PATIENCE_SECONDS, grace)
            await anyio.sleep(LAST_WORDS_SECONDS)
            warmup.stop()
            await anyio.to_thread.run_sync(runtime.close)
            sys.stderr.flush()
            # the SDK's reader thread sits in readline and would keep the process until stdin ends
            os._exit(0)
