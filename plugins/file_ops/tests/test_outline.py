"""`get_project_outline`: what it shows, and what it does for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from toolroll_file_ops import outline

if TYPE_CHECKING:
    from conftest import Host

LEVELS = 1_200


def summaries(node: dict[str, Any]) -> list[str]:
    """Return the files below a node that carry a summary."""
    own = [node["name"]] if (node.get("file_info") or {}).get("summary") else []
    return own + [name for child in node.get("children", []) for name in summaries(child)]


@pytest.fixture
def deep(host: Host) -> Iterator[Host]:
    """A project with a file in so many directories that no recursion reaches it."""
    place, below = host.root / "d", host.root / "below"
    place.mkdir()
    (place / "deep.py").write_text("a = 1\n")
    for _ in range(LEVELS - 1):
        place.rename(below)
        place.mkdir()
        below.rename(place / "d")
    yield host
    while (place / "d").exists():  # what removes directories of tests recurses, too
        (place / "d").rename(below)
        place.rmdir()
        below.rename(place)


def test_only_files_that_are_shown_are_summarised(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outline, "MAX_SUMMARIES", 2)
    host.write({f"part{n}/README.md": "# Part\n" for n in range(3)})
    host.write({"alpha.py": "a = 1\n", "beta.py": "b = 2\n"})
    host.index()
    answer = host.call(
        "get_project_outline", collection="proj", max_depth=1, include_summaries=True
    )
    assert summaries(answer["structure"]) == ["alpha.py", "beta.py"]


def test_directories_may_be_nested_as_deep_as_paths_are_long(deep: Host) -> None:
    assert deep.index()["total_files"] == 1
    answer = deep.call("get_project_outline", collection="proj", max_depth=2)
    inner = answer["structure"]["children"][0]["children"][0]
    assert (inner["file_count"], inner["directory_count"]) == (1, LEVELS - 2)
