"""The path-escape battery: no project path leads out of the project, however it is written."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from toolroll_conformance.case_runner import CaseRun
from toolroll_conformance.legs.base import Connection
from toolroll_conformance.rules.arguments import before_call, is_internal, sample_for
from toolroll_conformance.rules.rule import ANYWHERE, README, Probe, Rule
from toolroll_conformance.schemas import parameters as parameters_of
from toolroll_conformance.session import Session
from toolroll_conformance.workspace import Workspace

__all__ = ["RULES", "hostile_paths"]

OUTSIDE: Final = "outside"
CANARY_FILE: Final = "canary.txt"


@frozen
class HostilePath:
    """A path, and whether it must be refused; others need only be harmless.

    Toolroll refuses what leads out on any system; for others `\\` and `C:` may be parts of a name.
    """

    text: str
    leads_out: bool = True


def hostile_paths(
    workspace: Workspace, *, anywhere: bool = True, linked: bool = True
) -> list[HostilePath]:
    """Return the battery for a workspace that `_bait` has prepared.

    Args:
        workspace: Where the canary is.
        anywhere: Whether what leads out on other systems than this has to be refused, too.
        linked: Whether the links that lead out are in the server's project.
    """
    canary = str(workspace.path / OUTSIDE / CANARY_FILE)
    out = [
        f"../{OUTSIDE}/{CANARY_FILE}",
        f"a/../../{OUTSIDE}/{CANARY_FILE}",
        f"./.././{OUTSIDE}/{CANARY_FILE}",
        f"..//{OUTSIDE}///{CANARY_FILE}",
        "..",
        "../",
        "../" * 40 + "etc/passwd",
        canary,
        f"//{canary}",
        "/etc/passwd",
        "a\x00b",
        f"a\x00/../../{OUTSIDE}/{CANARY_FILE}",
        "\ud800",
    ]
    links = ["link-file", f"link-directory/{CANARY_FILE}", "link-up/outside/canary.txt"]
    elsewhere = [
        f"..\\{OUTSIDE}\\{CANARY_FILE}",
        f"a\\..\\..\\{OUTSIDE}\\{CANARY_FILE}",
        "\\etc\\passwd",
        "C:\\Windows\\win.ini",
        "C:canary.txt",
        "\\\\server\\share\\file",
        "\\\\?\\C:\\file",
    ]
    harmless = [
        "",
        "   ",
        "a\nb",
        "a\x1b[31m",
        "\x7f",
        "x" * 256,
        "x/" * 4096,
        f"%2e%2e/{OUTSIDE}/{CANARY_FILE}",
        f"..%2f{OUTSIDE}%2f{CANARY_FILE}",
        f"%252e%252e%252f{OUTSIDE}",
        f"....//{OUTSIDE}/{CANARY_FILE}",
        "\uff0e\uff0e\uff0fetc",
        "~/.ssh/id_rsa",
        "$HOME/.profile",
        "file:///etc/passwd",
        "a:stream",
        "CON",
        "\u202egnp.txt",
        "-rf",
        "a;id",
        "*",
    ]
    return [
        *(HostilePath(path) for path in out),
        *(HostilePath(path, linked) for path in links),
        *(HostilePath(path, anywhere) for path in elsewhere),
        *(HostilePath(path, leads_out=False) for path in harmless),
    ]


def parameters(session: Session) -> Sequence[str]:
    """Apply the battery to each path parameter of each tool."""
    return [
        f"{tool.name}.{name}"
        for tool in session.target.contract.tools
        for name in tool.project_paths
    ]


def path_escape(probe: Probe, subject: str) -> None:
    """Send every hostile path: those that lead out are refused, and nothing outside is touched."""
    name, parameter = probe.parts(subject)
    with before_call(probe, subject, pristine=True) as (run, connection, arguments):
        _battery(probe, name, parameter, arguments, run, connection)


def _battery(
    probe: Probe,
    tool: str,
    parameter: str,
    arguments: Mapping[str, Any],
    run: CaseRun,
    connection: Connection,
) -> None:
    workspace = run.workspace
    canary = _bait(workspace)
    schema = parameters_of(probe.contract.tool(tool).input_schema).get(parameter, {})
    is_list, is_pack = schema.get("type") == "array", probe.session.target.is_pack
    must_refuse = is_pack or not is_list  # of a list, MCP's servers refuse item by item
    linked = "files" in probe.leg.abilities
    for path in hostile_paths(workspace, anywhere=is_pack or os.name == "nt", linked=linked):
        value: Any = [path.text] if is_list else path.text
        sent = {**arguments, parameter: value}
        if _is_unsendable(path.text) and "wire" in probe.leg.abilities:
            continue  # no JSON text can carry it; `hostile-text` has that case
        reply = probe.answer(run, connection, tool, sent)
        if canary in reply.text:
            raise probe.broken(f"{tool} shows a file outside the project for {path.text!r}")
        if is_internal(reply):
            raise probe.broken(f"{tool} broke on {path.text!r}: {reply.brief()}")
        if path.leads_out and must_refuse and not reply.is_error:
            raise probe.broken(f"{tool} took the path {path.text[:80]!r}: {reply.brief()}")
        if _outside(workspace) != {CANARY_FILE: canary}:
            raise probe.broken(f"{tool} changed what lies outside for {path.text!r}")


def _bait(workspace: Workspace) -> str:
    """Put a canary beside the project, and links in the project that lead to it."""
    canary = f"canary-{secrets.token_hex(8)}"
    outside = workspace.path / OUTSIDE
    outside.mkdir()
    (outside / CANARY_FILE).write_text(canary, "utf-8")
    links = {
        "link-file": outside / CANARY_FILE,
        "link-directory": outside,
        "link-up": workspace.path,
    }
    for name, target in links.items():
        (workspace.root / name).symlink_to(target)
    return canary


def _outside(workspace: Workspace) -> dict[str, str]:
    outside = workspace.path / OUTSIDE
    return {file.name: file.read_text("utf-8") for file in outside.iterdir()}


def _is_unsendable(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


RULES: Final = (
    Rule(
        "path-escape",
        "no path leads out of the project",
        README,
        path_escape,
        parameters,
        ANYWHERE,
        every_era=False,
        prepare=sample_for,
    ),
)
