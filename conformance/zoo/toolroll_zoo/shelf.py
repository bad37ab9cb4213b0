"""The good pack: texts on a shelf, kept in files. Every broken pack of the zoo is made from it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field
from pydantic.json_schema import WithJsonSchema

import toolroll


class Put(toolroll.Params):
    """Parameters of `put_text`."""

    key: str = Field(min_length=1, max_length=100)
    text: str = Field(max_length=2_000_000)


class Key(toolroll.Params):
    """Parameters of tools that take a key."""

    key: str = Field(min_length=1, max_length=100)


class Count(toolroll.Params):
    """Parameters of `list_texts`."""

    limit: int = Field(default=100, ge=1, le=1000)


class Where(toolroll.Params):
    """Parameters of `read_file`."""

    path: toolroll.ProjectPath


class Stored(BaseModel):
    """A text as it stands on the shelf."""

    key: str
    text: str


class FileContent(BaseModel):
    """The content of a project file."""

    path: str
    size: Annotated[int, WithJsonSchema({"type": "integer", "minimum": 0})]
    text: str


class Shelf(toolroll.Pack):
    """A shelf for texts, and a window on the project's files."""

    name = "shelf"
    title = "Shelf"
    errors = {  # noqa: RUF012 (`Pack` declares it as ClassVar)
        "not_found": "nothing stands under the key, or no such file",
        "invalid_arguments": "the arguments do not match the schema",
        "invalid_path": "the path leads outside the project",
    }
    capabilities = frozenset({"tenants"})

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def put_text(self, ctx: toolroll.ToolContext, args: Put) -> Stored:
        """Put a text on the shelf under a key, replacing what stood there."""
        save(ctx, args.key, args.text)
        return Stored(key=args.key, text=args.text)

    @toolroll.tool()
    def get_text(self, ctx: toolroll.ToolContext, args: Key) -> Stored:
        """Return the text that stands under a key."""
        return Stored(key=args.key, text=load(ctx, args.key))

    @toolroll.tool()
    def list_texts(self, ctx: toolroll.ToolContext, args: Count) -> list[str]:
        """Return the keys that are in use, sorted."""
        return sorted(keys(ctx))[: args.limit]

    @toolroll.tool()
    def read_file(self, ctx: toolroll.ToolContext, args: Where) -> FileContent:
        """Return a text file of the project."""
        path = ctx.root.canonical(args.path)
        with ctx.root.open(path) as file:
            data = file.read()
        return FileContent(path=path, size=len(data), text=data.decode("utf-8", "replace"))


def shelf_of(ctx: toolroll.ToolContext) -> Path:
    """Return the caller's own directory."""
    directory = ctx.data_dir / ctx.principal.tenant[:16]
    directory.mkdir(exist_ok=True)
    return directory


def save(ctx: toolroll.ToolContext, key: str, text: str) -> None:
    """Write a text whole, or not at all."""
    name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    path = shelf_of(ctx) / f"{name}.json"
    temporary = path.with_suffix(f".{ctx.call_id}")
    temporary.write_text(json.dumps({"key": key, "text": text}), "utf-8")
    temporary.replace(path)


def load(ctx: toolroll.ToolContext, key: str) -> str:
    """Return the text under a key."""
    for record in records(ctx):
        if record["key"] == key:
            return record["text"]
    raise toolroll.NotFound(f"nothing stands under {key[:100]!r}; list_texts has the keys in use")


def keys(ctx: toolroll.ToolContext) -> list[str]:
    """Return the keys in use."""
    return [record["key"] for record in records(ctx)]


def records(ctx: toolroll.ToolContext) -> list[dict[str, Any]]:
    """Return everything that stands on the caller's shelf."""
    return [json.loads(file.read_text("utf-8")) for file in sorted(shelf_of(ctx).glob("*.json"))]


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    """Return the pack."""
    return Shelf()
