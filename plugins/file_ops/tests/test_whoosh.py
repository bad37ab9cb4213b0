"""Whoosh as the lexical engine: it finds what FTS5 finds, and follows every change."""

from __future__ import annotations

import errno
import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import toolroll

WHOOSH = {"embedder": "none", "lexical_engine": "whoosh"}
FILES = {
    "src/gate.py": "def open_gate(key):\n    return key.fits\n",
    "src/door.py": "def open_door(key):\n    return unlatch(key)\n",
    "docs/keys.md": "# Keys\n\nA key opens a gate or a door.\n",
}
QUERIES = ("open gate", "key", "door fits", "nothing of this")


def test_it_finds_what_fts5_finds(make_host: Callable[..., Any], tmp_path: Path) -> None:
    whoosh = make_host(data=tmp_path / "one", search=WHOOSH)
    whoosh.write(FILES)
    whoosh.index()
    fts5 = make_host(data=tmp_path / "two")
    fts5.index()
    for query in QUERIES:
        assert sorted(whoosh.found(query)) == sorted(fts5.found(query))
    assert whoosh.found("fits")[0] == fts5.found("fits")[0] == "src/gate.py"
    typed = {"collection": "proj", "query": "key", "file_types": ["md"]}
    (only,) = whoosh.call("search_by_file_type", **typed)["results"]
    assert only["file_path"] == "docs/keys.md"


def test_it_follows_edits_and_deletions_without_an_index_run(make_host: Callable[..., Any]) -> None:
    host = make_host(search=WHOOSH)
    host.write(FILES)
    host.index()
    assert "src/door.py" in host.found("unlatch")
    host.write({"src/door.py": "portcullis = 1\n"})
    assert host.found("portcullis") == ["src/door.py"]
    assert "src/door.py" not in host.found("unlatch")
    (host.root / "src/door.py").unlink()
    assert host.found("portcullis") == []


def test_the_engine_can_be_changed_at_any_time(make_host: Callable[..., Any]) -> None:
    plain = make_host()
    plain.write(FILES)
    plain.index()
    whoosh = make_host(search=WHOOSH)
    assert sorted(whoosh.found("open gate")) == sorted(plain.found("open gate"))
    plain.write({"src/new.py": "portcullis = 1\n"})
    assert plain.found("portcullis") == ["src/new.py"]
    assert whoosh.found("portcullis") == ["src/new.py"]


@pytest.mark.parametrize("step", ["__init__", "_commit_toc"])
def test_on_a_full_disk_searches_lack_nothing(
    make_host: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    host = make_host(search=WHOOSH)
    host.write(FILES)
    with monkeypatch.context() as full:
        full.setattr(f"whoosh.writing.SegmentWriter.{step}", refused)
        host.index()
        assert "src/door.py" in host.found("unlatch")
        host.write({"src/door.py": "portcullis = 1\n"})
        assert host.found("portcullis") == ["src/door.py"]
    host.write({"src/new.py": "drawbridge = 1\n"})
    assert host.found("drawbridge") == ["src/new.py"]
    (copy,) = (host.context.data_dir / "whoosh").iterdir()
    assert list(copy.glob("*.seg"))  # it follows again


def test_it_goes_with_its_collection(make_host: Callable[..., Any]) -> None:
    host = make_host(search=WHOOSH)
    host.write(FILES)
    host.index()
    assert host.found("key")
    (kept,) = (host.context.data_dir / "whoosh").iterdir()
    assert any(kept.iterdir())
    host.engine.remove(host.context, "proj")
    assert not kept.exists()


# Whoosh leaves a file open that it cannot read; collected here, so that no other test hears of it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_damaged_copy_is_built_anew(make_host: Callable[..., Any]) -> None:
    first = make_host(search=WHOOSH)
    first.write(FILES)
    first.index()
    (copy,) = (first.context.data_dir / "whoosh").iterdir()
    for file in copy.glob("*.toc"):
        file.write_bytes(b"no index")
    again = make_host(search=WHOOSH)
    assert again.found("open gate") == first.found("open gate")
    gc.collect()


def test_an_unknown_engine_is_refused(make_host: Callable[..., Any]) -> None:
    with pytest.raises(toolroll.SettingsError, match="lexical_engine"):
        make_host(search={"lexical_engine": "lucene"})
