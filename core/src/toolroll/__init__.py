"""Toolroll: an MCP tool host made of installable tool packs.

Everything a pack author needs is exported here; nothing else is public. A name is imported when it
is first asked for: worker processes need few of them, and pydantic and click would take 25 MB and
a quarter of a second of each.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolroll.cli.options import json_option
    from toolroll.cli.output import print_json, print_table
    from toolroll.context import LOCAL, PackContext, Principal, ToolContext
    from toolroll.errors import (
        AlreadyExists,
        DeadlineExceeded,
        Envelope,
        InternalError,
        InvalidArguments,
        InvalidPath,
        MissingDependency,
        NotFound,
        OutputTooLarge,
        PermissionDenied,
        RateLimited,
        ResourceBusy,
        SettingsError,
        StorageError,
        ToolError,
        ToolrollError,
    )
    from toolroll.holdings import Holding
    from toolroll.hookspecs import hookimpl
    from toolroll.jobs import Worker
    from toolroll.limits import RateLimiter
    from toolroll.pack import API_VERSION, Pack
    from toolroll.params import Markdown, Params, Private, ProjectPath, Settings
    from toolroll.paths import AllowedRoots, ProjectRoot
    from toolroll.problems import Problem
    from toolroll.tools import tool
    from toolroll.tour import NothingToShow, Tour

__all__ = [
    "API_VERSION",
    "LOCAL",
    "AllowedRoots",
    "AlreadyExists",
    "DeadlineExceeded",
    "Envelope",
    "Holding",
    "InternalError",
    "InvalidArguments",
    "InvalidPath",
    "Markdown",
    "MissingDependency",
    "NotFound",
    "NothingToShow",
    "OutputTooLarge",
    "Pack",
    "PackContext",
    "Params",
    "PermissionDenied",
    "Principal",
    "Private",
    "Problem",
    "ProjectPath",
    "ProjectRoot",
    "RateLimited",
    "RateLimiter",
    "ResourceBusy",
    "Settings",
    "SettingsError",
    "StorageError",
    "ToolContext",
    "ToolError",
    "ToolrollError",
    "Tour",
    "Worker",
    "hookimpl",
    "json_option",
    "print_json",
    "print_table",
    "tool",
]

_HOMES: Final = {
    "toolroll.cli.options": ("json_option",),
    "toolroll.cli.output": (
        "print_json",
        "print_table",
    ),
    "toolroll.context": (
        "LOCAL",
        "PackContext",
        "Principal",
        "ToolContext",
    ),
    "toolroll.errors": (
        "AlreadyExists",
        "DeadlineExceeded",
        "Envelope",
        "InternalError",
        "InvalidArguments",
        "InvalidPath",
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
    ),
    "toolroll.holdings": ("Holding",),
    "toolroll.hookspecs": ("hookimpl",),
    "toolroll.jobs": ("Worker",),
    "toolroll.limits": ("RateLimiter",),
    "toolroll.pack": (
        "API_VERSION",
        "Pack",
    ),
    "toolroll.params": (
        "Markdown",
        "Params",
        "Private",
        "ProjectPath",
        "Settings",
    ),
    "toolroll.paths": (
        "AllowedRoots",
        "ProjectRoot",
    ),
    "toolroll.problems": ("Problem",),
    "toolroll.tools": ("tool",),
    "toolroll.tour": (
        "NothingToShow",
        "Tour",
    ),
}
_HOME: Final = {name: module for module, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # a type checker would take any name for one of these

    def __getattr__(name: str) -> Any:
        """Import a public name from where it is defined."""
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(home), name)
        return value
