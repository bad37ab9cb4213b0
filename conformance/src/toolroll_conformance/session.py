"""What one run keeps: the target, the process that starts servers, and the ways in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
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
from toolroll_conformance.stand_in import StandIn
from toolroll_conformance.target import Target

__all__ = ["LEGS", "Session"]

LEGS: Final = ("memory", "stdio", "http")


@frozen(eq=False)
class Session:
    """A target with its ways in; use it as a context manager.

    Attributes:
        legs: The ways in, each in one era.
        commands: Runs `toolroll` commands for cases.
        environment: What processes started outside the session need to find the pack.
        examples: Generated calls for each tool and rule in process.
        wire_examples: The same over stdio and HTTP.
    """

    target: Target
    legs: tuple[Leg, ...]
    commands: Commands | None = None
    environment: dict[str, str] = field(factory=dict[str, str])
    examples: int = 50
    wire_examples: int = 10
    stack: ExitStack = field(factory=ExitStack, repr=False)

    @classmethod
    def of_pack(
        cls, target: Target, legs: Sequence[str] = LEGS, eras: Sequence[str] = ERAS
    ) -> Session:
        """Serve a pack by every leg, in every era where one is spoken."""
        assert target.source is not None
        stack = ExitStack()
        environment: dict[str, str] = {}
        if target.pack is not None and not target.is_installed:
            stand_in = StandIn(target.pack)
            stack.callback(stand_in.close)
            environment = stand_in.environment
        launcher: Launcher = (
            WarmLauncher(environment) if SUPPORTED else ColdLauncher(environment=environment)
        )
        stack.callback(launcher.close)
        server = PackServer(launcher)
        ways: list[Leg] = [MemoryLeg(target.source)] if "memory" in legs else []
        ways += [StdioLeg(server, era) for era in eras if "stdio" in legs]
        ways += [HttpLeg(server, era) for era in eras if "http" in legs]
        return cls(target, tuple(ways), Commands(launcher), environment, stack=stack)

    @classmethod
    def of_command(cls, target: Target, words: Sequence[str], eras: Sequence[str]) -> Session:
        """Start a stranger's server by its command, which speaks MCP on its standard streams."""
        server = StrangerServer(ColdLauncher(words[:1]), words[1:])
        able = frozenset({"files", "restart", "kill", "wire"})
        return cls(target, tuple(StdioLeg(server, era, able) for era in eras))

    @classmethod
    def of_url(
        cls, target: Target, url: str, tokens: Sequence[str], eras: Sequence[str]
    ) -> Session:
        """Speak with a stranger's server that is already there."""
        return cls(target, tuple(RemoteLeg(url, era, tuple(tokens)) for era in eras))

    def close(self) -> None:
        """End every process and remove what was made for the run."""
        for leg in self.legs:
            leg.close()
        self.stack.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
