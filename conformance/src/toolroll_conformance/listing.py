"""A server's listing: all its pages, and the contract that is nothing but what it lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from toolroll.contract import Contract, ToolContract
from toolroll_conformance.legs.base import Connection
from toolroll_conformance.reply import Malformed, as_object

__all__ = ["EndlessListing", "all_pages", "contract_of", "nothing_promised"]

_MOST_PAGES: Final = 1000
_API_VERSION: Final = 1


class EndlessListing(Exception):
    """The listing has more pages than any server needs."""


def all_pages(connection: Connection) -> list[dict[str, Any]]:
    """Return every tool that a server lists.

    Raises:
        EndlessListing: There is always another page.
        Malformed: A page is none.
    """
    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = connection.list_tools(cursor)
        tools += _tools_of(page)
        following: Any = page.get("nextCursor")
        if following is None:
            return tools
        if not isinstance(following, str):
            raise Malformed(f"'nextCursor' is {following!r}, and no text")
        cursor = following
    raise EndlessListing(f"the listing does not end within {_MOST_PAGES} pages")


def _tools_of(page: Mapping[str, Any]) -> list[dict[str, Any]]:
    tools = page.get("tools")
    if not isinstance(tools, list):
        raise Malformed(f"the listing has no list 'tools': {dict(page)!r:.300}")
    found: list[dict[str, Any]] = []
    for item in cast("list[Any]", tools):
        tool = as_object(item) or {}
        described = isinstance(tool.get("description") or "", str)
        has_schema = as_object(tool.get("inputSchema")) is not None
        if not (isinstance(tool.get("name"), str) and described and has_schema):
            raise Malformed(f"a tool needs a name and an inputSchema: {item!r:.300}")
        found.append(tool)
    return found


def nothing_promised(name: str) -> Contract:
    """Return the contract of a server of which nothing is known yet."""
    return Contract(name, _API_VERSION, None, {}, ())


def contract_of(name: str, connection: Connection) -> Contract:
    """Return what a server promises by its listing alone: a contract to begin with.

    A listing does not say what errors look like, so that none is promised; nor which parameters
    are paths, nor whether the text beside a structured result is its JSON, so that it may be any.
    A result that is nothing but `result` is taken to be wrapped.

    Raises:
        EndlessListing: There is always another page.
    """
    tools = (ToolContract.from_json(_described(tool)) for tool in all_pages(connection))
    return Contract(name, _API_VERSION, None, {}, (), tuple(tools))


def _described(tool: Mapping[str, Any]) -> dict[str, Any]:
    known = {key: value for key, value in tool.items() if value is not None}
    results: Mapping[str, Any] = known.get("outputSchema", {}).get("properties", {})
    return {**known, "wrapped": set(results) == {"result"}, "markdown": True}
