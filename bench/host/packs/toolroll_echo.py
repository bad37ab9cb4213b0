"""The smallest pack with a plain handler, which runs in a worker thread."""

from __future__ import annotations

from pydantic import BaseModel

import toolroll


class Echo(toolroll.Params):
    text: str


class Text(BaseModel):
    text: str


class EchoPack(toolroll.Pack):
    name = "echo"

    @toolroll.tool()
    def echo(self, ctx: toolroll.ToolContext, args: Echo) -> Text:
        """Echo the text back."""
        return Text(text=args.text)


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    return EchoPack()
