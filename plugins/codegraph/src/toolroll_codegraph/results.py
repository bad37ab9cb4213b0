"""What the three tools answer: the document's keys, and ours beside them."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from toolroll_codegraph.params import Relationship

MOST_LINES: Final = 100
"""Generated code and tables call a function on thousands."""
Confidence = Literal["high", "medium", "low"]
_PROVISIONAL: Final = (
    "Whether calls around the last edits are told by the edited files and what is near to them; "
    "all others follow in the background, within seconds, and then it is false"
)


class IndexStats(BaseModel):
    """Counts of the whole index."""

    files_indexed: int
    functions_indexed: int = Field(description="Functions and methods, nested ones included")
    classes_indexed: int
    calls_indexed: int = Field(
        description="Distinct pairs of caller and callee, callees outside of the project included"
    )
    imports_indexed: int = Field(description="Imported names and modules")
    duration_ms: int
    parse_errors: int = Field(description="Files with syntax errors; what could be read is indexed")
    files_skipped: int = Field(
        description="Files left out: binary, minified, generated, unreadable; a directory that may "
        "not be read counts as one"
    )
    files_changed: int = Field(description="New and changed files, indexed in this run")
    files_removed: int = Field(description="Files that left the index in this run")
    files_not_read: dict[str, int] = Field(
        description="Code files that are no part of the index, by their language, which was not "
        "asked for, or by their suffix (.haml, .go, .java), which is not read in any: what "
        "they call is not known"
    )
    tests_left_out: int = Field(description="Test files that include_tests would have indexed")
    directories_left_out: list[str] = Field(
        description="Directories called build, coverage, dist or env that git does not ignore: "
        "they are taken for output; index one by its own path if it is source"
    )


class Answer(BaseModel):
    """What every answer has, and its schema says so."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    success: Literal[True] = True


class Indexed(Answer):
    """Answer of `index_code_graph`."""

    provisional: bool = Field(description=_PROVISIONAL)
    stats: IndexStats


class FunctionRecord(BaseModel):
    """A function of the index."""

    name: str = Field(description="Qualified within its file, such as Class.method")
    file: str
    start_line: int
    end_line: int
    is_export: bool
    qualified_name: str = Field(
        description="path::name, which finds this function; path:start_line one of several so named"
    )
    kind: str


class CallRecord(BaseModel):
    """A function that calls or is called."""

    name: str
    file: str
    line: int = Field(description="First line of its definition")
    qualified_name: str
    kind: str
    depth: int = Field(description="1 for a direct call")
    via: str = Field(description="The function one call nearer, which it calls or is called by")
    call_lines: list[int] = Field(
        description=f"Lines of the calls between it and via, in the file of the one that calls; "
        f"the first {MOST_LINES}, and of a property that is read again of the same object the first"
    )
    confidence: Confidence


class ReferenceRecord(BaseModel):
    """A function that hands another over and does not call it."""

    name: str
    file: str
    line: int = Field(description="First line of its definition")
    qualified_name: str
    kind: str
    lines: list[int] = Field(description=f"Where it hands it over; the first {MOST_LINES}")


class FunctionContext(BaseModel):
    """A function with its surroundings."""

    function: FunctionRecord
    callers: list[CallRecord]
    callees: list[CallRecord]
    references: list[ReferenceRecord] = Field(
        description="Functions that hand it to a library, which may call it, and do not call it "
        "themselves: as a callback or handler, by a decorator or an attribute; listed with callers"
    )
    overrides: list[FunctionRecord] = Field(
        description="Methods of classes above, and of protocols, that it overrides, nearest first"
    )
    overridden_by: list[FunctionRecord] = Field(
        description="Methods of subclasses, and of classes that implement its protocol, that "
        "override it: on their objects these are called, and parameters have to change together"
    )
    matches: list[FunctionRecord] = Field(
        description="Other functions the name may have meant; where function is a class, which has "
        "no constructor then, its methods too"
    )
    matches_left_out: int = Field(
        description="How many more there are than matches lists: ask with path::name or Class.name"
    )
    truncated: bool = Field(
        description="Whether more was reached than is listed, the nearest: a smaller max_depth, or "
        "callers or callees alone, list more of it"
    )
    stale: bool = Field(description="Whether one of these files changed after it was indexed")
    stale_files: list[str] = Field(description="Those that did: their lines may have moved")
    provisional: bool = Field(description=_PROVISIONAL)
    indexed_at: str


class Context(Answer):
    """Answer of `get_function_context`."""

    context: FunctionContext


class RelatedFile(BaseModel):
    """A file and how it is related."""

    file_path: str
    relationship: Relationship
    strength: int = Field(description="Imported names, or distinct pairs of caller and callee")


class Related(Answer):
    """Answer of `find_related_code`."""

    related_files: list[RelatedFile]
    truncated: bool = Field(description="Whether more files are related than limit lists")
    stale: bool = Field(description="Whether one of these files changed after it was indexed")
    provisional: bool = Field(description=_PROVISIONAL)
    indexed_at: str
