"""Driving a recorded suite again: where would other thresholds, or another model, have led?"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from attrs import frozen

from toolroll_investigation.artifacts import read_artifact
from toolroll_investigation.conditions import Thresholds
from toolroll_investigation.heuristics import evaluate
from toolroll_investigation.steps import Step
from toolroll_investigation.tables import Submission

NOTHING: Final = "–"


@frozen
class Turn:
    """One decision: at which step, by which rule, and where it led."""

    step: Step
    heuristic_id: str
    next_step: Step
    decision: str

    def __str__(self) -> str:
        return f"{self.step.code} {self.heuristic_id} → {self.next_step.code}"


@frozen
class CaseReplay:
    """A case driven twice: the way it took, the other way, and where they part.

    `parts_at` is the position (from 1) of the first decision that differs, 0 when none does. A way
    that needs an artifact nobody recorded ends there, and is not `complete`.
    """

    case_id: str
    recorded: Sequence[Turn]
    other: Sequence[Turn]
    parts_at: int
    complete: bool

    @property
    def recorded_turn(self) -> str:
        """The recorded decision at the parting."""
        return _turn_at(self.recorded, self.parts_at)

    @property
    def other_turn(self) -> str:
        """The other decision at the parting."""
        return _turn_at(self.other, self.parts_at)


def replay(
    case_id: str, submissions: Sequence[Submission], thresholds: Thresholds, max_steps: int
) -> CaseReplay:
    """Drive a case again with its recorded artifacts and other thresholds.

    Each step takes its artifacts in the order they were recorded.
    """
    recorded = [_turn(submission) for submission in submissions]
    waiting: defaultdict[Step, deque[str]] = defaultdict(deque)
    for submission in submissions:
        waiting[Step(submission.step)].append(submission.artifact)
    other: list[Turn] = []
    step, loops = Step.RECALL, 0
    while step is not Step.DONE and len(other) < max_steps and waiting[step]:
        artifact = read_artifact(step, json.loads(waiting[step].popleft()))
        verdict = evaluate(step, artifact, investigate_loops=loops, thresholds=thresholds)
        other.append(Turn(step, verdict.heuristic_id, verdict.next_step, verdict.decision))
        loops += step is Step.INVESTIGATE and verdict.next_step is Step.RESOLVE
        step = verdict.next_step
    complete = step is Step.DONE or (bool(recorded) and recorded[-1].next_step is step)
    return CaseReplay(case_id, recorded, other, _parting(recorded, other), complete)


def compare(
    case_id: str, submissions: Sequence[Submission], others: Sequence[Submission]
) -> CaseReplay:
    """Set the recorded ways of one case in two suites beside each other."""
    recorded = [_turn(submission) for submission in submissions]
    other = [_turn(submission) for submission in others]
    return CaseReplay(case_id, recorded, other, _parting(recorded, other), complete=True)


def _turn(submission: Submission) -> Turn:
    return Turn(
        Step(submission.step),
        submission.heuristic_id,
        Step(submission.next_step),
        submission.decision,
    )


def _parting(recorded: Sequence[Turn], other: Sequence[Turn]) -> int:
    for position, (left, right) in enumerate(zip_longest(recorded, other), start=1):
        if left is None or right is None or str(left) != str(right):
            return position
    return 0


def _turn_at(turns: Sequence[Turn], position: int) -> str:
    return str(turns[position - 1]) if 0 < position <= len(turns) else NOTHING
