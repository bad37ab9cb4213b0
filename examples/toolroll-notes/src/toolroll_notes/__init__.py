"""The notes pack: remembers texts under a key."""

from __future__ import annotations

import toolroll
from pydantic import BaseModel, Field


class Remember(toolroll.Params):
    key: str = Field(min_length=1, max_length=100)
    text: str = Field(min_length=1, max_length=10_000)


class Recall(toolroll.Params):
    key: str = Field(min_length=1, max_length=100)


class Note(BaseModel):
    key: str
    text: str


class Notes(toolroll.Pack):
    name = "notes"
    title = "Notes"
    errors = {
        "invalid_arguments": "the arguments do not match the schema",
        "not_found": "nothing is remembered under the key",
    }
    migrations = "toolroll_notes.migrations"
    capabilities = frozenset({"database"})

    @toolroll.tool(writes=True, idempotent=True, destructive=True)
    def notes_remember(self, ctx: toolroll.ToolContext, args: Remember) -> Note:
        """Remember a text under a key, replacing what was there. Use it for facts needed later."""
        from toolroll_notes.store import save

        with ctx.database.begin() as session:
            save(session, args.key, args.text)
        return Note(key=args.key, text=args.text)

    @toolroll.tool()
    def notes_recall(self, ctx: toolroll.ToolContext, args: Recall) -> Note:
        """Return the text remembered under a key."""
        from toolroll_notes.store import find

        with ctx.database.read() as session:
            text = find(session, args.key)
        if text is None:
            raise toolroll.NotFound(f"nothing is remembered under {args.key!r}")
        return Note(key=args.key, text=text)

    def demo(self, tour: toolroll.Tour) -> None:
        tour.say("Remember something, and recall it.")
        tour.call("notes_remember", {"key": "root", "text": tour.root.name})
        tour.say(tour.call("notes_recall", {"key": "root"})["text"])


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    return Notes()
