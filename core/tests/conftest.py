"""What the tests of core share: packs without installation, runtimes, and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from attrs import frozen

import toolroll
from toolroll.answers import Answer
from toolroll.cli.main import main
from toolroll.context import LOCAL, Principal
from toolroll.registry import Source
from toolroll.runtime import Runtime

PROBE = Path(__file__).parent / "distributions" / "probe"

MakeSource = Callable[..., Source]
OpenRuntime = Callable[..., Runtime]
Call = Callable[..., Answer]


def source_of(pack: toolroll.Pack, *, distribution: str = "", backends: Any = None) -> Source:
    """Return the source of a pack that is installed nowhere."""
    module = types.ModuleType(f"plugin_{pack.name}")

    @toolroll.hookimpl
    def toolroll_pack() -> toolroll.Pack:
        return pack

    @toolroll.hookimpl
    def toolroll_backends() -> Mapping[str, Any]:
        return backends

    module.toolroll_pack = toolroll_pack  # type: ignore[attr-defined]
    if backends is not None:
        module.toolroll_backends = toolroll_backends  # type: ignore[attr-defined]
    return Source(pack.name, distribution or f"toolroll-{pack.name}", "1.0", lambda: module)


@pytest.fixture
def make_source() -> MakeSource:
    return source_of


@pytest.fixture
def open_runtime(tmp_path: Path) -> Iterator[OpenRuntime]:
    """Open runtimes over packs made in the test; keywords are tables of `toolroll.toml`."""
    root = tmp_path / "project"
    root.mkdir()
    with ExitStack() as stack:

        def open_one(*packs: toolroll.Pack, **tables: Mapping[str, object]) -> Runtime:
            return stack.enter_context(
                Runtime.open(
                    roots=[root],
                    data_dir=tmp_path / "data",
                    overrides=tables,
                    sources=lambda: [source_of(pack) for pack in packs],
                )
            )

        yield open_one


@pytest.fixture
def call() -> Call:
    """Call a tool of a runtime from plain code."""

    def call_one(
        runtime: Runtime,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        principal: Principal = LOCAL,
    ) -> Answer:
        return anyio.run(runtime.caller.call, tool, arguments or {}, principal)

    return call_one


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@frozen
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Run `toolroll ARGUMENTS…` in this process."""

    def run(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["toolroll", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Done(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def probe_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process find the probe pack."""
    monkeypatch.syspath_prepend(str(PROBE))


@pytest.fixture
def probe_environment() -> dict[str, str]:
    """Return an environment whose processes find the probe pack."""
    return environment(PROBE)


def environment(*paths: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., Path]:
    """Write a distribution with one pack, as pip would lay it out, and return its directory."""
    directory = tmp_path / "site"

    def write(name: str, code: str, *, distribution: str = "") -> Path:
        distribution = distribution or f"toolroll-{name}"
        module = distribution.replace("-", "_")
        info = directory / f"{module}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.4\nName: {distribution}\nVersion: 1.0\n", "utf-8"
        )
        (info / "entry_points.txt").write_text(f"[toolroll]\n{name} = {module}\n", "utf-8")
        (directory / f"{module}.py").write_text(code, "utf-8")
        return directory

    return write


@pytest.fixture
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run this Python with arguments, in an environment with more on its path."""

    def run(
        *arguments: str | Path, path: tuple[Path, ...] = (), cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=environment(*path),
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    return run
