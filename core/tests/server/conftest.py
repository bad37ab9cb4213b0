"""A host in a thread, a pack made for trying the console, and a real browser."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
import uvicorn
from attrs import frozen
from pydantic import BaseModel, Field

import toolroll
from toolroll.host.http import Address, build_app
from toolroll.host.keys import KeyStore
from toolroll.registry import Source, discover
from toolroll.runtime import Runtime
from toolroll.storage.redis import SharedRedis

PATIENCE = 180_000
"""Milliseconds that the browser may take for anything; the machine may have much else to do."""
MESSAGES_STAY = """
const later = window.setTimeout;
window.setTimeout = (run, after, ...more) =>
  later(run, after < 5000 ? after : 2 ** 31 - 1, ...more);
"""
"""Keeps the messages of the console on the page: they go after seconds, in which a busy machine may
not have looked for them."""
HOSTILE = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"


class Echo(toolroll.Params):
    text: str = Field(min_length=1, description="What to say.")
    times: int = Field(default=1, ge=1, le=5)
    loud: bool = False
    mood: Literal["calm", "glad"] = "calm"
    tags: list[str] = Field(default_factory=list)
    note: str | None = None


class Steps(toolroll.Params):
    most: int = Field(ge=1, le=1_000_000)


class Nothing(toolroll.Params):
    pass


class Said(BaseModel):
    said: list[str]
    mood: str
    tags: list[str]
    note: str | None = None


class Drawer(toolroll.Pack):
    """Tools that show every kind of field and answer."""

    name = "drawer"

    def __init__(self) -> None:
        self.emptied = 0
        self.entered = threading.Event()
        self.go_on = threading.Event()

    @toolroll.tool()
    def echo(self, ctx: toolroll.ToolContext, args: Echo) -> Said:
        """Say it again."""
        text = args.text.upper() if args.loud else args.text
        return Said(said=[text] * args.times, mood=args.mood, tags=args.tags, note=args.note)

    @toolroll.tool()
    def walk(self, ctx: toolroll.ToolContext, args: Steps) -> Said:
        """Take a first step, tell of it, and wait to be told to go on."""
        ctx.progress(1, args.most, "step one")
        self.entered.set()
        while not self.go_on.wait(0.01):
            ctx.check()
        return Said(said=["walked"], mood="glad", tags=[])

    @toolroll.tool()
    def report(self, ctx: toolroll.ToolContext, args: Nothing) -> toolroll.Markdown:
        """Answer with Markdown that would harm a careless page."""
        return toolroll.Markdown(f"# Report\n\n{HOSTILE}\n")

    @toolroll.tool(writes=True, destructive=True)
    def empty_drawer(self, ctx: toolroll.ToolContext, args: Nothing) -> Said:
        """Throw everything away."""
        self.emptied += 1
        return Said(said=["empty"], mood="calm", tags=[])


@frozen
class Host:
    """A host that serves: where it is, and what stands behind it."""

    url: str
    runtime: Runtime
    app: Any

    @property
    def console(self) -> str:
        return f"{self.url}/console"


@contextmanager
def serving(
    root: Path, sources: list[Source], settings: dict[str, dict[str, Any]] | None = None
) -> Iterator[Host]:
    """Serve packs over HTTP on a free port of the loopback until the block ends."""
    runtime = Runtime.open(roots=[root], overrides=settings, sources=lambda: sources)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        address = Address("127.0.0.1", listener.getsockname()[1])
        app = build_app(runtime, address)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        url = f"http://{address.netloc}"
        httpx.get(f"{url}/healthz", timeout=120)  # the socket listens already: this waits for it
        try:
            yield Host(url, runtime, app)
        finally:
            server.should_exit = True
            thread.join(120)


@pytest.fixture
def drawer() -> Drawer:
    return Drawer()


@pytest.fixture
def serve(tmp_path: Path, make_source: Callable[..., Source]) -> Iterator[Callable[..., Host]]:
    """Start hosts that end with the test: `serve(*packs, **settings)`."""
    with ExitStack() as stack:

        def start(*packs: toolroll.Pack | Source, **settings: dict[str, Any]) -> Host:
            sources = [p if isinstance(p, Source) else make_source(p) for p in packs]
            return stack.enter_context(serving(tmp_path, sources, settings))

        yield start


@pytest.fixture
def key(tmp_path: Path) -> str:
    """A key of the host that `serve` starts; ask for it before starting."""
    return KeyStore(tmp_path / ".toolroll").create("tester")


@pytest.fixture
def fileio() -> Source:
    """The installed fileio pack."""
    for source in discover():
        if source.name == "fileio":
            return source
    pytest.skip("the fileio pack is not installed")


@pytest.fixture(scope="module")  # its driver keeps an event loop in this thread while it is open
def chromium() -> Iterator[Any]:
    """A real Chromium, headless."""
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("playwright is not installed")
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no chromium on PATH")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=path, args=["--no-sandbox"], timeout=PATIENCE
        )
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A fresh page; fails the test on any script error or blocked resource."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    context.add_init_script(MESSAGES_STAY)
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            troubles.append(message.text)
            if message.type == "error" and "Content Security Policy" in message.text
            else None
        ),
    )
    yield opened
    context.close()
    assert troubles == []


@pytest.fixture
def expect(page: Any) -> Any:
    """Playwright's assertions, which wait for a state as patiently as its actions do."""
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    return expect


@pytest.fixture
def axe() -> Callable[[Any], list[str]]:
    """Run axe-core in a page and return its findings, one line each."""
    if importlib.util.find_spec("axe_playwright_python") is None:
        pytest.skip("axe-playwright-python is not installed")
    script = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")

    def run(page: Any) -> list[str]:
        page.evaluate(script)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{rule['id']} ({rule['impact']}): {node['html'][:200]}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]

    return run


@pytest.fixture
def redis(redis_url: str) -> Iterator[Any]:
    """An empty Redis."""
    shared = SharedRedis(redis_url)
    shared._client.flushall()
    yield shared
    shared.close()
