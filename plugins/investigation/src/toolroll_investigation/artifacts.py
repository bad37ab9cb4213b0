"""What a model hands in at each step: strict types, every field optional, unknown keys dropped.

A missing key and `null` mean the same: the field's empty value. Fields marked `Sparse` are left
out again when they are empty, so that a stored artifact says no more than was said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from toolroll_investigation.steps import Step

# Ids and counters are 64-bit wherever they are stored.
Int64 = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
Number = Annotated[float, Field(allow_inf_nan=False)]

# The range is checked when an artifact is taken in: what was stored before that stays readable.
_SCORE: Final[Any] = Field(
    0.0, description="From 0 to 1.", json_schema_extra={"minimum": 0, "maximum": 1}
)
_SPARSE: Final = "sparse"


class ArtifactPart(BaseModel):
    """Reads leniently what is absent and strictly what is there."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: object) -> object:
        if isinstance(data, dict):
            members = cast("dict[str, object]", data)
            return {key: value for key, value in members.items() if value is not None}
        return data

    @model_serializer(mode="wrap")
    def _leave_out_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written = cast("dict[str, Any]", handler(self))
        for name, field in type(self).model_fields.items():
            if _SPARSE in field.metadata and not written.get(name):
                written.pop(name, None)
        return written


class RecallArtifact(ArtifactPart):
    """F0: whether a known failure matches."""

    match: bool = False
    prior_rca_id: Annotated[Int64, _SPARSE] = Field(
        0, description="Root cause the match leads to; 0 for none."
    )
    symptom_id: Annotated[Int64, _SPARSE] = Field(0, description="Symptom matched; 0 for none.")
    confidence: Number = _SCORE
    reasoning: str = ""
    is_regression: Annotated[bool, _SPARSE] = Field(
        False, description="True when a dormant or resolved symptom is back."
    )


class TriageArtifact(ArtifactPart):
    """F1: what kind of failure it looks like, and where its cause may live."""

    symptom_category: str = Field(
        "", description="product, automation, infra or flake; infra and flake skip investigation."
    )
    severity: Annotated[str, _SPARSE] = Field("", description="critical, high, medium or low.")
    defect_type_hypothesis: str = Field("", description="A defect code, for instance pb001.")
    candidate_repos: list[str] | None = Field(None, description="Likeliest first.")
    skip_investigation: bool = False
    clock_skew_suspected: Annotated[bool, _SPARSE] = False
    cascade_suspected: Annotated[bool, _SPARSE] = False
    data_quality_notes: Annotated[str, _SPARSE] = ""


class SelectedRepo(ArtifactPart):
    """One repository to read, and why."""

    name: str = ""
    path: str = ""
    focus_paths: Annotated[list[str] | None, _SPARSE] = None
    branch: Annotated[str, _SPARSE] = ""
    reason: str = ""


class ResolveArtifact(ArtifactPart):
    """F2: the repositories chosen."""

    selected_repos: list[SelectedRepo] | None = None
    cross_ref_strategy: Annotated[str, _SPARSE] = ""


class InvestigateArtifact(ArtifactPart):
    """F3: the root cause found, how sure it is, and what shows it."""

    launch_id: str = ""
    case_ids: list[Int64] | None = None
    rca_message: str = ""
    defect_type: str = ""
    component: Annotated[str, _SPARSE] = ""
    convergence_score: Number = _SCORE
    evidence_refs: list[str] | None = Field(
        None, description="repository:path:detail, each one checked by you."
    )


class CorrelateArtifact(ArtifactPart):
    """F4: whether another case already has this root cause."""

    is_duplicate: bool = False
    linked_rca_id: Annotated[Int64, _SPARSE] = 0
    confidence: Number = _SCORE
    reasoning: str = ""
    cross_version_match: Annotated[bool, _SPARSE] = False
    affected_versions: Annotated[list[str] | None, _SPARSE] = None


class HumanOverride(ArtifactPart):
    """The right answer, when a reviewer overturns the finding."""

    defect_type: str = ""
    rca_message: str = ""


class ReviewArtifact(ArtifactPart):
    """F5: the reviewer's decision."""

    decision: str = Field("", json_schema_extra={"enum": ["approve", "reassess", "overturn"]})
    # An empty override object is kept: only an absent one is left out.
    human_override: HumanOverride | None = None
    loop_target: Annotated[str, _SPARSE] = Field(
        "",
        json_schema_extra={"enum": ["", "F1_TRIAGE", "F2_RESOLVE", "F3_INVESTIGATE"]},
        description="Where to go back to when reassessing; F2_RESOLVE unless given.",
    )

    @property
    def correction(self) -> HumanOverride | None:
        """The right answer, if the reviewer overturned the finding and gave one."""
        return self.human_override if self.decision == "overturn" else None

    @model_serializer(mode="wrap")
    def _leave_out_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written = cast("dict[str, Any]", handler(self))
        if self.human_override is None:
            written.pop("human_override", None)
        if not self.loop_target:
            written.pop("loop_target", None)
        return written


class ReportArtifact(ArtifactPart):
    """F6: a free object, the draft of a ticket."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: object) -> object:
        return data

    @model_serializer(mode="wrap")
    def _leave_out_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return dict(sorted(cast("dict[str, Any]", handler(self)).items()))


Artifact = (
    RecallArtifact
    | TriageArtifact
    | ResolveArtifact
    | InvestigateArtifact
    | CorrelateArtifact
    | ReviewArtifact
    | ReportArtifact
)

ARTIFACT_TYPES: Final[Mapping[Step, type[Artifact]]] = MappingProxyType(
    {
        Step.RECALL: RecallArtifact,
        Step.TRIAGE: TriageArtifact,
        Step.RESOLVE: ResolveArtifact,
        Step.INVESTIGATE: InvestigateArtifact,
        Step.CORRELATE: CorrelateArtifact,
        Step.REVIEW: ReviewArtifact,
        Step.REPORT: ReportArtifact,
    }
)

_ESCAPES: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def read_artifact(step: Step, document: object) -> Artifact:
    """Read the artifact of a step from a parsed JSON document.

    `None` (a document that is JSON `null`) is the empty artifact.

    Raises:
        pydantic.ValidationError: a value has the wrong type, or the document is no object.
    """
    return ARTIFACT_TYPES[step].model_validate({} if document is None else document)


def artifact_schema(step: Step) -> dict[str, Any]:
    """The JSON Schema of the step's artifact, as shown to a model that has to correct itself."""
    return ARTIFACT_TYPES[step].model_json_schema()


def artifact_keys(step: Step) -> list[str]:
    """The keys that the step's artifact is read for."""
    return list(ARTIFACT_TYPES[step].model_fields)


def write_artifact(artifact: Artifact) -> str:
    """The artifact as it is stored: two spaces of indent, fields in their order, no last newline.

    `<`, `>` and `&` are escaped, so that the text may stand inside HTML as it is.
    """
    document = _whole_numbers(artifact.model_dump())
    return json.dumps(document, indent=2, ensure_ascii=False).translate(_ESCAPES)


def _whole_numbers(value: Any) -> Any:
    """Write 1.0 as 1, as the formats that read these files expect."""
    match value:
        case float() if value.is_integer() and abs(value) < 1e15:
            return int(value)
        case dict():
            return {k: _whole_numbers(v) for k, v in cast("dict[str, Any]", value).items()}
        case list():
            return [_whole_numbers(member) for member in cast("list[Any]", value)]
        case _:
            return value
