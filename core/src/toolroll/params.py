"""The edge of a tool: strict parameter models, and marks on their fields.

One pydantic model for each tool validates its arguments *and* yields the JSON Schema that is
advertised, so that the two can't disagree (design 4; framework reference 1.6).
"""

from __future__ import annotations

from typing import Annotated, Any, Final, cast, final

from attrs import frozen
from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema

__all__ = ["Markdown", "Params", "PathMark", "Private", "ProjectPath", "Settings"]


class Params(BaseModel):
    """The parameters of a tool: strict types, unknown names refused, immutable.

    Nothing is coerced: `true` is not an integer and `"5"` is not 5. Dates, enumerations,
    sets and the like are read as JSON has them: of texts and arrays. A field written
    `x: str | None = None` is *optional*: its schema is that of `str`, an absent argument gives
    `None`, and an explicit `null` is refused like any other wrong type.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        _refuse_null(cast("dict[str, Any]", schema))
        return schema


def _refuse_null(schema: dict[str, Any]) -> None:
    """Replace `nullable(X) = None` by `X = None` in every field: a default isn't validated."""
    while schema["type"] in {"definitions", "model", "function-before", "function-after"}:
        schema = schema["schema"]
    if schema["type"] != "model-fields":
        return
    for field in schema["fields"].values():
        inner = field["schema"]
        if (
            inner["type"] == "default"
            and inner.get("default", ...) is None
            and inner["schema"]["type"] == "nullable"
        ):
            inner["schema"] = inner["schema"]["schema"]


class Settings(BaseModel):
    """A table of `toolroll.toml`: unknown keys are refused, every key has a safe default."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@final
@frozen
class PrivateMark:
    """Marks a parameter whose value no log may show: length and SHA-256 only (design 4)."""


@final
@frozen
class PathMark:
    """Marks a parameter that names a project path.

    The mark lands in the contract (`project_paths`), not in the advertised schema, which has to
    equal the pack's document. The conformance suite runs its path-escape battery on it.
    """


Private: Final = PrivateMark()
"""Use as `Annotated[str, toolroll.Private]`."""

ProjectPath = Annotated[str, PathMark()]
"""A project path as a caller wrote it; hand it to `ctx.root.canonical()` before any use."""


class Markdown(str):
    """A result that is Markdown text rather than a JSON value."""

    __slots__ = ()

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return handler(str)
