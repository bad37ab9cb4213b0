"""The console's files: their policy, and what they must not contain."""

from __future__ import annotations

import re
from importlib import resources

import httpx
import pytest

STATIC = resources.files("toolroll.host.console").joinpath("static")
SCRIPTS = sorted(item.name for item in STATIC.iterdir() if item.name.endswith(".js"))


@pytest.fixture
def get(serve, drawer):
    host = serve(drawer)
    with httpx.Client(base_url=host.url, timeout=120) as client:
        yield client.get


@pytest.mark.parametrize("path", ["/console", "/console/main.js", "/console/theme.css"])
def test_everything_has_the_strict_policy(get, path):
    headers = get(path).headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_files_are_revalidated_and_not_sent_twice(get):
    first = get("/console/main.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = get("/console/main.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/console/nope.js", "/console/..%2fpages.py", "/console/__init__.py"]
)
def test_nothing_but_its_own_files_is_served(get, path):
    assert get(path).status_code == 404


def test_a_trailing_slash_leads_to_the_page(get):
    assert get("/console/", follow_redirects=True).status_code == 200


def test_the_console_can_be_switched_off(serve, drawer):
    host = serve(drawer, http={"console": False})
    assert httpx.get(host.console, timeout=120).status_code == 404


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_never_build_markup_from_text_or_keep_anything(name):
    text = STATIC.joinpath(name).read_text("utf-8")
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|"
        r"localStorage|sessionStorage|indexedDB|document\.cookie|setAttribute\([\"']on"
    )
    assert re.findall(forbidden, text) == []


def test_nothing_is_fetched_from_elsewhere():
    for item in STATIC.iterdir():
        found = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", item.read_text("utf-8")))
        assert found <= {"http://www.w3.org/2000/svg"}, item.name


def test_the_page_holds_no_inline_script_or_style():
    html = STATIC.joinpath("index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|style=", html) == []


def test_every_file_that_the_page_and_its_modules_name_exists():
    names = {item.name for item in STATIC.iterdir()}
    html = STATIC.joinpath("index.html").read_text("utf-8")
    wanted = set(re.findall(r"(?:src|href)=\"console/([^\"]+)\"", html))
    for script in SCRIPTS:
        wanted |= set(
            re.findall(r"from \"\./([^\"]+)\"", STATIC.joinpath(script).read_text("utf-8"))
        )
    assert wanted <= names
    assert set(SCRIPTS) <= wanted, "a script that nothing loads"
