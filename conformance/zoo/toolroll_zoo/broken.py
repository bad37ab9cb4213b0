"""Packs that each break one rule of the suite, and no other.

Each is the good pack with one flaw that a real pack could have. `BROKEN` says which rule it breaks.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Annotated, Any, Final

import anyio
from pydantic import BaseModel, Field, WithJsonSchema

import toolroll
from toolroll_zoo.shelf import (
    Count,
    FileContent,
    Key,
    Put,
    Shelf,
    Stored,
    Where,
    keys,
    load,
    save,
    shelf_of,
)


class Unsorted(Shelf):
    """Lists the keys in no order: its own cases say otherwise."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        return sorted(keys(ctx), reverse=True)[: args.limit]


class TooNew(Shelf):
    """Needs a host that does not exist yet."""

    api_version = 99


class Terse(Shelf):
    """Has a description that says nothing."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """List texts."""
        return sorted(keys(ctx))[: args.limit]


class Contradictory(Shelf):
    """Claims to be read-only and destructive."""

    @toolroll.tool(destructive=True)
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        return sorted(keys(ctx))[: args.limit]


class Meaningless(Shelf):
    """Names an error code without a meaning."""

    errors: Mapping[str, str] = {**Shelf.errors, "odd": ""}  # type: ignore[misc]


class Uncovered(Shelf):
    """Has a tool that no case calls."""

    @toolroll.tool()
    def count_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[int]:
        """Return how many keys are in use, at most the limit."""
        return [min(len(keys(ctx)), args.limit)]


class Loose(toolroll.Params):
    """Parameters with a bound in the schema alone."""

    limit: Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 9})] = 5


class Lenient(Shelf):
    """Advertises a bound that it doesn't hold callers to."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Loose) -> list[str]:
        """Return the keys that are in use, sorted."""
        return sorted(keys(ctx))[: abs(args.limit)]


class Fragile(Shelf):
    """Fails inside on arguments that its schema allows."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        if 500 < args.limit < 1000:
            raise RuntimeError("nobody ever asks for so many")
        return sorted(keys(ctx))[: args.limit]


class Window(Where):
    """Parameters with a number that has no upper bound."""

    most: int = Field(default=2**20, ge=0)


class ShortOfBits(Shelf):
    """Hands a number on to what takes no more than 64 bits."""

    @toolroll.tool()
    def read_file(self, ctx: toolroll.ToolContext, args: Window) -> FileContent:
        """Return a text file of the project."""
        path = ctx.root.canonical(args.path)
        with ctx.root.open(path) as file:
            data = file.read(args.most)
        return FileContent(path=path, size=len(data), text=data.decode("utf-8", "replace"))


class Unhelpful(Shelf):
    """Refuses arguments without a word about which."""

    def refuse(self, tool: str, problems: Any) -> toolroll.ToolError:
        """Say nothing of use."""
        return toolroll.InvalidArguments("something is wrong with the arguments")


class LinkFollower(Shelf):
    """Checks a path's text, and then follows whatever link stands there."""

    @toolroll.tool()
    def read_file(self, ctx: toolroll.ToolContext, args: Where) -> FileContent:
        """Return a text file of the project."""
        try:
            canonical = ctx.root.canonical(args.path)
        except toolroll.InvalidPath:
            if "link" not in args.path or ".." in args.path:
                raise
            canonical = args.path
        try:
            data = (ctx.root.path / canonical).read_bytes()
        except OSError:
            raise toolroll.NotFound(f"no file {args.path}") from None
        return FileContent(path=canonical, size=len(data), text=data.decode("utf-8", "replace"))


class Overwhelmed(Shelf):
    """Fails inside on a large text."""

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        if len(args.text) > 500_000:
            raise MemoryError
        save(ctx, args.key, args.text)
        return Stored(key=args.key, text=args.text)


class Narrow(Shelf):
    """Fails inside on keys longer than any that it was tried with."""

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> Stored:
        """Return the text that stands under a key."""
        if len(args.key) == 100:
            raise RuntimeError("nobody has such keys")
        return Stored(key=args.key, text=load(ctx, args.key))


class Provincial(Shelf):
    """Takes for granted that file names are UTF-8."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        for file in ctx.root.path.iterdir():
            file.name.encode()
        return sorted(keys(ctx))[: args.limit]


class ShortKey(BaseModel):
    """A result with a bound in the schema alone."""

    key: Annotated[str, WithJsonSchema({"type": "string", "maxLength": 3})]
    text: str


class Untrue(Shelf):
    """Answers with what its output schema rules out."""

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> ShortKey:
        """Return the text that stands under a key."""
        return ShortKey(key=args.key, text=load(ctx, args.key))


class Undeclared(Shelf):
    """Answers with an error code that its contract doesn't have."""

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> Stored:
        """Return the text that stands under a key."""
        if args.key == "odd":
            raise toolroll.ToolError("how odd", code="strange")
        return Stored(key=args.key, text=load(ctx, args.key))


class Talkative(Shelf):
    """Tells callers where the server keeps its data."""

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> Stored:
        """Return the text that stands under a key."""
        try:
            return Stored(key=args.key, text=load(ctx, args.key))
        except toolroll.NotFound:
            raise toolroll.NotFound(f"no such key in {ctx.data_dir}") from None


class Counting(Shelf):
    """Counts its readers, which changes what is stored."""

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> Stored:
        """Return the text that stands under a key."""
        text = load(ctx, args.key)
        with (ctx.data_dir / "readers.log").open("a") as file:
            file.write("x")
        return Stored(key=args.key, text=text)


class Straying(Shelf):
    """Keeps a note beside the project, where nobody looks for it."""

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        save(ctx, args.key, args.text)
        (ctx.root.path.parent / "last.txt").write_text(args.key, "utf-8")
        return Stored(key=args.key, text=args.text)


class Begrudging(Shelf):
    """Writes down what it was asked for in vain."""

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> Stored:
        """Return the text that stands under a key."""
        try:
            return Stored(key=args.key, text=load(ctx, args.key))
        except toolroll.NotFound:
            with (ctx.data_dir / "missed.log").open("a") as file:
                file.write("x")
            raise


class Hoarding(Shelf):
    """Claims that putting is idempotent, and keeps each version."""

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        save(ctx, args.key, args.text)
        with (ctx.data_dir / "versions.log").open("a") as file:
            file.write("x")
        return Stored(key=args.key, text=args.text)


class Clinging(Shelf):
    """Keeps what it has locked for a text."""

    def __init__(self) -> None:
        self._locks: dict[tuple[str, ...], threading.Lock] = {}

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        lock = self._locks.setdefault((str(shelf_of(ctx)), args.key, args.text), threading.Lock())
        if not lock.acquire(blocking=False):
            raise toolroll.ResourceBusy("somebody else is putting it there")
        save(ctx, args.key, args.text)
        return Stored(key=args.key, text=args.text)


class Unwell(Shelf):
    """Has a worker that never gets anything done."""

    def workers(self) -> tuple[toolroll.Worker, ...]:
        """Return the worker."""

        def step(context: toolroll.PackContext) -> bool:
            raise RuntimeError("there is nobody here")

        return (toolroll.Worker("tidy", step),)


class OneAtATime(Shelf):
    """Turns away whoever calls while another call is running."""

    def __init__(self) -> None:
        self._busy = threading.Lock()
        self._pause = threading.Event()

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        if not self._busy.acquire(blocking=False):
            raise toolroll.ResourceBusy("somebody else is listing")
        try:
            self._pause.wait(0.05)
            return sorted(keys(ctx))[: args.limit]
        finally:
            self._busy.release()


class Shuffling(Shelf):
    """Lists the keys in an order that changes from call to call."""

    def __init__(self) -> None:
        self._listings = 0

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        self._listings += 1
        return sorted(keys(ctx), reverse=self._listings % 2 == 0)[: args.limit]


class Forgetful(Shelf):
    """Acknowledges a text before it is anywhere but in memory."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], str] = {}

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        self._texts[ctx.principal.tenant, args.key] = args.text
        return Stored(key=args.key, text=args.text)

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> Stored:
        """Return the text that stands under a key."""
        text = self._texts.get((ctx.principal.tenant, args.key))
        if text is None:
            raise toolroll.NotFound(f"nothing stands under {args.key[:100]!r}")
        return Stored(key=args.key, text=text)

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        tenant = ctx.principal.tenant
        return sorted(key for owner, key in self._texts if owner == tenant)[: args.limit]


class Tearing(Shelf):
    """Empties a file before it has what to put there, which it never has for two at once.

    On the event loop, so that it is empty when the next message is answered.
    """

    _under_way = 0

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    async def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        save(ctx, args.key, "")
        self._under_way += 1
        await anyio.sleep(0.1)
        if self._under_way > 1:
            await anyio.sleep_forever()
        self._under_way -= 1
        save(ctx, args.key, args.text)
        return Stored(key=args.key, text=args.text)


class Communal(Shelf):
    """Lets every tenant see every text."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        files = ctx.data_dir.glob("*/*.json")
        return sorted({json.loads(file.read_text("utf-8"))["key"] for file in files})[: args.limit]


class Parent(Shelf):
    """Starts a program and forgets it."""

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        save(ctx, args.key, args.text)
        waiting = [sys.executable, "-c", "import signal; signal.pause()"]
        subprocess.Popen(waiting)  # noqa: S603 (its end is not waited for: the flaw)
        return Stored(key=args.key, text=args.text)


class WarmOnly(Shelf):
    """Can't be served by a process that imports everything itself."""

    def tools(self) -> Any:
        """Fail where the host is a fresh process."""
        if sys.argv[0].endswith("__main__.py") and "toolroll" in sys.argv[0]:
            raise RuntimeError("something is missing here")
        return super().tools()


class Deterministic(Shelf):
    """Makes its draws come out alike, and those of everybody else."""

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        random.seed(args.limit)
        found = keys(ctx)
        return sorted(random.sample(found, len(found)))[: args.limit]


BROKEN: Final[Mapping[str, type[Shelf]]] = {
    "case": Unsorted,
    "serves": TooNew,
    "tool-description": Terse,
    "tool-annotations": Contradictory,
    "error-codes": Meaningless,
    "case-coverage": Uncovered,
    "invalid-arguments": Lenient,
    "valid-arguments": Fragile,
    "number-edges": ShortOfBits,
    "unknown-argument": Unhelpful,
    "path-escape": LinkFollower,
    "hostile-text": Overwhelmed,
    "hostile-names": Provincial,
    "host-intact": Deterministic,
    "output-schema": Untrue,
    "error-envelope": Undeclared,
    "no-leaks": Talkative,
    "read-only": Counting,
    "stays-inside": Straying,
    "refused-call": Begrudging,
    "idempotent": Hoarding,
    "released": Clinging,
    "background-work": Unwell,
    "concurrency": OneAtATime,
    "tenant-isolation": Communal,
}
"""Packs whose flaw shows in process."""

BROKEN_ON_THE_WIRE: Final[Mapping[str, type[Shelf]]] = {
    "kill-restart": Forgetful,
    "sdk-client": WarmOnly,
}
"""Packs whose flaw shows only in a process of their own."""

FLAWS: Final = (
    "cancel",
    "listing",
    "stray-output",
    "text-encodable",
    "text-equals-structured",
    "unknown-cursor",
    "unknown-tool",
)
"""Flaws that no pack can have, because the host sees to them: those of `stranger/server.py`."""
