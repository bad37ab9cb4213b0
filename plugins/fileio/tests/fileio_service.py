"""A model service on the loopback device, which notes what it is asked and with which key."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from attrs import define, field


@define
class Service:
    """What the service was asked, and how it answers.

    Attributes:
        answer: Makes the answer from a request's JSON.
        status: Returns the status for a key.
        url: Where it listens.
        asked: Keys and bodies, in order.
    """

    answer: Callable[[Any], Any]
    status: Callable[[str], int] = lambda key: 200
    url: str = ""
    asked: list[tuple[str, Any]] = field(factory=list)

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self.asked]


@contextmanager
def serving(service: Service, path: str) -> Iterator[Service]:
    """Answer POST requests until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            key = self.headers.get("authorization", "").removeprefix("Bearer ")
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            service.asked.append((key, body))
            data = json.dumps(service.answer(body)).encode()
            self.send_response(service.status(key))
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep quiet."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        service.url = f"http://127.0.0.1:{server.server_port}{path}"
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()
