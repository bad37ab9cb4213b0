"""What is light stays light: heavy libraries are imported on first use only."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Python = Callable[..., subprocess.CompletedProcess[str]]

PROBE = Path(__file__).parent / "distributions" / "probe"
HEAVY = ["alembic", "faiss", "mcp", "rich", "sqlalchemy", "starlette", "tree_sitter", "whoosh"]
RUN = """
import contextlib, io, json, sys
from toolroll.cli.main import cli
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as out:
    cli(sys.argv[2:])
assert out.getvalue()
heavy = json.loads(sys.argv[1])
print(json.dumps(sorted(name for name in heavy if name in sys.modules)))
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["packs", "list"],
        ["packs", "list", "--json"],
        ["tools", "list"],
        ["client-config", "codex"],
    ],
    ids=" ".join,
)
def test_a_command_that_needs_no_heavy_library_imports_none(
    python: Python, tmp_path: Path, arguments: list[str]
) -> None:
    ran = python("-c", RUN, json.dumps(HEAVY), *arguments, path=(PROBE,), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == []


def test_importing_the_public_names_imports_none(python: Python) -> None:
    code = "import json, sys, toolroll\nprint(json.dumps([n for n in {} if n in sys.modules]))"
    ran = python("-c", code.format(HEAVY))
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == []


def test_a_host_imports_no_database_before_it_has_answered(python: Python, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "import toolroll.host.stdio\n"
        "from toolroll.host.server import Warmup, build_server\n"
        "from toolroll.runtime import Runtime\n"
        "with Runtime.open(roots=[Path.cwd()]) as runtime:\n"
        "    build_server(runtime, Warmup(runtime))\n"
        "print([name for name in ('sqlalchemy', 'alembic', 'uvicorn.main') if name in sys.modules])"
    )
    ran = python("-c", code, path=(PROBE,), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "sqlalchemy" not in ran.stdout
    assert "alembic" not in ran.stdout
