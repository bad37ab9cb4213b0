"""Suites: starting one from a scenario, finding it again, and finding a case in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from toolroll_investigation.knowledge_store import KnowledgeStore, open_exam, open_shared
from toolroll_investigation.prompt_gathering import describe_surroundings
from toolroll_investigation.scenario import SAFE_ID, Scenario, ScenarioCase
from toolroll_investigation.steps import Step
from toolroll_investigation.tables import Case, Job, Launch, Pipeline, Suite, Version

_ADDRESS: Final = re.compile(rf"(?:(\d{{1,9}}):)?({SAFE_ID.pattern})")
RESUME: Final = re.compile(r"suite:(\d{1,9})")

# Composed once: every call begins with one of these.
_CASE: Final = (
    select(Suite, Case)
    .join(Case, Case.suite_key == Suite.key)
    .where(Suite.tenant == bindparam("tenant"), Case.label == bindparam("label"))
)
_LATEST_TURN: Final = select(func.max(Suite.turn)).where(Suite.tenant == bindparam("tenant"))
_LATEST_CASE: Final = _CASE.where(Suite.turn == _LATEST_TURN.scalar_subquery())
_NUMBERED_CASE: Final = _CASE.where(Suite.number == bindparam("number"))


class SuiteError(Exception):
    """A suite or case can't be found; `code` says which, the text what to do."""

    def __init__(self, code: str, message: str, details: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


def create_suite(session: Session, tenant: str, scenario: Scenario, now: str) -> Suite:
    """Record a suite with everything its cases hang on: versions, pipelines, launches, jobs.

    Every case starts at F0_RECALL, in the order of the scenario.
    """
    knowledge = open_exam if scenario.has_truth else open_shared
    numbers = select(func.max(Suite.number)).where(Suite.tenant == tenant)
    suite = Suite(
        tenant=tenant,
        number=(session.scalar(numbers) or 0) + 1,
        knowledge_key=knowledge(session, tenant).key,
        name=scenario.name,
        description="",
        status="active",
        created_at=now,
        scenario=scenario.model_dump_json(exclude_defaults=True),
        surroundings=describe_surroundings(scenario),
        turn=_next_turn(session, tenant),
    )
    session.add(suite)
    session.flush()
    scaffold = _Scaffold(session, suite.key, scenario.run_id)
    for position, case in enumerate(scenario.cases, start=1):
        session.add(_case(suite.key, position, scaffold.place(case), case, now))
    session.flush()
    return suite


def _case(
    suite_key: int, position: int, place: tuple[int, int], case: ScenarioCase, now: str
) -> Case:
    job, launch = place
    return Case(
        suite_key=suite_key,
        id=position,
        label=case.id,
        job_id=job,
        launch_id=launch,
        name=case.test_name,
        status="open",
        error_message=case.error_message,
        log_snippet=case.log_snippet,
        log_truncated=case.log_truncated,
        siblings=json.dumps(case.siblings),
        created_at=now,
        updated_at=now,
        current_step=Step.RECALL.value,
    )


class _Scaffold:
    """One version per label; one pipeline, launch and job per version and job name."""

    def __init__(self, session: Session, suite_key: int, run_id: str) -> None:
        self._session = session
        self._suite_key = suite_key
        self._run_id = run_id
        self._versions: dict[str, int] = {}
        self._places: dict[tuple[str, str], int] = {}

    def place(self, case: ScenarioCase) -> tuple[int, int]:
        """The ids of the job and launch that a case belongs to; equal, as they come in pairs."""
        pair = (case.version, case.job)
        if pair not in self._places:
            self._places[pair] = len(self._places) + 1
            self._build(pair, self._places[pair])
        return self._places[pair], self._places[pair]

    def _build(self, pair: tuple[str, str], identifier: int) -> None:
        version, job = pair
        key = self._suite_key
        if version not in self._versions:
            self._versions[version] = len(self._versions) + 1
            self._session.add(Version(suite_key=key, id=self._versions[version], label=version))
        self._session.add_all(
            [
                Pipeline(
                    suite_key=key,
                    id=identifier,
                    version_id=self._versions[version],
                    name=f"CI {version} {job}",
                    status="complete",
                ),
                Launch(
                    suite_key=key,
                    id=identifier,
                    pipeline_id=identifier,
                    name=f"Launch {version} {job}",
                    status="complete",
                    run_id=self._run_id,
                ),
                Job(
                    suite_key=key, id=identifier, launch_id=identifier, name=job, status="complete"
                ),
            ]
        )


def find_suite(session: Session, tenant: str, number: int | None = None) -> Suite:
    """The suite of that number, or the one started or resumed last.

    Raises:
        SuiteError: there is none.
    """
    mine = select(Suite).where(Suite.tenant == tenant)
    if number is None:
        suite = session.scalars(mine.order_by(Suite.turn.desc()).limit(1)).first()
        if suite is None:
            raise SuiteError(
                "no_investigation",
                "no investigation has been started; call start_investigation with a scenario",
            )
        return suite
    suite = session.scalars(mine.where(Suite.number == number)).first()
    if suite is None:
        raise SuiteError("unknown_suite", f"there is no suite {number}; {_known(session, tenant)}")
    return suite


def resume_suite(session: Session, tenant: str, number: int) -> Suite:
    """Make an earlier suite the current one again.

    Raises:
        SuiteError: there is no suite of that number.
    """
    suite = find_suite(session, tenant, number)
    suite.turn = _next_turn(session, tenant)
    return suite


def list_suites(session: Session, tenant: str) -> Sequence[Suite]:
    """All suites of a tenant by number."""
    return session.scalars(select(Suite).where(Suite.tenant == tenant).order_by(Suite.number)).all()


def cases_of(session: Session, suite: Suite) -> Sequence[Case]:
    """The cases of a suite in scenario order."""
    return session.scalars(select(Case).where(Case.suite_key == suite.key).order_by(Case.id)).all()


def find_case(session: Session, tenant: str, address: str) -> tuple[Suite, Case]:
    """The case that `C1` (of the current suite) or `3:C1` (of suite 3) addresses.

    Raises:
        SuiteError: the address is malformed, or leads to no case.
    """
    parts = _ADDRESS.fullmatch(address)
    if parts is None:
        raise SuiteError(
            "invalid_case_id",
            "case_id must be the id of a case, such as C1, made of letters, digits, dots, dashes "
            "and underscores; 3:C1 is case C1 of suite 3",
        )
    number, label = parts.groups()
    named = {"tenant": tenant, "label": label}
    if number is None:
        found = session.execute(_LATEST_CASE, named).first()
    else:
        found = session.execute(_NUMBERED_CASE, {**named, "number": int(number)}).first()
    if found is None:
        suite = find_suite(session, tenant, int(number) if number else None)
        raise SuiteError(
            "unknown_case",
            f"suite {suite.number} ({suite.name}) has no case {label}; get_status lists its cases",
        )
    suite, case = found
    return suite, case


def knowledge_of(session: Session, suite: Suite) -> KnowledgeStore:
    """The knowledge space a suite works in."""
    return KnowledgeStore(session, suite.knowledge_key)


def _next_turn(session: Session, tenant: str) -> int:
    return (session.scalar(select(func.max(Suite.turn)).where(Suite.tenant == tenant)) or 0) + 1


def _known(session: Session, tenant: str) -> str:
    numbers = [suite.number for suite in list_suites(session, tenant)]
    if not numbers:
        return "none has been started yet"
    if len(numbers) == 1:
        return f"the only one is {numbers[0]}"
    return f"there are {len(numbers)}, the last is {numbers[-1]}"
