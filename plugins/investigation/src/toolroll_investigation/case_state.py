"""The state of a case: how it advances, and the document it is written as."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from toolroll_investigation.heuristics import START, Verdict
from toolroll_investigation.steps import Step
from toolroll_investigation.tables import Case, Submission, Suite

_OF_CASE: Final = (
    select(Submission)
    .where(
        Submission.suite_key == bindparam("suite_key"), Submission.case_id == bindparam("case_id")
    )
    .order_by(Submission.position)
)


def count_loop(case: Case, step: Step, following: Step) -> None:
    """Count a retry of the investigation, or a reassessment; neither is ever reset."""
    if step is Step.INVESTIGATE and following is Step.RESOLVE:
        case.investigate_loops += 1
    if step is Step.REVIEW and following not in (Step.REPORT, Step.DONE):
        case.reassess_loops += 1


def advance(session: Session, case: Case, artifact: str, verdict: Verdict, now: str) -> Submission:
    """Record an artifact with the verdict on it, and move the case on."""
    case.steps_taken += 1
    submission = Submission(
        suite_key=case.suite_key,
        case_id=case.id,
        position=case.steps_taken,
        step=case.current_step,
        artifact=artifact,
        heuristic_id=verdict.heuristic_id,
        decision=verdict.decision,
        next_step=verdict.next_step.value,
        prompt_bytes=case.prompt_bytes,
        submitted_at=now,
    )
    session.add(submission)
    case.prompt_bytes = 0
    case.current_step = verdict.next_step.value
    if verdict.next_step is Step.DONE:
        case.run_status = "done"
    session.flush()
    return submission


def submissions_of(session: Session, case: Case) -> Sequence[Submission]:
    """What was handed in for a case, in order."""
    return session.scalars(_OF_CASE, {"suite_key": case.suite_key, "case_id": case.id}).all()


def loop_counts(case: Case) -> dict[str, int]:
    """The loop counters that are not 0."""
    counts = {"investigate": case.investigate_loops, "reassess": case.reassess_loops}
    return {name: count for name, count in counts.items() if count}


def describe_state(suite: Suite, case: Case, submissions: Sequence[Submission]) -> dict[str, Any]:
    """The state as `state.json` holds it: ids, position, counters and history from INIT on."""
    started = {
        "step": Step.INIT.value,
        "outcome": "The case was opened; recall comes first.",
        "heuristic_id": START,
        "timestamp": suite.created_at,
    }
    return {
        "case_id": case.id,
        "suite_id": suite.number,
        "current_step": case.current_step,
        "loop_counts": loop_counts(case),
        "status": case.run_status,
        "history": [
            started,
            *(
                {
                    "step": submission.step,
                    "outcome": submission.decision,
                    "heuristic_id": submission.heuristic_id,
                    "timestamp": submission.submitted_at,
                }
                for submission in submissions
            ),
        ],
    }


def write_state(suite: Suite, case: Case, submissions: Sequence[Submission]) -> str:
    """The state as JSON text."""
    return json.dumps(describe_state(suite, case, submissions), indent=2, ensure_ascii=False)
