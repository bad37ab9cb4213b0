"""The MCP server over a runtime: lists its tools, hands calls to the pipeline, returns answers.

All policy lives in `toolroll.call`; this module only speaks the protocol (both eras, as the SDK
negotiates them) and closes what the low-level server leaves open: nothing but a deliberate protocol
error leaves a handler, the listing is paged, stable and no longer than the caller's key allows, and
schemas are looked up, not re-listed.
"""

from __future__ import annotations

import base64
import functools
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

import anyio
import mcp.types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError

from toolroll.context import Principal
from toolroll.errors import UnknownTool
from toolroll.host.bearer import current_principal
from toolroll.host.tracing import traced_call
from toolroll.progress import Sink
from toolroll.runtime import Runtime
from toolroll.schema import advertised
from toolroll.tools import Tool

__all__ = ["PAGE_SIZE", "Warmup", "build_server"]

PAGE_SIZE: Final = 200
"""Tools on one page of `tools/list`."""
_LIST_TTL_MS: Final = 60_000
_WARM_DELAY: Final = 0.25
"""Seconds after the first answer; a client that starts up isn't slowed by our warming."""

Context = ServerRequestContext[Any]


class Warmup:
    """Opens databases and starts workers once, in a thread, after the first answer has gone out."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._timer: threading.Timer | None = None

    def trigger(self) -> None:
        """Start warming, unless that has been done."""
        if self._timer is None:
            self._timer = threading.Timer(_WARM_DELAY, self._warm)
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """Wait for warming under way, or call it off."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    def _warm(self) -> None:
        self._runtime.warm()
        self._runtime.start_workers()


def build_server(runtime: Runtime, warmup: Warmup) -> Server[Any]:
    """Return the low-level MCP server for a runtime; run it over any transport."""

    @functools.cache
    def pages(scopes: frozenset[str]) -> dict[str | None, types.ListToolsResult]:
        return _pages([t for t in runtime.registry.tools.values() if t.scope in scopes])

    headers = runtime.registry.credential_headers

    def caller(context: Context) -> Principal:
        return current_principal(context.request, headers)

    async def on_list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        warmup.trigger()
        cursor = params.cursor if params is not None else None
        if (page := pages(caller(context).scopes).get(cursor)) is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown cursor: {cursor}")
        return page

    async def on_call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        warmup.trigger()
        if params.name not in runtime.registry.tools:
            raise MCPError(types.INVALID_PARAMS, str(UnknownTool(params.name)))
        async with _progress(context) as progress:
            answer = await traced_call(
                runtime, params.name, params.arguments or {}, caller(context), progress
            )
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)],
            structured_content=None if answer.is_error else answer.structured,
            is_error=answer.is_error,
        )

    def input_schema(name: str) -> Mapping[str, Any] | None:
        tool = runtime.registry.tools.get(name)
        return tool.contract.input_schema if tool is not None else None

    server: Server[Any] = Server(
        "toolroll",
        title="Toolroll",
        version=version("toolroll"),
        instructions=_instructions(runtime),
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
        cache_hints={"tools/list": CacheHint(ttl_ms=_LIST_TTL_MS, scope="private")},
        get_tool_input_schema=input_schema,
    )
    server.create_initialization_options = _announcing_changes(server.create_initialization_options)
    return server


@asynccontextmanager
async def _progress(context: Context) -> AsyncGenerator[Sink | None]:
    """Yield what tells a call's progress as long as the caller waits for it; None if nobody asks.

    A writer goes on when it is called off, and isn't told of it; clients report progress of what
    they don't await as an error.
    """
    if "progress_token" not in (context.meta or {}):
        yield None
        return
    waits = True

    async def tell(done: float, total: float | None, message: str | None) -> None:
        if waits:
            await context.session.report_progress(done, total, message)

    async def watch() -> None:
        nonlocal waits
        try:
            await anyio.sleep_forever()
        finally:
            waits = False

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        yield tell
        tasks.cancel_scope.cancel()


def _announcing_changes(create: Callable[..., InitializationOptions]) -> Any:
    """Announce tool-list changes over HTTP too, where the SDK passes no options of ours."""
    return functools.partial(create, NotificationOptions(tools_changed=True))


def _instructions(runtime: Runtime) -> str | None:
    texts = [item.pack.instructions for item in runtime.registry.packs.values()]
    return "\n\n".join(text for text in texts if text) or None


def _pages(tools: list[Tool]) -> dict[str | None, types.ListToolsResult]:
    """Return every page of the listing by its cursor; None names the first."""
    pages: dict[str | None, types.ListToolsResult] = {}
    cursor: str | None = None
    for start in range(0, max(len(tools), 1), PAGE_SIZE):
        chunk = tools[start : start + PAGE_SIZE]
        rest = start + PAGE_SIZE < len(tools)
        following = _cursor(chunk[-1].name) if rest else None
        pages[cursor] = types.ListToolsResult(
            tools=[_listed(tool) for tool in chunk], next_cursor=following
        )
        cursor = following
    return pages


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _listed(tool: Tool) -> types.Tool:
    contract, hints = tool.contract, tool.contract.annotations
    return types.Tool(
        name=contract.name,
        title=contract.title,
        description=contract.description,
        input_schema=contract.input_schema,
        output_schema=advertised(contract.output_schema),
        annotations=types.ToolAnnotations(
            title=contract.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
        _meta={"toolroll/pack": tool.pack.name},
    )
