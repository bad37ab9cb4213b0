"""The process that servers are forked from: what it imports beforehand, and what it must not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toolroll_conformance.processes.warm import SUPPORTED, WarmLauncher

pytestmark = pytest.mark.skipif(not SUPPORTED, reason="this system can't fork")


def launched(tmp_path: Path, source: str) -> str:
    """Start `toolroll --version` from a process that has imported a pack; return its output."""
    (tmp_path / "toolroll_early").mkdir()
    (tmp_path / "toolroll_early" / "__init__.py").write_text("", "utf-8")
    (tmp_path / "toolroll_early" / "module.py").write_text(source, "utf-8")
    launcher = WarmLauncher({"PYTHONPATH": str(tmp_path)}, ["toolroll_early"])
    try:
        with (tmp_path / "out.txt").open("w+b") as out, Path(os.devnull).open("rb") as nothing:
            child = launcher.start(
                ["--version"],
                cwd=tmp_path,
                stdin=nothing.fileno(),
                stdout=out.fileno(),
                stderr=out.fileno(),
            )
            assert child.wait(60) == 0
            out.seek(0)
            return out.read().decode()
    finally:
        launcher.close()


def test_a_pack_is_imported_whole_before_servers_are_forked(tmp_path):
    note = tmp_path / "note.txt"
    source = f"import os, pathlib\npathlib.Path({str(note)!r}).write_text(str(os.getpid()))\n"
    assert "toolroll" in launched(tmp_path, source)
    assert note.is_file()


def test_a_pack_that_starts_a_thread_on_import_is_left_to_each_server(tmp_path):
    note = tmp_path / "note.txt"
    source = (
        "import pathlib, threading\n"
        f"pathlib.Path({str(note)!r}).open('a').write('x')\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    )
    assert "toolroll" in launched(tmp_path, source)
    assert note.read_text() == "x"


def test_a_pack_that_cannot_be_imported_stops_nobody(tmp_path):
    assert "toolroll" in launched(tmp_path, "raise RuntimeError('broken')\n")
