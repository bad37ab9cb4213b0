"""The pack's error codes, and the errors that carry them (manual 13, reference 1.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import toolroll

__all__ = ["CODES", "ERRORS", "failure", "refusal"]

ERRORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "NOT_FOUND": "no active file or directory has this path",
        "ALREADY_EXISTS": "the destination holds an active file or directory",
        "IS_DIRECTORY": "the path is a directory, the tool needs a file",
        "NOT_DIRECTORY": "a parent segment of the path is a file",
        "INVALID_PATH": "project or path is malformed, or not allowed for this tool",
        "INVALID_OFFSET": "offset, length, depth, limit or write mode is out of its range",
        "INVALID_QUERY": "query, pattern, content or encoding is unusable, or an argument unknown",
        "NOT_EMPTY": "the directory holds files; delete it with recursive",
        "PERMISSION_DENIED": "the caller's key, or a setting, does not allow this",
        "PAYLOAD_TOO_LARGE": "the content, the resulting file or the answer exceeds its limit",
        "QUOTA_EXCEEDED": "the project's files would be larger in total than the limit",
        "RATE_LIMITED": "too many calls of this tenant; try again later",
        "RESOURCE_BUSY": "another mutation holds the project; try again",
        "SEARCH_BACKEND_ERROR": "search is off or failed, or the pack failed inside",
    }
)
"""The closed list of codes that a caller can see."""

CODES: Final[Mapping[type[toolroll.ToolError], str]] = MappingProxyType(
    {
        toolroll.NotFound: "NOT_FOUND",
        toolroll.AlreadyExists: "ALREADY_EXISTS",
        toolroll.InvalidPath: "INVALID_PATH",
        toolroll.InvalidArguments: "INVALID_QUERY",
        toolroll.PermissionDenied: "PERMISSION_DENIED",
        toolroll.RateLimited: "RATE_LIMITED",
        toolroll.ResourceBusy: "RESOURCE_BUSY",
        toolroll.DeadlineExceeded: "RESOURCE_BUSY",
        toolroll.OutputTooLarge: "PAYLOAD_TOO_LARGE",
        toolroll.MissingDependency: "SEARCH_BACKEND_ERROR",
        toolroll.InternalError: "SEARCH_BACKEND_ERROR",
        toolroll.ToolError: "SEARCH_BACKEND_ERROR",
    }
)
"""How the host's errors appear: the document's list of codes is closed."""

_BY_PARAMETER: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("project", "path", "from_path", "to_path", "path_prefix"), "INVALID_PATH"),
        **dict.fromkeys(("offset", "length", "mode", "depth", "limit"), "INVALID_OFFSET"),
    }
)


def failure(code: str, message: str, *, retryable: bool = False) -> toolroll.ToolError:
    """Return the error with one of the pack's codes."""
    return toolroll.ToolError(message, code=code, retryable=retryable)


def refusal(problems: Sequence[toolroll.Problem]) -> toolroll.ToolError:
    """Return the error for arguments that don't match; the first problem chooses the code."""
    text = "; ".join(problem.message for problem in problems)
    return failure(_BY_PARAMETER.get(problems[0].parameter, "INVALID_QUERY"), text)
