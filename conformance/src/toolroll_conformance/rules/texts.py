"""Hostile texts as arguments, and hostile names among the project's files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolroll_conformance.legs.base import Connection
from toolroll_conformance.reply import NoReply, ProtocolError, ServerGone
from toolroll_conformance.rules.arguments import before_call, is_internal, sample_for
from toolroll_conformance.rules.rule import ANYWHERE, README, Probe, Rule, brief
from toolroll_conformance.schemas import parameters
from toolroll_conformance.seeds import richest_case
from toolroll_conformance.session import Session

__all__ = ["HOSTILE_TEXTS", "RULES"]

HOSTILE_TEXTS: Final[Mapping[str, str]] = {
    "NUL": "a\x00b",
    "control characters": "a\x01\x08\x1b[31m\x7f\x85b",
    "right-to-left": "\u202etxt.exe\u2066\u2069",
    "lone surrogate": "a\ud800b",
    "surrogate escape": "caf\udce9",
    "not a character": "\ufffe\uffff\U0010ffff",
    "combining": "e" + "\u0301" * 500,
    "emoji": "\U0001f469\u200d\U0001f4bb" * 10,
    "line ends": "a\r\nb\u2028c\u2029d",
    "quotes": "' OR 1=1; DROP TABLE x; -- \" ` $(id) {{7*7}} %s %(x)s",
    "wildcards": "%_*?[a-z]\\",
    "markup": "<script>alert(1)</script>]]>&amp;",
    "JSON": '{"code": "x", "isError": false}',
    "1 MB": "x" * 2**20,
}


def text_parameters(session: Session) -> Sequence[str]:
    """Apply a rule to each parameter that takes a free text."""
    return [
        f"{tool.name}.{name}"
        for tool in session.target.contract.tools
        for name, schema in parameters(tool.input_schema).items()
        if schema.get("type") == "string" and "enum" not in schema and "const" not in schema
    ]


def texts_for(schema: Mapping[str, Any]) -> dict[str, str]:
    """Return the hostile texts for a parameter, and the longest one that its schema takes."""
    longest = schema.get("maxLength", 0)
    if not 0 < longest < len(HOSTILE_TEXTS["1 MB"]):
        return dict(HOSTILE_TEXTS)
    return {**HOSTILE_TEXTS, "a text as long as is allowed": "x" * longest}


def hostile_text(probe: Probe, subject: str) -> None:
    """Send each hostile text: every call is answered, and no answer admits a defect."""
    name, parameter = probe.parts(subject)
    schema = parameters(probe.contract.tool(name).input_schema)[parameter]
    with before_call(probe, subject) as (run, connection, arguments):
        for what, text in texts_for(schema).items():
            sent = {**arguments, parameter: text}
            if "surrogate" in what and "wire" in probe.leg.abilities:
                _survives(probe, connection, name, sent, what)
                continue
            reply = probe.answer(run, connection, name, sent)
            if is_internal(reply):
                raise probe.broken(f"{subject} broke on {what}: {reply.brief()}")


def _survives(
    probe: Probe, connection: Connection, tool: str, sent: Mapping[str, Any], what: str
) -> None:
    """Send what is no valid JSON text: the server may ignore it, but must go on answering."""
    connection.begin(tool, sent)
    try:
        connection.list_tools()
    except (NoReply, ServerGone, ProtocolError) as error:
        raise probe.broken(f"{tool} with {what}: the server is gone afterwards: {error}") from None


HOSTILE_NAMES: Final = (
    b"caf\xe9.txt",
    b"new\nline.txt",
    "\u202egnp.txt".encode(),
    b"%2e%2e.txt",
    b" leading.txt",
    b"-rf",
    b"quote'\".txt",
    b"[bracket]*.txt",
    ("\u00e9" * 100).encode() + b".txt",
)
"""File names; the first is not UTF-8."""


def hostile_names(probe: Probe, subject: str) -> None:
    """With hostile names among the files, the calls of a case are still answered."""
    found = richest_case(probe.session.target, probe.leg)
    if found is None:
        return
    case, steps = found
    with probe.replayed(case, steps) as (run, connection):
        for name in HOSTILE_NAMES:
            file = os.path.join(os.fsencode(run.workspace.root), name)  # noqa: PTH118 (bytes)
            with open(file, "wb") as opened:  # noqa: PTH123 (bytes)
                opened.write(b"x = 1\n")
        for step, _ in run.answered:
            reply = probe.answer(run, connection, step.call, step.args, step.as_)
            if is_internal(reply):
                raise probe.broken(f"{step.call} with {brief(step.args)}: {reply.brief()}")


RULES: Final = (
    Rule(
        "hostile-text",
        "every text is taken or refused, none breaks the server",
        "MCP, tools, security considerations",
        hostile_text,
        text_parameters,
        ANYWHERE,
        every_era=False,
        prepare=sample_for,
    ),
    Rule(
        "hostile-names",
        "files with hostile names don't break the server",
        README,
        hostile_names,
        legs=ANYWHERE,
        needs=frozenset({"files"}),
        every_era=False,
    ),
)
