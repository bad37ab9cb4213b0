"""Finding, checking and quarantining packs; one name, one tool.

Each pack passes four isolated stages: metadata, import, register, contract. One that fails is
quarantined with stage, cause and remedy, and the host serves the rest (design 3).
"""

from __future__ import annotations

import fnmatch
import importlib.metadata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import pluggy
from attrs import field, frozen, mutable

from toolroll import hookspecs
from toolroll.backends import Backends, Factory, checked
from toolroll.contract import Contract
from toolroll.errors import LoadError
from toolroll.frozen import check_frozen, isolated
from toolroll.pack import API_VERSION, Pack, check_attributes, check_name
from toolroll.settings import PackSelection, ToolSelection
from toolroll.tools import Tool

__all__ = ["LoadedBackends", "LoadedPack", "QuarantinedPack", "Registry", "Source", "discover"]

SUPPORTED_API: Final = (API_VERSION - 1, API_VERSION)


@frozen(order=True)
class Source:
    """Where a pack comes from."""

    name: str
    distribution: str
    version: str
    load: Callable[[], Any] = field(order=False, eq=False, repr=False)


@frozen(eq=False)
class LoadedPack:
    """A pack that passed all stages."""

    source: Source
    pack: Pack
    tools: tuple[Tool, ...]
    contract: Contract


@frozen(eq=False)
class LoadedBackends:
    """What a distribution brings beside its pack, or without one."""

    source: Source
    factories: Backends


@frozen
class QuarantinedPack:
    """A pack that is installed but not served."""

    source: Source
    stage: str
    cause: str
    remedy: str


@mutable
class Registry:
    """The packs of one host.

    Attributes:
        packs: Loaded packs by name, sorted.
        brought: What loaded distributions bring for `[backends]`, by the name of their source.
        quarantined: Those that failed, sorted.
        tools: Every tool of every loaded pack by name, sorted: what `tools/list` shows.
        installed: Names of all sources, those included that the selection left out.
        idle: What the selections block or switch, but no pack or tool is called.
    """

    packs: dict[str, LoadedPack] = field(factory=dict[str, LoadedPack])
    brought: dict[str, LoadedBackends] = field(factory=dict[str, LoadedBackends])
    quarantined: list[QuarantinedPack] = field(factory=list[QuarantinedPack])
    tools: dict[str, Tool] = field(factory=dict[str, Tool])
    installed: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    manager: pluggy.PluginManager = field(factory=lambda: _manager())

    @property
    def credential_headers(self) -> tuple[str, ...]:
        """The HTTP headers that packs take callers' keys from, sorted."""
        named = (item.pack.credential_headers for item in self.packs.values())
        return tuple(sorted({header for headers in named for header in headers}))

    @classmethod
    def load(
        cls,
        sources: Iterable[Source],
        *,
        packs: PackSelection | None = None,
        tools: ToolSelection | None = None,
        read_only: bool = False,
    ) -> Registry:
        """Load packs from their sources, sorted by name; never raises for a bad pack."""
        registry = cls()
        packs, tools = packs or PackSelection(), tools or ToolSelection()
        ordered = sorted(sources)
        registry.installed = tuple(source.name for source in ordered)
        for source in ordered:
            if source.name in packs.block:
                continue
            if packs.allow is not None and source.name not in packs.allow:
                continue
            try:
                registry._add(source)
            except LoadError as error:
                registry._quarantine(source, error)
        loaded = registry.packs.keys() | registry.brought.keys()
        globs = (*tools.enable, *tools.disable) if len(loaded) == len(ordered) else ()
        idle = [
            glob for glob in globs if registry.tools and not fnmatch.filter(registry.tools, glob)
        ]
        registry.idle = (*(name for name in packs.block if name not in registry.installed), *idle)
        registry.tools = {
            name: tool
            for name, tool in sorted(registry.tools.items())
            if _is_on(name, tools) and not (read_only and tool.options.writes)
        }
        return registry

    @property
    def backends(self) -> Backends:
        """The factories that loaded distributions bring, by kind and name."""
        found: dict[str, dict[str, Factory]] = {}
        for item in self.brought.values():
            for kind, named in item.factories.items():
                found.setdefault(kind, {}).update(named)
        return found

    def _quarantine(self, source: Source, error: LoadError) -> None:
        loaded = source.name in self.packs or source.name in self.brought
        if self.manager.has_plugin(source.name) and not loaded:
            self.manager.unregister(name=source.name)
        self.quarantined.append(QuarantinedPack(source, error.stage, error.cause, error.remedy))

    def _add(self, source: Source) -> None:
        if other := self.packs.get(source.name) or self.brought.get(source.name):
            raise LoadError(
                "metadata",
                f"{other.source.distribution} already brings a pack named {source.name!r}",
                remedy=f"uninstall {source.distribution} or {other.source.distribution}",
            )
        pack, backends = self.registered(source)
        if pack is not None:
            tools, contract = isolated(
                "contract",
                lambda: self._checked(source, pack),
                f"mend or remove {source.distribution}",
            )
            self.packs[pack.name] = LoadedPack(source, pack, tools, contract)
            self.tools.update({tool.name: tool for tool in tools})
        if backends:
            self.brought[source.name] = LoadedBackends(source, backends)

    def registered(self, source: Source) -> tuple[Pack | None, Backends]:
        """Pass a plugin through the stages `import` and `register`."""
        module = isolated("import", source.load, f"mend or remove {source.distribution}")
        remedy = "compare its hooks with toolroll.hookspecs"
        return isolated("register", lambda: self._register(source, module), remedy)

    def _register(self, source: Source, module: Any) -> tuple[Pack | None, Backends]:
        """Register a plugin and return its pack and backends, one of the two at least."""
        self.manager.register(module, name=source.name)
        try:
            self.manager.check_pending()  # pluggy takes a misspelt hook without a word
        except pluggy.PluginValidationError as error:
            raise LoadError(
                "register",
                str(error),
                remedy=f"the hooks are {', '.join(_hook_names())}: is it a typing slip?",
            ) from None
        others = [plugin for plugin in self.manager.get_plugins() if plugin is not module]
        pack = self.manager.subset_hook_caller("toolroll_pack", others)()
        brought = self.manager.subset_hook_caller("toolroll_backends", others)()
        backends: Backends = {} if brought is None else checked(brought)
        self._refuse_repeated(source, backends)
        if not isinstance(pack, Pack) and not (pack is None and backends):
            raise LoadError(
                "register",
                f"toolroll_pack returned {type(pack).__name__}, not a toolroll.Pack",
                remedy="decorate a function toolroll_pack with @toolroll.hookimpl",
            )
        return pack, backends

    def _refuse_repeated(self, source: Source, backends: Backends) -> None:
        for item in self.brought.values():
            for kind, named in backends.items():
                if twice := sorted(named.keys() & item.factories.get(kind, {}).keys()):
                    raise LoadError(
                        "register",
                        f"{kind} {twice[0]!r} of {source.distribution} is already brought by "
                        f"{item.source.distribution}",
                        remedy=f"uninstall one of the two, or block one: [packs] block = "
                        f'["{source.name}"]',
                    )

    def _checked(self, source: Source, pack: Pack) -> tuple[tuple[Tool, ...], Contract]:
        _check_pack(source, pack)
        tools = pack.tools()
        self._check_tools(source, tools)
        contract = pack.contract(tools)
        check_frozen(source.name, pack, contract)
        return tools, contract

    def _check_tools(self, source: Source, tools: Sequence[Tool]) -> None:
        if not tools:
            raise LoadError(
                "contract", "it has no tool", remedy="mark a method with @toolroll.tool()"
            )
        for tool in tools:
            if other := self.tools.get(tool.name):
                owner = self.packs[other.pack.name].source
                raise LoadError(
                    "contract",
                    f"tool {tool.name!r} of {source.distribution} is already served by "
                    f"{owner.distribution}",
                    remedy=f"uninstall one of the two, or block one: [packs] block = "
                    f'["{source.name}"]',
                )


def _check_pack(source: Source, pack: Pack) -> None:
    check_name(pack.name)
    if pack.name != source.name:
        raise LoadError(
            "contract",
            f"the entry point is named {source.name!r}, its pack {pack.name!r}",
            remedy="give both the same name",
        )
    if pack.api_version not in SUPPORTED_API:
        raise LoadError(
            "contract",
            f"it needs API version {pack.api_version!r}, this host has {API_VERSION}",
            remedy="update the pack or the host",
        )
    check_attributes(pack)


def discover() -> list[Source]:
    """Return every installed pack, from metadata alone: nothing is imported."""
    found: list[Source] = []
    for entry in importlib.metadata.entry_points(group=hookspecs.GROUP):
        distribution = entry.dist
        found.append(
            Source(
                name=entry.name,
                distribution=distribution.name if distribution else "unknown",
                version=distribution.version if distribution else "",
                load=entry.load,
            )
        )
    return found


def _manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager(hookspecs.GROUP)
    manager.add_hookspecs(hookspecs)
    return manager


def _hook_names() -> list[str]:
    return sorted(name for name in vars(hookspecs) if name.startswith("toolroll_"))


def load_unchecked(source: Source) -> Pack:
    """Return a pack without holding it to its frozen contract, which may be about to change.

    Raises:
        LoadError: It can't be imported or registered.
    """
    pack, _ = Registry().registered(source)
    if pack is None:
        raise LoadError(
            "register", "it brings backends, and no pack", remedy="name one that brings a pack"
        )
    return pack


def _is_on(name: str, selection: ToolSelection) -> bool:
    def matches(globs: tuple[str, ...]) -> bool:
        return any(fnmatch.fnmatchcase(name, glob) for glob in globs)

    return matches(selection.enable) and not matches(selection.disable)
