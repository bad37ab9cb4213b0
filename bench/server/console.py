#!/usr/bin/env python3
"""The console's tree in a large project: how long things take in Chromium, how large the page is.

    python bench/server/console.py [--files 100000]

One project has its files in directories of 20 directories of 50, another has all of them in one.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable
from typing import Any

from cluster import cluster
from driving import FIRST, ask, fill, path_of
from playwright.sync_api import sync_playwright

SETTINGS = "max_file_bytes = 1000000\n[fileio.search]\nenabled = false\n"


def measure(page: Any, what: str, act: Callable[[], object]) -> None:
    """Do something, and print how long it took and what is on the page then."""
    started = time.monotonic()
    act()
    took = time.monotonic() - started
    nodes = page.evaluate("document.getElementsByTagName('*').length")
    rows = page.get_by_role("treeitem").count()
    print(f"{what:44} {took * 1000:7.0f} ms  {rows:5} rows  {nodes:6} elements", flush=True)


def look(page: Any, fleet: Any) -> None:
    """Walk through both projects as a user does."""
    page.goto(f"http://127.0.0.1:{fleet.hosts[0].port}/console")
    page.get_by_label("key", exact=False).first.fill(fleet.key)
    row = page.get_by_role("treeitem")
    named = lambda name: page.get_by_role("treeitem", name=name, exact=True)  # noqa: E731

    def open_page() -> None:
        page.keyboard.press("Enter")
        named("d0000").wait_for()

    def unfold(name: str, inside: str) -> None:
        named(name).locator(".twisty").click()
        named(inside).wait_for()

    def choose(project: str, first: str) -> None:
        page.get_by_label("Project", exact=True).select_option(project)
        named(first).wait_for()

    def show_more() -> None:
        before = row.count()
        named("Show more…").click()
        page.wait_for_function(
            "n => document.querySelectorAll('[role=treeitem]').length > n", arg=before
        )

    def press(key: str) -> None:
        page.keyboard.press(key)
        page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    measure(page, "enter the key, see the first project", open_page)
    measure(page, "open a directory of 20 directories", lambda: unfold("d0000", "s00"))
    measure(page, "open a directory of 50 files", lambda: unfold("s03", path_of(150)[-12:]))

    def read() -> None:
        named(path_of(150)[-12:]).click()
        page.get_by_role("heading", name=path_of(150)[-12:]).wait_for()

    measure(page, "open a file", read)
    measure(page, "choose the flat project", lambda: choose("flat", flat(0)[1:]))
    for _ in range(3):
        measure(page, "show 200 more", show_more)
    named(flat(5)[1:]).click()
    page.get_by_role("heading", name=flat(5)[1:]).wait_for()
    measure(page, "walk one row down by key", lambda: press("ArrowDown"))
    measure(page, "jump to the last row by key", lambda: press("End"))


def flat(number: int) -> str:
    return f"/f{number:07}.txt"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000)
    options = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with cluster(1, SETTINGS) as fleet, sync_playwright() as driver:
        for project in ("big", "flat"):
            ask(fleet, fleet.hosts[0], "file_write", project=project, path=FIRST, content="x")
        fill(fleet, options.files)
        fill(fleet, options.files, "flat", flat)
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page.set_default_timeout(120_000)
        look(page, fleet)
        browser.close()


if __name__ == "__main__":
    main()
