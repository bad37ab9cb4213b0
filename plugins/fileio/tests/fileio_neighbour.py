"""A second process on the same data: calls go to it over a pipe, one JSON line each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from fileio_host import LOCAL, SECOND, Failed, Host, open_host

TENANTS = {person.tenant: person for person in (LOCAL, SECOND)}


class Neighbour:
    """Calls tools in a process of its own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def open(self, root: Path, **settings: Any) -> None:
        """Open a host there on a directory, closing the one before."""
        self._ask({"open": str(root), "settings": settings})

    def call(self, tool: str, *, tenant: Any, **arguments: Any) -> Any:
        """Return a tool's payload, or raise `Failed`."""
        answer = self._ask({"tool": tool, "tenant": tenant.tenant, "arguments": arguments})
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer["payload"]

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _ask(self, question: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def serve() -> None:
    """Answer questions until standard input ends."""
    host: Host | None = None
    for line in sys.stdin:
        question = json.loads(line)
        if "open" in question:
            if host:
                host.runtime.close()
            host = open_host(Path(question["open"]), **question["settings"])
            answer: dict[str, Any] = {}
        else:
            assert host is not None
            try:
                tenant = TENANTS[question["tenant"]]
                arguments = question["arguments"]
                answer = {"payload": host.call(question["tool"], tenant=tenant, **arguments)}
            except Failed as failed:
                answer = {
                    "failed": {
                        "code": failed.code,
                        "message": str(failed),
                        "retryable": failed.retryable,
                    }
                }
        print(json.dumps(answer), flush=True)
    if host:
        host.runtime.close()


if __name__ == "__main__":
    serve()
