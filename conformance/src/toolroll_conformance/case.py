"""A conformance case: what is given, what is called, what is expected. The data model of `cases/`.

Pydantic holds the format, so that a bad file fails at load with its place named; the meaning of
each step is in `case_runner`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Discriminator, Field, JsonValue, Tag, model_validator

__all__ = [
    "CallStep",
    "Case",
    "CommandStep",
    "ExpectedError",
    "FileSpec",
    "FilesStep",
    "Given",
    "ParallelStep",
    "RepeatStep",
    "RestartStep",
    "Step",
]

Schema = dict[str, Any] | bool
Seconds = Annotated[float, Field(gt=0, le=600)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class FileSpec(_Strict):
    """One thing in the project root: exactly one of a text, bytes, a link or a directory."""

    text: str | None = None
    base64: str | None = None
    symlink: str | None = None
    directory: Literal[True] | None = None
    repeat: int = Field(default=1, ge=1, le=100_000_000)
    """How many times the text or bytes follow one another."""

    @model_validator(mode="after")
    def _one_kind(self) -> FileSpec:
        kinds = [self.text, self.base64, self.symlink, self.directory]
        if sum(kind is not None for kind in kinds) != 1:
            raise ValueError("give exactly one of text, base64, symlink and directory")
        return self


Files = dict[str, str | FileSpec]


class Given(_Strict):
    """What stands before the server starts."""

    files: Files = {}
    settings: dict[str, dict[str, JsonValue]] = {}
    commands: tuple[tuple[str, ...], ...] = ()


class ExpectedError(_Strict):
    """An error answer: its code, a schema of its whole payload, or both."""

    code: str | None = None
    schema_: Schema | None = Field(default=None, alias="schema")

    @model_validator(mode="after")
    def _something(self) -> ExpectedError:
        if self.code is None and self.schema_ is None:
            raise ValueError("give a code, a schema or both")
        return self


class CallStep(_Strict):
    """Call a tool. Without `error` and `protocol_error` the call must succeed."""

    call: str
    args: dict[str, JsonValue] = {}
    expect: Schema | None = None
    error: str | ExpectedError | None = None
    protocol_error: int | None = None
    capture: dict[str, str] = {}
    within: Seconds | None = None
    as_: str = Field(default="first", alias="as")

    @model_validator(mode="after")
    def _one_outcome(self) -> CallStep:
        outcomes = [self.expect, self.error, self.protocol_error]
        if sum(outcome is not None for outcome in outcomes) > 1:
            raise ValueError("expect, error and protocol_error exclude one another")
        return self

    @property
    def expected_error(self) -> ExpectedError | None:
        """The error that the call must answer with; None where it must not."""
        return ExpectedError(code=self.error) if isinstance(self.error, str) else self.error

    @property
    def must_succeed(self) -> bool:
        """Whether the call has to be a success."""
        return self.error is None and self.protocol_error is None


class CommandStep(_Strict):
    """Run `toolroll …` on the same root and data; `expect` holds for its JSON output."""

    command: tuple[str, ...] = Field(min_length=1)
    exit: int = 0
    expect: Schema | None = None
    capture: dict[str, str] = {}
    within: Seconds | None = None


class FilesStep(_Strict):
    """Change the project while the server runs: rename, then remove, then write."""

    write: Files = {}
    remove: tuple[str, ...] = ()
    rename: dict[str, str] = {}


class RestartStep(_Strict):
    """End the server (`stop`) or kill it (`kill`), and start it again on the same data."""

    restart: Literal["kill", "stop"]


class ParallelStep(_Strict):
    """Calls made all at once, each with an expectation of its own."""

    parallel: tuple[CallStep, ...] = Field(min_length=1, max_length=256)


class RepeatStep(_Strict):
    """Steps done several times; `${index}` counts from 0."""

    repeat: int = Field(ge=1, le=100_000)
    steps: tuple[Step, ...] = Field(min_length=1)


KINDS: Mapping[str, tuple[str, ...]] = {
    "call": ("call",),
    "command": ("command",),
    "files": ("write", "remove", "rename"),
    "restart": ("restart",),
    "parallel": ("parallel",),
    "repeat": ("repeat",),
}


def _kind(value: Any) -> str | None:
    """Name the kind of a step by the key that makes it one."""
    keys = cast("Mapping[str, Any]", value if isinstance(value, dict) else vars(value))
    return next((kind for kind, marks in KINDS.items() if any(m in keys for m in marks)), None)


Step = Annotated[
    Annotated[CallStep, Tag("call")]
    | Annotated[CommandStep, Tag("command")]
    | Annotated[FilesStep, Tag("files")]
    | Annotated[RestartStep, Tag("restart")]
    | Annotated[ParallelStep, Tag("parallel")]
    | Annotated[RepeatStep, Tag("repeat")],
    Discriminator(
        _kind,
        custom_error_type="step_kind",
        custom_error_message="a step is one of call, command, write/remove/rename, restart, "
        "parallel and repeat",
    ),
]


class Case(_Strict):
    """One case.

    Attributes:
        id: Unique in the pack and stable: reports and lists of known failures name it.
        title: The promise in a sentence.
        source: Where the promise stands: a document, its section, a row of a table.
        requires: Capabilities, of the pack or of the way in, without which the case is skipped.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")
    title: str = Field(min_length=1)
    source: str = ""
    requires: tuple[str, ...] = ()
    given: Given = Given()
    steps: tuple[Step, ...] = Field(min_length=1)

    def all_steps(self) -> Iterator[Step]:
        """Yield every step, those inside parallel and repeat steps too."""
        yield from _flatten(self.steps)

    def needs(self) -> frozenset[str]:
        """Return the capabilities that the case names, and those its steps imply."""
        found = set(self.requires)
        if self.given.files:
            found.add("files")
        if self.given.commands:
            found.add("commands")
        if self.given.settings:
            found.add("settings")
        for step in self.all_steps():
            match step:
                case CallStep(as_=tenant) if tenant != "first":
                    found.add("tenants")
                case CommandStep():
                    found.add("commands")
                case FilesStep():
                    found.add("files")
                case RestartStep(restart="kill"):
                    found.add("kill")
                case RestartStep():
                    found.add("restart")
                case _:
                    pass
        return frozenset(found)


def _flatten(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        match step:
            case ParallelStep():
                yield from step.parallel
            case RepeatStep():
                yield from _flatten(step.steps)
            case _:
                pass
