"""The same echo tool on FastMCP, where it is installed."""

from __future__ import annotations

from fastmcp import FastMCP
from pydantic import BaseModel

server = FastMCP("fastmcp")


class Text(BaseModel):
    """What echo returns."""

    text: str


@server.tool
def echo(text: str) -> Text:
    """Echo the text back."""
    return Text(text=text)


if __name__ == "__main__":
    server.run(show_banner=False)
