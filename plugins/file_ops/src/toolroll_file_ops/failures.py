"""The failures of this pack, each with the code and the details its callers can act on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import toolroll

__all__ = [
    "MAKE_ONE",
    "collection_not_found",
    "file_not_found",
    "file_too_large",
    "invalid_parameter",
    "invalid_path",
    "not_text_file",
    "too_large_to_index",
]


MAKE_ONE: Final = "index_collection makes one; who has no such tool asks who runs this host for it"


def invalid_parameter(parameter: str, reason: str) -> toolroll.ToolError:
    """Return the error for an argument of the right type with a wrong value."""
    return toolroll.ToolError(
        f"{parameter}: {reason}", code="InvalidParameter", details={"parameter": parameter}
    )


def invalid_path(path: str, reason: str) -> toolroll.ToolError:
    """Return the error for a path that cannot name a file of a collection."""
    return toolroll.InvalidPath(reason, details={"file_path": path[:200]})


def collection_not_found(name: str, known: Sequence[str]) -> toolroll.ToolError:
    """Return the error for an unknown collection; names those there are."""
    there = ", ".join(repr(item) for item in known[:10]) or "none yet"
    return toolroll.ToolError(
        f"there is no collection {name!r} (there: {there}); {MAKE_ONE}",
        code="CollectionNotFound",
        details={"collection": name},
    )


def file_not_found(
    path: str, collection: str, near: Sequence[str] = (), *, why: str = ""
) -> toolroll.ToolError:
    """Return the error for a path that the collection does not hold; names near matches."""
    hint = "; list_files_in_collection shows those that there are"
    if near:
        hint = f"; did you mean {', '.join(repr(item) for item in near)}?"
    if why:
        hint = f": {why}"
    return toolroll.NotFound(
        f"collection {collection!r} has no file {path!r}{hint}",
        details={"file_path": path, "collection": collection, "near_matches": list(near)},
    )


def file_too_large(path: str, size: int, limit_kb: float, most_kb: int) -> toolroll.ToolError:
    """Return the error for a file above the caller's limit, which can be `most_kb`."""
    size_kb = max(round(size / 1024, 2), limit_kb + 0.01 if size > limit_kb * 1024 else 0)
    fits = size <= most_kb * 1024
    remedy = f"raise max_size_kb (at most {most_kb}) or " if fits else ""
    return toolroll.ToolError(
        f"{path} has {size} bytes, more than max_size_kb={limit_kb:g}; {remedy}page it with "
        "get_file_chunks_ordered",
        code="FileTooLarge",
        details={
            "file_path": path,
            "size_kb": size_kb,
            "size_bytes": size,
            "max_size_kb": limit_kb,
        },
    )


def too_large_to_index(path: str, size: int, most: int) -> toolroll.ToolError:
    """Return the error for a file that the settings keep out of the index, in parts too."""
    return toolroll.ToolError(
        f"{path} has {size} bytes, more than max_file_bytes={most} of [file_ops], so it is not "
        "indexed, and no tool shows it; raise that setting",
        code="FileTooLarge",
        details={
            "file_path": path,
            "size_kb": round(size / 1024, 2),
            "size_bytes": size,
            "max_size_kb": round(most / 1024, 2),
        },
    )


def not_text_file(path: str, reason: str) -> toolroll.ToolError:
    """Return the error for a file that is there but has no text to give."""
    return toolroll.ToolError(
        f"{path} is not a text file that can be returned exactly: {reason}",
        code="NotTextFile",
        details={"file_path": path},
    )
