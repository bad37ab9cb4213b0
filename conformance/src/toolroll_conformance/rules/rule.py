"""What a rule is, and what it works with."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, Final

from attrs import evolve, field, frozen

from toolroll.contract import Contract
from toolroll_conformance.case import Case, Given
from toolroll_conformance.case_runner import CaseRun, opened
from toolroll_conformance.check import Check, Skipped
from toolroll_conformance.inspection import Finding, RuleBroken
from toolroll_conformance.legs.base import FIRST, Connection, Leg
from toolroll_conformance.legs.starting import PackServer
from toolroll_conformance.legs.stdio import StdioLeg
from toolroll_conformance.processes.child import ColdLauncher
from toolroll_conformance.reply import NoReply, ProtocolError, Reply, ServerGone, brief
from toolroll_conformance.session import Session
from toolroll_conformance.sharing import Lease, Worn
from toolroll_conformance.storage import EMBEDDED

__all__ = [
    "ANYWHERE",
    "EMPTY",
    "README",
    "Probe",
    "Rule",
    "Scene",
    "brief",
    "call",
    "checks_of",
    "once",
]

EMPTY: Final = Case.model_validate({"id": "rule", "title": "rule", "steps": [{"restart": "stop"}]})
"""What nothing is given to, and nothing is done in."""
ANYWHERE: Final = frozenset({"memory", "stdio", "http"})
README: Final = "README of toolroll-conformance"
"""The source of rules that are the suite's own, each in a table there; MCP's name its page."""


def once(session: Session) -> Sequence[str]:
    """Apply a rule once, to the pack as a whole."""
    return ("",)


def call(
    connection: Connection, tool: str, arguments: Mapping[str, Any], tenant: str = FIRST
) -> Reply:
    """Call a tool and wait for its answer."""
    return connection.begin(tool, arguments, tenant).result()


@frozen(eq=False)
class Scene:
    """Where a rule that needs no server works: the pack and its promises.

    Attributes:
        rule: The rule's name, for its findings.
    """

    rule: str
    session: Session

    @property
    def contract(self) -> Contract:
        """The contract."""
        return self.session.target.contract

    def parts(self, subject: str) -> tuple[str, str]:
        """Return the tool of a subject, and what of the tool it is; names of tools have dots."""
        names = [tool.name for tool in self.contract.tools]
        name = max((n for n in names if f"{subject}.".startswith(f"{n}.")), key=len)
        return name, subject[len(name) + 1 :]

    def broken(self, message: str) -> RuleBroken:
        """Return the failure of this rule."""
        return RuleBroken([Finding(self.rule, message)])


@frozen(eq=False)
class Probe(Scene):
    """Where a rule works that needs a server: one way in.

    Attributes:
        heard: What answers broke of the standing rules.
    """

    leg: Leg
    heard: list[Finding] = field(factory=list[Finding], init=False)

    def cold(self) -> Probe:
        """Return a probe whose servers import everything themselves, as a user's does."""
        if not (self.session.target.is_pack and isinstance(self.leg, StdioLeg)):
            return self
        starter = PackServer(ColdLauncher(environment=self.session.environment))
        return evolve(self, leg=evolve(self.leg, starter=starter))

    @contextmanager
    def server(self, given: Given | None = None) -> Generator[tuple[CaseRun, Connection]]:
        """Start a server on a fresh workspace."""
        case = EMPTY if given is None else EMPTY.model_copy(update={"given": given})
        with self.replayed(case) as (run, connection):
            yield run, connection

    @contextmanager
    def replayed(self, case: Case, steps: int = 0) -> Generator[tuple[CaseRun, Connection]]:
        """Start a server on what a case is given, and do its first steps."""
        with self._started(case, steps) as (run, connection), self._telling():
            yield run, connection

    @contextmanager
    def shared(self, case: Case = EMPTY, steps: int = 0) -> Generator[tuple[CaseRun, Connection]]:
        """Do as `replayed`, or take a server where just that was done, and leave it to the next.

        Only for calls that change nothing. On the server tier nothing is left: there each server
        has a database.

        Raises:
            Worn: It failed, and the server had been used before.
        """
        idle = self.session.idle
        key = (self.leg, "" if case is EMPTY else case.id, steps)
        used = idle.take(key)
        lease = used or self._leased(case, steps)
        try:
            with lease.stack:
                with self._telling():
                    yield lease.run, lease.connection
                if self.leg.storage is EMBEDDED:
                    idle.give(key, evolve(lease, stack=lease.stack.pop_all()))
        except (RuleBroken, NoReply, ServerGone, ProtocolError) as error:
            if used:
                raise Worn from error
            raise

    def _leased(self, case: Case, steps: int) -> Lease:
        stack = ExitStack()
        return Lease(stack, *stack.enter_context(self._started(case, steps)))

    @contextmanager
    def _started(self, case: Case, steps: int) -> Generator[tuple[CaseRun, Connection]]:
        with opened(case, self.leg, self.contract, self.session.commands) as (run, connection):
            run.steps(case.steps[:steps], connection)
            yield run, connection

    @contextmanager
    def _telling(self) -> Generator[None]:
        """Tell at the end what answers broke beside the rule itself: it goes on looking until then.

        One answer in another form than was promised must not hide that the next is worse.
        """
        self.heard.clear()
        own: Sequence[Finding] = ()
        try:
            yield
        except RuleBroken as broken:
            own = broken.findings
        first: dict[str, Finding] = {}
        for finding in (*own, *self.heard):
            first.setdefault(finding.rule, finding)
        if first:
            raise RuleBroken([*first.values()])

    def answer(
        self,
        run: CaseRun,
        connection: Connection,
        tool: str,
        arguments: Mapping[str, Any],
        tenant: str = FIRST,
    ) -> Reply:
        """Call a tool, hold the answer to the standing rules, and return it.

        Raises:
            RuleBroken: There is no answer, or it is a protocol error.
        """
        try:
            reply = call(connection, tool, arguments, tenant)
        except (NoReply, ServerGone, ProtocolError) as error:
            raise self.broken(f"{tool} with {brief(arguments)}: {error}") from None
        self.heard.extend(run.inspector.findings(tool, reply, arguments))
        return reply


@frozen(eq=False)
class Rule:
    """One rule of the suite.

    Attributes:
        name: Names it in check ids and findings.
        title: What holds when it does, in a sentence.
        source: Where that is promised.
        run: Applies it to one subject; `Probe` where it has legs, else `Scene`.
        subjects: What it is applied to, each a check of its own.
        legs: Ways in on which it is applied; none for a rule that needs no server.
        strangers: Ways in on which it is applied besides where the server is no pack's.
        needs: Abilities of the leg without which it is not applied there.
        requires: Capabilities of the pack without which it is skipped.
        every_era: Whether it is applied in each era of a leg, or only in the last.
        prepare: Makes what a subject needs and no two threads may make (`Check.prepare`).
    """

    name: str
    title: str
    source: str
    run: Callable[[Any, str], None]
    subjects: Callable[[Session], Sequence[str]] = once
    legs: frozenset[str] = frozenset()
    strangers: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    requires: frozenset[str] = frozenset()
    every_era: bool = field(default=True)
    prepare: Callable[[Any, str], object] | None = None


def checks_of(rule: Rule, session: Session) -> list[Check]:
    """Return the checks that a rule makes in a session."""
    if not rule.legs:
        return [_check(rule, session, subject, None) for subject in rule.subjects(session)]
    names = rule.legs if session.target.is_pack else rule.legs | rule.strangers
    legs = [leg for leg in session.legs if leg.name in names and rule.needs <= leg.abilities]
    if not rule.every_era:
        legs = list({leg.name: leg for leg in legs}.values())
    return [
        _check(rule, session, subject, leg) for leg in legs for subject in rule.subjects(session)
    ]


def _check(rule: Rule, session: Session, subject: str, leg: Leg | None) -> Check:
    scene = Scene(rule.name, session) if leg is None else Probe(rule.name, session, leg)
    check = Check(
        rule=rule.name,
        title=rule.title,
        source=rule.source,
        subject=subject,
        leg=leg.name if leg else "",
        era=leg.era if leg else "",
        run=partial(_apply, rule, scene, subject),
    )
    return (
        check
        if rule.prepare is None
        else evolve(check, prepare=partial(rule.prepare, scene, subject))
    )


def _apply(rule: Rule, scene: Scene, subject: str) -> None:
    if missing := sorted(rule.requires - set(scene.contract.capabilities)):
        raise Skipped(missing)
    try:
        while True:
            with suppress(Worn):  # which one that has been used is, each time that it fails
                return rule.run(scene, subject)
    except (NoReply, ServerGone, ProtocolError) as error:
        raise scene.broken(str(error)) from None
