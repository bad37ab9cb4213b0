"""Taking in an artifact: its size, its depth, its text, its types and its vocabulary."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, cast

from pydantic import ValidationError

from toolroll_investigation.artifacts import (
    Artifact,
    CorrelateArtifact,
    InvestigateArtifact,
    RecallArtifact,
    ResolveArtifact,
    ReviewArtifact,
    TriageArtifact,
    artifact_keys,
    artifact_schema,
    read_artifact,
)
from toolroll_investigation.steps import Step
from toolroll_investigation.storable import storable

MAX_BYTES: Final = 1024 * 1024
MAX_DEPTH: Final = 64
MAX_NAMED: Final = 5
MAX_KEY: Final = 40
DECISIONS: Final = ("approve", "reassess", "overturn")
LOOP_TARGETS: Final = ("F1_TRIAGE", "F2_RESOLVE", "F3_INVESTIGATE")

_FENCE: Final = re.compile(r"\A\s*```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*\Z", re.DOTALL)


class ArtifactTooLarge(Exception):
    """The artifact is larger than a megabyte."""


class InvalidArtifact(Exception):
    """The artifact isn't what its step takes.

    Attributes:
        problems: One sentence for each mistake, at most ten.
        schema: The JSON Schema the step takes.
    """

    def __init__(self, step: Step, problems: list[str]) -> None:
        super().__init__(f"not an artifact of {step}: {'; '.join(problems[:10])}")
        self.problems = problems[:10]
        self.schema = artifact_schema(step)


def parse_document(text: str) -> object:
    """Read an artifact given as text: JSON, or JSON in a Markdown code block.

    Raises:
        ValueError: it is neither.
    """
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise ValueError(f"is larger than {MAX_BYTES} bytes")
    fenced = _FENCE.match(text)
    try:
        return json.loads(fenced.group(1) if fenced else text)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None


def take_in(step: Step, document: Mapping[str, Any] | None) -> Artifact:
    """Check a document and make it the artifact of its step.

    Raises:
        ArtifactTooLarge: more than 1 MiB as compact JSON.
        InvalidArtifact: nested too deeply, or wrong for the step.
    """
    if _depth(document) > MAX_DEPTH:
        raise InvalidArtifact(step, [f"it is nested more than {MAX_DEPTH} levels deep"])
    size = _size(step, document)
    if size > MAX_BYTES:
        raise ArtifactTooLarge(
            f"the artifact has {size} bytes as compact JSON; {MAX_BYTES} are allowed: cite the "
            "evidence instead of quoting it"
        )
    try:
        artifact = read_artifact(step, _storable(document))
    except ValidationError as error:
        raise InvalidArtifact(
            step, [_explain(cast("Any", item)) for item in error.errors()]
        ) from None
    if problems := _problems(artifact):
        raise InvalidArtifact(step, problems)
    return artifact


def ignored_keys(step: Step, document: Mapping[str, Any] | None) -> str:
    """A sentence on keys that the step does not know: else lost unseen.

    Empty if there are none, as at the last step, which takes any.
    """
    known = artifact_keys(step)
    unknown = sorted(set(document or ()) - set(known))
    if step is Step.REPORT or not unknown:
        return ""
    return f" Ignored: {_some(unknown)}; {step} knows {', '.join(known)}."


def unknown_repositories(artifact: Artifact, known: Collection[str]) -> str:
    """A sentence on repositories that the investigation does not have: nobody can read them.

    Empty if there are none, and where the investigation names no repositories at all.
    """
    match artifact:
        case TriageArtifact(candidate_repos=list(names)):
            pass
        case ResolveArtifact(selected_repos=list(selected)):
            names = [repository.name for repository in selected]
        case _:
            return ""
    unknown = [name for name in dict.fromkeys(names) if name not in known]
    if not known or not unknown:
        return ""
    return f" Not among the repositories: {_some(unknown)}; there are {_some(list(known))}."


def _some(names: Sequence[str]) -> str:
    named = ", ".join(storable(name)[:MAX_KEY] for name in names[:MAX_NAMED])
    return f"{named} and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else named


def _problems(artifact: Artifact) -> list[str]:
    """What no type says: a score in percent would pass every threshold."""
    problems: list[str] = []
    match artifact:
        case RecallArtifact(confidence=score) | CorrelateArtifact(confidence=score):
            if not 0 <= score <= 1:
                problems.append(f"confidence must be from 0 to 1, not {score}")
        case InvestigateArtifact(convergence_score=score):
            if not 0 <= score <= 1:
                problems.append(f"convergence_score must be from 0 to 1, not {score}")
        case ReviewArtifact():
            if artifact.decision not in DECISIONS:
                problems.append(f"decision must be one of {', '.join(DECISIONS)}")
            if artifact.loop_target and artifact.loop_target not in LOOP_TARGETS:
                problems.append(f"loop_target must be one of {', '.join(LOOP_TARGETS)}")
        case _:
            pass
    return problems


def _depth(document: object) -> int:
    """Levels of nesting, counted without recursion and no further than needed."""
    deepest, waiting = 0, [(document, 1)]
    while waiting and deepest <= MAX_DEPTH:
        value, level = waiting.pop()
        if isinstance(value, dict):
            members = cast("dict[str, object]", value).values()
        elif isinstance(value, list):
            members = cast("list[object]", value)
        else:
            continue
        deepest = max(deepest, level)
        waiting += [(member, level + 1) for member in members]
    return deepest


def _size(step: Step, document: object) -> int:
    try:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise InvalidArtifact(step, ["NaN and infinity are no JSON numbers"]) from None
    return len(text.encode(errors="surrogatepass"))


def _storable(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case dict():
            members = cast("dict[str, Any]", value)
            return {storable(k): _storable(v) for k, v in members.items()}
        case list():
            return [_storable(member) for member in cast("list[Any]", value)]
        case _:
            return value


def _explain(problem: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in problem["loc"]) or "the artifact"
    message = str(problem["msg"])
    return f"{where}: {message[:1].lower()}{message[1:]}"
