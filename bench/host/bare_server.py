"""The floor: an echo tool on the SDK's low-level server, with nothing around it."""

from __future__ import annotations

import json

import anyio
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ECHO = types.Tool(
    name="echo",
    description="Echo the text back.",
    input_schema={**TEXT, "additionalProperties": False},
    output_schema=TEXT,
    annotations=types.ToolAnnotations(read_only_hint=True, idempotent_hint=True),
)


async def list_tools(context: object, params: object) -> types.ListToolsResult:
    """Return the one tool."""
    return types.ListToolsResult(tools=[ECHO])


async def call_tool(context: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Echo, without a check of any kind."""
    payload = {"text": (params.arguments or {})["text"]}
    text = types.TextContent(text=json.dumps(payload))
    return types.CallToolResult(content=[text], structured_content=payload)


async def main() -> None:
    """Serve over stdio until the input ends."""
    server: Server[object] = Server(
        "bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
