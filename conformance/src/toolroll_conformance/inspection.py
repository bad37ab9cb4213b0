"""The standing rules: what every answer of every call owes, whatever was called.

They run on each reply that a case or another rule gets, so that a pack is held to its schemas and
its envelope on real answers rather than on invented ones.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from attrs import field, frozen
from jsonschema.exceptions import best_match  # pyright: ignore[reportUnknownVariableType]

from toolroll.contract import Contract, ToolContract
from toolroll_conformance.reply import Reply, as_object, brief, parse_json, same_json
from toolroll_conformance.schemas import validator

__all__ = ["STANDING_RULES", "Finding", "Inspector", "RuleBroken", "schema_problem"]

STANDING_RULES: Final[Mapping[str, str]] = {
    "host-intact": "no call ends, holds up or changes the process that all packs share",
    "text-encodable": "every answer is JSON text: no lone surrogates, no NaN",
    "no-leaks": "no answer holds keys, tracebacks or directories outside the project",
    "error-envelope": "every error is the pack's envelope, with a code of its contract",
    "output-schema": "every success, and what an error has of structure, meets its output schema",
    "text-equals-structured": "the text content says what structuredContent says",
}
"""The rules that every answer is held to, whatever called for it, with what holds when they do."""

_ABSOLUTE: Final = re.compile(r"(?<![\w/.:~-])(?:/[\w.@+~-]+){2,}")
_TRACE: Final = re.compile(
    r"Traceback \(most recent call last\)|File \\?\"[^\"]+\", line \d+"  # Python
    r"|(?:\n|\\n)[ \t]*(?:\\t)?at [^\n]*?(?::\d+:\d+|\.(?:java|kt|scala):\d+)"  # JS, JVM
    r"|goroutine \d+ \[\w+|\.rb:\d+:in [`']"  # Go, Ruby
)
"""How frames of a stack are written, in a text or in its JSON."""


@frozen
class Finding:
    """One rule broken once."""

    rule: str
    message: str


class RuleBroken(Exception):
    """One or more rules do not hold; `findings` says which and how.

    Args:
        findings: What is broken.
        logged: What hosts logged of it.
    """

    def __init__(self, findings: Sequence[Finding], logged: Sequence[str] = ()) -> None:
        told = [f"[{finding.rule}] {finding.message}" for finding in findings]
        super().__init__("\n".join([*told, *logged]))
        self.findings = tuple(findings)


def schema_problem(schema: Mapping[str, Any] | bool, value: Any) -> str:
    """Say where a JSON value breaks a schema, most telling place first; "" where it doesn't."""
    error = cast("Any", best_match(validator(schema).iter_errors(value)))
    if error is None:
        return ""
    text = str(error.message)
    text = text if len(text) <= 400 else text[:400] + "…"
    return f"{error.json_path}: {text}"


Rule = Callable[[ToolContract, Reply], str]


@frozen
class Inspector:
    """Holds replies to a contract.

    Args:
        contract: What the pack promises.
        root: The project: an error names nothing that exists outside of it.
        forbidden: Directories that no answer may name: the data directory, the interpreter's.
        secrets: Texts that no answer may hold: keys.
    """

    contract: Contract
    root: Path
    forbidden: tuple[Path, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def check(self, name: str, reply: Reply, sent: Mapping[str, Any]) -> None:
        """Apply every standing rule to one reply.

        Args:
            name: The tool that was called.
            reply: Its answer.
            sent: The arguments; what the caller said is no leak.

        Raises:
            RuleBroken: At least one doesn't hold.
        """
        if findings := self.findings(name, reply, sent):
            raise RuleBroken(findings)

    def findings(self, name: str, reply: Reply, sent: Mapping[str, Any]) -> list[Finding]:
        """Return what one reply breaks of the standing rules; see `check`."""
        return list(self._findings(self.contract.tool(name), reply, sent))

    def _findings(
        self, tool: ToolContract, reply: Reply, sent: Mapping[str, Any]
    ) -> Iterator[Finding]:
        leaks = functools.partial(self._leaks, sent)
        call = f"{tool.name} with {brief(sent)}"
        if reply.deeds:
            yield Finding("host-intact", f"{call} {'; it '.join(reply.deeds)}")
        rules: dict[str, Rule] = {"text-encodable": _encodable, "no-leaks": leaks}
        if reply.is_error:
            rules["error-envelope"] = self._envelope
            rules["output-schema"] = _structured_error
        else:
            rules["output-schema"] = _output
            rules["text-equals-structured"] = _text
        for rule, holds in rules.items():
            if problem := holds(tool, reply):
                yield Finding(rule, f"{call}: {problem}; it was the {reply.brief()}")

    def _envelope(self, tool: ToolContract, reply: Reply) -> str:
        envelope = self.contract.envelope
        if envelope is None:
            return "" if reply.text.strip() else "the error says nothing"
        try:
            payload = parse_json(reply.text)
        except ValueError:
            return "the text of an error is not JSON"
        code = (as_object(payload) or {}).get("code")
        if isinstance(code, str) and code not in self.contract.errors:
            known = ", ".join(sorted(self.contract.errors))
            return (
                f"the code {code!r} is not declared; use one that is ({known}), or add it to the "
                "errors of pack and contract"
            )
        schema = envelope.schema(tuple(self.contract.errors))
        if problem := schema_problem(schema, payload):
            return f"the error breaks the envelope '{envelope.value}', {problem}"
        if reply.structured is not None and not same_json(reply.structured, payload):
            return "structuredContent of the error differs from its text"
        return ""

    def _leaks(self, sent: Mapping[str, Any], tool: ToolContract, reply: Reply) -> str:
        for secret in self.secrets:
            if secret in reply.text:
                return "the answer holds a key"
        for directory in (*self.forbidden, *_interpreter()):
            if str(directory) in reply.text:
                return f"the answer names {directory}, which lies outside the project"
        if reply.is_error and _TRACE.search(reply.text):
            return "the error holds a traceback"
        if reply.is_error and (path := self._place(reply.text, sent)):
            return f"the error names {path}, which lies outside the project and was not asked for"
        return ""

    def _place(self, text: str, sent: Mapping[str, Any]) -> str:
        """Return the first place outside the project that a text tells of; "" if there is none.

        It exists, or the directory does that it would be in: anything else may be no path at all.
        Where an argument leads by its words alone, `..` and all, the caller knows.
        """
        said = json.dumps(sent)
        asked = {Path(os.path.normpath(self.root / word)) for word in _texts(sent)}
        known = asked.union(*(place.parents for place in asked))
        for found in _ABSOLUTE.findall(text):
            path = Path(found.rstrip("."))
            told = os.path.lexists(path) or (len(path.parts) > 3 and os.path.lexists(path.parent))
            named = str(path) in said or path in known
            if told and not named and not path.is_relative_to(self.root):
                return str(path)
        return ""


def _interpreter() -> Sequence[Path]:
    """Return where this interpreter's packages are: all of a virtual environment, not all of /usr.

    Any script begins with `#!/usr/bin/env`.
    """
    if sys.prefix != sys.base_prefix:
        return [Path(sys.prefix)]
    return [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif (items := as_object(value)) is not None:
        for item in items.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _texts(item)


def _encodable(tool: ToolContract, reply: Reply) -> str:
    try:
        reply.text.encode()
        json.dumps(reply.structured, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        return "the answer holds a lone surrogate, which no JSON text can carry"
    except ValueError:
        return "the answer holds NaN or an infinity, which JSON does not know"
    return ""


def _output(tool: ToolContract, reply: Reply) -> str:
    if not tool.output_schema:
        return ""  # it promises nothing
    if as_object(reply.structured) is None:
        return "structuredContent is not an object"
    if problem := schema_problem(tool.output_schema, reply.structured):
        return f"structuredContent breaks the output schema, {problem}"
    return ""


def _structured_error(tool: ToolContract, reply: Reply) -> str:
    """MCP excepts no error from the schema, and clients of the TypeScript SDK 1 hold all to it."""
    if reply.structured is None:
        return ""
    if problem := _output(tool, reply):
        return f"{problem}; leave structuredContent out of errors, or clients hide their text"
    return ""


def _text(tool: ToolContract, reply: Reply) -> str:
    shown = as_object(reply.structured)
    if shown is None:
        return ""  # told by output-schema
    told: Any = shown.get("result") if tool.wrapped else shown
    if tool.markdown and not isinstance(told, str):
        return ""  # words beside an object: nothing says which
    try:
        said: Any = reply.text if tool.markdown else parse_json(reply.text)
    except ValueError:
        return "the text content is not JSON"
    return "" if same_json(said, told) else "the text content differs from structuredContent"
