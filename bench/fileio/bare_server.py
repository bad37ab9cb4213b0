"""A server that does nothing: what the MCP library itself takes for a call over stdio.

It advertises the schemas of the pack as a host does: clients check answers against them.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import anyio
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from toolroll.schema import advertised

BODY = ("The quick brown fox jumps over the lazy dog. " * 100)[:4096]
TIME = "2026-01-01T00:00:00.000001Z"
ANSWERS: dict[str, dict[str, Any]] = {
    "file_read": {"content": BODY, "content_encoding": "utf-8"},
    "file_write": {"bytes_written": len(BODY)},
    "file_list": {
        "entries": [
            {
                "name": f"{i}.txt",
                "path": f"/l/{i}.txt",
                "type": "FILE",
                "size": len(BODY),
                "created_at": TIME,
                "updated_at": TIME,
            }
            for i in range(100)
        ],
        "has_more": False,
    },
}


async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
    contract = json.loads(resources.files("toolroll_fileio").joinpath("contract.json").read_text())
    tools = [
        types.Tool(
            name=tool["name"],
            input_schema=tool["inputSchema"],
            output_schema=advertised(tool["outputSchema"]),
        )
        for tool in contract["tools"]
        if tool["name"] in ANSWERS
    ]
    return types.ListToolsResult(tools=tools)


async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    answer = ANSWERS[params.name]
    text = json.dumps(answer, separators=(",", ":"))
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)


async def main() -> None:
    server: Server[Any] = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
