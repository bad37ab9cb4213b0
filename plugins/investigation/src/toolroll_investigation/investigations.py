"""Driving investigations: start or resume, hand out prompts, take in artifacts, tell the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import Factory, evolve, frozen
from sqlalchemy.orm import Session

from toolroll_investigation.aggregate import aggregate
from toolroll_investigation.artifacts import write_artifact
from toolroll_investigation.case_files import CaseFiles, files_of
from toolroll_investigation.case_state import advance, count_loop, submissions_of, write_state
from toolroll_investigation.conditions import Thresholds
from toolroll_investigation.effects import apply_effects, check_links
from toolroll_investigation.heuristics import Verdict, evaluate
from toolroll_investigation.intake import take_in, unknown_repositories
from toolroll_investigation.knowledge_store import timestamp
from toolroll_investigation.private_files import make_private_directory
from toolroll_investigation.prompt_gathering import gather, repository_names
from toolroll_investigation.prompts import render_prompt
from toolroll_investigation.report import Report, assemble
from toolroll_investigation.results import conclude_case
from toolroll_investigation.scenario import Scenario
from toolroll_investigation.steps import WORKING_STEPS, Step
from toolroll_investigation.suites import (
    RESUME,
    SuiteError,
    cases_of,
    create_suite,
    find_case,
    find_suite,
    knowledge_of,
    resume_suite,
)
from toolroll_investigation.tables import Case, Suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolroll.storage import Database


@frozen(kw_only=True)
class Rules:
    """What the settings say about driving a case."""

    thresholds: Thresholds = Factory(Thresholds)
    max_steps: int = 20
    prompt_directory: Path | None = None
    measure_tokens: bool = False
    dormant_after_days: int = 30


@frozen
class CaseStatus:
    """Where a case stands."""

    case_id: str
    test_name: str
    current_step: str
    steps_completed: int
    is_done: bool


@frozen
class Opened:
    """A suite that was started or resumed."""

    suite_id: int
    cases: Sequence[CaseStatus]


class Investigations:
    """The investigations of one tenant.

    Writes of one tenant follow one another under a lock, so that parallel callers are safe: ids are
    counted without gaps, and of two submits for the same step one is refused.
    """

    def __init__(self, database: Database, tenant: str, base: Path, rules: Rules) -> None:
        self._database = database
        self._tenant = tenant
        self._base = files_of(base, tenant)
        self._rules = rules

    def start(self, name: str, load: Callable[[str], Scenario]) -> Opened:
        """Start a suite from a scenario, or resume one by `suite:<number>`.

        Raises:
            SuiteError: no suite of that number.
            ScenarioError: from `load`.
        """
        resumed = RESUME.fullmatch(name)
        scenario = None if resumed else load(name)
        with self._database.begin(lock=self._lock) as session:
            if scenario is None:
                assert resumed is not None
                suite = resume_suite(session, self._tenant, int(resumed.group(1)))
            else:
                suite = create_suite(session, self._tenant, scenario, timestamp())
                if not scenario.has_truth:
                    self._let_sleep(suite, session)
            make_private_directory(self._base / str(suite.number))
            return Opened(suite.number, [_status(case) for case in cases_of(session, suite)])

    def prompt(self, address: str, step_name: str) -> str:
        """The prompt for the step a case is at; it is kept in a file too.

        Raises:
            SuiteError: no such case, or it is at another step.
            PromptError: an overriding template is wrong.
        """
        step = _step(step_name)
        with self._database.read() as session:
            suite, case = find_case(session, self._tenant, address)
            self._require(case, step)
            parameters = gather(suite, case, step, knowledge_of(session, suite))
        text = render_prompt(parameters, self._rules.prompt_directory)
        self._files(suite, case).write_prompt(step, text)
        if self._rules.measure_tokens:
            with self._database.begin(lock=self._lock) as session:
                _, case = find_case(session, self._tenant, address)
                if case.current_step == step:
                    case.prompt_bytes = len(text.encode())
        return text

    def submit(self, address: str, step_name: str, document: Mapping[str, Any] | None) -> Verdict:
        """Take in the artifact of the step a case is at, and decide where it goes.

        Nothing is written unless all of it is. The decision also names repositories that nobody
        knows; what is stored of it does not.

        Raises:
            SuiteError: no such case, or it is at another step.
            ArtifactTooLarge, InvalidArtifact: the document can't be used.
            UnknownLink: it links to what does not exist.
        """
        step = _step(step_name)
        now = timestamp()
        with self._database.begin(lock=self._lock) as session:
            suite, case = find_case(session, self._tenant, address)
            self._require(case, step)
            artifact = take_in(step, document)
            text = write_artifact(artifact)
            knowledge = knowledge_of(session, suite)
            check_links(artifact, knowledge)
            unknown = unknown_repositories(artifact, repository_names(suite))
            verdict = evaluate(
                step,
                artifact,
                investigate_loops=case.investigate_loops,
                thresholds=self._rules.thresholds,
            )
            verdict = self._at_limit(case, verdict)
            count_loop(case, step, verdict.next_step)
            apply_effects(artifact, case, knowledge, now)
            advance(session, case, text, verdict, now)
            submissions = submissions_of(session, case)
            # A case that had stopped goes on when the limit was raised: its result is open again.
            case.result = ""
            if self._has_ended(case):
                conclude_case(case, submissions, knowledge)
            files = self._files(suite, case)
            files.write_artifact(step, text)
            files.write_state(write_state(suite, case, submissions))
        return evolve(verdict, decision=verdict.decision + unknown)

    def status(self, address: str | None = None) -> Sequence[CaseStatus]:
        """Where one case stands, or every case of the current suite in scenario order.

        Raises:
            SuiteError: no suite, or no such case.
        """
        with self._database.read() as session:
            if address is not None:
                return [_status(find_case(session, self._tenant, address)[1])]
            return [_status(c) for c in cases_of(session, find_suite(session, self._tenant))]

    def report(self, number: int | None = None) -> Report:
        """The report of the current suite, or of the one with that number.

        Raises:
            SuiteError: there is no such suite.
        """
        sufficient = self._rules.thresholds.convergence_sufficient
        with self._database.read() as session:
            suite = find_suite(session, self._tenant, number)
            return assemble(session, suite, sufficient=sufficient)

    def report_runs(self, numbers: Sequence[int]) -> Report:
        """The report of several runs of one scenario: metrics are means, cases those of the last.

        Raises:
            SuiteError: a suite does not exist, or they are not of one scenario.
        """
        if not numbers:
            return self.report()
        runs = [self.report(number) for number in numbers]
        if len({run.name for run in runs}) > 1:
            raise SuiteError(
                "different_scenarios",
                f"suites {', '.join(map(str, numbers))} are not of one scenario; report each",
            )
        if len(runs) > 1 and any(run.unfinished for run in runs):
            raise SuiteError("unfinished_run", "a run is not finished; report it singly")
        last = runs[-1]
        if not last.has_truth:
            return last
        return evolve(last, metrics=aggregate([run.metrics for run in runs]), runs=len(runs))

    @property
    def _lock(self) -> str:
        return f"investigation:{self._tenant}"

    def _files(self, suite: Suite, case: Case) -> CaseFiles:
        return CaseFiles(self._base, suite.number, case.id)

    def _has_ended(self, case: Case) -> bool:
        return case.current_step == Step.DONE or case.steps_taken >= self._rules.max_steps

    def _at_limit(self, case: Case, verdict: Verdict) -> Verdict:
        limit = self._rules.max_steps
        if case.steps_taken + 1 < limit or verdict.next_step is Step.DONE:
            return verdict
        stop = (
            f"This was step {limit} of {limit}: the case stops here, before {verdict.next_step}; "
            "get_report counts it as it is, and a higher max_steps lets it go on."
        )
        return evolve(verdict, decision=f"{verdict.decision} {stop}")

    def _require(self, case: Case, step: Step) -> None:
        if case.current_step == Step.DONE:
            raise SuiteError("case_done", f"case {case.label} is done; get_report has its result")
        if self._has_ended(case):
            raise SuiteError(
                "step_limit",
                f"case {case.label} stopped after {case.steps_taken} steps; report it as it is, or "
                "raise max_steps in the settings",
            )
        if case.current_step != step:
            raise SuiteError(
                "wrong_step",
                f"case {case.label} is at {case.current_step}, not at {step}; nothing was written",
                {"current_step": case.current_step},
            )

    def _let_sleep(self, suite: Suite, session: Session) -> None:
        days = self._rules.dormant_after_days
        if days:
            knowledge_of(session, suite).mark_dormant(days, datetime.now(UTC))


def _step(name: str) -> Step:
    known = [step.value for step in WORKING_STEPS]
    if name not in known:
        raise SuiteError("unknown_step", f"step must be one of {', '.join(known)}")
    return Step(name)


def _status(case: Case) -> CaseStatus:
    return CaseStatus(
        case_id=case.label,
        test_name=case.name,
        current_step=case.current_step,
        steps_completed=case.steps_taken,
        is_done=case.current_step == Step.DONE,
    )
