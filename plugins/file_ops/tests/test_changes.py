"""What counts as a change on disk, and what a pass says of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextvars import Context
from typing import TYPE_CHECKING

import pytest

from toolroll_file_ops.catalogue import catalogue_of
from toolroll_file_ops.indexed_files import IndexedFiles

if TYPE_CHECKING:
    from conftest import Host


def test_content_of_the_same_size_and_time_is_seen(host: Host) -> None:
    """Archivers and copying tools set the modification time back."""
    host.write({"a.txt": "the heron waits\n"})
    host.index()
    place = host.root / "a.txt"
    before = place.stat()
    place.write_text("the eagle waits\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert host.file("get_file_content", "a.txt")["content"] == "the eagle waits\n"
    assert host.found("eagle") == ["a.txt"]


def test_a_symlink_in_the_place_of_a_directory_hides_what_was_in_it(host: Host) -> None:
    host.write({"here/deep/a.txt": "the heron waits\n", "b.txt": "b\n"})
    host.index()
    (host.root / "here").rename(host.root / "there")
    (host.root / "here").symlink_to("there")
    listed = host.call("list_files_in_collection", collection="proj")["files"]
    assert [file["path"] for file in listed] == ["b.txt", "there/deep/a.txt"]
    assert host.found("heron") == ["there/deep/a.txt"]


def test_what_an_ignore_file_leaves_out_from_now_on_is_not_read_any_more(host: Host) -> None:
    host.write({"src/secret.txt": "heron\n", "src/b.txt": "b\n"})
    host.index()
    host.file("get_file_content", "src/secret.txt")
    host.write({"src/.gitignore": "secret*\n"})
    arguments = {"collection": "proj", "file_path": "src/secret.txt"}
    code, payload = host.answer("get_file_content", **arguments)
    assert code == "FileNotFound"
    assert "ignore file" in payload["message"]
    host.write({"src/.gitignore": ""})
    assert host.file("get_file_content", "src/secret.txt")["content"] == "heron\n"


def test_ignore_files_count_though_the_globs_leave_them_out(host: Host) -> None:
    host.write({"a.py": "heron = 1\n", "b.py": "heron = 2\n"})
    host.index(include=["*.py"])
    assert host.found("heron") == ["a.py", "b.py"]
    host.write({".gitignore": "a.py\n"})
    assert host.found("heron") == ["b.py"]


def test_a_touched_file_is_not_indexed_anew(host: Host) -> None:
    host.write({"a.txt": "heron\n", "b.txt": "eagle\n"})
    host.index()
    with host.engine.open(host.context, "test", "proj") as opened:
        opened.refresh()
        before = catalogue_of(opened).files
    (host.root / "b.txt").touch()
    done = host.index()
    assert (done["added"], done["updated"], done["unchanged"]) == (0, 0, 2)
    with host.engine.open(host.context, "test", "proj") as opened:
        opened.refresh()
        after = catalogue_of(opened).files
    assert {path: row.id for path, row in before.items()} == {
        path: row.id for path, row in after.items()
    }
    assert after["a.txt"].indexed_at == before["a.txt"].indexed_at
    assert after["b.txt"].indexed_at > before["b.txt"].indexed_at


def test_files_without_text_are_skipped_and_nothing_else(host: Host) -> None:
    host.write({"a.txt": "heron\n", "b.bin": b"\0", "c.txt": b"caf\xe9"})
    done = host.index()
    assert (done["added"], done["unchanged"], done["skipped"], done["total_files"]) == (1, 0, 2, 1)
    why = "byte 3 is not UTF-8; convert the file to UTF-8"
    assert done["not_indexed"] == [{"path": "c.txt", "reason": why}]
    host.write({"c.txt": "café"})
    done = host.index()
    assert (done["added"] + done["updated"], done["unchanged"], done["skipped"]) == (1, 1, 1)
    assert done["not_indexed"] == []


def test_names_that_no_path_can_hold_are_skipped_and_counted(host: Host) -> None:
    host.write({"a.txt": "heron\n", "b\\c.txt": "eagle\n", "d\ne.txt": "owl\n"})
    (host.root / "odd\tdirectory").mkdir()
    (host.root / "odd\tlink").symlink_to("a.txt")
    for added in (1, 0):
        done = host.index()
        assert (done["added"], done["skipped"], done["total_files"]) == (added, 3, 1)
        (told,) = host.call("list_collections")["collections"]
        assert (told["files"], told["skipped_files"]) == (1, 3)
    (host.root / "b\\c.txt").unlink()
    done = host.index()
    (told,) = host.call("list_collections")["collections"]
    assert (done["skipped"], told["skipped_files"]) == (2, 2)


def test_a_name_in_another_normal_form_finds_the_file_that_looks_the_same(host: Host) -> None:
    composed, apart = "caf\u00e9.py", "cafe\u0301.py"
    host.write({apart: "def heron(): pass\n", "other.py": "x = 1\n"})
    host.index()
    for tool in ("get_file_content", "get_file_summary", "get_file_chunks_ordered"):
        assert host.file(tool, composed)["file_path"] == apart
    assert host.file("get_related_files", composed)["source_file"] == apart
    host.write({composed: "def eagle(): pass\n"})
    host.index()
    assert "eagle" in host.file("get_file_content", composed)["content"]
    assert "heron" in host.file("get_file_content", apart)["content"]


def test_a_directory_is_no_file_and_the_error_says_so(host: Host) -> None:
    host.write({"src/a.txt": "heron\n"})
    host.index()
    _, payload = host.answer("get_file_content", collection="proj", file_path="src")
    assert "is a directory" in payload["message"]


@pytest.mark.parametrize("tool", ["get_file_content", "get_file_chunks_ordered"])
@pytest.mark.parametrize("size", [1001, 600_000])
def test_a_file_too_large_for_the_index_is_not_said_to_be_readable_in_parts(
    make_host: Callable[..., Host], tool: str, size: int
) -> None:
    host = make_host(max_file_bytes=1000)
    host.write({"a.txt": "x" * size})
    host.index()
    code, payload = host.answer(tool, collection="proj", file_path="a.txt")
    assert code == "FileTooLarge"
    assert "max_file_bytes=1000" in payload["message"]
    assert "page" not in payload["message"]


def test_a_touched_file_that_another_process_stores_meanwhile_is_looked_at_again(
    make_host: Callable[..., Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = make_host()
    other = make_host(root=host.root)
    host.write({"a.txt": "heron\n"})
    host.index()
    asked = IndexedFiles._contents

    def ask(files: IndexedFiles, paths: Sequence[str]) -> dict[str, str]:
        known = asked(files, paths)
        monkeypatch.setattr(IndexedFiles, "_contents", asked)
        host.write({"a.txt": "eagle\n"})
        assert Context().run(other.found, "eagle") == ["a.txt"]  # outside of the host's event loop
        host.write({"a.txt": "heron\n"})
        return known

    (host.root / "a.txt").touch()
    monkeypatch.setattr(IndexedFiles, "_contents", ask)
    host.index()
    for one in (host, other):
        assert one.file("get_file_content", "a.txt")["content"] == "heron\n"
        assert (one.found("heron"), one.found("eagle")) == (["a.txt"], [])
