"""A pack that prints and raises: the host has to make up for it, and no rule is broken."""

from __future__ import annotations

import toolroll
from toolroll_zoo.shelf import Count, Shelf, keys

SECRET = "hunter2 in /etc/passwd"  # noqa: S105 (what must not get out)


class Clumsy(Shelf):
    """Prints while it works, and raises with a secret in the message."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        print("listing", flush=True)
        if args.limit == 7:
            raise RuntimeError(SECRET)
        return sorted(keys(ctx))[: args.limit]
