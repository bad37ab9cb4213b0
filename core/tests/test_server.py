"""The MCP server over a runtime, in memory, in both protocol eras."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import ClassVar

import anyio
import anyio.to_thread
import pytest
from mcp import Client, MCPError
from pydantic import BaseModel

import toolroll
from toolroll.host import server as host_server
from toolroll.host.server import Warmup, build_server
from toolroll.runtime import Runtime

OpenRuntime = Callable[..., Runtime]
ERAS = ("legacy", "auto")
WAIT = 120.0


class Nothing(toolroll.Params):
    pass


class Text(BaseModel):
    text: str


class Lab(toolroll.Pack):
    name = "lab"
    instructions = "Reach for the lab to try things."
    errors: ClassVar = {}

    def __init__(self) -> None:
        self.together = threading.Barrier(4)
        self.entered = threading.Event()
        self.leave = threading.Event()
        self.left = threading.Event()

    @toolroll.tool()
    def a_meet(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Return when four calls are inside at once."""
        self.together.wait(WAIT)
        return Text(text="met")

    @toolroll.tool(open_world=True, title="Write it")
    def b_read(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Read.

        With more to say.
        """
        return Text(text="read")

    @toolroll.tool(writes=True, destructive=True)
    def c_write(self, ctx: toolroll.ToolContext, args: Nothing) -> Text:
        """Write until released."""
        self.entered.set()
        self.leave.wait(WAIT)
        self.left.set()
        return Text(text="written")

    @toolroll.tool()
    def d_list(self, ctx: toolroll.ToolContext, args: Nothing) -> list[str]:
        """List."""
        return ["a"]

    @toolroll.tool()
    def e_report(self, ctx: toolroll.ToolContext, args: Nothing) -> toolroll.Markdown:
        """Report."""
        return toolroll.Markdown("# Report")


@pytest.fixture
def lab() -> Lab:
    return Lab()


@pytest.fixture
def connect(open_runtime: OpenRuntime, lab: Lab) -> Callable[[str], Client]:
    def make(mode: str) -> Client:
        runtime = open_runtime(lab)
        return Client(build_server(runtime, Warmup(runtime)), mode=mode)  # type: ignore[arg-type]

    return make


pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", ERAS)]


async def test_a_tool_is_listed_with_all_its_contract_says(
    connect: Callable[[str], Client], mode: str
) -> None:
    async with connect(mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    read, write = tools["b_read"], tools["c_write"]
    assert list(tools) == ["a_meet", "b_read", "c_write", "d_list", "e_report"]
    assert (read.title, read.description) == ("Write it", "Read.\n\nWith more to say.")
    assert read.annotations is not None
    assert write.annotations is not None
    assert (read.annotations.read_only_hint, read.annotations.open_world_hint) == (True, True)
    assert (write.annotations.read_only_hint, write.annotations.destructive_hint) == (False, True)
    assert read.output_schema == {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    }
    assert read.meta == {"toolroll/pack": "lab"}


async def test_every_kind_of_result_has_text_and_structure(
    connect: Callable[[str], Client], mode: str
) -> None:
    async with connect(mode) as client:
        for tool, text, structured in (
            ("b_read", '{"text":"read"}', {"text": "read"}),
            ("d_list", '["a"]', {"result": ["a"]}),
            ("e_report", "# Report", {"result": "# Report"}),
        ):
            result = await client.call_tool(tool, {})
            assert [part.text for part in result.content] == [text]  # type: ignore[union-attr]
            assert result.structured_content == structured


async def test_an_error_has_no_structure_that_clients_would_hold_to_the_schema_of_results(
    connect: Callable[[str], Client], mode: str
) -> None:
    async with connect(mode) as client:
        for tool in ("b_read", "d_list", "e_report"):
            result = await client.call_tool(tool, {"nothing": 1})
            assert (result.is_error, result.structured_content) == (True, None)
            (said,) = result.content
            assert "unknown argument nothing" in json.loads(said.text)["message"]  # type: ignore[union-attr]


async def test_a_long_listing_comes_in_pages(
    connect: Callable[[str], Client], monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr(host_server, "PAGE_SIZE", 2)
    async with connect(mode) as client:
        names: list[str] = []
        sizes: list[int] = []
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            sizes.append(len(page.tools))
            cursor = page.next_cursor
            if cursor is None:
                break
        with pytest.raises(MCPError, match="Unknown cursor"):
            await client.list_tools(cursor="nowhere")
    assert names == ["a_meet", "b_read", "c_write", "d_list", "e_report"]
    assert sizes == [2, 2, 1]


async def test_plain_handlers_run_at_the_same_time(
    connect: Callable[[str], Client], mode: str
) -> None:
    met: list[object] = []

    async def meet(client: Client) -> None:
        met.append((await client.call_tool("a_meet", {})).structured_content)

    async with connect(mode) as client, anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(meet, client)
    assert met == [{"text": "met"}] * 4


async def test_a_caller_that_gives_up_does_not_stop_a_write(
    connect: Callable[[str], Client], lab: Lab, mode: str
) -> None:
    async with connect(mode) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "c_write", {})
            assert await anyio.to_thread.run_sync(lab.entered.wait, WAIT)
            tasks.cancel_scope.cancel()
            lab.leave.set()
        assert await anyio.to_thread.run_sync(lab.left.wait, WAIT)


async def test_the_instructions_of_the_packs_reach_the_client(
    connect: Callable[[str], Client], mode: str
) -> None:
    async with connect(mode) as client:
        assert client.instructions == "Reach for the lab to try things."
