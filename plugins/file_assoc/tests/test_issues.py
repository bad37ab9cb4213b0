"""Issues by hand and from lists of a tracker."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import toolroll
from toolroll_file_assoc.issue_lists import ListedIssue, read_issues

if TYPE_CHECKING:
    from conftest import Project


def _read(value: Any) -> list[ListedIssue]:
    text = value if isinstance(value, str) else json.dumps(value)
    return read_issues(text.encode())[0]


def test_a_list_of_the_github_command() -> None:
    entry = {
        "number": 7,
        "title": " Crash ",
        "state": "OPEN",
        "url": "https://github.com/o/r/issues/7",
        "labels": [{"id": "x", "name": "Bug"}, {"name": "help wanted"}],
    }
    assert _read([entry]) == [
        ListedIssue(key=entry["url"], title="Crash", status="open", type="bug", url=entry["url"])
    ]


def test_an_answer_of_the_github_interface_without_its_pull_requests() -> None:
    issue = {
        "number": 1,
        "title": "One",
        "state": "closed",
        "html_url": "https://x/1",
        "url": "api",
    }
    issues, pull_requests = read_issues(
        json.dumps({"items": [issue, {**issue, "pull_request": {"url": "x"}}]}).encode()
    )
    assert [(item.key, item.status) for item in issues] == [("https://x/1", "closed")]
    assert pull_requests == 1


def test_an_issue_without_an_address_is_known_by_its_number() -> None:
    assert _read([{"number": 3, "title": "Three"}])[0].key == "#3"


@pytest.mark.parametrize(
    "text",
    [
        "number,title,state,priority\n7,Seven,OPEN,1\n",
        "\ufeffID;;\n".replace(";;", ",Title,Status,Priority") + "#7,Seven,open,P1\n",
        'Priority,Summary,Key,State\r\np1,"Seven",7,open\r\n',
    ],
)
def test_csv_with_headers_in_any_order_and_case(text: str) -> None:
    (issue,) = _read(text)
    assert (issue.key, issue.title, issue.status, issue.priority) == ("#7", "Seven", "open", 1)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_as_spreadsheets_save_it(delimiter: str, encoding: str) -> None:
    text = "\r\nID,Title,State\r\n7,Größe; Breite,open\r\n".replace(",", delimiter)
    if delimiter == ";":
        text = text.replace("Größe; Breite", '"Größe; Breite"')
    (issue,) = read_issues(text.encode(encoding))[0]
    assert (issue.key, issue.title) == ("#7", "Größe; Breite")


def test_csv_as_jira_exports_it() -> None:
    (issue,) = _read(
        "Summary,Issue key,Issue id,Issue Type,Status,Priority\nFix,P-1,100,Bug,To Do,High\n"
    )
    assert (issue.key, issue.status, issue.type, issue.priority) == ("#P-1", "to do", "bug", 1)


def test_an_answer_of_gitlab() -> None:
    url = "https://gitlab.com/o/r/-/issues/3"
    entry = {"id": 1003, "iid": 3, "title": "Three", "state": "opened", "labels": ["bug"]}
    assert _read([{**entry, "web_url": url}])[0].key == url
    assert _read([entry])[0].key == "#3"


def test_csv_with_a_title_over_several_lines() -> None:
    assert _read('number,title\n1,"a\nb"\n')[0].title == "a\nb"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header line"),
        ("title\nx\n", "one of 'number', 'id' and 'url'"),
        ("number,title\n1,\n", "line 2 has no title"),
        ("number,title\n1,One\n,Two\n", "line 3 has neither a number nor a url"),
        ("number,title,priority\n1,One,9\n", "line 2: its priority must be 0 to 4"),
        ('number,title\n1,"open\n', "line"),
        ("[", "not JSON"),
        ("{}", "must be an array"),
        ("[1]", r"entry \[0\] must be an object"),
        ('[{"title": "x"}]', "neither a number nor a url"),
        ('[{"number": true, "title": "x"}]', "neither a number nor a url"),
        ('[{"number": 1, "title": 5}]', "has no title"),
        ('[{"number": 1, "title": "x", "state": 5}]', "its state must be a string"),
        ('[{"number": 1, "title": "x", "labels": "bug"}]', "'labels' an array"),
    ],
)
def test_a_bad_list_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(toolroll.InvalidArguments, match=message):
        read_issues(text.encode())


@pytest.mark.parametrize("data", [b"\xff", b"id,title\n1,\xc4\n", b"\xff\xfex"])
def test_a_list_that_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(toolroll.InvalidArguments, match="UTF-8"):
        read_issues(data)


def test_a_list_in_an_encoding_that_is_named(project: Project) -> None:
    file = project.root.parent / "issues.csv"
    file.write_text("ID;Title\n7;Größe €\n", encoding="cp1252")
    with pytest.raises(toolroll.InvalidArguments, match="--encoding"):
        project.command("import-issues", str(file))
    project.command("import-issues", str(file), "--encoding", "cp1252")
    file.write_text("ID,Title\n8,Größe\n", encoding="utf-8-sig")  # what the file itself says wins
    project.command("import-issues", str(file), "--encoding", "cp1252")
    assert {item["title"] for item in project.command("issue", "list")} == {"Größe €", "Größe"}


@pytest.mark.parametrize("encoding", ["base64", "klingon", "\0", "idna"])
def test_what_is_no_encoding_of_texts_is_named(encoding: str) -> None:
    with pytest.raises(toolroll.InvalidArguments, match=r"encoding|is not idna"):
        read_issues(b"id,title\n1,\xc4\n", encoding)


def test_an_imported_issue_keeps_its_id(project: Project) -> None:
    file = project.root.parent / "issues.csv"
    file.write_text("number,title\n1,One\n2,Two\n", encoding="utf-8")
    assert project.command("import-issues", str(file))["created"] == 2
    before = {item["title"]: item["id"] for item in project.command("issue", "list")}
    file.write_text("number,title,state\n1,One,closed\n2,Two,open\n", encoding="utf-8")
    counts = project.command("import-issues", str(file))
    assert (counts["updated"], counts["unchanged"]) == (1, 1)
    assert [item["id"] for item in project.command("issue", "list")] == [before["Two"]]
    assert len(project.command("issue", "list", "--all")) == 2


def test_a_blank_title_is_refused(project: Project) -> None:
    with pytest.raises(toolroll.InvalidArguments, match="title"):
        project.command("issue", "add", "  ")


def test_closing_twice_changes_nothing_more(project: Project) -> None:
    issue = project.issue_id()
    closed = project.command("issue", "close", issue)
    assert project.command("issue", "close", issue) == closed
    with pytest.raises(toolroll.NotFound, match="nope"):
        project.command("issue", "close", "nope")
