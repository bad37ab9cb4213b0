"""The pack: three tools, thin over the modules that do the work.

Those import sqlalchemy and tree-sitter, so that they are imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import toolroll
from toolroll_codegraph.params import FindRelatedCode, GetFunctionContext, IndexCodeGraph
from toolroll_codegraph.results import Context, Indexed, Related
from toolroll_codegraph.settings import CodeGraphSettings

if TYPE_CHECKING:
    import click

INDEX_TIMEOUT = 900.0
"""Seconds; a first index of half a million lines takes some ten."""
MAX_OUTPUT = 4_000_000
"""Characters; answers are bounded by what is listed of a context, and by `limit`."""
MOST_LISTED = 80_000
"""Characters of callers and callees: with what is said besides, clients that take 25,000 tokens of
an answer take all of it."""


class CodeGraph(toolroll.Pack):
    """Who calls whom, resolved across files, in Python, JavaScript, TypeScript and Ruby."""

    name = "codegraph"
    title = "Code graph"
    instructions = (
        "Answers who calls a function, what it calls and which files belong together, from a "
        "resolved call graph rather than from text search. Run index_code_graph once for a "
        "project and again after edits (only changed files are read); then get_function_context "
        "before changing a function, and find_related_code before changing a file."
    )
    envelope = toolroll.Envelope.SUCCESS_FLAG
    errors: ClassVar[Mapping[str, str]] = {
        "directory_not_found": "project_path is no directory",
        "no_code_files": "the project holds no code file of the languages asked for",
        "function_not_found": "no function of the index has this name",
        "not_indexed": "the project has never been indexed",
        "file_not_found": "file_path is no file of the project",
        "file_not_indexed": "the file exists but is not part of the index",
        "validation_error": "an argument is missing, malformed or not one of the allowed values",
        "invalid_path": "the path is relative, malformed or outside of the allowed roots",
    }
    codes: ClassVar[Mapping[type[toolroll.ToolError], str]] = {
        toolroll.InvalidArguments: "validation_error",
        toolroll.InvalidPath: "invalid_path",
    }
    settings = CodeGraphSettings
    migrations = "toolroll_codegraph.migrations"
    capabilities = frozenset({"database", "project_root"})

    def __init__(self) -> None:
        """Tell nothing provisionally until a host runs what reconciles it."""
        from toolroll_codegraph.reconciling import Reconciler

        self._reconciler = Reconciler()

    def commands(self) -> click.Group:
        """Return the group behind `toolroll codegraph …`."""
        from toolroll_codegraph.commands import commands

        return commands

    def workers(self) -> Sequence[toolroll.Worker]:
        """Return the loops that re-index watched projects and reconcile what is provisional."""
        from toolroll_codegraph.reconciling import IDLE
        from toolroll_codegraph.watching import Watcher

        watcher = Watcher(reconciler=self._reconciler)
        return (
            toolroll.Worker("codegraph-watch", watcher.step, idle=5.0, end=watcher.end),
            toolroll.Worker(
                "codegraph-reconcile",
                self._reconciler.step,
                idle=IDLE,
                end=self._reconciler.end,
            ),
        )

    def holdings(self, context: toolroll.PackContext) -> Sequence[toolroll.Holding]:
        """Return the indexed projects."""
        from toolroll_codegraph.service import holdings

        return holdings(context)

    def release(self, context: toolroll.PackContext, holding: toolroll.Holding) -> None:
        """Remove a project from the index."""
        from toolroll_codegraph.service import forget

        forget(context, holding.name)

    def demo(self, tour: toolroll.Tour) -> None:
        """Index the repository and show a function whose callers a reader can check by eye."""
        from toolroll_codegraph.demo import demo

        demo(tour)

    @toolroll.tool(writes=True, idempotent=True, timeout=INDEX_TIMEOUT)
    def index_code_graph(self, ctx: toolroll.ToolContext, args: IndexCodeGraph) -> Indexed:
        """Index a project's functions, classes, calls and imports, so that the others can answer.

        Run it once before get_function_context and find_related_code, and again after edits: only
        changed files are parsed. The index is kept between sessions. Name every language the
        project uses, each time: python alone is the default, and what a call leaves out leaves the
        index. Test files stay out unless include_tests is true, which also makes tests show up as
        callers. Git-ignored, dependency, build and minified files are left out; files_not_read
        counts code in other languages, such as Go and Java: a function that only it calls has no
        callers here. Components of Vue, Svelte and Astro are JavaScript or TypeScript, by their
        scripts. After an edit of a large project the answer comes at once and says provisional: the
        edited functions are up to date, what else the edit changes follows within seconds, without
        another call.
        """
        from toolroll_codegraph import service

        root = service.project_directory(ctx, args.project_path)
        if args.languages is not None and not args.languages:
            raise toolroll.InvalidArguments(
                "languages is empty; name python, javascript, typescript or ruby, or leave it out"
            )
        return service.index(
            ctx,
            root,
            args.languages or ["python"],
            include_tests=args.include_tests,
            provisionally=self._reconciler.works,
            progress=ctx.progress,
            check=lambda: service.stop_at_the_end(ctx.cancelled),
        )

    @toolroll.tool(max_output=MAX_OUTPUT)
    def get_function_context(self, ctx: toolroll.ToolContext, args: GetFunctionContext) -> Context:
        """Get the callers and callees of a function, across files and up to max_depth calls away.

        Use it before changing a function, to see who depends on it, or to follow what it does.
        function_name may be name, Class.method, module.name, path/file.py::Class.method,
        path/file.py:120 or, in Ruby, Class#method; a class name means its constructor or, where it
        has none, the class, whose methods are listed under matches then. Of several matches the
        best is shown and the others are listed under matches. Callers of a decorated function may
        stand one call further, behind the decorator's wrapper. Every entry has its depth (1 is a
        direct call), the function via which it was reached, the lines of the calls, and a
        confidence: high follows from the flow of values, medium and low rest on weaker evidence.
        Calls at module level come from the caller <module>. references are functions that hand it
        to a library, as a callback, handler or by a decorator, and don't call it. overridden_by
        are the methods that run instead on objects of subclasses: an abstract method has its
        callers there. Needs index_code_graph first; stale_files have changed since then. Run that
        again where a function that was written since is not found.
        """
        from toolroll_codegraph import answers, service

        root = service.project_directory(ctx, args.project_path)
        return answers.function_context(
            ctx,
            root,
            args.function_name,
            callers=args.include_callers,
            callees=args.include_callees,
            depth=args.max_depth,
            most=MOST_LISTED,
        )

    @toolroll.tool(max_output=MAX_OUTPUT)
    def find_related_code(self, ctx: toolroll.ToolContext, args: FindRelatedCode) -> Related:
        """Find the files that a file imports, is imported by, calls into, or is called from.

        Use it before changing a file, to know what to read and what may break. The strongest
        relations come first; strength is the number of imported names, or of distinct pairs of
        caller and callee. A file appears once for each kind of relation. Libraries outside of the
        project are not listed. Needs index_code_graph first.
        """
        from toolroll_codegraph import answers, service

        root = service.project_directory(ctx, args.project_path)
        return answers.related(ctx, root, args.file_path, args.relationship_type, args.limit)
