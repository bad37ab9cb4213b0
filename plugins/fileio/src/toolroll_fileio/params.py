"""Parameters of the tools (manual 9).

Ranges are not in the schemas: the tools check them in the document's order, with its codes.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

import toolroll

__all__ = [
    "Delete",
    "Grep",
    "List",
    "ListDeleted",
    "ListPage",
    "ListProjects",
    "Read",
    "Rename",
    "Search",
    "Stat",
    "Undelete",
    "Write",
]

Project = Annotated[
    str,
    Field(
        description="Name of a project of your own, which is no directory of the repository: 1 to "
        "128 characters of A-Z a-z 0-9 _ . -"
    ),
]
FilePath = Annotated[
    str, Field(description="Path inside the project, such as /docs/plan.md; not '' or '/'.")
]
AnyPath = Annotated[
    str, Field(description="Path of a file or directory, such as /docs; '' is the root.")
]
Cursor = Annotated[
    str, Field(description="next_cursor of the last answer, to go on behind it; '' to begin.")
]


class Stat(toolroll.Params):
    """Parameters of `file_stat`."""

    project: Project
    path: AnyPath = ""


class Read(toolroll.Params):
    """Parameters of `file_read`."""

    project: Project
    path: FilePath
    offset: Annotated[int, Field(description="First byte to read.")] = 0
    length: Annotated[int, Field(description="Bytes to read; -1 reads to the end.")] = -1


class Write(toolroll.Params):
    """Parameters of `file_write`."""

    project: Project
    path: FilePath
    content: Annotated[str, toolroll.Private, Field(description="Text to write.")]
    content_encoding: Annotated[str, Field(description="Only 'utf-8'.")] = "utf-8"
    offset: Annotated[
        int, Field(description="First byte to replace with OVERWRITE, 0 with TRUNCATE.")
    ] = 0
    mode: Annotated[
        str,
        Field(
            description="APPEND writes at the end, OVERWRITE replaces bytes from offset on and "
            "keeps the rest, TRUNCATE replaces the whole file."
        ),
    ] = "APPEND"


class Delete(toolroll.Params):
    """Parameters of `file_delete`."""

    project: Project
    path: AnyPath = ""
    recursive: Annotated[bool, Field(description="Delete all that lies below a directory.")] = False


class Rename(toolroll.Params):
    """Parameters of `file_rename`."""

    project: Project
    from_path: Annotated[str, Field(description="Path of the file or directory to move.")]
    to_path: Annotated[str, Field(description="Its new path, not the directory to put it in.")]
    overwrite: Annotated[bool, Field(description="A moved file may replace another file.")] = False


class List(toolroll.Params):
    """Parameters of `file_list`."""

    project: Project
    path: AnyPath = ""
    depth: Annotated[
        int, Field(description="Levels below the path; 0 describes the path itself.")
    ] = 1
    limit: Annotated[int, Field(description="Most entries to return.")] = 256


class Search(toolroll.Params):
    """Parameters of `file_search`."""

    project: Project
    query: Annotated[
        str, toolroll.Private, Field(description="What to find, in words or identifiers.")
    ]
    path_prefix: Annotated[
        str, Field(description="Search only files whose path starts with these characters.")
    ] = ""
    limit: Annotated[int, Field(description="Most chunks to return, at most 20.")] = 5


class ListPage(toolroll.Params):
    """Parameters of `file_list_page`."""

    project: Project
    path: AnyPath = ""
    depth: Annotated[int, Field(description="Levels below the path, at least 1.")] = 1
    limit: Annotated[int, Field(description="Most entries in this answer.")] = 256
    cursor: Cursor = ""


class Grep(toolroll.Params):
    """Parameters of `file_grep`."""

    project: Project
    pattern: Annotated[
        str,
        toolroll.Private,
        Field(description="RE2 regular expression; ^ and $ match at line ends."),
    ]
    path: AnyPath = ""
    ignore_case: Annotated[bool, Field(description="Match letters of either case.")] = False
    limit: Annotated[int, Field(description="Most matches to return, at most 1000.")] = 100
    cursor: Cursor = ""


class ListDeleted(toolroll.Params):
    """Parameters of `file_list_deleted`."""

    project: Project
    path: AnyPath = ""
    limit: Annotated[int, Field(description="Most files in this answer.")] = 256
    cursor: Cursor = ""


class Undelete(toolroll.Params):
    """Parameters of `file_undelete`."""

    project: Project
    path: AnyPath = ""


class IndexStatus(toolroll.Params):
    """Parameters of `file_index_status`."""

    project: Project


class ListProjects(toolroll.Params):
    """Parameters of `file_list_projects`."""

    limit: Annotated[int, Field(description="Most projects in this answer.")] = 256
    cursor: Cursor = ""
