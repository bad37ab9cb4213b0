"""The report of a suite: what was measured, what was found, and the way of every case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen
from sqlalchemy import select
from sqlalchemy.orm import Session

from toolroll_investigation.defects import describe
from toolroll_investigation.findings import Findings, gather_findings
from toolroll_investigation.metrics import GROUP_TITLES, Measured, measure
from toolroll_investigation.outcome import CaseResult
from toolroll_investigation.results import read_results
from toolroll_investigation.steps import WORKING_STEPS, Step, describe_path
from toolroll_investigation.suites import cases_of, knowledge_of
from toolroll_investigation.tables import Case, Submission, Suite

METRICS_WITHOUT_TRUTH: Final = frozenset({"M18"})


@frozen
class Visit:
    """One step of a way: where, which rule decided, what it said, and where it led."""

    step: Step
    heuristic_id: str
    decision: str
    next_step: Step

    @property
    def display(self) -> str:
        """The step's name in words."""
        return WORKING_STEPS[self.step].display


@frozen
class CaseReport:
    """A case in the report; ticks are `None` where there is nothing to compare with."""

    case_id: str
    test_name: str
    place: str
    defect: str
    state: str
    path: str
    rca_id: int
    defect_correct: bool | None
    component_correct: bool | None
    path_correct: bool | None
    way: Sequence[Visit]


@frozen
class Report:
    """Everything that a rendered report shows."""

    suite_id: int
    name: str
    description: str
    started: str
    has_truth: bool
    finished: int
    unfinished: Sequence[str]
    metrics: Sequence[Measured]
    cases: Sequence[CaseReport]
    findings: Findings
    runs: int = 1

    @property
    def passed(self) -> int:
        """How many metrics pass."""
        return sum(metric.passed for metric in self.metrics)

    @property
    def total(self) -> int:
        """How many cases the suite has."""
        return self.finished + len(self.unfinished)

    @property
    def verdict(self) -> str:
        """PASS only when everything is finished and every metric passes."""
        if not self.has_truth:
            return "DONE" if not self.unfinished else "INCOMPLETE"
        if self.unfinished:
            return "INCOMPLETE"
        return "PASS" if self.passed == len(self.metrics) else "FAIL"

    @property
    def groups(self) -> Mapping[str, Sequence[Measured]]:
        """The metrics by the title of their group, in order."""
        grouped: defaultdict[str, list[Measured]] = defaultdict(list)
        for metric in self.metrics:
            grouped[GROUP_TITLES[metric.group]].append(metric)
        return grouped

    @property
    def ways(self) -> Sequence[tuple[Sequence[Visit], Sequence[str]]]:
        """Each way that was taken, with the cases that took it; the commonest first."""
        taken: defaultdict[tuple[tuple[str, str], ...], list[CaseReport]] = defaultdict(list)
        for case in self.cases:
            if case.way:
                taken[tuple((v.step.value, v.heuristic_id) for v in case.way)].append(case)
        ordered = sorted(taken.values(), key=lambda cases: -len(cases))
        return [(cases[0].way, [case.case_id for case in cases]) for cases in ordered]


def assemble(session: Session, suite: Suite, *, sufficient: float) -> Report:
    """Assemble the report of a suite as it stands.

    Metrics count finished cases only; without ground truth those that need it are left out.
    """
    results = read_results(session, suite)
    by_label = {result.case_id: result for result in results.finished}
    cases = cases_of(session, suite)
    submissions = _submissions(session, suite, cases)
    has_truth = results.scenario.has_truth
    measured = measure(results.scenario, results.finished)
    places = {
        case.id: "/".join(filter(None, (case.version, case.job))) for case in results.scenario.cases
    }
    findings = gather_findings(suite, cases, submissions, knowledge_of(session, suite), sufficient)
    # What is scored is what the model said; where nothing is, the reviewer has the last word.
    defects = {u.case_id: u.defect for u in findings.unexplained if not has_truth}
    return Report(
        suite_id=suite.number,
        name=suite.name,
        description=results.scenario.description,
        started=suite.created_at,
        has_truth=has_truth,
        finished=len(results.finished),
        unfinished=results.unfinished,
        metrics=[m for m in measured if has_truth or m.id in METRICS_WITHOUT_TRUTH],
        cases=[
            _case(case, by_label.get(case.label), submissions[case.id], places, defects, has_truth)
            for case in cases
        ],
        findings=findings,
    )


def _submissions(
    session: Session, suite: Suite, cases: Sequence[Case]
) -> Mapping[int, list[Submission]]:
    """All submissions of a suite by case, read at once."""
    grouped: dict[int, list[Submission]] = {case.id: [] for case in cases}
    query = select(Submission).where(Submission.suite_key == suite.key)
    for submission in session.scalars(query.order_by(Submission.case_id, Submission.position)):
        grouped[submission.case_id].append(submission)
    return grouped


def _case(
    row: Case,
    result: CaseResult | None,
    submissions: Sequence[Submission],
    places: Mapping[str, str],
    defects: Mapping[str, str],
    has_truth: bool,
) -> CaseReport:
    scored = result if has_truth else None
    codes = [Step(submission.step).code for submission in submissions]
    if row.current_step == Step.DONE:
        state = "done"
    elif result is not None:
        state = f"stopped at {row.current_step}"
    else:
        state = f"at {row.current_step}"
    return CaseReport(
        case_id=row.label,
        test_name=row.name,
        place=places[row.label],
        defect=defects.get(row.label) or (describe(result.actual_defect_type) if result else ""),
        state=state,
        path=describe_path(codes),
        rca_id=row.rca_id,
        defect_correct=scored.defect_type_correct if scored else None,
        component_correct=scored.component_correct if scored else None,
        path_correct=scored.path_correct if scored else None,
        way=[
            Visit(Step(s.step), s.heuristic_id, s.decision, Step(s.next_step)) for s in submissions
        ],
    )
