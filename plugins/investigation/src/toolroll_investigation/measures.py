"""How each metric is counted: the results of a run beside the cases they answer.

Every measure returns a value and the figures behind it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Final

from attrs import frozen

from toolroll_investigation.matching import (
    correlate,
    count_evidence,
    count_keywords,
    divide,
)
from toolroll_investigation.outcome import CaseResult, names_component, names_defect
from toolroll_investigation.scenario import RootCause, Scenario, ScenarioCase

TOKENS_PER_STEP: Final = 1000


@frozen
class Scored:
    """A result beside the case it answers and, where there is one, the true root cause."""

    result: CaseResult
    case: ScenarioCase
    truth: RootCause | None


@frozen
class Exam:
    """All results of a run that can be scored, in the order they were given."""

    scored: Sequence[Scored]
    red_herrings: frozenset[str]

    @property
    def with_truth(self) -> list[tuple[CaseResult, ScenarioCase, RootCause]]:
        """Those whose case has a true root cause."""
        return [(s.result, s.case, s.truth) for s in self.scored if s.truth is not None]


def pair(scenario: Scenario, results: Sequence[CaseResult]) -> Exam:
    """Put results beside their cases; a result for a case the scenario doesn't have is left out."""
    cases = {case.id: case for case in scenario.cases}
    causes = {cause.id: cause for cause in scenario.rcas}
    scored = [
        Scored(result, case, causes.get(case.rca_id))
        for result in results
        if (case := cases.get(result.case_id)) is not None
    ]
    herrings = frozenset(repo.name for repo in scenario.workspace.repos if repo.is_red_herring)
    return Exam(scored, herrings)


def _share(answers: Sequence[bool]) -> tuple[float, str]:
    right = sum(answers)
    return divide(right, len(answers)), f"{right}/{len(answers)}"


def _average(values: Sequence[float]) -> tuple[float, str]:
    return (fmean(values) if values else 1.0), f"avg over {len(values)} cases"


def defect_types(exam: Exam) -> tuple[float, str]:
    """How often the type of the defect was right."""
    return _share([names_defect(result, truth) for result, _, truth in exam.with_truth])


def symptom_categories(exam: Exam) -> tuple[float, str]:
    """How often the category of the symptom was right, where one was expected."""
    return _share(
        [
            s.result.actual_category == s.case.expected_triage.symptom_category
            for s in exam.scored
            if s.case.expected_triage is not None
        ]
    )


def recall_hits(exam: Exam) -> tuple[float, str]:
    """How often a known failure was recognised."""
    return _share([s.result.actual_recall_hit for s in exam.scored if s.case.expect_recall_hit])


def false_recalls(exam: Exam) -> tuple[float, str]:
    """How often a new failure was taken for a known one."""
    return _share([s.result.actual_recall_hit for s in exam.scored if not s.case.expect_recall_hit])


def serial_killers(exam: Exam) -> tuple[float, str]:
    """How often cases with one true cause were given one root cause."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for result, _, truth in exam.with_truth:
        groups[truth.id].append(result.actual_rca_id)
    return _share(
        [
            identifier != 0 and identifier == first
            for first, *others in groups.values()
            for identifier in others
        ]
    )


def skips(exam: Exam) -> tuple[float, str]:
    """How often an investigation was skipped that should be."""
    return _share([s.result.actual_skip for s in exam.scored if s.case.expect_skip])


def cascades(exam: Exam) -> tuple[float, str]:
    """How often a cascade was seen as one."""
    return _share([s.result.actual_cascade for s in exam.scored if s.case.expect_cascade])


def calibration(exam: Exam) -> tuple[float, str]:
    """How well convergence went with being right."""
    points = [
        (result.actual_convergence, float(names_defect(result, truth)))
        for result, _, truth in exam.with_truth
        if result.actual_convergence != 0
    ]
    value = correlate([score for score, _ in points], [right for _, right in points])
    return value, f"r={value:.2f} (n={len(points)})"


def _count_relevant(result: CaseResult, truth: RootCause) -> int:
    return sum(name in truth.relevant_repos for name in result.actual_selected_repos)


def selection_precision(exam: Exam) -> tuple[float, str]:
    """How many of the repositories chosen were relevant."""
    return _average(
        [
            _count_relevant(result, truth) / len(result.actual_selected_repos)
            for result, _, truth in exam.with_truth
            if result.actual_selected_repos
        ]
    )


def selection_recall(exam: Exam) -> tuple[float, str]:
    """How many of the relevant repositories were chosen."""
    return _average(
        [
            divide(_count_relevant(result, truth), len(truth.relevant_repos))
            if truth.relevant_repos
            else 1.0
            for result, case, truth in exam.with_truth
            if case.expected_resolve is not None
        ]
    )


def red_herrings(exam: Exam) -> tuple[float, str]:
    """How often no misleading repository was chosen."""
    chose = [s.result.actual_selected_repos for s in exam.scored if s.result.actual_selected_repos]
    fooled = sum(not exam.red_herrings.isdisjoint(names) for names in chose)
    detail = f"{len(chose)} cases with Resolve, {fooled} selected red herring"
    return 1.0 - divide(fooled, len(chose)), detail


def _expected_evidence(case: ScenarioCase) -> Sequence[str]:
    return case.expected_invest.evidence_refs if case.expected_invest else ()


def _evidence(exam: Exam, out_of: Callable[[Scored], int]) -> tuple[float, str]:
    counted = [s for s in exam.scored if out_of(s)]
    found = sum(
        count_evidence(s.result.actual_evidence_refs, _expected_evidence(s.case)) for s in counted
    )
    whole = sum(out_of(s) for s in counted)
    return divide(found, whole), f"{found}/{whole}"


def evidence_recall(exam: Exam) -> tuple[float, str]:
    """How much of the expected evidence was named."""
    return _evidence(exam, lambda s: len(_expected_evidence(s.case)))


def evidence_precision(exam: Exam) -> tuple[float, str]:
    """How much of the evidence named was expected."""
    return _evidence(exam, lambda s: len(s.result.actual_evidence_refs))


def messages(exam: Exam) -> tuple[float, str]:
    """How many of the required words the messages have."""
    return _average(
        [
            # A threshold of 0 asks for nothing and is met.
            min(divide(count_keywords(result.actual_rca_message, truth.required_keywords),
                       truth.keyword_threshold), 1.0)
            for result, _, truth in exam.with_truth
            if result.actual_rca_message and truth.required_keywords
        ]
    )  # fmt: skip


def components(exam: Exam) -> tuple[float, str]:
    """How often the component was named."""
    return _share([names_component(result, truth) for result, _, truth in exam.with_truth])


def paths(exam: Exam) -> tuple[float, str]:
    """How often the way through the pipeline was the expected one."""
    return _share([s.result.actual_path == list(s.case.expected_path) for s in exam.scored])


def loops(exam: Exam) -> tuple[float, str]:
    """Retries by those expected."""
    actual = sum(s.result.actual_loops for s in exam.scored)
    expected = sum(s.case.expected_loops for s in exam.scored)
    detail = f"actual={actual} expected={expected}"
    if expected:
        return actual / expected, detail
    return (actual + 1.0 if actual else 1.0), detail


def tokens(exam: Exam) -> tuple[float, str]:
    """Tokens of the prompts, measured or, where nobody did, estimated by steps."""
    measured = sum(s.result.prompt_tokens_total for s in exam.scored)
    if measured:
        return float(measured), f"{measured} tokens (measured)"
    steps = sum(len(s.result.actual_path) for s in exam.scored)
    estimate = TOKENS_PER_STEP * steps
    return float(estimate), f"~{estimate} tokens ({steps} steps, estimated)"
