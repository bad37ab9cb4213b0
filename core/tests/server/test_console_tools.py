"""The console in a real browser: connecting, the tools of all packs, and who can use it."""

from __future__ import annotations

import json
import re

import pytest

BYTEWISE = """
const whole = window.fetch;
window.fetch = async (...request) => {
  const response = await whole(...request);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const start = (pieces) => {
    for (const byte of bytes) pieces.enqueue(Uint8Array.of(byte));
    pieces.close();
  };
  return new Response(new ReadableStream({ start }), response);
};
"""
"""Hands the page what the host sends byte by byte, as a network may."""
VIEWPORTS = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 360, "height": 740}}


def answer(page):
    section = page.get_by_role("region", name="Answer", exact=True).first
    return json.loads(section.locator("code").inner_text())


def open_tool(page, host, name):
    page.goto(f"{host.console}#tools?name={name}")
    page.get_by_role("heading", name=name, exact=True).wait_for()


def test_a_host_without_keys_asks_for_none(serve, drawer, page, expect):
    host = serve(drawer)
    page.goto(host.console)
    page.get_by_role("link", name="echo").wait_for()
    expect(page.get_by_label("Key")).to_have_count(0)


def test_a_key_is_asked_for_once_and_kept_in_memory_only(key, serve, drawer, page):
    host = serve(drawer)
    page.goto(host.console)
    field = page.get_by_label("Key")
    for wrong in ("tr_wrong", "tr_wröng—"):
        field.fill(wrong)
        page.get_by_role("button", name="Connect").click()
        page.get_by_role("alert").filter(has_text="refused this key").wait_for()
    field.fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="echo").wait_for()
    kept = page.evaluate(
        "async () => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie,"
        " location.href, history.state, await indexedDB.databases(), await caches.keys()])"
    )
    assert key not in kept
    assert json.loads(kept)[:3] == [{}, {}, ""]
    assert key not in page.content()
    page.reload()
    page.get_by_label("Key").wait_for()


def test_a_revoked_key_leads_back_to_the_key_form(key, serve, drawer, page, tmp_path):
    from toolroll.host.keys import KeyStore

    host = serve(drawer)
    page.goto(host.console)
    page.get_by_label("Key").fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="echo").click()
    KeyStore(tmp_path / ".toolroll").revoke("tester")
    page.get_by_label("text").fill("hello")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("alert").filter(has_text="refused this key").wait_for()


def test_the_back_button_shows_nothing_after_a_disconnect(key, serve, drawer, page, expect):
    page.goto(f"{serve(drawer).console}#tools?name=echo")
    page.get_by_label("Key").fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Activity").click()
    expect(page).to_have_title("Activity · Toolroll")
    page.get_by_role("button", name="Disconnect").click()
    page.get_by_role("alert").filter(has_text="the key is forgotten").wait_for()
    expect(page).to_have_title("Toolroll")
    page.go_back()
    expect(page.get_by_label("Key")).to_be_visible()
    page.get_by_label("Key").fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="echo", exact=True).wait_for()


def test_every_tool_is_listed_under_its_pack_and_can_be_filtered(serve, drawer, page, expect):
    host = serve(drawer)
    page.goto(f"{host.console}#tools")
    pack = page.get_by_role("region", name="drawer")
    pack.wait_for()
    expect(pack.get_by_role("listitem")).to_have_text(
        ["echo", re.compile(r"^empty_drawer\s*writes$"), "report", "walk"]
    )
    page.get_by_placeholder("Filter").fill("throw")
    page.get_by_text("1 of 4").wait_for()
    expect(pack.get_by_role("link")).to_have_count(1)


def test_the_form_sends_each_kind_of_field_with_its_type(serve, drawer, page):
    host = serve(drawer)
    open_tool(page, host, "echo")
    page.get_by_label("text").fill("hi")
    page.get_by_label("times").fill("2")
    page.get_by_label("loud").check()
    page.get_by_label("mood").select_option(label="glad")
    page.get_by_label("tags").fill('["a", "b"]')
    page.get_by_role("button", name="Run").click()
    page.get_by_text("done").wait_for()
    assert answer(page) == {"said": ["HI", "HI"], "mood": "glad", "tags": ["a", "b"], "note": None}


def test_fields_left_alone_are_not_sent(serve, drawer, page):
    host = serve(drawer)
    open_tool(page, host, "echo")
    page.get_by_label("text").fill("hi")
    page.get_by_role("button", name="Edit as JSON").click()
    assert json.loads(page.get_by_label("Arguments as JSON").input_value()) == {"text": "hi"}


def test_arguments_can_be_written_as_json_and_taken_back_into_the_form(serve, drawer, page, expect):
    host = serve(drawer)
    open_tool(page, host, "echo")
    page.get_by_role("button", name="Edit as JSON").click()
    raw = page.get_by_label("Arguments as JSON")
    raw.fill("{nope")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("alert").filter(has_text="not JSON").wait_for()
    raw.fill('{"text": "back", "times": 3, "tags": ["x"]}')
    page.get_by_role("button", name="Edit as form").click()
    expect(page.get_by_label("times")).to_have_value("3")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("done").wait_for()
    assert answer(page)["said"] == ["back"] * 3


def test_an_error_shows_its_code_and_message(serve, drawer, page):
    host = serve(drawer)
    open_tool(page, host, "echo")
    page.get_by_label("times").fill("9")
    page.get_by_label("text").fill("x")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("failed: invalid_arguments").wait_for()
    assert "times" in answer(page)["message"]


def test_a_long_call_shows_progress_and_can_be_stopped(serve, drawer, page):
    host = serve(drawer)
    open_tool(page, host, "walk")
    page.get_by_label("most").fill("7")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("step one · 1 of 7").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").wait_for()
    drawer.go_on.set()
    page.get_by_role("button", name="Run").click()
    page.get_by_text("done").wait_for()
    assert answer(page)["said"] == ["walked"]


def test_an_answer_may_come_in_pieces_of_any_size(serve, drawer, page):
    drawer.go_on.set()
    page.add_init_script(BYTEWISE)
    open_tool(page, serve(drawer), "walk")
    page.get_by_label("most").fill("4")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("status").filter(has_text="done").wait_for()
    assert answer(page)["said"] == ["walked"]


@pytest.mark.parametrize("name", ["toString", "constructor", "__proto__", "no-such-view"])
def test_an_address_that_names_no_view_shows_the_first(serve, drawer, page, name):
    page.goto(f"{serve(drawer).console}#{name}")
    page.get_by_role("link", name="echo").wait_for()


def test_a_destructive_tool_runs_only_after_a_yes(serve, drawer, page):
    host = serve(drawer)
    open_tool(page, host, "empty_drawer")
    page.get_by_role("button", name="Run").click()
    dialog = page.get_by_role("dialog", name="Run it?")
    dialog.get_by_role("button", name="Cancel").click()
    dialog.wait_for(state="detached")
    assert drawer.emptied == 0
    page.get_by_role("button", name="Run").click()
    page.get_by_role("dialog").get_by_role("button", name="Run").click()
    page.get_by_text("done").wait_for()
    assert drawer.emptied == 1


def test_markup_in_an_answer_is_shown_as_text(serve, drawer, page, expect):
    host = serve(drawer)
    open_tool(page, host, "report")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("done").wait_for()
    shown = page.get_by_role("region", name="Answer", exact=True).first.locator("code")
    expect(shown).to_contain_text("<img src=x onerror=")
    expect(shown.locator("img, script")).to_have_count(0)
    expect(page).to_have_title("Tools · Toolroll")


def test_the_browser_itself_refuses_to_parse_text_as_markup(serve, drawer, page):
    page.goto(serve(drawer).console)
    page.get_by_role("link", name="echo").wait_for()
    with pytest.raises(Exception, match="TrustedHTML"):
        page.evaluate("() => { document.body.innerHTML = '<b>x</b>' }")


def test_every_request_goes_to_the_host(key, serve, drawer, page):
    host = serve(drawer)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(host.console)
    page.get_by_label("Key").fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="echo").click()
    page.get_by_role("heading", name="echo").wait_for()
    assert len(asked) > 10
    assert [url for url in asked if not url.startswith(host.url + "/")] == []
    assert [url for url in asked if key in url] == []


def test_the_activity_names_calls_but_not_their_arguments(serve, drawer, page, expect):
    host = serve(drawer)
    open_tool(page, host, "echo")
    page.get_by_label("text").fill("very private")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("done").wait_for()
    page.get_by_role("link", name="Activity").click()
    expect(page.get_by_role("row").nth(1)).to_have_text(re.compile(r"echo\s*ok\s*\d"))
    assert "very private" not in page.content()


def test_the_colour_scheme_follows_the_system_until_it_is_chosen(serve, drawer, page, expect):
    ground = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="dark")
    page.goto(serve(drawer).console)
    dark = page.evaluate(ground)
    body = page.locator("body")
    page.emulate_media(color_scheme="light")
    expect(body).not_to_have_css("background-color", dark)
    page.get_by_role("button", name="Colours: as the system").click()
    page.get_by_role("button", name="Colours: light").click()
    page.get_by_role("button", name="Colours: dark").wait_for()
    expect(body).to_have_css("background-color", dark)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", sorted(VIEWPORTS))
def test_no_accessibility_violation(key, serve, drawer, page, axe, scheme, size, expect):
    host = serve(drawer)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(VIEWPORTS[size])
    page.goto(host.console)
    page.get_by_label("Key").wait_for()
    assert axe(page) == []
    page.get_by_label("Key").fill(key)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="echo").wait_for()
    assert axe(page) == []
    page.get_by_role("link", name="echo").click()
    page.get_by_label("text").fill("hi")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("done").wait_for()
    assert axe(page) == []
    page.get_by_role("link", name="Activity").click()
    page.get_by_role("row").nth(1).wait_for()
    assert axe(page) == []
    expect(page.locator("html")).to_have_js_property("scrollWidth", VIEWPORTS[size]["width"])


def test_the_tools_can_be_used_with_the_keyboard_alone(serve, drawer, page, expect):
    page.goto(serve(drawer).console)
    page.get_by_role("link", name="echo").wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_placeholder("Filter")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="echo")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="echo").wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_label("text")).to_be_focused()
    page.keyboard.type("by hand")
    page.keyboard.press("Control+Enter")
    page.get_by_text("done").wait_for()
    assert answer(page)["said"] == ["by hand"]
