"""Toolroll: an MCP tool host made of installable tool packs.

Everything a pack author needs is exported here; nothing else is public.
"""

from __future__ import annotations

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
from toolroll.hookspecs import hookimpl
from toolroll.jobs import Worker
from toolroll.limits import RateLimiter
from toolroll.pack import API_VERSION, Pack, tool
from toolroll.params import Markdown, Params, Private, ProjectPath, Settings
from toolroll.paths import AllowedRoots, ProjectRoot
from toolroll.problems import Problem
from toolroll.tour import Tour

__all__ = [
    "API_VERSION",
    "LOCAL",
    "AllowedRoots",
    "AlreadyExists",
    "DeadlineExceeded",
    "Envelope",
    "InternalError",
    "InvalidArguments",
    "InvalidPath",
    "Markdown",
    "MissingDependency",
    "NotFound",
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
