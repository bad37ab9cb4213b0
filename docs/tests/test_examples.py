"""Every console block of the site is run, every titled file written, every output compared."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1]
BLOCK = re.compile(
    r"^```(?P<kind>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<body>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
ANYTHING = "…"


def commands(body: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield each command of a console block with its exit code and expected output lines."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, *output = part.rstrip("\n").split("\n")
        command, _, note = command.partition(" # exit ")
        yield command, int(note or 0), output


def matches(expected: list[str], actual: str) -> bool:
    """Compare output; `…` stands for anything in its line, a line of its own for any lines."""
    pattern = "".join(
        r"(?:[^\n]*\n)*"
        if line == ANYTHING
        else r"[^\n]*".join(map(re.escape, line.split(ANYTHING))) + r"\n"
        for line in expected
    )
    return re.fullmatch(pattern, actual.rstrip("\n") + "\n") is not None


@pytest.fixture
def leaves_nothing_installed(tmp_path: Path) -> Iterator[None]:
    """Take what a page installs from its folder out of the environment that runs the tests."""
    yield
    names = [
        item.name
        for item in importlib.metadata.distributions()
        if str(tmp_path) in (item.read_text("direct_url.json") or "")
    ]
    if names:
        command = ["uv", "pip", "uninstall", "--quiet", "--python", sys.executable, *names]
        subprocess.run(command, check=True)


@pytest.mark.usefixtures("leaves_nothing_installed")
@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_examples_of(page: Path, tmp_path: Path) -> None:
    """A page's examples do what it says, in the order they stand in, in an empty folder."""
    bin_dir = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}"}
    ran = 0
    for block in BLOCK.finditer(page.read_text("utf-8")):
        if block["title"]:
            target = tmp_path / block["title"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block["body"], "utf-8")
        elif block["kind"] == "console":
            for command, code, expected in commands(block["body"]):
                done = subprocess.run(
                    shlex.split(command),
                    cwd=tmp_path,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
                if expected:
                    assert matches(expected, done.stdout), f"{command}\n{done.stdout}"
                ran += 1
    assert ran > 0 or "```console" not in page.read_text("utf-8")
