"""Reading SARIF as four scanners write it, and every corner of addresses, rules and levels."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolroll
from toolroll_file_assoc.sarif import Scan, ScannedFinding, read_log

SAMPLES = Path(__file__).parent / "sarif_samples"


@pytest.fixture
def root(tmp_path: Path) -> toolroll.ProjectRoot:
    place = tmp_path / "my project"
    place.mkdir()
    return toolroll.ProjectRoot(place)


def _sample(name: str, root: toolroll.ProjectRoot) -> Scan:
    text = (SAMPLES / f"{name}.sarif").read_text("utf-8")
    (scan,) = read_log(text.replace("@ROOT@", root.path.as_uri()[len("file://") :]).encode(), root)
    return scan


def _log(*results: Mapping[str, Any], **run: Any) -> bytes:
    tool = {"driver": {"name": "t", "rules": run.pop("rules", [])}, **run.pop("tool", {})}
    return json.dumps(
        {"version": "2.1.0", "runs": [{"tool": tool, "results": results, **run}]}
    ).encode()


def _result(uri: str | None = "a.py", **changes: Any) -> dict[str, Any]:
    location = {"physicalLocation": {"artifactLocation": {"uri": uri}}}
    return {"ruleId": "R", "message": {"text": "m"}, "locations": [location], **changes}


def _one(log: bytes, root: toolroll.ProjectRoot, **options: Any) -> ScannedFinding:
    (scan,) = read_log(log, root, **options)
    (finding,) = scan.findings
    return finding


def test_ruff(root: toolroll.ProjectRoot) -> None:
    scan = _sample("ruff", root)
    assert scan.source == "ruff"
    assert scan.covered == {"src/app.py", "src/broken.py"}
    unused, long, syntax = scan.findings
    assert unused == ScannedFinding(
        path="src/app.py",
        rule_id="F401",
        message="`os` imported but unused",
        severity="high",
        line_start=1,
        line_end=1,
        suggestion="Remove unused import: `os`",
        metadata={
            "column_start": 8,
            "column_end": 10,
            "help_uri": "https://docs.astral.sh/ruff/rules/unused-import",
        },
    )
    assert (long.rule_id, long.line_start, long.suggestion) == ("E501", 9, "")
    assert (syntax.rule_id, syntax.path) == ("unspecified", "src/broken.py")


def test_bandit(root: toolroll.ProjectRoot) -> None:
    scan = _sample("bandit", root)
    assert scan.source == "bandit"
    shell, used = scan.findings
    assert (shell.path, shell.rule_id, shell.severity) == ("src/app.py", "B602", "high")
    assert (used.path, used.severity, used.line_start) == ("src/my app.py", "low", 2)


def test_semgrep(root: toolroll.ProjectRoot) -> None:
    scan = _sample("semgrep", root)
    assert scan.source == "semgrep-oss"
    assert [(f.path, f.severity) for f in scan.findings] == [
        ("src/app.py", "medium"),  # the rule's level
        ("src/hash.py", "high"),  # its security-severity of 7.5
    ]
    assert scan.findings[0].metadata["fingerprints"] == {"matchBasedId/v1": "ab12_0"}
    assert scan.omitted.suppressed == 1


def test_codeql(root: toolroll.ProjectRoot) -> None:
    scan = _sample("codeql", root)
    assert (scan.source, scan.run_id) == ("codeql", "/language:python/2026-01-01")
    assert scan.languages == {"src/db.py": "python"}
    assert scan.covered == {"src/db.py", "src/app.py"}
    injection, unused = scan.findings
    assert (injection.path, injection.severity, injection.line_start) == ("src/db.py", "high", 21)
    assert injection.metadata["security_severity"] == 8.8
    assert (unused.path, unused.severity, unused.line_start) == ("src/app.py", "low", None)
    assert unused.message == "Import of json is not used."
    assert scan.omitted.passed == 1  # gone since the baseline


@pytest.mark.parametrize(
    ("uri", "base"),
    [
        ("src/a.py", None),
        ("./src/a.py", None),
        ("src%2Fa.py", None),
        ("src\\a.py", None),
        ("lib/../src/a.py", None),
        ("a.py", "SRC"),
        ("../src/a.py", "SRC"),
        ("src/a.py", "UNKNOWN"),
        ("src/a.py", "LOOP"),
        ("file:@ROOT@/src/a.py", None),
        ("file://@ROOT@/src/a.py", None),
        ("file://localhost@ROOT@/src/a.py", None),
        ("file://@ROOT@/src/a.py", "SRC"),
        ("FILE://@ROOT@/src/a.py", None),
    ],
)
def test_addresses_of_one_file(uri: str, base: str | None, root: toolroll.ProjectRoot) -> None:
    bases = {
        "SRC": {"uri": "src", "uriBaseId": "TOP"},
        "TOP": {"uri": root.path.as_uri()},
        "LOOP": {"uri": "", "uriBaseId": "LOOP"},
    }
    location = {"uri": uri.replace("@ROOT@", root.path.as_uri()[7:]), "uriBaseId": base}
    result = _result(locations=[{"physicalLocation": {"artifactLocation": location}}])
    assert _one(_log(result, originalUriBaseIds=bases), root).path == "src/a.py"


def test_an_address_that_was_not_encoded_is_told_by_the_file(root: toolroll.ProjectRoot) -> None:
    (root.path / "a%20b.py").touch()
    (root.path / "c%20d.py").touch()
    (root.path / "c d.py").touch()
    uris = ("a%20b.py", "c%20d.py", "e%20f.py")
    named = {uri: _one(_log(_result(uri)), root).path for uri in uris}
    assert named == {"a%20b.py": "a%20b.py", "c%20d.py": "c d.py", "e%20f.py": "e f.py"}
    inside = f"file://{root.path}/a%20b.py"
    assert _one(_log(_result(inside)), root).path == "a%20b.py"


@pytest.mark.parametrize(
    "uri",
    [
        "../a.py",
        "/etc/passwd",
        "file:///etc/passwd",
        "file://otherhost/etc/passwd",
        "https://example.org/a.py",
        "git:a.py",
        "C:/windows/system.ini",
        "file:///C:/windows/system.ini",
        ".",
        "%00",
        "out/secret",
        "file://[bad/a.py",
        "%FF%FE/../../x",
    ],
)
def test_addresses_outside_are_counted(uri: str, root: toolroll.ProjectRoot) -> None:
    (root.path / "out").symlink_to("/")
    (scan,) = read_log(_log(_result(uri)), root)
    assert not scan.findings
    assert scan.omitted.outside == 1


@pytest.mark.parametrize(
    ("scanned", "uri"),
    [
        ("/build/project", "file:///build/project/src/a.py"),
        ("/build/project/", "/build/project/src/a.py"),
        ("file:///build/project", "file:///build/project/src/a.py"),
        ("C:\\build", "C:\\build\\src\\a.py"),
        ("C:\\build", "file:///C:/build/src/a.py"),
        ("C:\\build", "file:///c%3A/build/src/a.py"),
        ("/build/project", "src/a.py"),
    ],
)
def test_a_root_elsewhere_is_mapped(scanned: str, uri: str, root: toolroll.ProjectRoot) -> None:
    assert _one(_log(_result(uri)), root, scanned_root=scanned).path == "src/a.py"


def test_a_neighbour_of_the_scanned_root_is_outside(root: toolroll.ProjectRoot) -> None:
    log = _log(_result("/build/project-2/a.py"))
    (scan,) = read_log(log, root, scanned_root="/build/project")
    assert scan.omitted.outside == 1


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        ({"level": "error"}, "high"),
        ({"level": "warning"}, "medium"),
        ({"level": "note"}, "low"),
        ({"level": "none"}, "info"),
        ({"level": None}, "medium"),
        ({}, "medium"),
        ({"kind": "fail"}, "medium"),
        ({"kind": "review"}, "info"),
        ({"kind": "review", "level": "error"}, "high"),
        ({"ruleId": "scored", "level": "none"}, "critical"),
        ({"ruleId": "scored/part"}, "critical"),
        ({"ruleId": "zero"}, "low"),
        ({"ruleId": "noted"}, "low"),
        ({"ruleId": None, "ruleIndex": 2}, "low"),
        ({"ruleId": None, "rule": {"id": "noted"}}, "low"),
        ({"ruleId": "bad"}, "medium"),
        ({"ruleId": "worse"}, "medium"),
        ({"ruleId": "true"}, "medium"),
    ],
)
def test_severities(changes: dict[str, Any], severity: str, root: toolroll.ProjectRoot) -> None:
    rules = [
        {"id": "scored", "properties": {"security-severity": "9.1"}},
        {"id": "zero", "properties": {"security-severity": 0}},
        {"id": "noted", "defaultConfiguration": {"level": "note"}},
        {"id": "bad", "properties": {"security-severity": "severe"}},
        {"id": "worse", "properties": {"security-severity": "11"}},
        {"id": "true", "properties": {"security-severity": True}},
    ]
    assert _one(_log(_result(**changes), rules=rules), root).severity == severity


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"message": None}, "runs[0].results[1] must have the object 'message'"),
        ({"message": {"text": " "}}, "runs[0].results[1].message must have a 'text'"),
        ({"message": {"id": "nope"}}, "runs[0].results[1].message"),
        ({"message": "m"}, "runs[0].results[1].message must be an object"),
        ({"ruleId": 5}, "runs[0].results[1].ruleId must be a string"),
        ({"ruleId": "x" * 501}, "runs[0].results[1] has a rule id"),
        ({"level": 42}, "runs[0].results[1].level must be a string"),
        ({"locations": {}}, "runs[0].results[1].locations must be an array"),
        ({"locations": [1]}, "runs[0].results[1].locations[0] must be an object"),
        (
            {"locations": [{"physicalLocation": {"artifactLocation": {"uri": 5}}}]},
            "locations[0].physicalLocation.artifactLocation.uri must be a string",
        ),
        (
            {"locations": [{"physicalLocation": {"artifactLocation": {"index": 3}}}]},
            "artifactLocation must have a 'uri'",
        ),
        *(
            (
                {"locations": [{"physicalLocation": {"region": {"startLine": line}}}]},
                "region.startLine must be a whole number",
            )
            for line in (True, -1, 1.0, "1", 2**31)
        ),
    ],
)
def test_a_malformed_result_is_refused_with_its_place(
    change: dict[str, Any], place: str, root: toolroll.ProjectRoot
) -> None:
    with pytest.raises(toolroll.InvalidArguments) as caught:
        read_log(_log(_result(), _result(**change)), root)
    assert place in caught.value.message


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff",
        b"{}",
        b'{"version": "2.0.0", "runs": []}',
        b'{"version": "2.1.0"}',
        b'{"version": "2.1.0", "runs": {}}',
        b'{"version": "2.1.0", "runs": [{}]}',
        b'{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": " "}}}]}',
        b'{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t", "rules": [{}]}}}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_log_is_refused(data: bytes, root: toolroll.ProjectRoot) -> None:
    with pytest.raises(toolroll.InvalidArguments):
        read_log(data, root)


def test_a_result_without_a_place_is_counted(root: toolroll.ProjectRoot) -> None:
    (scan,) = read_log(_log(_result(locations=[]), _result(locations=[{}])), root)
    assert scan.omitted.unplaced == 2


def test_a_rejected_suppression_does_not_suppress(root: toolroll.ProjectRoot) -> None:
    result = _result(suppressions=[{"kind": "external", "status": "rejected"}])
    assert _one(_log(result), root).path == "a.py"


def test_long_texts_are_cut_and_odd_characters_dropped(root: toolroll.ProjectRoot) -> None:
    finding = _one(_log(_result(message={"text": "a\0b\ud800" + "x" * 20_000})), root)
    assert finding.message.startswith("ab?")
    assert finding.message.endswith("\n[truncated]")
    assert len(finding.message) == 10_012


def test_line_zero_is_the_file_as_a_whole(root: toolroll.ProjectRoot) -> None:
    location = {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 0}}
    finding = _one(_log(_result(locations=[{"physicalLocation": location}])), root)
    assert (finding.line_start, finding.line_end) == (None, None)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_log_with_a_byte_order_mark(encoding: str, root: toolroll.ProjectRoot) -> None:
    log = _log(_result("ä.py")).decode()
    assert _one(log.encode(encoding), root).path == "ä.py"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"text": "{0} is {{unused}}, as {1}", "arguments": ["a", "b"]}, "a is {unused}, as b"),
        ({"text": "a {0}, b {{}}"}, "a {0}, b {{}}"),
        ({"text": "{7} {99999999}", "arguments": ["a"]}, "{7} {99999999}"),
        ({"id": "own", "arguments": ["a"]}, "the rule's a"),
        ({"id": "shared", "arguments": ["a"]}, "everybody's a"),
    ],
)
def test_messages_with_arguments(
    message: dict[str, Any], text: str, root: toolroll.ProjectRoot
) -> None:
    rule = {"id": "R", "messageStrings": {"own": {"text": "the rule's {0}"}}}
    shared = {"shared": {"text": "everybody's {0}"}, "own": {"text": "not this"}}
    driver = {"name": "t", "rules": [rule], "globalMessageStrings": shared}
    finding = _one(_log(_result(message=message), tool={"driver": driver}), root)
    assert finding.message == text


def test_a_shared_message_of_an_unknown_rule(root: toolroll.ProjectRoot) -> None:
    driver = {"name": "t", "globalMessageStrings": {"shared": {"text": "said"}}}
    result = _result(ruleId=None, message={"id": "shared"})
    finding = _one(_log(result, tool={"driver": driver}), root)
    assert (finding.rule_id, finding.message) == ("unspecified", "said")


@pytest.mark.parametrize("component", [{"index": 1}, {"guid": "g-2"}, {"name": "two"}])
def test_an_extension_is_referred_to_by_index_guid_or_name(
    component: dict[str, Any], root: toolroll.ProjectRoot
) -> None:
    extensions = [
        {"name": "one", "guid": "g-1", "rules": [{"id": "ONE"}]},
        {"name": "two", "guid": "g-2", "rules": [{"id": "TWO"}]},
    ]
    tool = {"driver": {"name": "t", "rules": [{"id": "OWN"}]}, "extensions": extensions}
    result = _result(ruleId=None, rule={"index": 0, "toolComponent": component})
    assert _one(_log(result, tool=tool), root).rule_id == "TWO"


@pytest.mark.parametrize("descriptor", [{"index": 0}, {"id": "R"}])
def test_a_level_that_was_configured(
    descriptor: dict[str, Any], root: toolroll.ProjectRoot
) -> None:
    rules = [{"id": "R", "defaultConfiguration": {"level": "error"}}, {"id": "S"}]
    override = {"descriptor": descriptor, "configuration": {"level": "note"}}
    invocations = [{"executionSuccessful": True, "ruleConfigurationOverrides": [override]}]
    log = _log(_result(), _result(ruleId="S"), rules=rules, invocations=invocations)
    (scan,) = read_log(log, root)
    assert [finding.severity for finding in scan.findings] == ["low", "medium"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("tool", "driver", "rules", "results", "message", "text", "locations", "id", "uri")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(results=json_values, run=json_values)
def test_anything_is_read_or_refused(results: Any, run: Any, root: toolroll.ProjectRoot) -> None:
    tool = {"driver": {"name": "t", "rules": run}}
    run = {"tool": tool, "results": results, "artifacts": run, "invocations": run}
    with contextlib.suppress(toolroll.InvalidArguments):
        read_log(json.dumps({"version": "2.1.0", "runs": [run]}).encode(), root)
