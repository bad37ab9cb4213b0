"""With a full disk nothing new is indexed; what is indexed is answered from, and said to be old."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from sqlalchemy import text

if TYPE_CHECKING:
    from conftest import Host

COLLECTION = "proj"

ASKED = {
    "discover": {"query": "walrus"},
    "get_project_outline": {"collection": COLLECTION},
    "get_related_files": {
        "collection": COLLECTION,
        "file_path": "sea.py",
        "similarity_threshold": 0,
    },
    "intelligent_search": {"query": "walrus", "collections": [COLLECTION]},
    "list_files_in_collection": {"collection": COLLECTION},
    "search_by_file_type": {"collection": COLLECTION, "query": "walrus", "file_types": ["py"]},
    "search_vectors": {"collection": COLLECTION, "query": "walrus"},
}


@contextmanager
def full(host: Host) -> Generator[None]:
    """Let the database file grow no more."""

    def bound(pages: int) -> None:
        with host.context.database.begin() as session:
            session.execute(text(f"PRAGMA max_page_count = {pages}"))

    bound(1)
    try:
        yield
    finally:
        bound(2**30)


def large() -> str:
    """Return a text that takes pages of its own, however it is compressed."""
    code = "from sea import walrus\n\n\ndef tusk():\n    return walrus\n"
    return f"{code}noise = '{os.urandom(200_000).hex()}'\n"


@pytest.fixture
def indexed(host: Host) -> Host:
    host.write({"sea.py": "walrus = 1\n", "b.py": "from sea import walrus\n"})
    host.index()
    return host


@pytest.mark.parametrize("tool", sorted(ASKED))
def test_a_new_file_is_missing_and_no_answer_fails(indexed: Host, tool: str) -> None:
    assert "stale" not in indexed.call(tool, **ASKED[tool])
    with full(indexed):
        indexed.write({"new.py": large()})
        answer = indexed.call(tool, **ASKED[tool])
        assert "its disk is full; make room" in answer["stale"]
        assert "b.py" in str(answer)
        assert "new.py" not in str(answer)
    answer = indexed.call(tool, **ASKED[tool])
    assert "stale" not in answer
    assert "new.py" in str(answer)


def test_a_command_says_that_the_index_is_stale(indexed: Host) -> None:
    group = indexed.runtime.registry.packs["file_ops"].pack.commands()
    assert group is not None
    with full(indexed):
        indexed.write({"new.py": large()})
        done = CliRunner().invoke(group, ["search", COLLECTION, "walrus"], obj=indexed.context)
    assert "its disk is full; make room" in done.stderr
    assert "b.py:1-1" in done.stdout


def test_a_changed_file_gives_way_to_others(indexed: Host) -> None:
    with full(indexed):
        indexed.write({"sea.py": large()})
        asked = {"collection": COLLECTION, "query": "walrus", "limit": 1}
        hits = indexed.call("search_vectors", **asked)["results"]
        assert [hit["payload"]["file_path"] for hit in hits] == ["b.py"]
        assert indexed.file("get_file_content", "b.py")["content"].startswith("from sea")
        code, error = indexed.answer("index_collection", collection=COLLECTION)
        assert code == "internal_error"
        assert "its disk is full" in error["message"]
