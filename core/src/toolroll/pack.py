"""What a pack author writes: a `Pack` with methods marked as tools."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from attrs import frozen
from pydantic import TypeAdapter

from toolroll.contract import Annotations, Contract, ToolContract
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
from toolroll.params import Markdown, Params, PathMark, PrivateMark, Settings
from toolroll.schema import input_schema, is_plain, output_schema

if TYPE_CHECKING:
    import click

    from toolroll.context import PackContext
    from toolroll.jobs import Worker
    from toolroll.problems import Problem
    from toolroll.tour import Tour

__all__ = ["API_VERSION", "HOST_ERRORS", "Pack", "Tool", "tool"]

API_VERSION: Final = 1
"""Version of everything in `toolroll.__all__`; the host serves packs of this and the one before."""

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

_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PACK_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MARK: Final = "__toolroll_tool__"

Handler = TypeVar("Handler", bound=Callable[..., Any])


@frozen(kw_only=True)
class ToolOptions:
    """What `@tool` was given."""

    writes: bool
    idempotent: bool
    destructive: bool
    open_world: bool
    brief: bool
    title: str
    timeout: float | None
    max_output: int | None
    returns: Any


def tool(
    *,
    writes: bool = False,
    idempotent: bool | None = None,
    destructive: bool = False,
    open_world: bool = False,
    brief: bool = False,
    title: str = "",
    timeout: float | None = None,
    max_output: int | None = None,
    returns: Any = None,
) -> Callable[[Handler], Handler]:
    """Mark a method of a pack as a tool; its name, docstring and annotations are the contract.

    The method takes `(self, ctx, args)`, where `args` is annotated with a `Params` class, and
    returns what its annotation says: a pydantic model, a TypedDict, a list, or `Markdown`. The
    docstring is the description a model reads: what, when to use it, when not, limits.

    Args:
        writes: The tool changes something. Readers are stopped when their caller goes; writers
            always run to their end.
        idempotent: Repeating the call changes nothing more; by default true for readers.
        destructive: The change can lose what was there.
        open_world: The tool reaches beyond the project (the network, other services).
        brief: The tool takes milliseconds, whatever it is asked, does nothing but look into the
            pack's database or change it once, and reports no progress: where that is a file it
            needs no thread of its own, which would take as long again.
        title: A display name; by default made from the method's name.
        timeout: Seconds until the deadline; by default the host's.
        max_output: Bound of the answer in characters, where the pack's document sets a limit of
            its own; by default the host's.
        returns: The result type for the schema, where the annotation is wider (a plain dict).
    """
    options = ToolOptions(
        writes=writes,
        idempotent=not writes if idempotent is None else idempotent,
        destructive=destructive,
        open_world=open_world,
        brief=brief,
        title=title,
        timeout=timeout,
        max_output=max_output,
        returns=returns,
    )

    def mark(handler: Handler) -> Handler:
        setattr(handler, _MARK, options)
        return handler

    return mark


@frozen(eq=False)
class Tool:
    """A tool as the host runs it: its contract, its handler and how to call it.

    Attributes:
        is_plain: No result can hold what JSON doesn't know.
    """

    pack: Pack
    contract: ToolContract
    handler: Callable[..., Any]
    params: type[Params]
    adapter: TypeAdapter[Any]
    is_async: bool
    options: ToolOptions
    private: frozenset[str]
    is_plain: bool

    @property
    def name(self) -> str:
        """The tool's name, unique in a host."""
        return self.contract.name

    @property
    def scope(self) -> str:
        """What a key must allow for a call: `read` or `write`."""
        return "write" if self.options.writes else "read"


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
        """Return the error for arguments that don't match; override to choose the code."""
        return InvalidArguments("; ".join(problem.message for problem in problems))

    def commands(self) -> click.Group | None:
        """Return the group behind `toolroll <pack> …`; its `ctx.obj` is the `PackContext`."""
        return None

    def workers(self) -> Sequence[Worker]:
        """Return the background loops that the host starts, supervises and drains."""
        return ()

    def remarks(self, context: PackContext) -> Sequence[str]:
        """Return what an operator should know of the pack here; `toolroll doctor` shows it."""
        return ()

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
        found = [
            _build(self, name, method)
            for name, method in inspect.getmembers(self, inspect.ismethod)
            if hasattr(method, _MARK)
        ]
        return tuple(sorted(found, key=lambda item: item.name))

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
            f"pack name {name!r} is not lower-case letters, digits and underscores",
            remedy="rename the pack, for example 'notes'",
        )


def _build(pack: Pack, name: str, method: Callable[..., Any]) -> Tool:
    options: ToolOptions = getattr(method, _MARK)
    where = f"tool {name!r} of pack {pack.name!r}"
    if not _TOOL_NAME.fullmatch(name):
        raise LoadError(
            "contract", f"{where}: the name is not [A-Za-z0-9_-]{{1,64}}", remedy="rename it"
        )
    hints = typing.get_type_hints(method, include_extras=True)
    parameters = [p for p in inspect.signature(method).parameters if p != "self"]
    params = hints.get(parameters[1]) if len(parameters) == 2 else None
    if not (isinstance(params, type) and issubclass(params, Params)):
        raise LoadError(
            "contract",
            f"{where} must take (self, ctx, args) with args annotated as a toolroll.Params class",
            remedy="write a class for its arguments and annotate it",
        )
    returns = options.returns or hints.get("return")
    if returns is None:
        raise LoadError(
            "contract", f"{where} has no return annotation", remedy="annotate what it returns"
        )
    description = inspect.getdoc(method) or ""
    if not description:
        raise LoadError(
            "contract",
            f"{where} has no docstring",
            remedy="write one: what it does, when to use it, limits",
        )
    schema, wrapped = output_schema(returns)
    contract = ToolContract(
        name=name,
        title=options.title or name.replace("_", " ").capitalize(),
        description=description,
        input_schema=input_schema(params),
        output_schema=schema,
        annotations=Annotations(
            read_only=not options.writes,
            destructive=options.destructive,
            idempotent=options.idempotent,
            open_world=options.open_world,
        ),
        wrapped=wrapped,
        markdown=returns is Markdown,
        project_paths=_marked(params, PathMark),
    )
    return Tool(
        pack=pack,
        contract=contract,
        handler=method,
        params=params,
        adapter=TypeAdapter[Any](returns),
        is_async=inspect.iscoroutinefunction(method),
        options=options,
        private=frozenset(_marked(params, PrivateMark)),
        is_plain=is_plain(schema),
    )


def _marked(params: type[Params], mark: type[Any]) -> tuple[str, ...]:
    """Return the parameters that carry a mark, also inside `Annotated[str, mark] | None`."""
    found: list[str] = []
    for name, field in params.model_fields.items():
        inner = [getattr(part, "__metadata__", ()) for part in typing.get_args(field.annotation)]
        marks = [*field.metadata, *(item for group in inner for item in group)]
        if any(isinstance(item, mark) for item in marks):
            found.append(name)
    return tuple(found)
