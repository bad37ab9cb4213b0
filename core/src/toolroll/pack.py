"""What a pack author writes: a `Pack`, whose methods marked with `@tool` are its tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from toolroll.contract import Contract
from toolroll.errors import (
    DeadlineExceeded,
    Envelope,
    InternalError,
    InvalidArguments,
    LoadError,
    MissingDependency,
    OutputTooLarge,
    PermissionDenied,
    RateLimited,
    ResourceBusy,
    ToolError,
)
from toolroll.params import Settings
from toolroll.tools import Tool, tools_of

if TYPE_CHECKING:
    import click

    from toolroll.context import PackContext
    from toolroll.holdings import Holding
    from toolroll.jobs import Worker
    from toolroll.problems import Problem
    from toolroll.tour import Tour

__all__ = ["API_VERSION", "HOST_ERRORS", "RESERVED", "Pack", "check_attributes", "check_name"]

API_VERSION: Final = 1
"""Version of everything in `toolroll.__all__`; the host serves packs of this and the one before."""

RESERVED: Final = frozenset(
    {
        "audit",
        "backends",
        "calls",
        "conform",
        "conformance",
        "demo",
        "doctor",
        "host",
        "http",
        "keys",
        "packs",
        "serve",
        "stored",
        "storage",
        "tools",
    }
)
"""Tables of `toolroll.toml`, commands and a distribution that are ours: behind them a pack's own
stayed unseen."""

HOST_ERRORS: Final[Mapping[type[ToolError], str]] = {
    PermissionDenied: "the caller's key lacks the scope that the tool needs",
    RateLimited: "too many calls; try again later",
    ResourceBusy: "a lock, queue or database was not free in time; try again",
    DeadlineExceeded: "the call ran past its time limit",
    OutputTooLarge: "the answer is larger than the output bound; ask for less",
    MissingDependency: "an optional library is not installed",
    InternalError: "a defect of the pack or host; the message names the call in the audit log",
}
"""Errors that the host itself may raise in any call, with their meaning."""

_PACK_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


class Pack:
    """A set of tools with one contract. Subclass it, and return an instance from `toolroll_pack`.

    Attributes:
        name: Also the entry-point name, the settings table and the command group.
        title: A display name.
        instructions: For the model: when to reach for this pack at all.
        api_version: The version of this API that the pack was written for.
        envelope: The shape of the pack's errors.
        errors: Every code of the pack, with what it means.
        codes: The pack's code for a core error class, where it isn't the class's own.
        settings: The model of the pack's table in `toolroll.toml`.
        migrations: Name of a package that holds Alembic `versions/`; "" without a database.
        capabilities: What the suite may rely on: `database`, `project_root`, `tenants`, …
        credential_headers: HTTP headers with keys of the caller's for services that the pack asks
            on its behalf; its handlers, and no other pack's, find them in `principal.credentials`.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    instructions: ClassVar[str] = ""
    api_version: ClassVar[int] = API_VERSION
    envelope: ClassVar[Envelope] = Envelope.CODED
    errors: ClassVar[Mapping[str, str]] = {}
    codes: ClassVar[Mapping[type[ToolError], str]] = {}
    settings: ClassVar[type[Settings]] = Settings
    migrations: ClassVar[str] = ""
    capabilities: ClassVar[frozenset[str]] = frozenset()
    credential_headers: ClassVar[tuple[str, ...]] = ()

    def refuse(self, tool: str, problems: Sequence[Problem]) -> ToolError:
        """Return the error for arguments that don't match; override to choose the code.

        Its message tells all of them, its details name the first parameter at fault.
        """
        message = "; ".join(problem.message for problem in problems)
        first = problems[0].parameter
        return InvalidArguments(message, details={"parameter": first} if first else None)

    def commands(self) -> click.Group | None:
        """Return the group behind `toolroll <pack> …`; its `ctx.obj` is the `PackContext`."""
        return None

    def workers(self) -> Sequence[Worker]:
        """Return the background loops that the host starts, supervises and drains."""
        return ()

    def remarks(self, context: PackContext) -> Sequence[str]:
        """Return what an operator should know of the pack here; `toolroll doctor` shows it."""
        return ()

    def holdings(self, context: PackContext) -> Sequence[Holding]:
        """Return what is stored of single directories and the like, of every tenant.

        `toolroll stored` lists it, and removes of it what an operator names, or what has no
        directory any more.
        """
        return ()

    def release(self, context: PackContext, holding: Holding) -> None:
        """Remove one of `holdings`, whole; files outside of the data directory stay.

        Raises:
            ToolError: It can't be removed, at least not now; says what to do.
        """
        raise ToolError(f"{self.name} does not remove this", code="internal_error")

    def routes(self) -> Sequence[Any]:
        """Return Starlette routes that the HTTP host mounts behind its authentication."""
        return ()

    def demo(self, tour: Tour) -> None:
        """Show the pack on the repository the tour stands in, calling every tool."""

    def code_of(self, error: ToolError) -> str:
        """Return the code of this pack's contract for an error."""
        if error.code is not None:
            return error.code
        for kind in type(error).__mro__:
            if kind in self.codes:
                return self.codes[kind]
        return error.default_code

    def all_errors(self) -> dict[str, str]:
        """Return the pack's codes and those the host may add, with their meanings."""
        named = {
            self.codes.get(kind, kind.default_code): text for kind, text in HOST_ERRORS.items()
        }
        return {**named, **self.errors}

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools, sorted by name.

        Raises:
            LoadError: A method marked as a tool can't be one; the message says why.
        """
        return tools_of(self)

    def contract(self, tools: Sequence[Tool] | None = None) -> Contract:
        """Return the contract as the code stands."""
        return Contract(
            pack=self.name,
            api_version=self.api_version,
            envelope=self.envelope,
            errors=self.all_errors(),
            capabilities=tuple(sorted(self.capabilities)),
            tools=tuple(item.contract for item in (self.tools() if tools is None else tools)),
        )


def check_name(name: str) -> None:
    """Refuse a pack name that can't be an entry point, table and command at once."""
    if not _PACK_NAME.fullmatch(name):
        raise LoadError(
            "contract",
            f"pack name {name!r} is not up to 40 of a-z, 0-9 and _ with a letter first",
            remedy="rename the pack, for example 'notes'",
        )
    if name in RESERVED:
        raise LoadError(
            "contract",
            f"pack name {name!r} is that of a table, command or distribution of Toolroll's own",
            remedy="rename the pack, for example 'notes'",
        )


def check_attributes(pack: Pack) -> None:
    """Refuse a pack that sets anything to what the host, which reads it later, can't use."""
    settings: Any = pack.settings
    fits = {name: isinstance(getattr(pack, name), kind) for name, kind in _KINDS.items()}
    fits["settings"] = isinstance(settings, type) and issubclass(settings, Settings)
    if wrong := [name for name, does in fits.items() if not does]:
        raise LoadError(
            "contract",
            f"its {wrong[0]} cannot be {getattr(pack, wrong[0])!r}",
            remedy="toolroll.Pack says what it is",
        )
    named = pack.all_errors()
    for kind, code in pack.codes.items():
        if code not in named:
            name = getattr(kind, "__name__", kind)
            raise LoadError(
                "contract",
                f"its codes give {name} the code {code!r}, which its errors do not have",
                remedy="add the code to errors, with what it means",
            )


_KINDS: Final[Mapping[str, Any]] = {
    "envelope": Envelope,
    "errors": Mapping,
    "codes": Mapping,
    "migrations": str,
    "capabilities": (frozenset, set),
    "credential_headers": (tuple, list),
}
