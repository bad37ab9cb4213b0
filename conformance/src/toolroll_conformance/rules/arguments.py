"""Rules about arguments: what breaks the schema is refused, what keeps it is dealt with."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from jsonschema import ValidationError

from toolroll_conformance.case_runner import CaseRun
from toolroll_conformance.generation import invalid_arguments, sample, valid_arguments
from toolroll_conformance.inspection import schema_problem
from toolroll_conformance.legs.base import Connection
from toolroll_conformance.reply import Reply
from toolroll_conformance.rules.contract import is_closed
from toolroll_conformance.rules.rule import ANYWHERE, README, Probe, Rule, brief
from toolroll_conformance.schemas import validator
from toolroll_conformance.seeds import Seed, find_seeds
from toolroll_conformance.session import Session

__all__ = ["RULES", "before_call", "before_seed", "is_internal", "sample_for", "tools"]

UNKNOWN: Final = "no_such_argument"
_INTERNAL_TEXT: Final = "failed inside; the log has it as call"


def tools(session: Session) -> Sequence[str]:
    """Apply a rule to each tool."""
    return [tool.name for tool in session.target.contract.tools]


def closed_tools(session: Session) -> Sequence[str]:
    """Apply a rule to each tool whose schema names every argument that there is."""
    return [tool.name for tool in session.target.contract.tools if is_closed(tool)]


def is_internal(reply: Reply) -> bool:
    """Say whether an error admits a defect of the server."""
    code = reply.error_code or ""
    return reply.is_error and ("internal" in code.lower() or _INTERNAL_TEXT in reply.text)


def broken_for(probe: Probe, subject: str) -> Sequence[dict[str, Any]]:
    """Generate arguments that break a tool's schema, and not only by a name that it doesn't know.

    Those are the rule `unknown-argument`'s: here they would hide that others are taken, too.
    """
    schema = probe.contract.tool(subject).input_schema
    broken = invalid_arguments(schema, probe.session.examples_on(probe.leg))
    faults = validator(schema).iter_errors
    return [sent for sent in broken if not all(map(_names_another, faults(sent)))]


def _names_another(fault: ValidationError) -> bool:
    return not fault.path and fault.validator == "additionalProperties"


def allowed_for(probe: Probe, subject: str) -> Sequence[dict[str, Any]]:
    """Generate arguments that a tool's schema allows."""
    schema = probe.contract.tool(subject).input_schema
    return valid_arguments(schema, probe.session.examples_on(probe.leg))


def sample_for(probe: Probe, subject: str) -> dict[str, Any]:
    """Return the simplest arguments that the schema of a tool, or of a parameter's tool, allows."""
    return sample(probe.contract.tool(probe.parts(subject)[0]).input_schema)


@contextmanager
def before_call(
    probe: Probe, subject: str, *, pristine: bool = False
) -> Generator[tuple[CaseRun, Connection, dict[str, Any]]]:
    """Start a server as it is before a call of a tool that succeeds, and give its arguments.

    The call is a case's; where no case makes one, its arguments are the simplest that the schema
    allows.
    """
    name = probe.parts(subject)[0]
    seed = find_seeds(probe.session.target, probe.leg).get(name)
    if seed is None:
        with probe.server() as (run, connection):
            yield run, connection, sample_for(probe, subject)
        return
    with before_seed(probe, seed, pristine=pristine) as (run, connection):
        yield run, connection, run.filled(seed.step).args


def before_seed(
    probe: Probe, seed: Seed, *, pristine: bool = False
) -> AbstractContextManager[tuple[CaseRun, Connection]]:
    """Start a server as it is before a call of a case.

    Args:
        probe: Of the rule.
        seed: The call.
        pristine: Whether it must be fresh also if all that it is asked then only reads.
    """
    reads = probe.contract.tool(seed.step.call).annotations.read_only
    start = probe.shared if reads and not pristine else probe.replayed
    return start(seed.case, seed.index)


def invalid(probe: Probe, subject: str) -> None:
    """Arguments that break the schema get an error answer, never a success or protocol error."""
    schema = probe.contract.tool(subject).input_schema
    with probe.shared() as (run, connection):
        for arguments in broken_for(probe, subject):
            reply = probe.answer(run, connection, subject, arguments)
            if not reply.is_error:
                raise probe.broken(
                    f"{subject} took {brief(arguments)}, which break its schema, "
                    f"{schema_problem(schema, arguments)}; refuse them, or say in the schema that "
                    "they are allowed"
                )
            if is_internal(reply):
                raise probe.broken(f"{subject} broke on {brief(arguments)}: {reply.brief()}")


def valid(probe: Probe, subject: str) -> None:
    """Arguments that keep the schema never make the server fail inside."""
    with probe.server() as (run, connection):
        for arguments in allowed_for(probe, subject):
            reply = probe.answer(run, connection, subject, arguments)
            if is_internal(reply):
                raise probe.broken(f"{subject} broke on {brief(arguments)}: {reply.brief()}")


def unknown(probe: Probe, subject: str) -> None:
    """An unknown argument is refused by name."""
    with probe.shared() as (run, connection):
        arguments: dict[str, Any] = {**sample_for(probe, subject), UNKNOWN: 1}
        reply = probe.answer(run, connection, subject, arguments)
        if not reply.is_error:
            raise probe.broken(
                f"{subject} took the argument {UNKNOWN!r}, which it doesn't know: nobody learns of "
                "a misspelt name; refuse it, or leave additionalProperties out of the schema"
            )
        if UNKNOWN not in reply.text:
            raise probe.broken(f"{subject} doesn't name the unknown argument: {reply.brief()}")


RULES: Final = (
    Rule(
        "invalid-arguments",
        "arguments that break the schema get an error answer",
        "MCP, tools, security considerations",
        invalid,
        tools,
        ANYWHERE,
        prepare=broken_for,
    ),
    Rule(
        "valid-arguments",
        "arguments that keep the schema never fail inside",
        README,
        valid,
        tools,
        frozenset({"memory"}),
        prepare=allowed_for,
    ),
    Rule(
        "unknown-argument",
        "an unknown argument is refused by name",
        README,
        unknown,
        closed_tools,
        ANYWHERE,
        every_era=False,
        prepare=sample_for,
    ),
)
