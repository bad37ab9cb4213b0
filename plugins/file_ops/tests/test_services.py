"""An embedder and a reranker over HTTP: used when asked for, done without when they fail."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

FRUIT = ("apple", "banana", "cherry", "fruit")


class Service(ThreadingHTTPServer):
    """Embeds texts by the fruit they name; ranks documents by the alphabet."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.keys: list[str] = []
        self.failing = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.keys.append(self.headers.get("authorization", ""))
        if self.server.failing:
            answer, status = b"{}", 400
        elif self.path == "/embeddings":
            rows = [
                {"index": i, "embedding": [float(word in text) + 0.01 for word in FRUIT]}
                for i, text in enumerate(given["input"])
            ]
            answer, status = json.dumps({"data": rows}).encode(), 200
        else:
            order = sorted(range(len(given["documents"])), key=lambda i: given["documents"][i])
            found = [{"index": i, "relevance_score": 1 / place} for place, i in enumerate(order, 1)]
            answer, status = json.dumps({"results": found}).encode(), 200
        self.send_response(status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def embedding(service: Service, key_file: Path) -> dict[str, Any]:
    return {
        "embedder": "openai",
        "embedding": {
            "endpoint": f"{service.address}/embeddings",
            "dimension": 4,
            "key_file": str(key_file),
        },
    }


def test_a_service_embeds_and_its_failure_costs_no_answer(
    make_host: Any, service: Service, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    key.write_text("sesame\n")
    host = make_host(search=embedding(service, key))
    host.write({"a.txt": "an apple\n", "b.txt": "a banana\n", "c.txt": "a cherry\n"})
    host.index()
    assert set(service.keys) == {"Bearer sesame"}
    hits = host.call("search_vectors", collection="proj", query="fruit cherry")["results"]
    assert hits[0]["payload"]["file_path"] == "c.txt"
    service.failing = True
    assert host.found("banana") == ["b.txt"]
    host.write({"d.txt": "a date and a banana\n"})
    assert sorted(host.found("banana")) == ["b.txt", "d.txt"]
    code, payload = host.answer("index_collection", collection="proj", path=".")
    assert (code, payload["retryable"]) == ("resource_busy", True)
    assert "sesame" not in payload["message"]
    service.failing = False
    assert host.index()["updated"] == 1
    assert host.index()["unchanged"] == 4


def test_a_reranker_has_the_last_word_over_the_order(make_host: Any, service: Service) -> None:
    rerank = {"enabled": True, "endpoint": f"{service.address}/rerank", "candidates": 2}
    host = make_host(search={"embedder": "none", "rerank": rerank})
    host.write({"a.txt": "b apple apple\n", "b.txt": "a apple pear\n", "c.txt": "c apple z y x\n"})
    host.index()
    plain = make_host()
    before = plain.call("search_vectors", collection="proj", query="apple")["results"]
    after = host.call("search_vectors", collection="proj", query="apple")["results"]
    texts = [hit["payload"]["content"] for hit in after]
    assert texts[:2] == sorted(texts[:2])
    assert texts[2] == before[2]["payload"]["content"]
    assert [hit["score"] for hit in after] == [hit["score"] for hit in before]
    service.failing = True
    assert host.call("search_vectors", collection="proj", query="apple")["results"] == before


def test_a_key_file_that_is_missing_is_named(make_host: Any, service: Service) -> None:
    host = make_host(search=embedding(service, Path("nowhere")))
    code, error = host.answer("list_collections")
    assert code == "internal_error"
    assert error["message"].startswith("key_file of [file_ops.search.embedding] in toolroll.toml")
