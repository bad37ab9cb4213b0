"""Calling semble_side.py, which needs an environment of its own."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["asked_semble"]

SECONDS = 900


def asked_semble(root: Path, queries: list[str]) -> dict[str, Any]:
    """Index a directory with semble and ask it queries; return what semble_side.py prints.

    Raises:
        RuntimeError: It did not run; the message is the last line that it wrote.
    """
    with tempfile.TemporaryDirectory() as place:
        questions = Path(place, "queries.json")
        questions.write_text(json.dumps(queries))
        script = Path(__file__).with_name("semble_side.py")
        command = ["uv", "run", "--quiet", "--no-project", "--script", script, root, questions]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(lines[-1])
    return json.loads(done.stdout)
