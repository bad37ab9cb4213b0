"""Methods of a pack as tools: the mark, and the contract that is read from a marked method."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from attrs import evolve, frozen
from pydantic import TypeAdapter

from toolroll.contract import Annotations, ToolContract
from toolroll.errors import LoadError
from toolroll.params import Markdown, Params, PathMark, PrivateMark
from toolroll.schema import input_schema, is_plain, output_schema

if TYPE_CHECKING:
    from toolroll.pack import Pack

__all__ = ["Tool", "tool", "tools_of"]

_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
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
    repeated: bool = False


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
            run to their end, or as far as they like when the host ends (`ToolContext.cancelled`).
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
        # The class body binds the name anew: a tool that has it by now would be gone unseen.
        frame = inspect.currentframe()
        body = frame.f_back.f_locals if frame and frame.f_back else {}
        repeated = _is_marked(body.get(handler.__name__)) and "__qualname__" in body
        setattr(handler, _MARK, evolve(options, repeated=repeated))
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


class _Schemas(NamedTuple):
    """What is worked out from the annotations of a tool, and how its results are read."""

    input: dict[str, Any]
    output: dict[str, Any]
    wrapped: bool
    adapter: TypeAdapter[Any]


_SCHEMAS: Final[WeakKeyDictionary[Callable[..., Any], _Schemas]] = WeakKeyDictionary()
"""By the function behind a tool: most of what it takes to load a pack, which a process may do many
times, and a test runner does."""


def tools_of(pack: Pack) -> tuple[Tool, ...]:
    """Return the tools of a pack, sorted by name.

    Raises:
        LoadError: A method marked as a tool can't be one; the message says why.
    """
    marked = [name for name in dir(pack) if _is_marked(inspect.getattr_static(pack, name))]
    return tuple(_checked(pack, name) for name in sorted(marked))


def _is_marked(attribute: Any) -> bool:
    return hasattr(attribute, _MARK) or hasattr(getattr(attribute, "__wrapped__", None), _MARK)


def _checked(pack: Pack, name: str) -> Tool:
    """Return one tool; whatever keeps it from being one is told with its name."""
    where = f"tool {name!r} of pack {pack.name!r}"
    try:
        return _built(pack, name, where)
    except LoadError:
        raise
    except Exception as error:  # pydantic's and typing's, of annotations that make no schema
        raise LoadError(
            "contract",
            f"{where}: {type(error).__name__}: {error}",
            remedy="mend what its arguments and result are annotated with",
        ) from error


def _built(pack: Pack, name: str, where: str) -> Tool:
    method = getattr(pack, name)
    if not inspect.ismethod(method):
        raise LoadError("contract", f"{where} is no method", remedy="define it as one, with self")
    options: ToolOptions = getattr(method, _MARK)
    if not _TOOL_NAME.fullmatch(name):
        raise LoadError(
            "contract", f"{where}: the name is not [A-Za-z0-9_-]{{1,64}}", remedy="rename it"
        )
    if options.repeated:
        raise LoadError(
            "contract", f"{where} is defined twice in its class", remedy="rename one of them"
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
    function: Callable[..., Any] = method.__func__
    known = _SCHEMAS.get(function)
    if known is None:
        result, wrapped = output_schema(returns)
        known = _Schemas(input_schema(params), result, wrapped, TypeAdapter[Any](returns))
        _SCHEMAS[function] = known
    contract = ToolContract(
        name=name,
        title=options.title or name.replace("_", " ").capitalize(),
        description=description,
        input_schema=known.input,
        output_schema=known.output,
        annotations=Annotations(
            read_only=not options.writes,
            destructive=options.destructive,
            idempotent=options.idempotent,
            open_world=options.open_world,
        ),
        wrapped=known.wrapped,
        markdown=returns is Markdown,
        project_paths=_marked(params, PathMark),
    )
    return Tool(
        pack=pack,
        contract=contract,
        handler=method,
        params=params,
        adapter=known.adapter,
        is_async=inspect.iscoroutinefunction(method),
        options=options,
        private=frozenset(_marked(params, PrivateMark)),
        is_plain=is_plain(known.output),
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
