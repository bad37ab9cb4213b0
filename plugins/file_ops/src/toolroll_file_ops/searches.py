"""The four tools that search, thin over the modules that do it."""

from __future__ import annotations

import contextlib

import toolroll
from toolroll_file_ops.failures import invalid_parameter
from toolroll_file_ops.numbers import ranged, whole
from toolroll_file_ops.params import Discover, IntelligentSearch, SearchByFileType, SearchVectors
from toolroll_file_ops.search_results import (
    Discovery,
    FileTypeResults,
    IntelligentResults,
    SearchResults,
)
from toolroll_file_ops.serving import WHOLE_FILES, Serving

__all__ = ["Searches"]


class Searches(Serving):
    """The pack with the tools that search."""

    @toolroll.tool(max_output=WHOLE_FILES)
    def search_by_file_type(
        self, ctx: toolroll.ToolContext, args: SearchByFileType
    ) -> FileTypeResults:
        """Search only files of some types, such as ["yaml", "toml"]; one row for each file.

        Use it for configuration, documentation or one language. return_full_files adds the content
        of files up to 1000 KB, 5 MB in all: keep limit small with it.
        """
        from toolroll_file_ops.listing import plain_types
        from toolroll_file_ops.search_tools import by_file_type
        from toolroll_file_ops.searching import check_query

        query = check_query(args.query)
        types = plain_types(args.file_types, "file_types")
        if not types:
            raise invalid_parameter("file_types", 'is empty; name extensions such as ["toml"]')
        limit = whole(args.limit, "limit", 1, 100)
        with self.engine(ctx).open(ctx, "search_by_file_type", args.collection) as opened:
            found = by_file_type(opened, query, types, limit, whole=args.return_full_files)
            return opened.told(found)

    @toolroll.tool(max_output=2_000_000)
    def search_vectors(self, ctx: toolroll.ToolContext, args: SearchVectors) -> SearchResults:
        """Search a collection by meaning and by words at once; finds prose, code and symbols.

        Returns chunks, or files with their best chunks when group_by_file is true; limit then
        counts files. Ask in words ("where is the rate limit checked") or for a symbol.
        """
        from toolroll_file_ops.search_tools import search_chunks, search_files
        from toolroll_file_ops.searching import check_query

        query = check_query(args.query)
        limit = whole(args.limit, "limit", 1, 100)
        per_file = args.max_chunks_per_file
        if per_file is not None:
            per_file = whole(per_file, "max_chunks_per_file", 1)
        find = search_files if args.group_by_file else search_chunks
        with self.engine(ctx).open(ctx, "search_vectors", args.collection) as opened:
            found = find(
                opened,
                query,
                limit,
                per_file=per_file,
                threshold=ranged(args.similarity_threshold, "similarity_threshold", 0, 1),
                summaries=args.include_file_summary,
            )
            return opened.told(found)

    @toolroll.tool(max_output=2_000_000)
    def intelligent_search(
        self, ctx: toolroll.ToolContext, args: IntelligentSearch
    ) -> IntelligentResults:
        """Search several collections at once, with related terms, without near-duplicates.

        Each hit says which file it is from, which chunk, what the file is about, and whether
        get_file_content can return it whole.
        """
        from toolroll_file_ops.collections_table import readable
        from toolroll_file_ops.intelligent import intelligent_search, open_names
        from toolroll_file_ops.searching import check_query

        query = check_query(args.query)
        limit = whole(args.max_results, "max_results", 1, 100)
        engine = self.engine(ctx)
        names, unreadable = open_names(args.collections), 0
        if not names:
            places, unreadable = readable(engine.visible(ctx))
            names = [place.name for place in places]
        with contextlib.ExitStack() as stack:
            opened = [
                stack.enter_context(engine.open(ctx, "intelligent_search", name)) for name in names
            ]
            found = intelligent_search(
                opened,
                query,
                limit,
                expand=args.domain_expansion,
                threshold=ranged(args.similarity_threshold, "similarity_threshold", 0, 1),
            )
        for place in opened:
            found = place.told(found)
        if unreadable:
            found.metadata["collections_unreadable"] = unreadable
        return found

    @toolroll.tool(max_output=2_000_000)
    def discover(self, ctx: toolroll.ToolContext, args: Discover) -> Discovery:
        """Answer a question from all collections: quoted sentences with places, and the files.

        Use it for open questions ("how does login work"). answer_prompt is a brief with citations
        as path:first-last, and the collection where there are several; source_files says which
        files to read next.
        """
        from toolroll_file_ops.collections_table import readable
        from toolroll_file_ops.discovery import chosen, discover
        from toolroll_file_ops.searching import check_query

        query = check_query(args.query)
        bullets = whole(args.max_bullets, "max_bullets", 1, 100)
        broad = whole(args.broad_k, "broad_k", 1, 500)
        focus = whole(args.focus_k, "focus_k", 1, 100)
        engine = self.engine(ctx)
        visible = engine.visible(ctx)
        places, unreadable = readable(
            chosen(visible, args.include_collections, args.exclude_collections)
        )
        with contextlib.ExitStack() as stack:
            opened = [
                stack.enter_context(engine.open(ctx, "discover", place.name)) for place in places
            ]
            found = discover(
                opened,
                query,
                most_bullets=bullets,
                broad=broad,
                focus=focus,
                there=[place.name for place in visible],
            )
        for place in opened:
            found = place.told(found)
        if unreadable:
            found.metrics["collections_unreadable"] = unreadable
        return found
