"""The ways to ask for the suite: pytest with a `pack` fixture, and `toolroll conform`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from toolroll_conformance.cli import conform
from toolroll_conformance.legs.dialect import HANDSHAKE_ERA, Dialect
from toolroll_conformance.stand_in import StandIn
from toolroll_zoo.crashing import Crashing
from toolroll_zoo.shelf import Shelf

pytest_plugins = ["pytester"]
ZOO = Path(__file__).parents[1] / "zoo"
MODULE = """
import sys
sys.path.insert(0, {zoo!r})
import pytest
from toolroll_conformance.suite import *
from toolroll_zoo.shelf import Shelf
from toolroll_zoo.broken import Unsorted

@pytest.fixture(scope="session")
def pack():
    return {pack}
"""


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the shelf an installed pack for this process and those it starts."""
    with closing(StandIn(Shelf())) as stand_in:
        monkeypatch.syspath_prepend(str(stand_in.path))
        monkeypatch.setenv("PYTHONPATH", stand_in.environment["PYTHONPATH"])
        yield


def test_a_two_line_module_makes_a_test_of_each_check(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MODULE.format(zoo=str(ZOO), pack="Shelf()"))
    result = pytester.runpytest_subprocess(
        "-q", "--conform-leg", "memory", "-k", "case/shelf-1 or listing or shelf-5"
    )
    result.assert_outcomes(passed=2, skipped=1)


def test_a_broken_pack_fails_with_findings_and_without_a_traceback(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(MODULE.format(zoo=str(ZOO), pack="Unsorted()"))
    result = pytester.runpytest_subprocess(
        "-q", "--conform-leg", "memory", "-k", "memory and shelf-4"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*[[]case[]] step 4 (call list_texts): expected otherwise*"])
    result.stdout.no_fnmatch_line("*case_runner.py*")


@pytest.mark.parametrize(
    ("pack", "message"),
    [
        ("'no_such_pack'", "*no pack 'no_such_pack' is installed here*"),
        ("None", "*define a fixture 'pack' in this module*"),
    ],
)
def test_a_module_without_a_pack_is_told_so(
    pytester: pytest.Pytester, pack: str, message: str
) -> None:
    pytester.makepyfile(MODULE.format(zoo=str(ZOO), pack=pack))
    result = pytester.runpytest_subprocess("-q")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*pluggy*")


@pytest.mark.usefixtures("installed")
def test_conform_checks_an_installed_pack_and_writes_reports(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "r.json"), "--junit", str(tmp_path / "r.xml")]
    arguments = ["shelf", "--leg", "stdio", "--era", "2025-11-25", "--only", "case/shelf", *files]
    result = CliRunner().invoke(conform, arguments)
    assert result.exit_code == 0, result.output
    assert "shelf: 6 passed, 1 skipped" in result.output
    assert "skipped 1: needs tenants" in result.output
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["ways_in"] == {
        "stdio 2025-11-25": {"passed": 6, "failed": 0, "skipped": 1, "known_failure": 0}
    }
    assert (tmp_path / "r.xml").read_text().startswith("<?xml")


@pytest.mark.usefixtures("installed")
def test_conform_fails_when_a_case_does(tmp_path: Path) -> None:
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "a.yaml").write_text(
        "- {id: a, title: it has texts, steps: [{call: list_texts, expect: {minItems: 1}}]}"
    )
    result = CliRunner().invoke(conform, ["shelf", "--leg", "memory", "--cases", str(cases)])
    assert result.exit_code == 1
    assert "FAILED memory/case/a  it has texts" in result.output
    assert "$: [] should be non-empty; it was answer []" in result.output


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_conform_names_the_line_at_which_a_library_crashes() -> None:
    with closing(StandIn(Crashing())) as stand_in:
        done = subprocess.run(
            [sys.executable, "-c", "from toolroll_conformance.cli import conform; conform()",
             "shelf", "--leg", "memory", "--only", "case/"],
            env={**os.environ, **stand_in.environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == -signal.SIGSEGV
    assert 'toolroll_zoo/crashing.py", line 17 in list_texts' in done.stderr


@pytest.mark.usefixtures("installed")
def test_conform_says_the_same_only_once(tmp_path: Path) -> None:
    step = "{call: list_texts, expect: {minItems: 1}}"
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "a.yaml").write_text(
        f"- {{id: a, title: one, steps: [{step}]}}\n- {{id: b, title: two, steps: [{step}]}}\n"
    )
    arguments = ["shelf", "--leg", "memory", "--cases", str(cases), "--only", "case/"]
    output = CliRunner().invoke(conform, arguments).output
    assert output.count("should be non-empty") == 1
    assert "FAILED memory/case/b  two\n    as memory/case/a\n" in output


def test_conform_says_which_packs_there_are() -> None:
    result = CliRunner().invoke(conform, ["no_such_pack"])
    assert result.exit_code == 2
    assert "no pack 'no_such_pack' is installed here; installed:" in result.output


def test_over_http_the_revision_is_named_that_both_sides_speak() -> None:
    """A server that knows no newer one may refuse every request that names it."""
    dialect = Dialect(HANDSHAKE_ERA)
    dialect.agree({"protocolVersion": "2025-06-18"})
    headers = dialect.headers(dialect.initialized(), None)
    assert headers["mcp-protocol-version"] == "2025-06-18"
