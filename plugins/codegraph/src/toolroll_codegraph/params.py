"""What the three tools take, word for word as the document has it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

import toolroll

Language = Literal["python", "javascript", "typescript", "ruby"]
Relationship = Literal["imports", "imported_by", "calls", "called_by"]

ProjectDirectory = Annotated[
    str,
    Field(
        description="Absolute path to project directory",
        json_schema_extra={"format": "absolute-path"},
    ),
]


class IndexCodeGraph(toolroll.Params):
    """Arguments of `index_code_graph`."""

    project_path: ProjectDirectory
    languages: list[Language] | None = Field(
        default=None, description='Programming languages to index (default: ["python"])'
    )
    include_tests: bool = Field(
        default=False, description="Whether to include test files in indexing"
    )


class GetFunctionContext(toolroll.Params):
    """Arguments of `get_function_context`."""

    project_path: ProjectDirectory
    function_name: str = Field(description="Function name to query")
    include_callers: bool = Field(
        default=True, description="Include functions that call this function"
    )
    include_callees: bool = Field(
        default=True, description="Include functions that this function calls"
    )
    max_depth: int = Field(default=3, description="Maximum depth for call graph traversal")


class FindRelatedCode(toolroll.Params):
    """Arguments of `find_related_code`."""

    project_path: ProjectDirectory
    file_path: toolroll.ProjectPath = Field(
        description="Path to source file (relative to project_path)"
    )
    relationship_type: Literal["imports", "imported_by", "calls", "called_by", "all"] = Field(
        default="all", description="Type of relationship to find"
    )
    limit: int = Field(default=20, description="Maximum number of related files to return")
