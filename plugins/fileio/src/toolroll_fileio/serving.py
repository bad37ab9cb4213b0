"""What all tools of the pack share: how it presents itself, its workers, its units of work.

Modules that need sqlalchemy are imported by the handlers, so that listing packs stays cheap.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, cast
from weakref import WeakKeyDictionary

import toolroll
from toolroll_fileio.failures import CODES, ERRORS, refusal
from toolroll_fileio.names import Space
from toolroll_fileio.pacing import Pace
from toolroll_fileio.settings import EmbeddingSettings, FileioSettings, RerankSettings

if TYPE_CHECKING:
    import click

    from toolroll.storage import Database
    from toolroll_fileio.engine import Engine
    from toolroll_fileio.mutation import Mutation
    from toolroll_fileio.params import Grep, List, ListDeleted, ListPage, ListProjects, Search
    from toolroll_fileio.store import Files

    Limited = Grep | List | ListDeleted | ListPage | ListProjects | Search

__all__ = ["UNBOUNDED", "Serving", "clamped", "counted", "settings_of"]

UNBOUNDED = 2**31
"""Output bound of tools that the pack's settings limit: `file_read` may give a whole file."""
CLEANING_SECONDS = 600.0


class Serving(toolroll.Pack):
    """The pack without its tools."""

    name = "fileio"
    title = "Project files"
    instructions = (
        "Durable text files of your own, kept in named projects and shared by every session with "
        "the same key. They are not the files of the repository. Use them for notes, plans, "
        "results and memory; find things again with file_search and file_grep."
    )
    envelope = toolroll.Envelope.CODED
    errors: ClassVar[Mapping[str, str]] = ERRORS
    codes: ClassVar[Mapping[type[toolroll.ToolError], str]] = CODES
    settings = FileioSettings
    migrations = "toolroll_fileio.migrations"
    capabilities = frozenset({"database", "tenants", "workers"})
    credential_headers = (EmbeddingSettings.key_header, RerankSettings.key_header)

    def __init__(self) -> None:
        self._making = threading.Lock()
        self.pace = Pace()
        self._due: datetime | None = None
        """Up to when the cleaner is purging, until all of that is gone."""
        self._engines: WeakKeyDictionary[Database, Engine] = WeakKeyDictionary()

    def refuse(self, tool: str, problems: Sequence[toolroll.Problem]) -> toolroll.ToolError:
        """Choose the code by the first parameter at fault."""
        return refusal(problems)

    def all_errors(self) -> dict[str, str]:
        """Return the document's codes alone: the host's errors appear under them."""
        return dict(self.errors)

    def commands(self) -> click.Group:
        """Return `toolroll fileio …`."""
        from toolroll_fileio.commands import fileio

        return fileio

    def remarks(self, context: toolroll.PackContext) -> Sequence[str]:
        """Say what searches by meaning, where that depends on the database server."""
        if context.database.dialect == "sqlite":
            return ()
        from toolroll_fileio.server_vectors import remark

        return (remark(context),)

    def workers(self) -> Sequence[toolroll.Worker]:
        """Return the indexer and the cleaner."""
        return (
            toolroll.Worker("fileio-index", self._index, idle=2.0),
            toolroll.Worker("fileio-cleaning", self._clean, idle=CLEANING_SECONDS, hears=False),
        )

    def engine(self, ctx: toolroll.PackContext) -> Engine:
        """Return what indexes and searches for a host, made at first use."""
        from toolroll_fileio.engine import Engine

        with self._making:
            if ctx.database not in self._engines:
                self._engines[ctx.database] = Engine.of(ctx, self.pace)
            return self._engines[ctx.database]

    def _index(self, ctx: toolroll.PackContext) -> bool:
        engine = self.engine(ctx)
        engine.indexer.attend()
        engine.warm(ctx)
        self.pace.wait()
        return engine.indexer.step(ctx)

    def _clean(self, ctx: toolroll.PackContext) -> bool:
        from toolroll_fileio.cleaning import clean, due

        before = self._due or due(ctx, timedelta(seconds=CLEANING_SECONDS))
        more = clean(ctx, before)
        self._due = before if more else None
        return more

    @contextlib.contextmanager
    def reading(self, ctx: toolroll.ToolContext, project: str) -> Generator[Files]:
        """Give the files of a project of the caller as of one moment."""
        from toolroll_fileio.store import Files

        self.pace.called()
        with ctx.database.reading() as connection:
            yield Files(connection, Space(ctx.principal.tenant, project))

    @contextlib.contextmanager
    def changing(self, ctx: toolroll.ToolContext, project: str) -> Generator[Mutation]:
        """Run one change of a project of the caller (`mutate`)."""
        from toolroll_fileio.mutation import mutate

        self.pace.called()
        space = Space(ctx.principal.tenant, project)
        asks_service = settings_of(ctx).search.embedding.engine == "openai"
        # only then: making the engine imports what searches
        sealed = self.engine(ctx).sealed(ctx, space) if asks_service else None
        with mutate(ctx, space, sealed) as change:
            yield change

    def demo(self, tour: toolroll.Tour) -> None:
        """Write, list, search, move, delete and restore files."""
        from toolroll_fileio.showing import show

        show(tour)


def settings_of(ctx: toolroll.PackContext) -> FileioSettings:
    return cast("FileioSettings", ctx.settings)


def clamped(args: Limited, default: int, most: int) -> int:
    """Return a limit as the document wants it, clamped to `most`.

    Where it is absent or not positive, it is the default of the settings, which need not be the
    one that the schema shows.
    """
    given = args.limit if "limit" in args.model_fields_set else 0
    return min(given if given > 0 else default, most)


@contextlib.contextmanager
def counted(tool: str) -> Generator[None]:
    """Count a mutation by its outcome, "ok" or an error code."""
    from toolroll_fileio.metrics import MUTATIONS

    status = "SEARCH_BACKEND_ERROR"
    try:
        yield
        status = "ok"
    except toolroll.ToolError as error:
        status = error.code or CODES[type(error)]
        raise
    finally:
        MUTATIONS.labels(tool, status).inc()
