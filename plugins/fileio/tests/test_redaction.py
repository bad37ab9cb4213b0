"""Nothing that a caller stores or looks for may reach a log, an audit row or a metric."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from fileio_host import Failed, Host
from prometheus_client import generate_latest

SECRETS = ("planted-in-content", "planted-in-query", "planted-in-pattern", "planted-in-big-body")


def test_planted_secrets_stay_where_they_were_put(
    make_host: Callable[..., Host], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    content, query, pattern, big = SECRETS
    caplog.set_level(logging.DEBUG)
    host = make_host(
        fileio={"max_file_bytes": 3_000_000, "search": {"rerank": {"enabled": True, **DEAD}}}
    )
    host.runtime.start_workers()
    host.write("/a.md", f"# Title\n{content} heron\n")
    host.write("/a.md", content, mode="OVERWRITE", offset=2)
    host.write("/big", f"{big} " * 90_000)
    for refused in (
        {"path": "/a.md/b", "content": content},
        {"path": "/c", "content": f"{big} " * 200_000},
        {"path": "/c", "content": content, "mode": "NOPE"},
        {"path": "/c", "content": [content]},
    ):
        with pytest.raises(Failed) as caught:
            host.call("file_write", **refused)
        assert content not in str(caught.value)
    host.found(f"{query} heron")
    host.call("file_grep", pattern=f"{pattern}|heron")
    with pytest.raises(Failed) as caught:
        host.call("file_grep", pattern=f"{pattern}(")
    host.call("file_rename", from_path="/a.md", to_path="/b.md")
    host.found(query)
    host.call("file_delete", path="/b.md")
    host.index()
    host.runtime.close()

    written = {
        "the log": caplog.text.encode(),
        "the metrics": generate_latest(),
        **{
            str(file): file.read_bytes()
            for file in tmp_path.rglob("*")
            if file.is_file() and "fileio.db" not in file.name
        },
    }
    assert any("audit" in name and data for name, data in written.items())
    found = [
        (secret, name)
        for secret in SECRETS
        for name, data in written.items()
        if secret.encode() in data
    ]
    assert found == []


def test_the_audit_log_tells_length_and_hash_of_content(host: Host, tmp_path: Path) -> None:
    host.write("/a", "some text")
    host.runtime.close()
    (line,) = (tmp_path / ".toolroll" / "audit").iterdir()
    assert '"content":{"length":9,"sha256":"' in line.read_text()


DEAD = {"endpoint": "http://127.0.0.1:9/v1/rerank", "timeout_ms": 300}
