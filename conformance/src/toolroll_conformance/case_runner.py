"""Running one case on one way in: the meaning of each step."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from attrs import field, mutable

from toolroll.contract import Contract
from toolroll_conformance.case import (
    CallStep,
    Case,
    CommandStep,
    FilesStep,
    ParallelStep,
    RepeatStep,
    RestartStep,
    Step,
)
from toolroll_conformance.commands import CommandResult, RunCommand
from toolroll_conformance.host_log import logged
from toolroll_conformance.inspection import Finding, Inspector, RuleBroken, schema_problem
from toolroll_conformance.legs.base import CannotServe, Connection, Leg, Pending
from toolroll_conformance.reply import (
    NoReply,
    ProtocolError,
    Reply,
    ServerGone,
    as_object,
    parse_json,
)
from toolroll_conformance.substitution import UnknownName, capture, fill
from toolroll_conformance.workspace import Workspace

__all__ = ["CASE_RULE", "CaseRun", "missing_capabilities", "opened", "run_case", "tries"]

CASE_RULE: Final = "case"
"""The rule that is broken when a step doesn't meet its own expectation."""
RUNNER_ABILITIES: Final = frozenset({"files", "settings", "commands", "restart", "kill", "tenants"})
"""What a case can need of the way in; every other requirement is a capability of the pack."""
_FIRST_WAIT: Final = 0.02
_LONGEST_WAIT: Final = 0.5


def missing_capabilities(case: Case, contract: Contract, leg: Leg) -> list[str]:
    """Return what a case needs and pack or leg doesn't offer, sorted; then it is skipped."""
    offered = (set(contract.capabilities) - RUNNER_ABILITIES) | leg.abilities
    return sorted(case.needs() - offered)


def run_case(
    case: Case, leg: Leg, contract: Contract, commands: RunCommand | None = None
) -> CaseRun:
    """Run a case on a workspace of its own and return what it did.

    Raises:
        RuleBroken: A step didn't meet its expectation, or an answer broke a standing rule.
    """
    with opened(case, leg, contract, commands) as (run, connection):
        run.steps(case.steps, connection)
        return run


@contextmanager
def opened(
    case: Case, leg: Leg, contract: Contract, commands: RunCommand | None = None
) -> Generator[tuple[CaseRun, Connection]]:
    """Make what a case is given and start a server on it; none of its steps is done yet.

    What breaks a rule by failing inside is told with what the server logged of it.

    Raises:
        RuleBroken: A given command failed, or the server doesn't start.
    """
    with (
        leg.storage.lend() as storage,
        Workspace.make(contract.pack, case.given, storage) as workspace,
    ):
        run = CaseRun(contract, workspace, commands)
        for index, words in enumerate(case.given.commands):
            with _at(f"given command {index + 1}"):
                run.command(CommandStep(command=words))
        with _at("start"):
            connection = leg.open(workspace)
        try:
            yield run, connection
        except RuleBroken as broken:
            said = logged(workspace.path, [finding.message for finding in broken.findings])
            raise RuleBroken(broken.findings, said) from None
        finally:
            connection.close()


class _Unmet(Exception):
    """An expectation that does not hold, for now or for good."""


@contextmanager
def _at(place: str) -> Generator[None]:
    """Turn whatever goes wrong at one step into a finding that names the step."""
    try:
        yield
    except RuleBroken as error:
        raise RuleBroken(
            [Finding(finding.rule, f"{place}: {finding.message}") for finding in error.findings]
        ) from None
    except CannotServe as error:
        raise RuleBroken([Finding("serves", f"{place}: {error}")]) from None
    except (_Unmet, UnknownName, ProtocolError, NoReply, ServerGone, OSError) as error:
        raise RuleBroken([Finding(CASE_RULE, f"{place}: {error}")]) from None


@mutable(eq=False)
class CaseRun:
    """The state of a case while it runs.

    Attributes:
        names: What has been captured so far.
        answered: Successful calls as they were sent, names filled in, with their answers.
    """

    contract: Contract
    workspace: Workspace
    commands: RunCommand | None = None
    names: dict[str, Any] = field(factory=dict[str, Any])
    answered: list[tuple[CallStep, Reply]] = field(factory=list[tuple[CallStep, Reply]])
    inspector: Inspector = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.names["root"] = str(self.workspace.root)
        self.inspector = Inspector(self.contract, self.workspace.root, (self.workspace.data,))

    def steps(self, steps: Sequence[Step], connection: Connection, within: str = "") -> None:
        """Run steps one after another; the first that fails ends the case."""
        for number, step in enumerate(steps, 1):
            place = f"{within}step {number}"
            match step:
                case RepeatStep():
                    for index in range(step.repeat):
                        self.names["index"] = index
                        self.steps(step.steps, connection, f"{place} (index {index}), ")
                case ParallelStep():
                    self.parallel(step, connection, place)
                case CallStep():
                    with _at(f"{place} (call {step.call})"):
                        _until(step.within, lambda step=step: self.call(step, connection))
                case CommandStep():
                    with _at(f"{place} (command {' '.join(step.command)})"):
                        _until(step.within, lambda step=step: self.command(step))
                case FilesStep():
                    with _at(f"{place} (files)"):
                        self.files(step)
                case RestartStep():
                    with _at(f"{place} (restart {step.restart})"):
                        connection.restart(kill=step.restart == "kill")

    def call(self, step: CallStep, connection: Connection) -> None:
        """Make one call and hold its answer to what the step expects."""
        self._judge(*self._begin(step, connection))

    def parallel(self, step: ParallelStep, connection: Connection, place: str) -> None:
        """Make calls all at once, then hold each answer to what its step expects."""
        pending = [self._begin(call, connection) for call in step.parallel]
        findings: list[Finding] = []
        for number, (call, waiting) in enumerate(pending, 1):
            try:
                with _at(f"{place}, call {number} ({call.call})"):
                    self._judge(call, waiting)
            except RuleBroken as error:
                findings += error.findings
        if findings:
            raise RuleBroken(findings)

    def command(self, step: CommandStep) -> None:
        """Run a `toolroll` command and hold its exit code and output to what is expected."""
        words = [str(word) for word in fill(step.command, self.names)]
        assert self.commands is not None, "a leg without commands skips the case"
        result = self.commands(self.workspace, words)
        if result.exit != step.exit:
            raise _Unmet(f"exit {result.exit}, not {step.exit}: {_tail(result)}")
        if step.expect is None and not step.capture:
            return
        try:
            payload = parse_json(result.stdout)
        except ValueError:
            raise _Unmet(f"the output is not JSON: {_tail(result)}") from None
        self._expect(step.expect, payload, f"the output {result.stdout[:600]}")
        self.names.update(capture(payload, step.capture))

    def files(self, step: FilesStep) -> None:
        """Change the project: rename, then remove, then write."""
        for old, new in step.rename.items():
            self.workspace.rename(fill(old, self.names), fill(new, self.names))
        for name in step.remove:
            self.workspace.remove(fill(name, self.names))
        named = {str(fill(name, self.names)): content for name, content in step.write.items()}
        self.workspace.write(named, self.names)

    def filled(self, step: CallStep) -> CallStep:
        """Return a call with captured values in its arguments."""
        return step.model_copy(update={"args": fill(step.args, self.names)})

    def _begin(self, step: CallStep, connection: Connection) -> tuple[CallStep, Pending]:
        sent = self.filled(step)
        return sent, connection.begin(sent.call, sent.args, sent.as_)

    def _judge(self, step: CallStep, pending: Pending) -> None:
        try:
            reply = pending.result()
        except ProtocolError as error:
            if error.code == step.protocol_error:
                return
            raise
        if step.protocol_error is not None:
            raise _Unmet(f"expected JSON-RPC error {step.protocol_error}, got {reply.brief()}")
        self._inspect(step, reply)
        payload = self._payload(step.call, reply)
        if (error := step.expected_error) is not None:
            if not reply.is_error:
                raise _Unmet(f"expected an error {error.code or ''}, got {reply.brief()}")
            if error.code is not None and reply.error_code not in {error.code, None}:
                raise _Unmet(f"expected code {error.code}, got {reply.brief()}")
            self._expect(error.schema_, reply.payload, reply.brief())
        elif reply.is_error:
            raise _Unmet(f"expected a success, got {reply.brief()}")
        else:
            self.answered.append((step, reply))
            self._expect(step.expect, payload, reply.brief())
        self.names.update(capture(payload, step.capture))

    def _inspect(self, step: CallStep, reply: Reply) -> None:
        try:
            self.inspector.check(step.call, reply, step.args)
        except KeyError:
            told = f"{step.call} is no tool of the contract; called, it gave the {reply.brief()}"
            raise _Unmet(told) from None

    def _payload(self, name: str, reply: Reply) -> Any:
        """Return what a case's expectations are of: JSON, be it in the text or beside words."""
        tool, structured = self.contract.tool(name), as_object(reply.structured)
        if not tool.markdown:
            return reply.payload
        if reply.is_error or structured is None:
            return reply.text
        return structured.get("result") if tool.wrapped else structured

    def _expect(self, schema: Mapping[str, Any] | bool | None, payload: Any, shown: str) -> None:
        if schema is None:
            return
        if problem := schema_problem(fill(schema, self.names), payload):
            raise _Unmet(f"expected otherwise, {problem}; it was {shown}")


def tries(within: float | None) -> Iterator[float]:
    """Count down the seconds of tries: one, or more and more rarely until the time is over, at 0.

    What is awaited is another process's background work: there is no event to wait for.
    """
    until = time.monotonic() + (within or 0.0)
    wait = _FIRST_WAIT
    while (left := until - time.monotonic()) > 0:
        yield left
        time.sleep(min(wait, left))
        wait = min(wait * 1.5, _LONGEST_WAIT)
    yield 0.0


def _until(within: float | None, attempt: Callable[[], None]) -> None:
    """Do it once, or again and again until it holds or the time is over."""
    for left in tries(within):
        try:
            return attempt()
        except (_Unmet, UnknownName) as unmet:
            if not left and within is not None:
                raise _Unmet(f"not within {within:g} s: {unmet}") from None
            if not left:
                raise


def _tail(result: CommandResult) -> str:
    return (result.stderr or result.stdout).strip()[-600:]
