"""One tree of errors, and the envelopes that render them for a caller.

    ToolrollError
    ├── ToolError                a call failed in a way its caller can act on
    │   ├── InvalidArguments     the arguments do not match the tool's schema
    │   ├── InvalidPath          a path is malformed or leaves the allowed roots
    │   ├── NotFound             the named thing does not exist
    │   ├── AlreadyExists        the named thing exists and may not be replaced
    │   ├── PermissionDenied     the caller's key does not allow this
    │   ├── RateLimited          too many calls; try again later
    │   ├── ResourceBusy         a lock or queue was not free in time; try again
    │   ├── DeadlineExceeded     the call ran past its time limit
    │   ├── OutputTooLarge       the answer is larger than the output bound
    │   ├── MissingDependency    an optional library is not installed
    │   └── InternalError        a defect of ours; its text is never shown
    ├── UnknownTool              no such tool: a protocol error, not a tool result
    ├── LoadError                a pack could not be loaded
    ├── SettingsError            toolroll.toml, or an option, is wrong
    └── StorageError             the database refused in a way no caller can mend

A pack gives every class it can raise a code of its own contract (`Pack.codes`); nothing but an
`Envelope` turns an error into what goes over the wire.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Final

__all__ = [
    "AlreadyExists",
    "DeadlineExceeded",
    "Envelope",
    "InternalError",
    "InvalidArguments",
    "InvalidPath",
    "LoadError",
    "MissingDependency",
    "NotFound",
    "OutputTooLarge",
    "PermissionDenied",
    "RateLimited",
    "ResourceBusy",
    "SettingsError",
    "StorageError",
    "ToolError",
    "ToolrollError",
    "UnknownTool",
]


MOST_MESSAGE: Final = 5_000
"""Most characters of a message: one that quotes an argument may be as long as that is."""


class ToolrollError(Exception):
    """Base of every error that Toolroll raises on purpose."""


class ToolError(ToolrollError):
    """A call failed in a way its caller can read and act on.

    Args:
        message: What failed, on which value, and what to do next. Goes to the caller as it is, so
            it never carries a secret or a path outside the allowed roots. Of one that is very long
            the middle is left out.
        code: A code of the pack's contract; absent, `Pack.codes` decides by class.
        retryable: Whether the same call may succeed later without change.
        details: Extra JSON fields for the `coded` envelope.
    """

    default_code: ClassVar[str] = "internal_error"
    default_retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        retryable: bool | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        if len(message) > MOST_MESSAGE:
            half = MOST_MESSAGE // 2
            message = f"{message[:half]} … {message[-half:]}"
        super().__init__(message)
        self.message = message
        self.code = code
        self.retryable = self.default_retryable if retryable is None else retryable
        self.details = dict(details) if details else None


class InvalidArguments(ToolError):
    """The arguments do not match the tool's schema."""

    default_code = "invalid_arguments"


class InvalidPath(ToolError):
    """A path is malformed, or leads outside the allowed roots."""

    default_code = "invalid_path"


class NotFound(ToolError):
    """The named thing does not exist."""

    default_code = "not_found"


class AlreadyExists(ToolError):
    """The named thing exists and may not be replaced."""

    default_code = "already_exists"


class PermissionDenied(ToolError):
    """The caller's key does not allow this call."""

    default_code = "permission_denied"


class RateLimited(ToolError):
    """Too many calls in too short a time."""

    default_code = "rate_limited"
    default_retryable = True


class ResourceBusy(ToolError):
    """A lock, a queue or the database was not free in time."""

    default_code = "resource_busy"
    default_retryable = True


class DeadlineExceeded(ToolError):
    """The call ran past its time limit and was stopped."""

    default_code = "deadline_exceeded"
    default_retryable = True


class OutputTooLarge(ToolError):
    """The answer is larger than the tool's output bound."""

    default_code = "output_too_large"


class MissingDependency(ToolError):
    """An optional library is not installed; the message says how to install it."""

    default_code = "missing_dependency"


class InternalError(ToolError):
    """A defect of ours. The caller sees a fixed sentence and a call id, the log the cause."""

    default_code = "internal_error"

    @classmethod
    def of(cls, tool: str, call_id: str, package: str) -> InternalError:
        """Name the call that ends with the exception being handled.

        Where a part of `package` or of Toolroll can't be imported, it most likely was updated
        under the host, which imports much only when it is first used.
        """
        message = f"{tool} failed inside; the log has it as call {call_id}"
        error = sys.exception()
        missing = (error.name or "") if isinstance(error, ImportError) else ""
        if missing.partition(".")[0] in (package, "toolroll"):
            message += "; part of its code is missing: if it was updated, restart the host"
        return cls(message)


class UnknownTool(ToolrollError):
    """No served tool has this name: JSON-RPC -32602, never a tool result."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown tool: {name}")
        self.name = name


class LoadError(ToolrollError):
    """A pack could not be loaded.

    Attributes:
        stage: `metadata`, `import`, `register` or `contract`.
        cause: What is wrong, on one line.
        remedy: What its user or author should do next.
    """

    def __init__(self, stage: str, cause: str, *, remedy: str) -> None:
        cause = " ".join(cause.split())
        super().__init__(cause)
        self.stage = stage
        self.cause = cause
        self.remedy = remedy


class SettingsError(ToolrollError):
    """A setting is unknown or has a wrong value; the message names key and file."""


class StorageError(ToolrollError):
    """The database cannot be opened, migrated or read.

    Attributes:
        told: What callers may read of it; "" where it may hold an address or a name of the server.
    """

    def __init__(self, message: str, *, told: str = "") -> None:
        super().__init__(message)
        self.told = told


class Envelope(StrEnum):
    """The shape in which a pack's errors reach the caller (design 4)."""

    ERROR_CODE = "error_code"
    """`{"error": message, "code": code}` (file_assoc)."""
    CODED = "coded"
    """`{"code": code, "message": message, "retryable": bool}`, with `details` where given."""
    SUCCESS_FLAG = "success_flag"
    """`{"success": false, "error": message}` (codegraph)."""

    def render(self, error: ToolError, code: str) -> dict[str, Any]:
        """Return the JSON object for `error`, whose code in the pack's contract is `code`."""
        match self:
            case Envelope.ERROR_CODE:
                return {"error": error.message, "code": code}
            case Envelope.SUCCESS_FLAG:
                return {"success": False, "error": error.message}
            case Envelope.CODED:
                body: dict[str, Any] = {
                    "code": code,
                    "message": error.message,
                    "retryable": error.retryable,
                }
                if error.details is not None:
                    body["details"] = error.details
                return body

    def schema(self, codes: tuple[str, ...]) -> dict[str, Any]:
        """Return the JSON Schema that every rendered error of a pack with these codes meets."""
        text = {"type": "string", "minLength": 1}
        code = {"type": "string", "enum": sorted(codes)}
        match self:
            case Envelope.ERROR_CODE:
                properties: dict[str, Any] = {"error": text, "code": code}
                required = ["error", "code"]
            case Envelope.SUCCESS_FLAG:
                properties = {"success": {"const": False}, "error": text}
                required = ["success", "error"]
            case Envelope.CODED:
                properties = {
                    "code": code,
                    "message": text,
                    "retryable": {"type": "boolean"},
                    "details": {"type": "object"},
                }
                required = ["code", "message", "retryable"]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
