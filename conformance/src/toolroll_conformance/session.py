"""What one run keeps: the target, the process that starts servers, and the ways in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from attrs import field, frozen

from toolroll_conformance.commands import Commands
from toolroll_conformance.legs.base import Leg
from toolroll_conformance.legs.dialect import ERAS
from toolroll_conformance.legs.http import HttpLeg, RemoteLeg
from toolroll_conformance.legs.memory import MemoryLeg
from toolroll_conformance.legs.starting import PackServer, StrangerServer
from toolroll_conformance.legs.stdio import StdioLeg
from toolroll_conformance.processes.child import ColdLauncher, Launcher
from toolroll_conformance.processes.warm import SUPPORTED, WarmLauncher
from toolroll_conformance.sharing import Idle
from toolroll_conformance.stand_in import StandIn
from toolroll_conformance.storage import EMBEDDED, ServerTier, Storage
from toolroll_conformance.target import Target

__all__ = ["LEGS", "ServerOptions", "Session"]

LEGS: Final = ("memory", "stdio", "http")
EXAMPLES: Final = 50
"""Generated calls for each tool and rule, unless told otherwise."""
WIRE_SHARE: Final = 5
"""Over stdio and HTTP only one in so many: there they test the wire, not the pack."""


@frozen(kw_only=True)
class ServerOptions:
    """How a pack is served on the server tier: on PostgreSQL and Redis, by one host or several.

    Attributes:
        database_url: A PostgreSQL server on which databases may be made; "" starts one.
        redis_url: A Redis server whose numbered databases may be emptied; "" starts one.
        hosts: Hosts over HTTP; calls go to them in turn.
        unrest: Whether hosts are killed and started again all along.
    """

    database_url: str = ""
    redis_url: str = ""
    hosts: int = 1
    unrest: bool = False


@frozen(eq=False)
class Session:
    """A target with its ways in; use it as a context manager.

    Attributes:
        legs: The ways in, each in one era.
        commands: Runs `toolroll` commands for cases.
        environment: What processes started outside the session need to find the pack.
        examples: Generated calls for each tool and rule in process.
        idle: Servers that checks leave to the next.
    """

    target: Target
    legs: tuple[Leg, ...]
    commands: Commands | None = None
    environment: dict[str, str] = field(factory=dict[str, str])
    examples: int = EXAMPLES
    stack: ExitStack = field(factory=ExitStack, repr=False)
    idle: Idle = field(factory=Idle, repr=False, init=False)

    @property
    def is_complete(self) -> bool:
        """Whether it has every way in that the target allows: nothing was left out on request."""
        eras = {leg.era for leg in self.legs if leg.era}
        names = {leg.name for leg in self.legs}
        return eras == set(ERAS) and (self.target.source is None or names == set(LEGS))

    def examples_on(self, leg: Leg) -> int:
        """Return how many generated calls a rule makes for each tool on a leg."""
        return self.examples if leg.name == "memory" else -(-self.examples // WIRE_SHARE)

    @classmethod
    def of_pack(
        cls,
        target: Target,
        legs: Sequence[str] = LEGS,
        eras: Sequence[str] = ERAS,
        *,
        examples: int = EXAMPLES,
        server: ServerOptions | None = None,
    ) -> Session:
        """Serve a pack by every leg, in every era where one is spoken.

        Raises:
            ServerMissing: A server was to be started, and its wheel is not installed.
        """
        assert target.source is not None
        stack = ExitStack()
        storage: Storage = EMBEDDED
        if server is not None:
            storage = ServerTier(target.source, server.database_url, server.redis_url)
            stack.callback(storage.close)
        http = server or ServerOptions()
        environment: dict[str, str] = {}
        if target.pack is not None and not target.is_installed:
            stand_in = StandIn(target.pack)
            stack.callback(stand_in.close)
            environment = stand_in.environment
        launcher: Launcher = (
            WarmLauncher(environment, _warm_packs(target))
            if SUPPORTED
            else ColdLauncher(environment=environment)
        )
        stack.callback(launcher.close)
        starter = PackServer(launcher)
        ways: list[Leg] = [MemoryLeg(target.source, storage)] if "memory" in legs else []
        ways += [StdioLeg(starter, era, storage=storage) for era in eras if "stdio" in legs]
        ways += [
            HttpLeg(starter, era, storage, http.hosts, http.unrest)
            for era in eras
            if "http" in legs
        ]
        return cls(target, tuple(ways), Commands(launcher), environment, examples, stack)

    @classmethod
    def of_command(
        cls,
        target: Target,
        words: Sequence[str],
        eras: Sequence[str] = ERAS,
        *,
        examples: int = EXAMPLES,
    ) -> Session:
        """Start a stranger's server by its command, which speaks MCP on its standard streams."""
        server = StrangerServer(ColdLauncher(words[:1]), words[1:])
        able = frozenset({"files", "restart", "kill", "wire"})
        legs = tuple(StdioLeg(server, era, able) for era in eras)
        return cls(target, legs, examples=examples)

    @classmethod
    def of_url(
        cls,
        target: Target,
        url: str,
        tokens: Sequence[str] = (),
        eras: Sequence[str] = ERAS,
        *,
        examples: int = EXAMPLES,
    ) -> Session:
        """Speak with a stranger's server that is already there."""
        legs = tuple(RemoteLeg(url, era, tuple(tokens)) for era in eras)
        return cls(target, legs, examples=examples)

    def close(self) -> None:
        """End every process and remove what was made for the run."""
        self.idle.close()
        for leg in self.legs:
            leg.close()
        self.stack.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _warm_packs(target: Target) -> list[str]:
    """Return the package to import before servers are forked; a pack that stands in has none.

    What a library does on import, those rules see whose servers start cold (`Probe.cold`).
    """
    if target.pack is None or not target.is_installed:
        return []
    return [type(target.pack).__module__.partition(".")[0]]
