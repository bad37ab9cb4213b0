"""The console on the fileio pack, in a real browser."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import pytest
from sqlalchemy import text

from toolroll.context import LOCAL

HOSTILE = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>\n"
CODE = 'def greet(name):\n    """Grüße."""\n    return f"hello {name}"\n'
FILES = {
    "/README.md": "# Read me\n\nA **roll**.\n",
    "/src/greet.py": CODE,
    "/src/deep/er/leaf.txt": "leaf\n",
    "/web/evil.html": HOSTILE,
    "/dos.txt": "one\r\ntwo\r\n",
}
MILLISECOND = timedelta(milliseconds=1)
DAY = timedelta(days=1)
"""How long a job that failed waits. The worker heeds no pause that is much longer than that."""


@pytest.fixture
def project(serve, fileio):
    """Return a host with one project, and a function that calls its tools."""
    host = serve(fileio, fileio={"index": {"retry_backoff_ms": DAY // MILLISECOND}})

    def call(tool, **arguments):
        arguments = {"project": "demo", **arguments}
        with ThreadPoolExecutor() as pool:  # the browser's driver has this thread's event loop
            answer = pool.submit(
                anyio.run, host.runtime.caller.call, tool, arguments, LOCAL
            ).result()
        assert not answer.is_error, answer.text
        return answer.structured

    for path, content in FILES.items():
        call("file_write", path=path, content=content, mode="TRUNCATE")
    host.runtime.start_workers()
    return host, call


@pytest.fixture
def opened(project, page):
    """Open the project in the browser."""
    host, call = project
    page.goto(host.console)
    page.get_by_role("treeitem", name="README.md").wait_for()
    return page, call


def item(page, name):
    return page.get_by_role("treeitem", name=name, exact=True)


def content(page):
    return page.get_by_role("region", name=re.compile("^Content of")).locator("code")


def read(call, path):
    return call("file_read", path=path)["content"]


def test_projects_are_listed_and_the_first_is_open(opened, expect):
    page, _ = opened
    expect(page.get_by_label("Project", exact=True)).to_have_value("demo")
    page.get_by_text("5 files").wait_for()


def test_it_says_how_far_search_is_behind(project, page, expect):
    host, _ = project
    database = host.runtime.context("fileio").database
    tomorrow = f"{datetime.now(UTC) + DAY:%Y-%m-%d %H:%M:%S.%f}"
    with database.begin() as session:  # a job that no worker takes today
        session.execute(
            text(
                "INSERT INTO mcp_file_index_jobs (apikey_hash, project, file_path, operation,"
                " status, available_at, created_at, updated_at) SELECT apikey_hash, project,"
                " '/late.txt', operation, 'pending', :tomorrow, created_at, updated_at"
                " FROM mcp_file_index_jobs ORDER BY id LIMIT 1"
            ),
            {"tomorrow": tomorrow},
        )
    page.goto(host.console)
    waiting = re.compile(r"^1 change waits for the index, \d+ s behind$")
    expect(page.get_by_text(waiting)).to_be_visible()
    with database.begin() as session:
        session.execute(text("DELETE FROM mcp_file_index_jobs WHERE file_path = '/late.txt'"))
    expect(page.get_by_text("search is up to date")).to_be_visible()


def test_the_tree_loads_a_directory_when_it_is_opened(opened, expect):
    page, _ = opened
    expect(page.get_by_role("treeitem")).to_have_text(["src", "web", "README.md", "dos.txt"])
    item(page, "src").locator(".twisty").click()
    item(page, "greet.py").wait_for()
    expect(item(page, "leaf.txt")).to_have_count(0)


def test_a_large_directory_is_shown_by_the_page(opened, expect):
    page, call = opened
    for number in range(450):
        call("file_write", path=f"/many/{number:03}.txt", content="x")
    page.get_by_role("button", name="Refresh").click()
    item(page, "many").locator(".twisty").click()
    rows = page.get_by_role("group", name="many").get_by_role("treeitem")
    expect(rows).to_have_count(201)
    for shown in (401, 450):
        item(page, "Show more…").click()
        expect(rows).to_have_count(shown)
    expect(rows.last).to_have_text("449.txt")


def test_a_file_is_shown_with_colours_and_its_facts(opened, expect):
    page, _ = opened
    item(page, "src").click()
    item(page, "greet.py").click()
    page.get_by_role("heading", name="greet.py").wait_for()
    expect(content(page)).to_have_js_property("innerText", CODE)
    expect(content(page).locator(".t-keyword")).to_have_text(["def", "return"])
    page.get_by_text(f"{len(CODE.encode())} bytes · 4 lines · Python").wait_for()


def test_a_file_is_never_interpreted_as_markup(opened, expect):
    page, _ = opened
    item(page, "web").click()
    item(page, "evil.html").click()
    page.get_by_role("heading", name="evil.html").wait_for()
    expect(content(page)).to_have_js_property("innerText", HOSTILE)
    expect(content(page).locator("img, script")).to_have_count(0)
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Content of evil.html")).to_have_value(HOSTILE)
    expect(page).to_have_title("Files · Toolroll")


def test_what_turns_the_direction_of_text_is_named_and_turns_nothing(opened, expect):
    page, call = opened
    source = "if level != 'user\u202e \u2066// for all\u2069 \u2066':\n"
    call("file_write", path="/turned.py", content=source, mode="TRUNCATE")
    page.reload()
    item(page, "turned.py").click()
    expect(content(page)).to_have_text(source)
    named = content(page).locator("bdi").evaluate_all("all => all.map(one => one.dataset.code)")
    assert named == ["U+202E", "U+2066", "U+2069", "U+2066"]


def test_an_edit_is_saved(opened):
    page, call = opened
    item(page, "README.md").click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Content of README.md").fill("# New\n\nGrüße 🧰\n")
    page.keyboard.press("Control+s")
    page.get_by_text("Saved README.md").wait_for()
    assert read(call, "/README.md") == "# New\n\nGrüße 🧰\n"


def test_an_edit_begins_where_the_reader_was(opened, expect):
    page, call = opened
    call("file_write", path="/long.txt", content="".join(f"line {n}\n" for n in range(1, 901)))
    page.get_by_role("button", name="Refresh").click()
    item(page, "long.txt").click()
    page.get_by_role("heading", name="long.txt").wait_for()
    page.locator(".pane-body > .code").evaluate("view => (view.scrollTop = 6000)")
    page.get_by_role("button", name="Edit").click()
    editor = page.get_by_label("Content of long.txt")
    expect(editor).to_be_focused()
    assert editor.evaluate("area => area.scrollTop") == 6000
    page.keyboard.type("here ")
    page.keyboard.press("Control+s")
    page.get_by_text("Saved long.txt").wait_for()
    [changed] = [
        n for n, text in enumerate(read(call, "/long.txt").split("\n"), 1) if "here" in text
    ]
    assert 290 < changed < 310  # a line is a good 20 pixels high


def test_line_ends_survive_an_edit(opened):
    page, call = opened
    item(page, "dos.txt").click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Content of dos.txt").press("Control+End")
    page.keyboard.type("three\n")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved dos.txt").wait_for()
    assert read(call, "/dos.txt") == "one\r\ntwo\r\nthree\r\n"


def test_somebody_elses_change_is_not_overwritten_without_asking(opened):
    page, call = opened
    item(page, "README.md").click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Content of README.md").fill("mine")
    call("file_write", path="/README.md", content="theirs", mode="TRUNCATE")
    page.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog", name="Save over it?")
    dialog.get_by_role("button", name="Cancel").click()
    assert read(call, "/README.md") == "theirs"
    page.get_by_role("button", name="Save").click()
    page.get_by_role("dialog").get_by_role("button", name="Save anyway").click()
    page.get_by_text("Saved README.md").wait_for()
    assert read(call, "/README.md") == "mine"


def test_unsaved_changes_are_not_lost_without_asking(opened, expect):
    page, _ = opened
    item(page, "README.md").click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Content of README.md").fill("draft")
    item(page, "dos.txt").click()
    page.get_by_role("dialog", name="Discard your changes?").get_by_role(
        "button", name="Cancel"
    ).click()
    expect(page.get_by_label("Content of README.md")).to_have_value("draft")
    item(page, "dos.txt").click()
    page.get_by_role("dialog").get_by_role("button", name="Discard").click()
    page.get_by_role("heading", name="dos.txt").wait_for()


def test_a_new_file_can_be_made_in_a_new_directory(opened):
    page, call = opened
    page.get_by_role("button", name="New file").first.click()
    page.get_by_label("Path").fill("/notes/today.md")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="today.md").wait_for()
    assert read(call, "/notes/today.md") == ""
    page.get_by_role("treeitem", name="today.md", selected=True).wait_for()


def test_a_bad_path_is_explained_in_the_dialog(opened):
    page, _ = opened
    page.get_by_role("button", name="New file").first.click()
    page.get_by_label("Path").fill("/a b")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("dialog").get_by_role("alert").filter(has_text="INVALID_PATH").wait_for()


def test_files_are_uploaded_and_others_than_text_refused(opened, tmp_path: Path):
    page, call = opened
    good, bad = tmp_path / "hello world.txt", tmp_path / "bad.bin"
    good.write_text("grüß\n" * 300_000, "utf-8")  # 1.8 MB: goes in pieces
    bad.write_bytes(b"\xff\xfe\x00")
    page.get_by_label("Files to upload").set_input_files([good, bad])
    page.get_by_role("alert").filter(has_text="not UTF-8").wait_for()
    page.get_by_role("heading", name="hello_world.txt").wait_for()
    page.get_by_role("button", name="Show all 2.1 MB").wait_for()
    assert call("file_stat", path="/hello_world.txt")["size"] == good.stat().st_size
    assert read(call, "/hello_world.txt") == good.read_text("utf-8")
    assert call("file_stat", path="/bad.bin")["exists"] is False


def test_a_file_is_downloaded_as_it_is(opened, tmp_path: Path):
    page, _ = opened
    item(page, "dos.txt").click()
    page.get_by_role("heading", name="dos.txt").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "got")
    assert download.value.suggested_filename == "dos.txt"
    assert (tmp_path / "got").read_bytes() == b"one\r\ntwo\r\n"


def test_a_directory_can_be_moved(opened):
    page, call = opened
    item(page, "src").click()
    page.get_by_role("button", name="Move or rename").click()
    page.get_by_label("New path").fill("/lib")
    page.get_by_role("button", name="Move", exact=True).click()
    page.get_by_text("Moved 2 files to /lib.").wait_for()
    assert read(call, "/lib/greet.py") == CODE
    page.get_by_role("treeitem", name="lib", selected=True).wait_for()


def test_a_deletion_is_confirmed_and_can_be_undone(opened):
    page, call = opened
    item(page, "src").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("dialog", name="Delete?")
    dialog.get_by_text("everything below it").wait_for()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_text("Deleted 2 files.").wait_for()
    assert call("file_stat", path="/src")["exists"] is False
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("/src is back.").wait_for()
    assert read(call, "/src/greet.py") == CODE


def test_deleted_files_are_listed_and_restored(opened):
    page, call = opened
    call("file_delete", path="/dos.txt")
    page.get_by_role("button", name="Deleted files").click()
    page.get_by_role("button", name="Restore /dos.txt").click()
    page.get_by_text("Nothing was deleted").or_(
        page.get_by_role("button", name="Done")
    ).first.wait_for()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("heading", name="dos.txt").wait_for()
    assert read(call, "/dos.txt") == "one\r\ntwo\r\n"


def test_a_match_of_grep_leads_to_its_bytes(opened, expect):
    page, _ = opened
    page.get_by_role("link", name="Search").click()
    page.get_by_label("regular expression").check()
    page.get_by_label("Pattern").fill(r"hello \{\w+\}")
    page.get_by_role("button", name="Search").click()
    hit = page.get_by_role("listitem").filter(has_text="line 3")
    hit.wait_for()
    expect(hit.locator("mark")).to_have_text(["hello {name}"])
    hit.get_by_role("link").click()
    page.get_by_role("heading", name="greet.py").wait_for()
    # the umlauts before it make bytes and characters differ
    expect(content(page).locator("mark").first).to_be_visible()
    assert "".join(content(page).locator("mark").all_inner_texts()) == "hello {name}"


def test_a_search_hit_leads_to_its_bytes(opened, expect):
    page, _ = opened
    expect(page.get_by_text("search is up to date")).to_be_visible()
    page.get_by_role("link", name="Search").click()
    page.get_by_label("Query").fill("greet name")
    page.get_by_role("button", name="Search").click()
    hit = page.get_by_role("listitem").filter(has_text="/src/greet.py")
    hit.wait_for()
    expect(hit.locator("mark").get_by_text("greet", exact=True).first).to_be_visible()
    hit.get_by_role("link").click()
    page.get_by_role("heading", name="greet.py").wait_for()
    expect(content(page).locator("mark").first).to_be_visible()


def test_the_tree_is_used_with_the_keyboard(opened, expect):
    page, _ = opened
    item(page, "src").focus()
    for key, expected in (
        ("ArrowRight", "src"),
        ("ArrowDown", "deep"),
        ("ArrowDown", "greet.py"),
        ("ArrowLeft", "src"),
        ("End", "dos.txt"),
        ("Home", "src"),
        ("w", "web"),
    ):
        page.keyboard.press(key)
        if key == "ArrowRight":
            item(page, "greet.py").wait_for()
        expect(item(page, expected)).to_be_focused()
    page.keyboard.press("End")
    expect(item(page, "dos.txt")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="dos.txt").wait_for()
    expect(page.locator('[role="treeitem"][tabindex="0"]')).to_have_count(1)


def test_a_narrow_window_shows_one_thing_at_a_time(opened, expect):
    page, _ = opened
    page.set_viewport_size({"width": 360, "height": 740})
    item(page, "README.md").click()
    page.get_by_role("heading", name="README.md").wait_for()
    expect(item(page, "README.md")).to_be_hidden()
    page.get_by_role("link", name="All files").click()
    item(page, "README.md").wait_for()


def test_long_names_above_a_file_are_whole_in_a_narrow_window(project, page):
    host, call = project
    directory = "d" * 100
    call("file_write", path=f"/{directory}/leaf.txt", content="leaf\n")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{host.console}#files?project=demo&path=%2F{directory}%2Fleaf.txt")
    page.get_by_role("heading", name="leaf.txt").wait_for()
    box = page.get_by_label("Location").get_by_role("link", name=directory).bounding_box()
    assert box["x"] + box["width"] <= 360


@pytest.mark.parametrize("width", [1280, 360])
def test_where_there_is_no_project_the_page_says_how_to_begin_one(
    serve, fileio, page, expect, width
):
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(serve(fileio).console)
    expect(page.get_by_text("There is no project yet.")).to_be_visible()
    page.get_by_role("button", name="Open or begin a project").click()
    page.get_by_label("Project", exact=True).last.fill("fresh")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="New file").first.wait_for()
    expect(page.get_by_text("There is no project yet.")).to_be_hidden()


def test_who_may_not_write_is_not_told_to_begin_a_project(serve, fileio, page, expect):
    page.goto(serve(fileio, host={"read_only": True}).console)
    expect(page.get_by_text("you may write none here")).to_be_visible()


def test_the_back_button_returns_to_the_file_before(opened):
    page, _ = opened
    item(page, "README.md").click()
    page.get_by_role("heading", name="README.md").wait_for()
    item(page, "dos.txt").click()
    page.get_by_role("heading", name="dos.txt").wait_for()
    page.go_back()
    page.get_by_role("heading", name="README.md").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_no_accessibility_violation(project, page, axe, scheme, width, expect):
    host, _ = project
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 760})
    for address, ready in (
        ("#files?project=demo", "treeitem"),
        ("#files?project=demo&path=/src/greet.py&start=4&end=9", "article"),
        ("#search?project=demo&query=return&mode=grep", "listitem"),
    ):
        page.goto("about:blank")
        page.goto(host.console + address)
        page.get_by_role(ready).first.wait_for()
        page.wait_for_load_state("networkidle")
        assert axe(page) == []
        expect(page.locator("html")).to_have_js_property("scrollWidth", width)
    page.goto(host.console + "#files?project=demo&path=/README.md")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("dialog").wait_for()
    assert axe(page) == []
