"""A type checker's language server, asked where names are declared."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote

_AT_ONCE = 64
_ANALYSIS = {"typeCheckingMode": "off", "diagnosticMode": "openFilesOnly"}
_LINE = re.compile(rb"\r\n|\r|\n")
_MARK = b"\xef\xbb\xbf"


class LanguageServer:
    """`basedpyright-langserver` on a directory."""

    def __init__(self, root: Path, python: str = "") -> None:
        """`python` is the interpreter whose packages the project imports."""
        self._root = root
        self._settings = {"python": {"pythonPath": python, "analysis": _ANALYSIS},
                          "basedpyright": {"analysis": _ANALYSIS}}  # fmt: skip
        command = ["basedpyright-langserver", "--stdio"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self._asked = 0
        folder = {"uri": root.as_uri(), "name": root.name}
        self._answers("initialize", [{
            "processId": None, "rootUri": root.as_uri(), "workspaceFolders": [folder],
            "capabilities": {"workspace": {"configuration": True}},
        }])  # fmt: skip
        self._send({"method": "initialized", "params": {}})

    def declarations(self, path: str, places: list[tuple[int, int]]) -> list[list[tuple[str, int]]]:
        """(file, line) of what is declared in the project, for each (line, column in bytes)."""
        data = (self._root / path).read_bytes().removeprefix(_MARK)
        lines, document = _LINE.split(data), {"uri": (self._root / path).as_uri()}
        text = {"languageId": "python", "version": 1, "text": data.decode()}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document | text}})
        answers = self._answers("textDocument/declaration", [
            {"textDocument": document, "position": {
                "line": line - 1,
                "character": len(lines[line - 1][:column].decode().encode("utf-16-le")) // 2,
            }}
            for line, column in places
        ])  # fmt: skip
        self._send({"method": "textDocument/didClose", "params": {"textDocument": document}})
        return [self._places(answer) for answer in answers]

    def _places(self, answer: Any) -> list[tuple[str, int]]:
        """What an answer names in the project."""
        inside = f"{self._root.as_uri()}/"
        items: list[dict[str, Any]] = [answer] if isinstance(answer, dict) else answer or []
        return [
            (unquote(item["uri"])[len(unquote(inside)) :], item["range"]["start"]["line"] + 1)
            for item in items
            if item["uri"].startswith(inside)
        ]

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answers(self, method: str, requests: list[dict[str, Any]]) -> list[Any]:
        """Ask so many at once, and wait for all answers."""
        found: dict[int, Any] = {}
        waiting: dict[int, int] = {}
        begun = 0
        while len(found) < len(requests):
            while begun < len(requests) and len(waiting) < _AT_ONCE:
                self._asked += 1
                waiting[self._asked] = begun
                request = {"id": self._asked, "method": method, "params": requests[begun]}
                self._send(request)
                begun += 1
            message = self._receive()
            if "method" in message:
                self._reply(message)
            elif message.get("id") in waiting:
                found[waiting.pop(message["id"])] = message.get("result")
        return [found[number] for number in range(len(requests))]

    def _reply(self, message: dict[str, Any]) -> None:
        """Answer what the server asks: its settings, and `null` to all else."""
        if "id" not in message:
            return
        result: list[Any] | None = None
        if message["method"] == "workspace/configuration":
            result = []
            for item in message["params"]["items"]:
                value: Any = self._settings
                for part in filter(None, (item.get("section") or "").split(".")):
                    value = value.get(part, {})
                result.append(value)
        self._send({"id": message["id"], "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length"):
                length = int(line.partition(b":")[2])
        if not length:
            raise EOFError("the language server has ended")
        return json.loads(self._process.stdout.read(length))
