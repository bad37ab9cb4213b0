"""Running a tool's handler: in a thread or on the loop, for how long, and what its exceptions are.

Readers end at the deadline or with their caller, writers at their own end: nobody abandons them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio

from toolroll.errors import DeadlineExceeded

if TYPE_CHECKING:
    from toolroll.context import ToolContext
    from toolroll.params import Params
    from toolroll.storage import Database
    from toolroll.threads import Threads
    from toolroll.tools import Tool

__all__ = ["handle"]


async def handle(
    threads: Threads, tool: Tool, context: ToolContext, args: Params, timeout: float, *, alone: bool
) -> Any:
    """Return what a tool's handler returns.

    Args:
        threads: Where plain handlers run.
        tool: Whose handler.
        context: The call's; it is cancelled when this ends, so that what still runs hears of it.
        args: Validated.
        timeout: Seconds that a reader may take from now on.
        alone: Nobody else calls: a brief writer may keep the event loop until it has ended.

    Raises:
        DeadlineExceeded: A reader took longer.
        Exception, SystemExit: What the handler raised; whatever else would end the host is the
            cause of a RuntimeError.
    """
    writes = tool.options.writes
    try:
        with anyio.CancelScope(shield=writes) as scope:
            if not writes:
                scope.deadline = anyio.current_time() + timeout
            return await _value(threads, tool, context, args, alone=alone)
        raise DeadlineExceeded(
            f"{tool.name} did not finish within {timeout:g} s; narrow the call and try again"
        )
    finally:
        context.cancel.cancel()


async def _value(
    threads: Threads, tool: Tool, context: ToolContext, args: Params, *, alone: bool
) -> Any:
    if not tool.is_async and not _is_quick(tool, context.database, alone=alone):
        left = context.deadline - time.monotonic()
        outcome = await threads.run(
            _in_thread,
            tool.handler,
            context,
            args,
            name=f"tool {tool.name}, call {context.call_id},",
            within=left if tool.options.writes else None,  # a reader is called off then
        )
        if isinstance(outcome, BaseException):
            raise _contained(outcome)
        return outcome
    try:
        value = tool.handler(context, args)
        return await value if tool.is_async else value
    except asyncio.CancelledError as error:
        if _is_called_off():
            raise
        raise _contained(error) from error
    except KeyboardInterrupt as error:  # the host's own comes as a signal to its event loop
        raise _contained(error) from error


def _is_quick(tool: Tool, database: Database, *, alone: bool) -> bool:
    """Say whether a handler may keep the event loop: going to a thread and back takes longer.

    Writers of several callers do better in threads, where they share commits.
    """
    writes = tool.options.writes
    return tool.options.brief and (alone or not writes) and database.is_at_hand(writing=writes)


def _in_thread(handler: Callable[..., Any], context: ToolContext, args: Params) -> Any:
    context.database.prepare()
    return handler(context, args)


def _contained(error: BaseException) -> BaseException:
    """Return what a handler raised, as an exception that ends its call and not the host.

    A cancellation or an interrupt that nobody sent would end every session of it.
    """
    if isinstance(error, Exception | SystemExit):
        return error
    contained = RuntimeError(f"the handler raised {type(error).__name__}")
    contained.__cause__ = error
    return contained


def _is_called_off() -> bool:
    """Say whether somebody cancels this task, so that a cancellation is none of the handler's."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
