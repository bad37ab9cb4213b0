"""`toolroll fileio …`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fileio_host import Host

from toolroll_fileio.commands import fileio


def run(host: Host, *words: str) -> Result:
    return CliRunner().invoke(fileio, words, obj=host.context, catch_exceptions=False)


def shown(host: Host, *words: str) -> Any:
    result = run(host, *words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_status_tells_what_is_stored_and_what_waits(host: Host) -> None:
    host.write("/a", "text")
    host.write("/b", "text")
    host.call("file_delete", path="/b")
    before = shown(host, "status")
    assert (before["files"], before["deleted_files"], before["jobs_pending"]) == (1, 1, 3)
    host.index()
    after = shown(host, "status")
    assert (after["jobs_pending"], after["chunks"], after["within_slo"]) == (0, 1, True)
    assert "jobs pending" in run(host, "status").output


def test_status_fails_when_the_index_is_later_than_the_objective(host: Host) -> None:
    host.write("/a")
    host.run("UPDATE mcp_file_index_jobs SET created_at = '2020-01-01 00:00:00.000000'")
    assert run(host, "status").exit_code == 1


def test_reindex_queues_every_file(host: Host) -> None:
    host.write("/a")
    host.index()
    assert run(host, "reindex").output == "queued 1 file\n"
    assert [job["status"] for job in shown(host, "jobs")] == ["pending", "done"]
    assert len(shown(host, "jobs", "--status", "done")) == 1


def test_what_is_not_there_is_named_rather_than_shown_as_nothing(
    host: Host, tmp_path: Path
) -> None:
    failed = run(host, "export", str(tmp_path / "out"), "--project", "p")
    assert (failed.exit_code, failed.output) == (
        1,
        "Error: project 'p' holds no files; no project does\n",
    )
    host.write("/a")
    failed = run(host, "export", str(tmp_path / "out"), "--project", "q")
    assert failed.exit_code == 1
    assert "those that do: 'p" in failed.output
    assert not (tmp_path / "out").exists()
    assert run(host, "jobs", "--status", "waiting").exit_code == 2


def test_what_may_not_be_read_is_named_and_git_is_passed_over(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    for name in ("a.md", "shut/b.md", ".git/HEAD", "z/c.md"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text("text")
    listed = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "shut":  # as nobody but root would find it with mode 0
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    found = shown(host, "import", str(source), "--project", "p")
    assert (found["files"], found["left_out"]) == (2, {"shut": "Permission denied"})


def test_the_hosts_own_data_stays_outside(host: Host) -> None:
    (host.context.root.path / "plan.md").write_text("a plan")
    (host.context.root.path / ".toolroll" / "keys.json").write_text("{}")
    found = shown(host, "import", str(host.context.root.path), "--project", "p")
    assert (found["files"], found["left_out"]) == (1, {})


def test_a_directory_goes_in_and_comes_out_byte_for_byte(host: Host, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "a.txt").write_bytes("héllo\r\n".encode())
    (source / "deep" / "empty").write_bytes(b"")
    (source / "binary").write_bytes(b"\xff\x00")
    (source / "odd name").write_text("x")
    (source / "link").symlink_to(source / "a.txt")
    found = shown(host, "import", str(source), "--project", "p", "--into", "/in")
    assert (found["files"], found["bytes"]) == (2, 8)
    assert set(found["left_out"]) == {"binary", "odd name"}
    target = tmp_path / "target"
    assert shown(host, "export", str(target), "--project", "p")["files"] == 2
    assert (target / "in" / "a.txt").read_bytes() == "héllo\r\n".encode()
    assert (target / "in" / "deep" / "empty").read_bytes() == b""
    again = run(host, "export", str(target), "--project", "p")
    assert (again.exit_code, "not empty" in again.output) == (1, True)


def test_a_bad_project_is_told(host: Host, tmp_path: Path) -> None:
    result = run(host, "import", str(tmp_path), "--project", "a b")
    assert (result.exit_code, "project may hold only" in result.output) == (2, True)


def test_chunks_and_purge(host: Host) -> None:
    host.write("/a", "text")
    host.index()
    (row,) = shown(host, "chunks")
    assert (row["file_path"], row["start_byte"], row["end_byte"]) == ("/a", 0, 4)
    assert run(host, "purge").output == "purged\n"


def test_a_directory_that_no_path_can_name_is_told_before_any_file_is_read(
    host: Host, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("x")
    result = run(host, "import", str(tmp_path), "--project", "p", "--into", "notes")
    assert (result.exit_code, "--into must start with '/'" in result.output) == (2, True)
