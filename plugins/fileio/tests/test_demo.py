"""`toolroll demo` shows every tool of this pack, over a real host."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.marathon
def test_the_demo_calls_every_tool_and_each_keeps_its_contract(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolroll", "demo", "--pack", "fileio", "--path", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Changes that search does not know yet" in done.stdout
