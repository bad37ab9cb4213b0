"""The pack on a real repository: ruff's own SARIF in, and all six tools over it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import toolroll
from toolroll.counting import counted

__all__ = ["demo"]

RULES = "E,F,W,B,C90,PERF,PLE,S,SIM,UP"
"""Rules that find something in most code: without any finding there is little to show."""
TOO_COMMON = "E501,S101"
"""Long lines, and `assert` in tests."""


def demo(tour: toolroll.Tour) -> None:
    """Scan the repository with ruff, import the log, and ask the six tools about it."""
    with tempfile.TemporaryDirectory(prefix="toolroll-ruff-") as scratch:
        log = Path(scratch) / "ruff.sarif"
        if _scan(tour, log):
            _import(tour, log)
    path = _worst(tour)
    file = tour.call("register_file", {"path": path})
    issue = json.loads(
        tour.command("file_assoc", "issue", "add", f"Clean up {path}", "--type", "bug", "--json")
    )
    tour.say(f"Linking {path} to the new issue {issue['id']}: the bug is in that file.")
    link = {"file_id": file["id"], "issue_id": issue["id"], "assoc_type": "bug_in"}
    tour.call("add_file_association", link)
    linked = tour.call("get_issue_files", {"issue_id": issue["id"]})
    tour.say(f"The issue now has {len(linked)} file: {linked[0]['file_path']}.")
    _show_file(tour, file["id"])


def _scan(tour: toolroll.Tour, log: Path) -> bool:
    """Run ruff over the repository; say so where it isn't installed."""
    if importlib.util.find_spec("ruff") is None:
        tour.say(
            "ruff is not installed, so that there is nothing to scan with; to see findings too: "
            "pip install 'toolroll-file-assoc[demo]'"
        )
        return False
    tour.say(f"Scanning with ruff (rules {RULES}) …")
    ruff = [sys.executable, "-P", "-m", "ruff"]  # not a module of the repository called so
    command = [*ruff, "check", "--isolated", "--no-cache", "--exit-zero"]
    options = ["--select", RULES, "--ignore", TOO_COMMON]
    output = ["--output-format", "sarif", "--output-file", str(log)]
    done = subprocess.run(  # noqa: S603 - our own interpreter and fixed words
        [*command, *options, *output, "."],
        cwd=tour.root,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        tour.say(f"ruff could not scan the repository: {done.stderr.strip()[:300]}")
        return False
    return True


def _import(tour: toolroll.Tour, log: Path) -> None:
    output = tour.command(
        "file_assoc", "import-sarif", str(log), "--mark-unseen", "--complete", "--json"
    )
    done: Mapping[str, Any] = json.loads(output)
    tour.say(
        f"{counted(done['findings_created'], 'finding')} in "
        f"{counted(done['files_created'], 'file')} "
        f"({counted(done['findings_merged'], 'repeat')} of a rule on one line, "
        f"{counted(done['results_outside'], 'result')} outside the project)."
    )


def _worst(tour: toolroll.Tour) -> str:
    """Show the files with the most severe findings, and return the path of the first."""
    severe = tour.call("list_files", {"has_severity": "high", "min_findings": 1, "limit": 1000})
    rows = sorted(
        severe["results"], key=lambda row: (-row["summary"]["open_findings"], row["path"])
    )
    tour.table(
        f"Files with open findings of high severity: {severe['total']}",
        ("path", "open", "critical", "high", "medium", "low"),
        [
            (row["path"], *(row["summary"][name] for name in ("open_findings", *_SEVERITIES)))
            for row in rows[:5]
        ],
    )
    return rows[0]["path"] if rows else _any_file(tour.root)


def _any_file(root: Path) -> str:
    """Return a file that is there, the README first.

    Raises:
        NothingToShow: There is none.
    """
    for directory, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        shown = sorted(
            (name for name in names if not name.startswith(".")),
            key=lambda name: (not name.lower().startswith("readme"), name),
        )
        if shown:
            return (Path(directory) / shown[0]).relative_to(root).as_posix()
    raise toolroll.NothingToShow("There is no file here")


_SEVERITIES = ("critical", "high", "medium", "low")


def _show_file(tour: toolroll.Tour, file_id: str) -> None:
    detail = tour.call("get_file", {"file_id": file_id})
    tour.table(
        f"Latest findings in {detail['file']['path']}",
        ("line", "rule", "severity", "status", "message"),
        [
            (item["line_start"], item["rule_id"], item["severity"], item["status"], item["message"])
            for item in detail["recent_findings"][:5]
        ],
    )
    timeline = tour.call("get_file_timeline", {"file_id": file_id, "limit": 5})
    tour.table(
        f"Its timeline: {counted(timeline['total'], 'entry', 'entries')}, the newest first",
        ("time", "what", "about"),
        [
            (entry["timestamp"][:19], entry["type"], _about(entry["data"]))
            for entry in timeline["results"]
        ],
    )


def _about(data: Mapping[str, str]) -> str:
    return data.get("issue_title") or data.get("rule_id") or data.get("field", "")
