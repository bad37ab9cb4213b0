"""The way of one call: look up, validate, authorise, limit, run, shape the answer, record.

Knows nothing of MCP: the host, the command line and the conformance suite all go through here, so
that a tool behaves alike however it is called (design 4).
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from attrs import evolve, frozen

from toolroll.answers import Answer, failure, success
from toolroll.audit import AuditLog, CallRecord, redact
from toolroll.context import CancelToken, PackContext, Principal, evolve_for_call
from toolroll.errors import InternalError, PermissionDenied, ToolError, UnknownTool
from toolroll.handling import handle
from toolroll.limits import Admission, RateLimiter, RateLimits
from toolroll.pack import Pack
from toolroll.params import Params
from toolroll.problems import parse
from toolroll.progress import Reporter, Sink
from toolroll.settings import HostSettings
from toolroll.threads import Threads
from toolroll.tools import Tool

__all__ = ["Caller"]

log: Final = logging.getLogger("toolroll.call")


@frozen
class Load:
    """How busy a host is: calls that run, and calls that wait for a thread."""

    running: int
    waiting: int


class Caller:
    """Runs calls against the tools of one host.

    Args:
        tools: The served tools by name.
        contexts: Gives the resources of a pack by its name.
        settings: Limits.
        audit: Where calls are recorded; None for nowhere.
        rates: Limits the calls of each tenant; by default in this process alone.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        contexts: Callable[[str], PackContext],
        settings: HostSettings,
        audit: AuditLog | None = None,
        rates: RateLimits | None = None,
    ) -> None:
        self._tools = tools
        self._contexts = contexts
        self._settings = settings
        self._records = [audit] if audit is not None else []
        self._rates = rates or RateLimiter(settings.calls_per_minute)
        self._admission = Admission(settings.max_queue)
        self._threads = Threads(settings.max_concurrency)
        self._under_way: set[CancelToken] = set()
        self._called_off = False

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        principal: Principal,
        progress: Sink | None = None,
        *,
        alone: bool = False,
    ) -> Answer:
        """Run one call and return its answer, a success or the pack's error envelope.

        Args:
            name: A tool's name.
            arguments: JSON values as they came.
            principal: Who calls.
            progress: Sends progress notifications; None where nobody asked.
            alone: Nobody else calls: a brief writer may keep the event loop until it has ended.

        Raises:
            UnknownTool: No served tool has this name. Nothing else is raised, cancellation apart.
        """
        tool = self._tools.get(name)
        if tool is None:
            raise UnknownTool(name)
        started = time.monotonic()
        call_id = secrets.token_hex(8)
        answer: Answer | None = None
        try:
            answer = await self._answer(
                tool, arguments, principal, progress, started, call_id, alone=alone
            )
            return answer
        finally:
            self._record(tool, arguments, principal, started, call_id, answer)

    def observe(self, sink: AuditLog) -> None:
        """Record calls there too, from now on."""
        self._records.append(sink)

    @property
    def load(self) -> Load:
        """How many calls run and wait right now."""
        waiting = self._threads.waiting
        return Load(running=max(self._admission.inside - waiting, 0), waiting=waiting)

    def close(self) -> None:
        """End the threads that handlers run in."""
        self._threads.close()

    def call_off(self) -> None:
        """Ask every call to stop, writers too: the host ends, and nobody waits for an answer.

        What only takes a moment goes on all the same.
        """
        self._called_off = True
        for cancel in self._under_way.copy():
            cancel.cancel()

    def drain(self, timeout: float) -> bool:
        """Refuse further calls and wait for those under way; False if some still run."""
        return self._admission.close(timeout)

    def finish(self, patience: float, grace: float = 0.0) -> None:
        """Refuse further calls, and let those under way end: the host does.

        Args:
            patience: Seconds until those that still run are asked to stop.
            grace: Seconds that they then have.
        """
        if not self.drain(patience):
            self.call_off()
            self.drain(grace)

    async def _answer(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        principal: Principal,
        progress: Sink | None,
        started: float,
        call_id: str,
        *,
        alone: bool,
    ) -> Answer:
        cancel = CancelToken()
        self._under_way.add(cancel)
        if self._called_off:
            cancel.cancel()
        try:
            args = self._validated(tool, arguments)
            if tool.scope not in principal.scopes:
                raise PermissionDenied(
                    f"{tool.name} needs a key with the scope '{tool.scope}'; ask for one"
                )
            self._rates.take(principal.tenant)
            timeout = tool.options.timeout or self._settings.timeout_seconds
            reporter = Reporter(progress, cancel)
            with self._admission:
                context = evolve_for_call(
                    self._contexts(tool.pack.name),
                    principal=_for_pack(principal, tool.pack),
                    deadline=started + timeout,
                    call_id=call_id,
                    cancel=cancel,
                    report=reporter,
                )
                value = await handle(self._threads, tool, context, args, timeout, alone=alone)
                await reporter.settled()
            bound = tool.options.max_output or self._settings.max_output_chars
            return success(tool, value, bound)
        except ToolError as error:
            try:
                return failure(tool, error)
            except (TypeError, ValueError, RecursionError):  # its message or details are no JSON
                return _broken(tool, call_id)
        except (Exception, SystemExit):  # the boundary to a pack: its text may hold secrets
            return _broken(tool, call_id)
        finally:
            self._under_way.discard(cancel)

    def _validated(self, tool: Tool, arguments: Mapping[str, Any]) -> Params:
        parsed = parse(
            tool.params, tool.contract.input_schema, arguments, tool.contract.project_paths
        )
        if isinstance(parsed, list):
            raise tool.pack.refuse(tool.name, parsed)
        return parsed

    def _record(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        principal: Principal,
        started: float,
        call_id: str,
        answer: Answer | None,
    ) -> None:
        if not self._records:
            return
        outcome = "cancelled" if answer is None else "error" if answer.is_error else "ok"
        record = CallRecord(
            time=datetime.now(UTC).isoformat(timespec="microseconds"),
            call_id=call_id,
            pack=tool.pack.name,
            tool=tool.name,
            tenant=principal.tenant[:12],
            duration_ms=round((time.monotonic() - started) * 1000, 3),
            outcome=outcome,
            code=answer.code if answer else "",
            arguments=redact(arguments, tool.private, tool.params.model_fields),
        )
        for sink in self._records:
            sink.write(record)


def _for_pack(principal: Principal, pack: Pack) -> Principal:
    """Return the caller without the credentials that other packs ask for."""
    if not principal.credentials:
        return principal
    return evolve(principal, credentials=principal.credentials.only(pack.credential_headers))


def _broken(tool: Tool, call_id: str) -> Answer:
    """Log the exception that is being handled, and return an answer that only names it."""
    log.exception("tool %s failed, call %s", tool.name, call_id)
    package = type(tool.pack).__module__.partition(".")[0]
    return failure(tool, InternalError.of(tool.name, call_id, package))
