"""The tools that the official conformance runner looks for, as far as a pack can have them.

Names, texts and schema are those of its scenarios (@modelcontextprotocol/conformance 0.1.16).
"""

from __future__ import annotations

from typing import Any

import anyio
from pydantic import BaseModel

import toolroll
from toolroll import ToolContext

ADDRESS = {
    "$anchor": "addressDef",
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
}


class Nothing(toolroll.Params):
    pass


class Contact(toolroll.Params):
    """Advertises the keywords of JSON Schema 2020-12 that must survive the way to the client."""

    name: str | None = None
    address: dict[str, Any] | None = None
    contactMethod: str | None = None
    phone: str | None = None
    email: str | None = None

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": ADDRESS},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {
                "properties": {"contactMethod": {"const": "phone"}},
                "required": ["contactMethod"],
            },
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        }


class Done(BaseModel):
    done: bool


class Compat(toolroll.Pack):
    name = "compat"

    @toolroll.tool()
    def test_simple_text(self, ctx: ToolContext, args: Nothing) -> toolroll.Markdown:
        """Return a text."""
        return toolroll.Markdown("This is a simple text response for testing.")

    @toolroll.tool()
    def test_error_handling(self, ctx: ToolContext, args: Nothing) -> Done:
        """Fail on purpose."""
        raise toolroll.ToolError("This tool intentionally returns an error for testing")

    @toolroll.tool()
    async def test_tool_with_progress(self, ctx: ToolContext, args: Nothing) -> Done:
        """Report progress in three steps."""
        for done in (0, 50, 100):
            ctx.progress(done, 100, f"Completed step {done} of 100")
            await anyio.sleep(0.05)
        return Done(done=True)

    @toolroll.tool()
    def json_schema_2020_12_tool(self, ctx: ToolContext, args: Contact) -> Done:
        """Take arguments of a schema with many keywords."""
        return Done(done=True)


@toolroll.hookimpl
def toolroll_pack() -> toolroll.Pack:
    return Compat()
