"""The table `[codegraph]` of `toolroll.toml`."""

from __future__ import annotations

from pydantic import Field

import toolroll


class CodeGraphSettings(toolroll.Settings):
    """How projects are indexed."""

    processes: int = Field(default=0, ge=0, le=32)
    """Processes that parse; 0 takes one for each processor, at most four."""
    watch: bool = False
    """Whether indexed projects are watched and re-indexed when their files change."""
    provisional: bool = True
    """Whether an edit of a large project is answered before all of it is resolved again."""
    index_timeout: float = Field(default=60.0, gt=0)
    """Seconds to wait while another call indexes the same project."""
