"""`toolroll file_ops …`: the same work as the tools, for a shell."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

import toolroll
from toolroll.counting import counted
from toolroll.progress_bar import progress_bar
from toolroll_file_ops.indexed_files import no_report
from toolroll_file_ops.results import CollectionList, Indexed

if TYPE_CHECKING:
    from toolroll_file_ops.indexed_files import Report
    from toolroll_file_ops.serving import Serving

__all__ = ["group"]


def group(pack: Serving) -> click.Group:
    """Return the commands of a pack."""

    @click.group("file_ops")
    def file_ops() -> None:
        """Index directories as collections, and search them."""

    @file_ops.command()
    @click.argument("path", required=False, type=click.Path(file_okay=False))
    @click.option("--collection", "-c", help="Name; by default that of the directory.")
    @click.option("--include", multiple=True, help="Only files that match this glob.")
    @click.option("--exclude", multiple=True, help="No files that match this glob.")
    @click.option("--watch", is_flag=True, help="Go on indexing changes until interrupted.")
    @toolroll.json_option
    @click.pass_obj
    def index(
        context: toolroll.PackContext,
        path: str | None,
        collection: str | None,
        include: tuple[str, ...],
        exclude: tuple[str, ...],
        watch: bool,
        as_json: bool,
    ) -> None:
        """Index PATH as a collection; what is unchanged since the last time costs nothing.

        Without PATH a collection stays where it is; a new one is of the current directory.
        Interrupting it loses nothing: the next run goes on where this one stopped.
        """
        from toolroll_file_ops.collections_table import is_name
        from toolroll_file_ops.indexing import index_collection

        engine = pack.engine(context)
        here = path or (engine.directory(context, collection) if collection else None)
        place = Path(here or ".").resolve()
        name = collection or place.name
        if collection is None and not is_name(name):
            raise click.UsageError(f"{name!r} cannot name a collection; choose with --collection")
        with _interruptible() as stop, _progress(quiet=as_json) as report, _told():
            done = index_collection(
                engine,
                context,
                name,
                str(place),
                include=list(include) or None,
                exclude=list(exclude) or None,
                check=lambda: _stop(stop, name),
                report=report,
            )
        _print_indexed(done, as_json=as_json)
        for glob in done.unmatched_include:
            click.echo(f"Warning: no file matches --include {glob}", err=True)
        if watch:
            from toolroll_file_ops.watching import watch_until

            space = engine.declare(context, name, str(place), include=None, exclude=None)
            click.echo(f"watching {name}; interrupt to end", err=True)
            with _interruptible() as stop, _told():
                watch_until(
                    stop,
                    [space],
                    done=lambda: click.echo(f"{name} is up to date", err=True),
                    warn=lambda message: click.echo(f"Warning: {message}", err=True),
                )

    @file_ops.command("list")
    @toolroll.json_option
    @click.pass_obj
    def list_(context: toolroll.PackContext, as_json: bool) -> None:
        """List the collections."""
        from toolroll_file_ops.indexing import list_collections

        found = list_collections(pack.engine(context), context)
        click.echo(found.model_dump_json(indent=2)) if as_json else _print_list(found)

    @file_ops.command()
    @click.argument("collection")
    @click.pass_obj
    def remove(context: toolroll.PackContext, collection: str) -> None:
        """Remove a collection's index; the files stay where they are."""
        with _told():
            pack.engine(context).remove(context, collection)
        click.echo(f"removed {collection}")

    @file_ops.command()
    @click.argument("collection")
    @click.argument("query", nargs=-1, required=True)
    @click.option("--limit", default=10, type=click.IntRange(1, 100), show_default=True)
    @toolroll.json_option
    @click.pass_obj
    def search(
        context: toolroll.PackContext,
        collection: str,
        query: tuple[str, ...],
        limit: int,
        as_json: bool,
    ) -> None:
        """Search a collection; prints the best files with the lines that answer."""
        from toolroll_file_ops.search_tools import search_files
        from toolroll_file_ops.searching import check_query

        engine = pack.engine(context)
        with _told(), engine.open(context, "search_vectors", collection) as opened:
            asked = check_query(" ".join(query))
            found = opened.told(
                search_files(opened, asked, limit, per_file=1, threshold=0.0, summaries=False)
            )
        if as_json:
            click.echo(found.model_dump_json(indent=2))
            return
        if found.stale:
            click.echo(found.stale, err=True)
        if not found.results:
            click.echo("nothing found; try other words", err=True)
        for row in found.model_dump()["results"]:
            first, last = row["chunks"][0]["line_range"]
            click.echo(f"{row['score']:.3f}  {row['file_path']}:{first}-{last}")

    return file_ops


def _stop(stop: threading.Event, name: str) -> None:
    if stop.is_set():
        raise click.ClickException(
            f"stopped; what is indexed stays. Run the command again to go on with {name}"
        )


@contextmanager
def _told() -> Generator[None]:
    """Turn errors of the pack into the command's."""
    try:
        yield
    except toolroll.ToolError as error:
        raise click.ClickException(error.message) from error


@contextmanager
def _interruptible() -> Generator[threading.Event]:
    """Set an event on the first interrupt, so that the work ends between two transactions."""
    stop = threading.Event()

    def set_stop(number: int, frame: FrameType | None) -> None:
        stop.set()

    before = signal.signal(signal.SIGINT, set_stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress(*, quiet: bool) -> Generator[Report]:
    """Show a progress bar on a terminal, a line for each tenth otherwise, nothing for JSON."""
    if quiet:
        yield no_report
        return
    shown = 0

    def line(done: int, total: int, path: str) -> None:
        nonlocal shown
        tenth = done * 10 // max(total, 1)
        if tenth > shown:
            shown = tenth
            click.echo(f"indexed {done} of {total} files", err=True)

    with progress_bar("looking at the files") as bar:
        yield bar or line


def _print_indexed(done: Indexed, *, as_json: bool) -> None:
    if as_json:
        toolroll.print_json(done.model_dump())
        return
    click.echo(
        f"{done.collection}: {counted(done.total_files, 'file')}, "
        f"{counted(done.total_chunks, 'chunk')} "
        f"({done.added} added, {done.updated} updated, {done.removed} removed, "
        f"{done.unchanged} unchanged, {done.skipped} skipped) in {done.duration_ms / 1000:.1f} s"
    )
    for file in done.not_indexed:
        click.echo(f"not indexed: {file.path}: {file.reason}", err=True)


def _print_list(found: CollectionList) -> None:
    if not found.collections:
        click.echo("no collections yet; make one: toolroll file_ops index PATH --collection NAME")
    for item in found.collections:
        state = item.indexed_at if item.complete else "indexing was not finished"
        files, chunks = counted(item.files, "file"), counted(item.chunks, "chunk")
        click.echo(f"{item.name}\t{item.path}\t{files}\t{chunks}\t{state}")
