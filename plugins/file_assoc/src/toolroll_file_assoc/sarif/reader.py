"""Reading a SARIF 2.1.0 log: one scan for each run.

The whole log is read before anything is stored, and a malformed part refuses all of it, with its
place named. Written for what scanners really emit (ruff, bandit, semgrep, CodeQL): null members,
rules in extensions, results without a rule or a region.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, cast

import toolroll
from toolroll_file_assoc.decoding import decoded
from toolroll_file_assoc.sarif.node import Node
from toolroll_file_assoc.sarif.places import Places
from toolroll_file_assoc.sarif.rules import Rule, Rules, severity
from toolroll_file_assoc.sarif.scan import Omitted, Scan, ScannedFinding

__all__ = ["read_log"]

MAX_TEXT: Final = 10_000
"""Characters of a message or suggestion (reference 2.2); the rest is cut with a mark."""
MAX_NAME: Final = 500
"""Characters of a rule id or source: both are index keys."""
_PASSED_KINDS: Final = frozenset({"pass", "notApplicable"})
_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{(\d{1,4})\}")


def read_log(
    data: bytes,
    root: toolroll.ProjectRoot,
    *,
    source: str | None = None,
    scanned_root: str | None = None,
) -> list[Scan]:
    """Return the scans of a SARIF log.

    Args:
        data: The log, UTF-8 or with the byte order mark of another encoding.
        root: The project that its paths are mapped into.
        source: Replaces the name of every scanner in it.
        scanned_root: Absolute path of the project where it was scanned, if elsewhere.

    Raises:
        InvalidArguments: It is no SARIF 2.1.0 log, or a part of it is malformed; names the place.
    """
    try:
        value = json.loads(decoded(data))
    except (ValueError, RecursionError) as error:
        raise toolroll.InvalidArguments(f"the log is not JSON: {error}") from None
    log = Node(value)
    if not isinstance(value, dict):
        log.fail("must be an object")
    if (version := log.text("version")) != "2.1.0":
        log.fail(f"has the SARIF version {version!r}; 2.1.0 is needed")
    if "runs" not in value:  # which may be null: nothing was to be scanned
        log.fail("must have the array 'runs'")
    return [_scan(run, root, source, scanned_root) for run in log.items("runs")]


def source_name(name: str) -> str:
    """Return the name to filter by: lower case, blanks as hyphens (`Semgrep OSS`: `semgrep-oss`).

    Raises:
        InvalidArguments: It is blank or too long.
    """
    plain = "-".join(_clean(name).lower().split())
    if not plain or len(plain) > MAX_NAME:
        raise toolroll.InvalidArguments(
            f"a scanner's name must have 1 to {MAX_NAME} characters; name it with --source"
        )
    return plain


def _scan(
    run: Node, root: toolroll.ProjectRoot, source: str | None, scanned_root: str | None
) -> Scan:
    driver = run.required("tool").required("driver")
    warnings: dict[str, None] = {}
    rules = Rules(run, warnings)
    places = Places(run, root, scanned_root)
    artifacts = [(node, path) for node, path in places.artifacts() if path is not None]
    omitted: Counter[str] = Counter()
    findings: list[ScannedFinding] = []
    for result in run.items("results"):
        finding = _finding(result, rules, places, warnings)
        if isinstance(finding, str):
            omitted[finding] += 1
        else:
            findings.append(finding)
    return Scan(
        source=source_name(source or driver.text("name") or driver.fail("must have a 'name'")),
        run_id=_run_id(run),
        findings=tuple(findings),
        covered=frozenset(path for _, path in artifacts) | {item.path for item in findings},
        failed=_failed(run, warnings),
        languages={
            path: language.lower()
            for node, path in artifacts
            if (language := _clean(node.text("sourceLanguage") or ""))
        },
        omitted=Omitted(**omitted),
        warnings=tuple(sorted(warnings)),
    )


def _finding(
    result: Node, rules: Rules, places: Places, warnings: dict[str, None]
) -> ScannedFinding | str:
    """Return what a result reports, or the reason why it is no finding of a project file."""
    rule = rules.of(result)
    if len(rule.id) > MAX_NAME:
        result.fail(f"has a rule id of more than {MAX_NAME} characters")
    level = severity(result, rule, warnings)
    message = _message(result, rule)
    location = next(
        (place for node in result.items("locations") if (place := node.child("physicalLocation"))),
        None,
    )
    artifact = location.child("artifactLocation") if location else None
    region = location.child("region") if location else None
    lines = _lines(region)
    path = places.path(artifact) if artifact else None
    if result.text("kind") in _PASSED_KINDS or result.text("baselineState") == "absent":
        return "passed"
    if _is_suppressed(result):
        return "suppressed"
    if artifact is None:
        return "unplaced"
    if path is None:
        return "outside"
    return ScannedFinding(
        path=path,
        rule_id=_clean(rule.id),
        message=_cut(message),
        severity=level,
        line_start=lines[0],
        line_end=lines[1],
        suggestion=_cut(_suggestion(result)),
        metadata=_metadata(result, rule, region),
    )


def _message(result: Node, rule: Rule) -> str:
    """Return the text of a result, looked up in its rule where it only gives an id."""
    message = result.required("message")
    text = message.text("text") or message.text("markdown")
    key = message.text("id")
    if text is None and key is not None:
        text = rule.messages.get(key)
    if text is None or not text.strip():
        message.fail("must have a 'text', or an 'id' that its rule knows")
    arguments = message.value.get("arguments")
    if not isinstance(arguments, list) or not arguments:
        return text
    values = cast("list[Any]", arguments)
    return _PLACEHOLDER.sub(lambda found: _argument(values, found), text)


def _argument(arguments: Sequence[Any], found: re.Match[str]) -> str:
    """Return what a placeholder stands for; braces are doubled to mean themselves (3.11.5)."""
    if found[1] is None:
        return found[0][0]
    index = int(found[1])
    return str(arguments[index]) if index < len(arguments) else found[0]


def _lines(region: Node | None) -> tuple[int | None, int | None]:
    if region is None:
        return None, None
    start = region.number("startLine", least=0)
    end = region.number("endLine", least=0)
    start = start or None  # some scanners write 0 for a file as a whole
    return start, (end or start) if start is not None else None


def _suggestion(result: Node) -> str:
    for fix in result.items("fixes"):
        description = fix.child("description")
        if description is not None and (text := description.text("text")):
            return text
    return ""


def _metadata(result: Node, rule: Rule, region: Node | None) -> dict[str, Any]:
    fingerprints = result.child("fingerprints") or result.child("partialFingerprints")
    kept: dict[str, Any] = {
        "column_start": region.number("startColumn") if region else None,
        "column_end": region.number("endColumn") if region else None,
        "fingerprints": fingerprints.value if fingerprints else None,
        "help_uri": rule.help_uri or None,
        "security_severity": rule.score,
    }
    return {key: value for key, value in kept.items() if value is not None}


def _is_suppressed(result: Node) -> bool:
    """Say whether every suppression of a result stands, and there is one (SARIF 3.27.23)."""
    states = [node.text("status") or "accepted" for node in result.items("suppressions")]
    return bool(states) and all(state == "accepted" for state in states)


def _run_id(run: Node) -> str:
    details = run.child("automationDetails")
    if details is None:
        return ""
    return _clean(details.text("guid") or details.text("id") or "")[:MAX_NAME]


def _failed(run: Node, warnings: dict[str, None]) -> bool:
    """Say whether the scanner ended early, or its results are not in this file."""
    if any(node.value.get("executionSuccessful") is False for node in run.items("invocations")):
        warnings["its log says that it failed: nothing becomes unseen"] = None
        return True
    elsewhere = run.child("externalPropertyFileReferences")
    if elsewhere is not None and any(elsewhere.items("results")):
        warnings["its log keeps results in other files, which are not read"] = None
        return True
    if run.value.get("results") is None:  # "results" of a scan without any is empty (3.14.23)
        warnings["its log has no list of results: nothing becomes unseen"] = None
        return True
    return False


def _clean(text: str) -> str:
    """Drop what no database stores: NUL characters and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _cut(text: str) -> str:
    text = _clean(text)
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "\n[truncated]"
