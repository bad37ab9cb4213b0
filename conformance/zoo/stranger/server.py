"""A stranger's MCP server: nothing of Toolroll, one tool, both protocol eras, flaws on demand.

`python server.py [FLAW]` speaks newline-delimited JSON-RPC on its standard streams. Four are no
flaws: `plain` promises no more than a server must, and its errors and answers are texts; `loose`
speaks the older era alone, ignores arguments that it does not know, lists its tools in an order of
its own, says of a reader no more than that it is one, and puts words beside its structured results;
`asking` calls back before it lists its tools, and waits; `forgets` tells what it repeated last, as
long as it runs. With `kill-restart` it stores that, when it is ended in order.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

TOOL: dict[str, Any] = {
    "name": "repeat_text",
    "title": "Repeat text",
    "description": "Return a text several times over, for whoever wants more of it.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "times": {"type": "integer", "minimum": 1, "maximum": 9},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
    "annotations": {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}
FLAWS = {
    "listing",
    "unknown-cursor",
    "unknown-tool",
    "invalid-arguments",
    "unknown-argument",
    "text-equals-structured",
    "text-encodable",
    "no-leaks",
    "read-only",
    "cancel",
    "stray-output",
    "ending",
    "kill-restart",
}
KNOWN = TOOL["inputSchema"]["properties"]
LOOSE: list[dict[str, Any]] = [
    {
        **TOOL,
        "inputSchema": {"type": "object", "properties": KNOWN, "required": ["text"]},
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "text.about",
        "description": "About it.",
        "inputSchema": {"type": "object", "properties": {"topic": {"type": "string"}}},
    },
]
STORING: list[dict[str, Any]] = [
    {**LOOSE[0], "annotations": {"readOnlyHint": False}},
    {**LOOSE[1], "annotations": {"readOnlyHint": True}},
]
NO_FLAWS = {"", "plain", "loose", "asking", "forgets"}
PLAIN = {key: TOOL[key] for key in ("name", "title", "description", "inputSchema")}
LAST = Path("last.txt")
"""In the project, where it was started."""
INVALID_PARAMS = -32602


class Refused(Exception):
    """A JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def problem_with(arguments: dict[str, Any]) -> str:
    """Say what is wrong with the arguments; "" if nothing is."""
    for name in arguments:
        if name not in KNOWN:
            return f"unknown argument {name}"
    if not isinstance(arguments.get("text"), str):
        return "text must be a string"
    times = arguments.get("times", 1)
    if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= 9:
        return "times must be an integer in [1, 9]"
    return ""


def call(arguments: dict[str, Any], flaw: str) -> dict[str, Any]:
    """Answer a call of the tool."""
    payload: dict[str, Any]
    if flaw in {"loose", "unknown-argument"}:
        arguments = {key: arguments[key] for key in arguments if key in KNOWN}
    if flaw == "invalid-arguments" and isinstance(arguments.get("times"), bool):
        arguments = {**arguments, "times": int(arguments["times"])}
    problem = problem_with(arguments)
    if problem and flaw == "no-leaks":
        problem += f"; see {__file__}"
    if flaw == "read-only":
        with Path("calls.txt").open("a") as log:  # in the project, where it was started
            log.write("x")
    if problem:
        payload = {"code": "invalid_arguments", "message": problem, "retryable": False}
    else:
        text = arguments["text"] * arguments.get("times", 1)
        payload = {"text": text.encode("utf-8", "backslashreplace").decode()}
    if flaw == "text-encodable" and arguments.get("text") == "again":
        payload = {"text": "caf\udce9"}
    if flaw == "plain":
        text = payload.get("message") or payload["text"]
        content = [{"type": "text", "text": text}]
        return {"content": content, "isError": bool(problem), "resultType": "complete"}
    if flaw == "loose" and not problem:
        content = [{"type": "text", "text": "There you are."}]
        return {"content": content, "structuredContent": payload, "isError": False}
    said = dict(payload)
    if flaw == "text-equals-structured" and arguments.get("text") == "again":
        said = {"text": "something else"}
    result = {
        "content": [{"type": "text", "text": json.dumps(said)}],
        "isError": bool(problem),
        "resultType": "complete",
    }
    return result if problem else {**result, "structuredContent": payload}


class Server:
    """Answers requests, with one flaw or none."""

    def __init__(self, flaw: str) -> None:
        self.flaw = flaw
        self.listings = 0
        self.last = ""
        if flaw == "kill-restart" and LAST.exists():
            self.last = LAST.read_text()

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request."""
        if method == "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "stranger", "version": "1"},
            }
        if method == "server/discover" and self.flaw != "loose":
            return {
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "stranger", "version": "1"},
                "ttlMs": 0,
                "cacheScope": "private",
                "resultType": "complete",
            }
        if method == "tools/list":
            if params.get("cursor") is not None and self.flaw != "unknown-cursor":
                raise Refused(INVALID_PARAMS, "unknown cursor")
            self.listings += 1
            if self.flaw == "plain":
                return {"tools": [PLAIN]}
            if self.flaw == "loose":
                return {"tools": LOOSE}
            if self.flaw in {"forgets", "kill-restart"}:
                return {"tools": STORING}
            other = self.flaw == "listing" and self.listings > 1
            return {"tools": [{**TOOL, "title": "Repeat"} if other else TOOL]}
        if method == "tools/call":
            sent: dict[str, Any] = params.get("arguments") or {}
            self.last = str(sent.get("text", self.last))
            if params["name"] == "text.about" and self.flaw in {"loose", "forgets", "kill-restart"}:
                is_error = not isinstance(sent.get("topic", ""), str)
                said = "topic must be a text" if is_error else f"It repeats texts. {self.last}"
                return {"content": [{"type": "text", "text": said}], "isError": is_error}
            if params["name"] != TOOL["name"] and self.flaw != "unknown-tool":
                raise Refused(INVALID_PARAMS, "unknown tool")
            return call(params.get("arguments") or {}, self.flaw)
        raise Refused(-32601, "no such method")


def asked(method: str) -> dict[str, Any]:
    """Ask the client something, and wait for its response: nothing else comes in between."""
    print(json.dumps({"jsonrpc": "2.0", "id": f"our {method}", "method": method}), flush=True)
    response = json.loads(sys.stdin.readline())
    if response.get("id") != f"our {method}":
        sys.exit(f"asked {method}, and got {response}")
    return response


def main() -> None:
    """Serve until standard input ends."""
    flaw = sys.argv[1] if len(sys.argv) > 1 else ""
    if flaw not in FLAWS | NO_FLAWS:
        sys.exit(f"unknown flaw {flaw}; known: {', '.join(sorted(FLAWS))}")
    server = Server(flaw)
    for line in sys.stdin:
        message = json.loads(line, parse_constant=sys.exit)  # NaN and infinities are no JSON
        if "id" not in message:
            if flaw == "cancel" and message["method"] == "notifications/cancelled":
                os._exit(1)
            continue
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if (
            flaw == "asking"
            and message["method"] == "tools/list"
            and ("result" not in asked("ping") or "error" not in asked("roots/list"))
        ):
            sys.exit("ping has to be answered, the rest refused")
        try:
            response["result"] = server.answer(message["method"], message.get("params") or {})
        except Refused as error:
            response["error"] = {"code": error.code, "message": str(error)}
        if flaw == "stray-output" and message["method"] == "tools/call":
            print(json.dumps({"level": "info", "message": "calling a tool now"}))
        print(json.dumps(response), flush=True)
    if flaw == "kill-restart":
        LAST.write_text(server.last)
    if flaw == "ending":
        signal.pause()


if __name__ == "__main__":
    main()
