"""`toolroll demo` of this pack: real files written, found, moved, deleted and taken back."""

from __future__ import annotations

from typing import Final

import toolroll

__all__ = ["show"]

PROJECT: Final = "demo"

NOTES: Final = {
    "/plan/login.md": "# Login\n\nUsers sign in with a password; lock the account after "
    "five wrong attempts.\n",
    "/plan/billing.md": "# Billing\n\nInvoices are sent on the first day of each month.\n",
    "/results/week-1.md": "# Week 1\n\nThe sign-in page works. Invoices are late.\n",
}


def show(tour: toolroll.Tour) -> None:
    """Call every tool on a project of its own, and compare what comes back."""
    space = {"project": PROJECT}
    tour.say("An agent keeps files of its own: durable, in named projects, apart from the code.")
    for path, text in NOTES.items():
        tour.call("file_write", {**space, "path": path, "content": text})
    tour.call("file_write", {**space, "path": "/plan/login.md", "content": "\nAsk Kim.\n"})
    _tree(tour, "What was written", {})
    read = tour.call("file_read", {**space, "path": "/plan/login.md", "offset": 9, "length": 35})
    tour.say(f"Bytes 9 to 44 of /plan/login.md: {read['content']!r}")

    tour.say("Search by meaning and words, right after writing:")
    found = tour.call("file_search", {**space, "query": "authentication rules", "limit": 2})
    tour.table(
        "authentication rules",
        ("file", "bytes", "score", "begins"),
        [
            (
                chunk["file_path"],
                f"{chunk['file_seek_start_bytes']}-{chunk['file_seek_end_bytes']}",
                chunk["score"],
                chunk["chunk_content"].splitlines()[0],
            )
            for chunk in found["chunks"]
        ],
    )
    matches = tour.call("file_grep", {**space, "pattern": "[Ii]nvoices? (is|are)"})["matches"]
    tour.table(
        "[Ii]nvoices? (is|are)",
        ("file", "line", "text"),
        [(match["file_path"], match["line"], match["line_content"]) for match in matches],
    )

    moved = tour.call("file_rename", {**space, "from_path": "/plan", "to_path": "/archive/plan"})
    tour.say(
        f"Moved /plan to /archive/plan: {moved['moved_count']} files, their vectors with them."
    )
    again = tour.call("file_search", {**space, "query": "authentication rules", "limit": 1})
    tour.say(f"The same search now answers {again['chunks'][0]['file_path']}.")
    status = tour.call("file_index_status", space)
    tour.say(f"Changes that search does not know yet: {status['jobs_waiting']}.")

    gone = tour.call("file_delete", {**space, "path": "/archive", "recursive": True})
    after = tour.call("file_stat", {**space, "path": "/archive/plan/login.md"})
    tour.say(f"Deleted {gone['deleted_count']} files; exists: {after['exists']}.")
    deleted = tour.call("file_list_deleted", space)["files"]
    back = tour.call("file_undelete", {**space, "path": "/archive"})
    tour.say(f"{len(deleted)} could be restored, {back['restored_count']} were.")
    _tree(tour, "At the end", {"path": ""})

    page = tour.call("file_list_page", {**space, "depth": 3, "limit": 2})
    rest = tour.call(
        "file_list_page", {**space, "depth": 3, "cursor": page["next_cursor"], "limit": 99}
    )
    tour.say(f"In pages: {len(page['entries'])} entries, then {len(rest['entries'])} more.")
    totals = tour.call("file_list_projects", {})["projects"]
    tour.table(
        "Projects",
        ("project", "files", "bytes"),
        [(item["project"], item["file_count"], item["total_bytes"]) for item in totals],
    )


def _tree(tour: toolroll.Tour, title: str, arguments: dict[str, str]) -> None:
    listed = tour.call("file_list", {"project": PROJECT, "depth": 9, **arguments})["entries"]
    tour.table(
        title,
        ("path", "type", "bytes"),
        [(entry["path"], entry["type"], entry["size"]) for entry in listed],
    )
