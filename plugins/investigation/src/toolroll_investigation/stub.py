"""The stub adapter: answers every step from the ground truth of its scenario.

It shows that pipeline and metrics work when every answer is right; tests and the conformance suite
drive whole scenarios with it. It knows what no model does: which stored root cause is the true one.
"""

from __future__ import annotations

from typing import Any

from toolroll_investigation.scenario import Scenario, ScenarioCase
from toolroll_investigation.steps import Step


class StubAdapter:
    """Makes artifacts from the `expected_*` members of cases.

    Call `learn` after each case, so that later ones can be recalled and correlated.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._causes: dict[str, int] = {}
        self._symptoms: dict[str, int] = {}

    def learn(self, case: ScenarioCase, *, rca_id: int, symptom_id: int) -> None:
        """Note which stored root cause and symptom a finished case ended with."""
        if case.rca_id and rca_id:
            self._causes[case.rca_id] = rca_id
        if case.symptom_id and symptom_id:
            self._symptoms[case.symptom_id] = symptom_id

    def answer(self, case: ScenarioCase, step: Step) -> dict[str, Any]:
        """The right artifact for a step of a case."""
        match step:
            case Step.RECALL:
                return self._recall(case)
            case Step.TRIAGE:
                return self._triage(case)
            case Step.RESOLVE:
                expected = case.expected_resolve
                chosen = expected.selected_repos if expected else ()
                return {
                    "selected_repos": [{"name": r.name, "path": "", "reason": r.reason}
                                       for r in chosen]
                }  # fmt: skip
            case Step.INVESTIGATE:
                return self._investigate(case)
            case Step.CORRELATE:
                return self._correlate(case)
            case Step.REVIEW:
                review = case.expected_review
                return {"decision": review.decision if review else "approve"}
            case _:
                return self._report(case)

    def _recall(self, case: ScenarioCase) -> dict[str, Any]:
        expected = case.expected_recall
        if expected is None or not expected.match:
            return {
                "match": False,
                "confidence": expected.confidence if expected else 0,
                "reasoning": "The ground truth says that this failure is new.",
            }
        return {
            "match": True,
            "prior_rca_id": self._causes.get(case.rca_id, 0),
            "symptom_id": self._symptoms.get(case.symptom_id, 0),
            "confidence": expected.confidence,
            "reasoning": f"The ground truth says that case {case.id} was seen before.",
        }

    def _triage(self, case: ScenarioCase) -> dict[str, Any]:
        expected = case.expected_triage
        if expected is None:
            return {"symptom_category": "unknown"}
        return {
            "symptom_category": expected.symptom_category,
            "severity": expected.severity,
            "defect_type_hypothesis": expected.defect_type_hypothesis,
            "candidate_repos": list(expected.candidate_repos),
            "skip_investigation": expected.skip_investigation,
            "cascade_suspected": expected.cascade_suspected,
        }

    def _investigate(self, case: ScenarioCase) -> dict[str, Any]:
        expected = case.expected_invest
        if expected is None:
            return {"convergence_score": 0.5}
        return {
            "rca_message": expected.rca_message,
            "defect_type": expected.defect_type,
            "component": expected.component,
            "convergence_score": expected.convergence_score,
            "evidence_refs": list(expected.evidence_refs),
        }

    def _correlate(self, case: ScenarioCase) -> dict[str, Any]:
        expected = case.expected_correlate
        if expected is None or not expected.is_duplicate:
            return {"is_duplicate": False, "confidence": expected.confidence if expected else 0}
        return {
            "is_duplicate": True,
            "linked_rca_id": self._causes.get(case.rca_id, 0),
            "confidence": expected.confidence,
            "cross_version_match": expected.cross_version_match,
        }

    def _report(self, case: ScenarioCase) -> dict[str, Any]:
        cause = self._scenario.root_cause(case.rca_id)
        draft: dict[str, Any] = {"case_id": case.id, "test_name": case.test_name}
        if cause is None:
            return {**draft, "defect_type": "nd001"}
        return {
            **draft,
            "defect_type": cause.defect_type,
            "jira_id": cause.jira_id,
            "component": cause.component,
            "summary": cause.title,
        }
