"""A pack that is a moment late after each start, as its cases say: no rule is broken."""

from __future__ import annotations

import toolroll
from toolroll_zoo.shelf import Count, Shelf, keys


class Tardy(Shelf):
    """Lists the keys once its worker has looked twice, as one that fills an index does."""

    def __init__(self) -> None:
        self._looks = 0

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        return sorted(keys(ctx))[: args.limit] if self._looks > 1 else []

    def workers(self) -> tuple[toolroll.Worker, ...]:
        """Return the worker."""

        def look(context: toolroll.PackContext) -> bool:
            self._looks += 1
            return False

        return (toolroll.Worker("look", look),)
