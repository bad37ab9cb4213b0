"""The pack's table in `toolroll.toml`."""

from __future__ import annotations

from pydantic import Field

import toolroll

__all__ = ["FileAssocSettings"]


class FileAssocSettings(toolroll.Settings):
    """Table `[file_assoc]`."""

    id_prefix: str = Field(default="toolroll", pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,31}$")
    """Starts every id: `<prefix>-f-…` files, `<prefix>-sf-…` findings, `<prefix>-…` issues.
    Changing it leaves the ids that exist as they are."""
