"""Summaries of files, from the cache or made now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from toolroll_file_ops.content import Loaded
from toolroll_file_ops.results import FileSummary, StructuralSummary, SummaryMetadata
from toolroll_file_ops.store import now
from toolroll_file_ops.summaries import extract, structure

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["Kind", "have_summaries", "short_summary", "summary_of"]

Kind = Literal["extractive", "structural", "both"]
SHORT: Final = 300
"""Characters of a summary inside another answer."""
SHORT_SENTENCES: Final = 2


def summary_of(opened: Opened, path: str, kind: Kind, count: int, *, outline: bool) -> FileSummary:
    """Return the answer of `get_file_summary`.

    Args:
        opened: The collection.
        path: Canonical path.
        kind: Which parts.
        count: Sentences at most.
        outline: Whether the outline is part of the structure.
    """
    loaded, _ = opened.load(path)
    summary = _cached(opened, loaded, kind, count, outline=outline)
    opened.engine.summaries.get((opened.place.id, loaded.file_id), lambda: summary)
    return summary


def short_summary(opened: Opened, loaded: Loaded) -> str:
    """Return a summary of at most 300 characters: its sentences, else what the file defines."""
    text = _cached(opened, loaded, "extractive", SHORT_SENTENCES).extractive_summary or ""
    if not text and loaded.data:
        structural = _cached(opened, loaded, "structural", SHORT_SENTENCES).structural_summary
        sections = structural.key_sections if structural else []
        verb = "Defines" if loaded.language not in {"json", "yaml", "toml", "ini"} else "Holds"
        text = f"{verb} {', '.join(sections[:8])}." if sections else ""
    if not text:
        text = " ".join(loaded.text.split())
    return text if len(text) <= SHORT else f"{text[: SHORT - 1].rstrip()}…"


def have_summaries(opened: Opened, file_ids: Sequence[int]) -> list[bool]:
    """Say of each file whether a summary of it as it is now is cached."""
    return opened.engine.summaries.held([(opened.place.id, id) for id in file_ids])


def _cached(
    opened: Opened, loaded: Loaded, kind: Kind, count: int, *, outline: bool = False
) -> FileSummary:
    key = (opened.place.id, loaded.file_id, kind, count, outline)
    made, _ = opened.engine.summaries.get(key, lambda: _make(loaded, kind, count, outline=outline))
    return made


def _make(loaded: Loaded, kind: Kind, count: int, *, outline: bool) -> FileSummary:
    structural = None
    if kind in {"structural", "both"}:
        found = structure(loaded.data, loaded.path, loaded.language)
        structural = StructuralSummary(
            outline=found.outline if outline else None,
            key_sections=list(found.sections),
            key_points=list(found.points),
            truncated=found.truncated,
        )
    extractive = None
    if kind in {"extractive", "both"}:
        extractive = extract(loaded.text, loaded.language, count)
    return FileSummary(
        file_path=loaded.path,
        extractive_summary=extractive,
        structural_summary=structural,
        metadata=SummaryMetadata(
            chunk_count=loaded.chunk_count, file_type=loaded.file_type, summary_method=kind
        ),
        generated_at=now(),
    )
