"""What came out of one case: collected from its artifacts and its root cause, then marked."""

from __future__ import annotations

from typing import Final

from attrs import Factory, define, frozen

from toolroll_investigation.artifacts import (
    Artifact,
    InvestigateArtifact,
    RecallArtifact,
    ResolveArtifact,
    TriageArtifact,
)
from toolroll_investigation.scenario import RootCause, ScenarioCase
from toolroll_investigation.steps import Step

# Fixed: whether a recall counts as a hit is not up to the thresholds in force.
RECALL_HIT: Final = 0.80


@frozen
class FoundCause:
    """The part of a stored root cause that ends up in the result of a case."""

    defect_type: str
    message: str
    component: str
    convergence_score: float


@define
class CaseResult:
    """All that metrics and report need to know about a case."""

    case_id: str
    test_name: str = ""
    version: str = ""
    job: str = ""
    store_case_id: int = 0
    actual_defect_type: str = ""
    actual_category: str = ""
    actual_rca_message: str = ""
    actual_component: str = ""
    actual_path: list[str] = Factory(list[str])
    actual_recall_hit: bool = False
    actual_skip: bool = False
    actual_cascade: bool = False
    actual_loops: int = 0
    actual_evidence_refs: list[str] = Factory(list[str])
    actual_selected_repos: list[str] = Factory(list[str])
    actual_rca_id: int = 0
    actual_convergence: float = 0.0
    prompt_tokens_total: int = 0
    artifact_tokens_total: int = 0
    defect_type_correct: bool = False
    path_correct: bool = False
    component_correct: bool = False

    def take(self, step: Step, artifact: Artifact) -> None:
        """Note what one artifact says, in the order the artifacts came.

        Repositories pile up over retries; the triage's hypothesis counts only when it skips.
        """
        self.actual_path.append(step.code)
        match artifact:
            case RecallArtifact():
                self.actual_recall_hit = artifact.match and artifact.confidence >= RECALL_HIT
            case TriageArtifact():
                self._take_triage(artifact)
            case ResolveArtifact():
                self.actual_selected_repos += [r.name for r in artifact.selected_repos or ()]
            case InvestigateArtifact():
                self.actual_defect_type = artifact.defect_type
                self.actual_rca_message = artifact.rca_message
                self.actual_evidence_refs = list(artifact.evidence_refs or ())
                self.actual_convergence = artifact.convergence_score
            case _:
                pass

    def _take_triage(self, triage: TriageArtifact) -> None:
        self.actual_category = triage.symptom_category
        self.actual_skip = triage.skip_investigation
        self.actual_cascade = triage.cascade_suspected
        if triage.skip_investigation:
            if triage.defect_type_hypothesis:
                self.actual_defect_type = triage.defect_type_hypothesis
        elif len(triage.candidate_repos or ()) == 1:
            self.actual_selected_repos += triage.candidate_repos or ()

    def conclude(self, *, loops: int, rca_id: int, cause: FoundCause | None) -> None:
        """Close the case: the root cause it is linked to outranks what its own steps said.

        This is how cases that were recalled or recognised as duplicates get their values.
        """
        self.actual_loops = loops
        self.actual_rca_id = rca_id
        if cause is not None:
            self.actual_defect_type = cause.defect_type
            self.actual_rca_message = cause.message
            self.actual_component = cause.component
            self.actual_convergence = cause.convergence_score


def names_defect(result: CaseResult, truth: RootCause) -> bool:
    """Whether the defect type is the true one."""
    return result.actual_defect_type == truth.defect_type


def names_component(result: CaseResult, truth: RootCause) -> bool:
    """Whether the component is the true one or is named in the message."""
    return (
        result.actual_component == truth.component
        or truth.component.lower() in result.actual_rca_message.lower()
    )


def mark(result: CaseResult, case: ScenarioCase, truth: RootCause | None) -> None:
    """Set the flags of the per-case breakdown; a case without a true root cause gets no ticks."""
    result.path_correct = result.actual_path == list(case.expected_path)
    result.defect_type_correct = truth is not None and names_defect(result, truth)
    result.component_correct = truth is not None and names_component(result, truth)
