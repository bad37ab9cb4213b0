"""How the stored chunks were made: what was made otherwise is queued to be made anew.

The versions of chunker and tokeniser, `index.chunk_bytes`, and the embedder decide what is stored
of a file. Where one of them changes, no file does: nothing else would bring the chunks up to date.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import delete, select

from toolroll_fileio.chunking import TOKENIZER
from toolroll_fileio.monitoring import queue_all
from toolroll_fileio.tables import analyses

if TYPE_CHECKING:
    import toolroll
    from toolroll.search import Embedder
    from toolroll_fileio.settings import FileioSettings

__all__ = ["analysis", "bring_up_to_date"]

LOCK: Final = "analysis"
WAIT: Final = 30.0
"""Seconds to wait for another host that does the same."""
_STORED: Final = select(analyses.c.analysis)


def analysis(context: toolroll.PackContext, embedder: Embedder) -> str:
    """Return how chunks are made now."""
    settings = cast("FileioSettings", context.settings)
    return f"{TOKENIZER}-{settings.index.chunk_bytes}-{embedder.id}"[:256]


def bring_up_to_date(context: toolroll.PackContext, embedder: Embedder) -> int:
    """Queue the files of the stored chunks if these were made otherwise; return how many.

    Raises:
        ResourceBusy: Another host was too long at it.
    """
    now = analysis(context, embedder)
    with context.database.reading() as connection:
        if connection.execute(_STORED).scalar() == now:
            return 0
    with context.database.writing(lock=LOCK, timeout=WAIT) as connection:
        if connection.execute(_STORED).scalar() == now:
            return 0  # another host was faster
        connection.execute(delete(analyses))
        connection.execute(analyses.insert(), {"id": 1, "analysis": now})
        return queue_all(connection, with_chunks=True)
