"""The smallest pack with an `async def` handler, which runs on the event loop."""

from __future__ import annotations

from pydantic import BaseModel

import toolroll


class Echo(toolroll.Params):
    text: str


class Text(BaseModel):
    text: str


class AsyncEchoPack(toolroll.Pack):
    name = "echo_async"

    @toolroll.tool()
    async def echo(self, ctx: toolroll.ToolContext, args: Echo) -> Text:
        """Echo the text back."""
        return Text(text=args.text)


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    return AsyncEchoPack()
