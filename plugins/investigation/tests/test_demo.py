"""The demo: a real failing run goes through every step and its report is worth reading."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.marathon
def test_the_demo_keeps_its_contract_and_explains_every_failure(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "toolroll", "demo", "--pack", "investigation"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 root causes explain 10 of 10 failures" in done.stdout
    for rule in ("H1", "H2", "H6", "H7", "H8", "H9", "H10", "H12", "H15", "H15b", "FALLBACK"):
        assert f"\t{rule}\t" in done.stdout
    assert "Root causes linked to it" in done.stdout
    assert list(tmp_path.iterdir()) == []
