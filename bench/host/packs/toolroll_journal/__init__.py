"""A pack that writes: each call adds one row, in one unit of work."""

from __future__ import annotations

from pydantic import BaseModel, Field

import toolroll


class Entry(toolroll.Params):
    number: int = Field(ge=-(2**63), lt=2**63)


class Written(BaseModel):
    number: int


class Journal(toolroll.Pack):
    name = "journal"
    migrations = "toolroll_journal.migrations"

    @toolroll.tool(writes=True)
    def write_entry(self, ctx: toolroll.ToolContext, args: Entry) -> Written:
        """Write a number down."""
        from sqlalchemy import text

        with ctx.database.begin() as session:
            statement = text("INSERT INTO entry (number) VALUES (:number) ON CONFLICT DO NOTHING")
            session.execute(statement, {"number": args.number})
        return Written(number=args.number)


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    return Journal()
