"""The results of a suite: kept when a case ends, read back for metrics and reports."""

from __future__ import annotations

import json
from collections.abc import Sequence

from attrs import asdict, frozen
from sqlalchemy.orm import Session

from toolroll_investigation.artifacts import read_artifact
from toolroll_investigation.knowledge_store import KnowledgeStore
from toolroll_investigation.outcome import CaseResult, FoundCause, mark
from toolroll_investigation.scenario import Scenario
from toolroll_investigation.steps import Step
from toolroll_investigation.suites import cases_of
from toolroll_investigation.tables import Case, Submission, Suite

_BYTES_PER_TOKEN = 4


@frozen
class SuiteResults:
    """The finished cases of a suite, marked against its scenario, and those still open."""

    suite_id: int
    scenario: Scenario
    finished: Sequence[CaseResult]
    unfinished: Sequence[str]


def conclude_case(case: Case, submissions: Sequence[Submission], knowledge: KnowledgeStore) -> None:
    """Keep the result of a case that has ended, with its root cause as it stands now."""
    result = CaseResult(case.label, test_name=case.name, store_case_id=case.id)
    for submission in submissions:
        step = Step(submission.step)
        result.take(step, read_artifact(step, json.loads(submission.artifact)))
        if submission.prompt_bytes:
            result.prompt_tokens_total += submission.prompt_bytes // _BYTES_PER_TOKEN
            result.artifact_tokens_total += len(submission.artifact.encode()) // _BYTES_PER_TOKEN
    row = knowledge.root_cause(case.rca_id)
    cause = (
        None
        if row is None
        else FoundCause(row.defect_type, row.description, row.component, row.convergence_score)
    )
    result.conclude(loops=case.investigate_loops, rca_id=case.rca_id, cause=cause)
    case.result = json.dumps(asdict(result))


def read_results(session: Session, suite: Suite) -> SuiteResults:
    """The results of a suite as they stand, in scenario order."""
    scenario = Scenario.model_validate_json(suite.scenario)
    truth = {case.id: case for case in scenario.cases}
    finished: list[CaseResult] = []
    unfinished: list[str] = []
    for row in cases_of(session, suite):
        if not row.result:
            unfinished.append(row.label)
            continue
        result, case = CaseResult(**json.loads(row.result)), truth[row.label]
        result.version, result.job = case.version, case.job
        mark(result, case, scenario.root_cause(case.rca_id))
        finished.append(result)
    return SuiteResults(suite.number, scenario, finished, unfinished)
