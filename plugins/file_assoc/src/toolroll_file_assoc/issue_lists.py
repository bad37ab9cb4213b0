"""Reading issue lists: what GitHub's or GitLab's API answers, `gh issue list --json`, or CSV.

A list is read whole before anything is stored; a bad entry refuses it, with its place named.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from attrs import frozen

import toolroll
from toolroll_file_assoc.decoding import decoded

__all__ = ["ListedIssue", "read_issues"]

TYPE_LABELS: Final = {"bug": "bug", "enhancement": "feature", "feature": "feature"}
"""GitHub's own labels that say what kind of issue it is."""
COLUMNS: Final = {
    "key": ("id", "key", "number", "issue key", "issue id"),
    "title": ("title", "summary"),
    "status": ("status", "state"),
    "type": ("type", "issue type"),
    "priority": ("priority",),
    "url": ("url", "html_url"),
}
"""CSV headers by meaning, the first that is there wins."""
DELIMITERS: Final = ",;\t"
"""What spreadsheets put between cells; the one that the header has most of is taken."""
PRIORITIES: Final = {
    word: priority
    for priority, words in enumerate(
        (
            ("0", "highest", "urgent", "critical", "blocker"),
            ("1", "high", "major"),
            ("2", "medium", "normal", "no priority", "none"),
            ("3", "low", "minor"),
            ("4", "lowest", "trivial"),
        )
    )
    for word in words
}
"""Priorities by the words of trackers."""


@frozen(kw_only=True)
class ListedIssue:
    """An issue of a tracker.

    Attributes:
        key: Names it for ever: its address, or its number where the list has no addresses.
        status: The tracker's own word, in lower case.
        priority: 0 (highest) to 4.
    """

    key: str
    title: str
    status: str = "open"
    type: str = "task"
    priority: int = 2
    url: str = ""


def read_issues(data: bytes, encoding: str = "utf-8") -> tuple[list[ListedIssue], int]:
    """Return the issues of a list, and how many pull requests it also held.

    Args:
        data: JSON (an array, or an object with `items`), or CSV with a header line; UTF-8, or with
            the byte order mark of another encoding.
        encoding: What a list without such a mark is written in.

    Raises:
        InvalidArguments: It is neither, no encoding has this name, or an entry has no title, no
            number or a wrong type.
    """
    try:
        text = decoded(data, encoding)
    except UnicodeError:
        raise toolroll.InvalidArguments(
            f"the issue list is not {encoding}; save it as UTF-8, or name what it is written in: "
            "--encoding cp1252, say, for a spreadsheet's of Western Europe"
        ) from None
    except (LookupError, ValueError):
        raise toolroll.InvalidArguments(f"no encoding is named {encoding!r}") from None
    if text.lstrip()[:1] in {"[", "{"}:
        return _read_json(text)
    return _read_csv(text), 0


def _read_json(text: str) -> tuple[list[ListedIssue], int]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise toolroll.InvalidArguments(f"the issue list is not JSON: {error}") from None
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value).get("items")
    if not isinstance(value, list):
        raise toolroll.InvalidArguments(
            "the issue list must be an array of issues; try: gh issue list --state all "
            "--json number,title,state,url,labels"
        )
    issues: list[ListedIssue] = []
    pull_requests = 0
    for index, entry in enumerate(cast("list[Any]", value)):
        if not isinstance(entry, dict):
            raise toolroll.InvalidArguments(f"entry [{index}] must be an object")
        fields = cast("dict[str, Any]", entry)
        if fields.get("pull_request"):  # GitHub's issue list holds those too
            pull_requests += 1
        else:
            issues.append(_github(fields, f"entry [{index}]"))
    return issues, pull_requests


def _github(entry: Mapping[str, Any], where: str) -> ListedIssue:
    url = entry.get("html_url") or entry.get("web_url") or entry.get("url") or ""
    number = entry.get("number", entry.get("iid"))
    labels: Any = entry.get("labels") or []
    if not isinstance(url, str) or not isinstance(labels, list):
        raise toolroll.InvalidArguments(f"{where}: 'url' must be a string and 'labels' an array")
    names = [
        cast("dict[str, Any]", label).get("name") if isinstance(label, dict) else label
        for label in cast("list[Any]", labels)
    ]
    kinds = (TYPE_LABELS[str(name).lower()] for name in names if str(name).lower() in TYPE_LABELS)
    key = url or (f"#{number}" if type(number) is int else "")
    fields = {"key": key, "url": url, "type": next(kinds, "task")}
    return _issue(where, {**fields, "title": entry.get("title"), "status": entry.get("state")})


def _read_csv(text: str) -> list[ListedIssue]:
    text = text.lstrip("\r\n")
    header = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)  # the first of equals
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    try:
        names = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
        found = {
            meaning: next((names[header] for header in headers if header in names), None)
            for meaning, headers in COLUMNS.items()
        }
        if found["title"] is None or (found["key"] is None and found["url"] is None):
            raise toolroll.InvalidArguments(
                "the CSV needs a header line with 'title' and one of 'number', 'id' and 'url'; "
                f"it has: {', '.join(names) or 'nothing'}"
            )
        return [_row(row, found, reader.line_num) for row in reader]
    except csv.Error as error:
        raise toolroll.InvalidArguments(f"line {reader.line_num}: {error}") from None


def _row(row: Mapping[str, Any], found: Mapping[str, str | None], line: int) -> ListedIssue:
    fields = {
        meaning: (row.get(name) or "").strip()
        for meaning, name in found.items()
        if name is not None and isinstance(row.get(name), str | None)
    }
    key, url = fields.get("key", ""), fields.get("url", "")
    return _issue(f"line {line}", {**fields, "key": url or (f"#{key.lstrip('#')}" if key else "")})


def _issue(where: str, fields: Mapping[str, Any]) -> ListedIssue:
    title, status = fields.get("title"), fields.get("status") or "open"
    if not isinstance(title, str) or not title.strip():
        raise toolroll.InvalidArguments(f"{where} has no title")
    if not isinstance(status, str):
        raise toolroll.InvalidArguments(f"{where}: its state must be a string")
    if not fields["key"]:
        raise toolroll.InvalidArguments(f"{where} has neither a number nor a url to know it by")
    return ListedIssue(
        key=_clean(fields["key"]),
        title=_clean(title),
        status=_clean(status).lower(),
        type=_clean(fields.get("type") or "task").lower(),
        priority=_priority(where, fields.get("priority") or "2"),
        url=_clean(fields.get("url") or ""),
    )


def _priority(where: str, text: str) -> int:
    priority = PRIORITIES.get(re.sub(r"^p(?=[0-4]$)", "", text.strip().lower()))
    if priority is None:
        raise toolroll.InvalidArguments(
            f"{where}: its priority must be 0 to 4, or a word such as high, not {text!r}"
        )
    return priority


def _clean(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode().strip()
