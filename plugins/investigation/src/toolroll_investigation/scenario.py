"""A scenario: the failures to investigate, the repositories at hand and, where known, the truth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from toolroll_investigation.steps import WORKING_STEPS
from toolroll_investigation.storable import storable

# Ids become file names and address cases in tool calls, so they can't hold separators.
SAFE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_CASES: Final = 10_000
_STEP_CODES: Final = frozenset(step.code for step in WORKING_STEPS)

SafeId = Annotated[str, Field(pattern=f"^{SAFE_ID.pattern}$")]
Texts = tuple[str, ...]


class ScenarioPart(BaseModel):
    """Strict types; `null` is the same as absent; keys that mean nothing here are passed over."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        members = cast("dict[str, object]", data)
        return {key: _taken_in(value) for key, value in members.items() if value is not None}


def _taken_in(value: object) -> object:
    """Return a member with texts that can be stored; strict tuples refuse the lists of files."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        members = cast("Iterable[object]", value)
        return tuple(storable(text) if isinstance(text, str) else text for text in members)
    return value


class RootCause(ScenarioPart):
    """A root cause that is known to be true."""

    id: SafeId
    title: str = ""
    description: str = ""
    defect_type: str = ""
    category: str = ""
    component: str = ""
    affected_versions: Texts = ()
    jira_id: str = ""
    required_keywords: Texts = ()
    keyword_threshold: int = Field(0, ge=0)
    relevant_repos: Texts = ()


class KnownSymptom(ScenarioPart):
    """A symptom and the root cause behind it."""

    id: SafeId
    name: str = ""
    error_pattern: str = ""
    component: str = ""
    maps_to_rca: str = ""


class ExpectedRecall(ScenarioPart):
    match: bool = False
    prior_rca_id: str = ""
    symptom_id: str = ""
    confidence: float = 0.0


class ExpectedTriage(ScenarioPart):
    symptom_category: str = ""
    severity: str = ""
    defect_type_hypothesis: str = ""
    candidate_repos: Texts = ()
    skip_investigation: bool = False
    cascade_suspected: bool = False


class ExpectedRepo(ScenarioPart):
    name: str = ""
    reason: str = ""


class ExpectedResolve(ScenarioPart):
    selected_repos: tuple[ExpectedRepo, ...] = ()


class ExpectedInvestigation(ScenarioPart):
    rca_message: str = ""
    defect_type: str = ""
    component: str = ""
    convergence_score: float = 0.0
    evidence_refs: Texts = ()


class ExpectedCorrelation(ScenarioPart):
    is_duplicate: bool = False
    linked_rca_id: str = ""
    confidence: float = 0.0
    cross_version_match: bool = False


class ExpectedReview(ScenarioPart):
    decision: str = ""


class ScenarioCase(ScenarioPart):
    """One failed test; the `expected_*` members are the truth it is scored against."""

    id: SafeId
    version: str = ""
    job: str = ""
    test_name: str = ""
    test_id: str = ""
    error_message: str = ""
    log_snippet: str = ""
    log_truncated: bool = False
    siblings: Texts = Field((), description="Names of the tests that failed in the same run.")
    symptom_id: str = ""
    rca_id: str = ""
    expected_path: Texts = ()
    expected_recall: ExpectedRecall | None = None
    expected_triage: ExpectedTriage | None = None
    expected_resolve: ExpectedResolve | None = None
    expected_invest: ExpectedInvestigation | None = None
    expected_correlate: ExpectedCorrelation | None = None
    expected_review: ExpectedReview | None = None
    expect_recall_hit: bool = False
    expect_skip: bool = False
    expect_cascade: bool = False
    expected_loops: int = 0


class Repository(ScenarioPart):
    """A repository that a model may choose to read."""

    name: str
    path: str = ""
    purpose: str = ""
    branch: str = ""
    relevant_to_rcas: Texts = ()
    is_red_herring: bool = False


class Workspace(ScenarioPart):
    repos: tuple[Repository, ...] = ()


class Scenario(ScenarioPart):
    """A named set of cases; checked so that every reference in it leads somewhere."""

    name: SafeId
    description: str = ""
    run_summary: str = Field("", description="How the whole run went; shown at triage.")
    run_id: str = Field("", description="The launch or build the failures come from.")
    git_branch: str = ""
    git_commit: str = ""
    rcas: tuple[RootCause, ...] = ()
    symptoms: tuple[KnownSymptom, ...] = ()
    cases: tuple[ScenarioCase, ...] = Field(min_length=1, max_length=MAX_CASES)
    workspace: Workspace = Workspace()

    @property
    def has_truth(self) -> bool:
        """Whether results can be scored: some case says what should come out."""
        return bool(self.rcas) or any(case.expected_path for case in self.cases)

    def root_cause(self, identifier: str) -> RootCause | None:
        """The known root cause of that id, or none."""
        return next((rca for rca in self.rcas if rca.id == identifier), None)

    @model_validator(mode="after")
    def _references_lead_somewhere(self) -> Scenario:
        causes = {rca.id for rca in self.rcas}
        symptoms = {symptom.id for symptom in self.symptoms}
        problems = [
            *_repeated("rca", (rca.id for rca in self.rcas)),
            *_repeated("symptom", (symptom.id for symptom in self.symptoms)),
            *_repeated("case", (case.id for case in self.cases)),
        ]
        for case in self.cases:
            if case.rca_id and case.rca_id not in causes:
                problems.append(f"case {case.id} names rca {case.rca_id}, which is not defined")
            if case.symptom_id and case.symptom_id not in symptoms:
                problems.append(
                    f"case {case.id} names symptom {case.symptom_id}, which is not defined"
                )
            if strangers := sorted(set(case.expected_path) - _STEP_CODES):
                problems.append(f"case {case.id} expects unknown steps {', '.join(strangers)}")
        if problems:
            raise ValueError("; ".join(problems))
        return self


def _repeated(kind: str, identifiers: Iterable[str]) -> Sequence[str]:
    counts = Counter(identifiers)
    return [f"{kind} id {name} is used {n} times" for name, n in sorted(counts.items()) if n > 1]
