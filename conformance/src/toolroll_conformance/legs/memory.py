"""The pack in process: toolroll's own runtime and call pipeline, without a protocol.

The quickest way in, on which every rule that is about the pack rather than the wire runs.
"""

from __future__ import annotations

import concurrent.futures
import json
import logging
import threading
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Any, Final

from anyio.from_thread import BlockingPortal, start_blocking_portal
from attrs import field, frozen, mutable

from toolroll.answers import Answer
from toolroll.context import LOCAL, Principal, tenant_of
from toolroll.errors import UnknownTool
from toolroll.registry import Source
from toolroll.runtime import Runtime
from toolroll_conformance.deeds import Watch, standing_in, watched
from toolroll_conformance.host_log import handler_in
from toolroll_conformance.legs.base import CALL_TIMEOUT, FIRST, CannotServe
from toolroll_conformance.reply import NoReply, ProtocolError, Reply
from toolroll_conformance.storage import EMBEDDED, Storage
from toolroll_conformance.workspace import Workspace

__all__ = ["MemoryConnection", "MemoryLeg"]

INVALID_PARAMS: Final = -32602
_LOGGER: Final = logging.getLogger("toolroll")
_QUIET: Final = logging.NullHandler()
_MIGRATING: Final = threading.Lock()
"""Alembic keeps its context in globals: only one migration may run in a process at a time."""


@mutable(eq=False)
class MemoryLeg:
    """Serves one pack in this process.

    Args:
        source: Where the pack comes from.
        storage: Where it keeps its data.
    """

    source: Source
    storage: Storage = EMBEDDED
    name: str = "memory"
    era: str = ""
    abilities: frozenset[str] = frozenset({"files", "settings", "commands", "restart", "tenants"})
    _stack: ExitStack = field(factory=ExitStack, init=False)
    _portal: BlockingPortal | None = field(default=None, init=False)

    def open(self, workspace: Workspace) -> MemoryConnection:
        """Load the pack on a workspace and start its workers."""
        if self._portal is None:
            # a masked exception is what a check may be about; the host would log it to its stderr
            _LOGGER.addHandler(_QUIET)
            self._stack.enter_context(standing_in())
            self._portal = self._stack.enter_context(start_blocking_portal())
        return MemoryConnection(self.source, workspace, self._portal)

    def close(self) -> None:
        """End the event loop that all calls ran on."""
        self._stack.close()
        self._portal = None


@frozen
class _PendingCall:
    future: concurrent.futures.Future[Answer]
    watch: Watch

    def result(self, timeout: float = CALL_TIMEOUT) -> Reply:
        try:
            answer = self.future.result(timeout)
        except UnknownTool as error:
            raise ProtocolError(INVALID_PARAMS, str(error)) from None
        except (TimeoutError, concurrent.futures.CancelledError):
            told = "".join(f"; it {deed}" for deed in self.watch.deeds)
            raise NoReply(f"no answer within {timeout:g} s, or cancelled{told}") from None
        structured = None if answer.is_error else answer.structured
        code = answer.code or None
        return Reply(answer.text, structured, answer.is_error, code, self.watch.deeds)

    def cancel(self) -> None:
        self.future.cancel()


class MemoryConnection:
    """A host of one pack in this process."""

    def __init__(self, source: Source, workspace: Workspace, portal: BlockingPortal) -> None:
        self._source = source
        self._workspace = workspace
        self._portal = portal
        self._log = handler_in(workspace.path)
        _LOGGER.addHandler(self._log)
        try:
            self._runtime = self._start()
        except BaseException:
            self._close_log()
            raise
        (item,) = self._runtime.registry.packs.values()
        self._package = type(item.pack).__module__.partition(".")[0]

    def _start(self) -> Runtime:
        runtime = Runtime.open(config=self._workspace.config, sources=self._sources)
        for item in runtime.registry.quarantined:
            runtime.close()
            raise CannotServe(
                f"pack {item.source.name} failed at stage {item.stage}: {item.cause}; {item.remedy}"
            )
        with _MIGRATING:
            runtime.warm()
        runtime.start_workers()
        return runtime

    def _sources(self) -> Iterable[Source]:
        return (self._source,)

    def list_tools(self, cursor: str | None = None) -> dict[str, Any]:
        tools = [_listed(tool.contract.to_json()) for tool in self._runtime.registry.tools.values()]
        return {"tools": tools}

    def begin(self, tool: str, arguments: Mapping[str, Any], tenant: str = FIRST) -> _PendingCall:
        sent = json.loads(json.dumps(arguments))  # what a wire would make of them
        watch = Watch(self._package, (self._workspace.path,))
        future = self._portal.start_task_soon(self._call, watch, tool, sent, _principal(tenant))
        return _PendingCall(future, watch)

    async def _call(
        self, watch: Watch, tool: str, arguments: Mapping[str, Any], principal: Principal
    ) -> Answer:
        with watched(watch):
            return await self._runtime.caller.call(tool, arguments, principal)

    def failing_workers(self) -> dict[str, str]:
        """Return what is wrong with the pack's background work now."""
        return self._runtime.failing_workers()

    def rest(self, timeout: float) -> None:
        """Let the pack's background work do what there is to do, for so many seconds at most."""
        self._runtime.rest(timeout)

    def restart(self, *, kill: bool) -> None:
        self._runtime.close()
        self._runtime = self._start()

    def close(self) -> None:
        self._runtime.close()
        self._close_log()

    def _close_log(self) -> None:
        _LOGGER.removeHandler(self._log)
        self._log.close()


def _principal(tenant: str) -> Principal:
    """Return who calls: the first tenant is the local user, whose data commands see too."""
    return LOCAL if tenant == FIRST else Principal(tenant=tenant_of(tenant), name=tenant)


def _listed(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool as `tools/list` shows it: without what only the contract file says."""
    own = {"wrapped", "markdown", "project_paths"}
    return {key: value for key, value in tool.items() if key not in own}
