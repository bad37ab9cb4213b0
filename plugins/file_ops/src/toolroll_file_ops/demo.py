"""What `toolroll demo` shows: the repository indexed, and questions about it answered."""

from __future__ import annotations

from typing import Any, Final

import toolroll
from toolroll.counting import counted

__all__ = ["show"]

COLLECTION: Final = "demo"
QUESTIONS: Final = (
    "how do I install this and run it",
    "where is the configuration file read",
    "which errors can a caller see and what do they mean",
)


def show(tour: toolroll.Tour) -> None:
    """Index the tour's repository and call every tool on it."""
    done = tour.call("index_collection", {"collection": COLLECTION, "path": "."})
    tour.say(
        f"Indexed {counted(done['total_files'], 'file')} as "
        f"{counted(done['total_chunks'], 'chunk')} in "
        f"{done['duration_ms'] / 1000:.1f} s; a second time only changes cost anything."
    )
    if not done["total_files"]:
        raise toolroll.NothingToShow("There is no text file here")
    tour.call("list_collections", {})
    listed = tour.call(
        "list_files_in_collection",
        {"collection": COLLECTION, "sort_by": "chunks", "max_results": 5},
    )
    tour.table(
        "Largest files",
        ["path", "language", "chunks", "KB"],
        [
            [row["path"], row.get("language", ""), row["chunk_count"], row["size_estimate_kb"]]
            for row in listed["files"]
        ],
    )
    outline = tour.call("get_project_outline", {"collection": COLLECTION, "max_depth": 2})
    counts = outline["statistics"]
    directories = counted(counts["total_directories"], "directory", "directories")
    tour.say(f"{counted(counts['total_files'], 'file')} in {directories}.")
    for question in QUESTIONS:
        _answer(tour, question)
    _one_file(tour, listed, outline)


def _answer(tour: toolroll.Tour, question: str) -> None:
    found = tour.call(
        "search_vectors",
        {"collection": COLLECTION, "query": question, "limit": 3, "group_by_file": True},
    )
    tour.table(
        f"“{question}”",
        ["file", "lines", "begins with"],
        [
            [
                row["file_path"],
                "-".join(str(line) for line in row["chunks"][0]["line_range"]),
                _first_line(row["chunks"][0]["content"]),
            ]
            for row in found["results"]
        ],
    )


def _one_file(tour: toolroll.Tour, listed: dict[str, Any], outline: dict[str, Any]) -> None:
    """Show what the other tools say about one file of the repository."""
    brief = tour.call("discover", {"query": QUESTIONS[0], "include_collections": [COLLECTION]})
    tour.say(f"discover quotes {brief['bullets']} sentences from:")
    for source in brief["source_files"][:3]:
        tour.say(f"  {source['path']}: {source.get('file_summary', '')[:100]}")
    hits = tour.call(
        "intelligent_search",
        {"query": QUESTIONS[2], "collections": [COLLECTION], "max_results": 3},
    )
    for hit in hits["results"]:
        tour.say(f"  {hit['score']:.3f} {hit['doc_id']}")
    keys = [item["path"] for item in outline["key_files"]]
    names = keys or [row["path"] for row in listed["files"]]
    if not names:
        tour.say("There is no text file here to show.")
        return
    place = {"collection": COLLECTION, "file_path": names[0]}
    content = tour.call("get_file_content", place)
    tour.say(f"{names[0]}: {len(content['content'])} characters, exactly as on disk.")
    summary = tour.call("get_file_summary", {**place, "max_sentences": 2})
    tour.say(f"In its own words: {summary.get('extractive_summary', '') or 'no prose'}")
    tour.call("get_file_chunks_ordered", {**place, "limit": 2})
    best = hits["results"][0]["doc_id"].rpartition("#")[0] if hits["results"] else names[0]
    related = tour.call("get_related_files", {"collection": COLLECTION, "file_path": best})
    for row in related["related_files"][:3]:
        tour.say(f"  related to {best}: {row['path']} ({row['reason']})")
    typed = tour.call(
        "search_by_file_type",
        {"collection": COLLECTION, "query": "dependencies", "file_types": ["toml", "json", "yml"]},
    )
    tour.say(f"{len(typed['results'])} configuration files answer “dependencies”.")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:60]
