"""A real host over stdio and HTTP: sizes and shapes that a case file can't hold."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from toolroll.host.client import HostClient
from toolroll_conformance.legs.starting import started
from toolroll_conformance.processes.child import ColdLauncher

LIMIT = 1024 * 1024
ROOM = LIMIT - len('{"summary":""}')


@pytest.fixture(scope="module", params=["stdio", "http"])
def client(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[HostClient]:
    """A client of a host in a process of its own, with ptp-mock started."""
    root: Path = tmp_path_factory.mktemp("project")
    options = ["--root", str(root), "--packs", "investigation"]
    way = HostClient.start if request.param == "stdio" else over_http
    with way(options) as client:
        client.call("start_investigation", {"scenario": "ptp-mock"})
        yield client


@contextmanager
def over_http(options: Sequence[str]) -> Iterator[HostClient]:
    """A client of a host that listens on a free port."""
    words = ["serve", "--http", "127.0.0.1:0", *options]
    with (
        tempfile.TemporaryDirectory() as logs,
        started(ColdLauncher(), words, cwd=Path.cwd(), logs=Path(logs)) as host,
        HostClient.at(host.address()) as client,
    ):
        yield client


def submit(client: HostClient, case: str, step: str, artifact: Any) -> dict[str, Any]:
    arguments = {"case_id": case, "step": step, "artifact": artifact}
    return json.loads(client.call("submit_artifact", arguments).text)


def test_a_megabyte_is_taken_over_the_wire_and_one_byte_more_is_not(client: HostClient) -> None:
    submit(client, "C8", "F0_RECALL", {})
    submit(client, "C8", "F1_TRIAGE", {"symptom_category": "infra"})
    submit(client, "C8", "F5_REVIEW", {"decision": "approve"})
    refused = submit(client, "C8", "F6_REPORT", {"summary": "x" * (ROOM + 1)})
    assert refused["code"] == "artifact_too_large"
    assert submit(client, "C8", "F6_REPORT", {"summary": "x" * ROOM})["is_done"]


@pytest.mark.parametrize(
    ("artifact", "code"),
    [
        ("x" * (LIMIT + 1), "invalid_arguments"),
        ('{"match": tru', "invalid_arguments"),
        ("[" * 100_000 + "]" * 100_000, "invalid_arguments"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "invalid_arguments"),
        ({"match": [[[[1]]]]}, "invalid_artifact"),
    ],
)
def test_malformed_documents_are_refused_and_the_host_lives_on(
    client: HostClient, artifact: Any, code: str
) -> None:
    assert submit(client, "C1", "F0_RECALL", artifact)["code"] == code
    status = json.loads(client.call("get_status", {"case_id": "C1"}).text)
    assert status["cases"][0]["steps_completed"] == 0
