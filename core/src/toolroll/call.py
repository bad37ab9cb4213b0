"""The way of one call: look up, validate, authorise, limit, run, shape the answer, record.

Knows nothing of MCP: the host, the command line and the conformance suite all go through here, so
that a tool behaves alike however it is called (design 4).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

import anyio
from attrs import evolve, frozen
from pydantic_core import from_json

from toolroll.audit import AuditLog, CallRecord, redact
from toolroll.context import (
    CancelToken,
    PackContext,
    Principal,
    ToolContext,
    evolve_for_call,
)
from toolroll.errors import (
    DeadlineExceeded,
    InternalError,
    OutputTooLarge,
    PermissionDenied,
    ToolError,
    UnknownTool,
)
from toolroll.limits import Admission, RateLimiter, RateLimits
from toolroll.pack import Pack, Tool
from toolroll.params import Params
from toolroll.problems import parse
from toolroll.settings import HostSettings
from toolroll.storage import Database
from toolroll.threads import Threads

__all__ = ["Answer", "Caller"]

log: Final = logging.getLogger("toolroll.call")

# Made once: json.dumps would make one for every answer.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

Sink = Callable[[float, float | None, str | None], Any]
"""An async function that sends one progress notification."""


@frozen
class Answer:
    """The answer to a call.

    Attributes:
        text: The document's payload as JSON, or Markdown; always encodable as UTF-8.
        json: The same as the text of a JSON object.
        code: "" for a success, else the code in the pack's contract.
    """

    text: str
    json: str
    code: str = ""

    @property
    def structured(self) -> dict[str, Any]:
        """`json` as a value."""
        return from_json(self.json)

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return bool(self.code)


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

    def drain(self, timeout: float) -> bool:
        """Refuse further calls and wait for those under way; False if some still run."""
        return self._admission.close(timeout)

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
        try:
            args = self._validated(tool, arguments)
            if tool.scope not in principal.scopes:
                raise PermissionDenied(
                    f"{tool.name} needs a key with the scope '{tool.scope}'; ask for one"
                )
            self._rates.take(principal.tenant)
            timeout = tool.options.timeout or self._settings.timeout_seconds
            cancel = CancelToken()
            reporter = _Reporter(progress, cancel)
            with self._admission:
                context = evolve_for_call(
                    self._contexts(tool.pack.name),
                    principal=_for_pack(principal, tool.pack),
                    deadline=started + timeout,
                    call_id=call_id,
                    cancel=cancel,
                    report=reporter,
                )
                value = await self._run(tool, context, args, timeout, alone=alone)
                await reporter.settled()
            return self._shape(tool, value)
        except ToolError as error:
            return _failure(tool, error)
        except (Exception, SystemExit):  # the boundary to a pack: its text may hold secrets
            log.exception("tool %s failed, call %s", tool.name, call_id)
            error = InternalError(f"{tool.name} failed inside; the log has it as call {call_id}")
            return _failure(tool, error)

    def _validated(self, tool: Tool, arguments: Mapping[str, Any]) -> Params:
        parsed = parse(
            tool.params, tool.contract.input_schema, arguments, tool.contract.project_paths
        )
        if isinstance(parsed, list):
            raise tool.pack.refuse(tool.name, parsed)
        return parsed

    async def _run(
        self, tool: Tool, context: ToolContext, args: Params, timeout: float, *, alone: bool
    ) -> Any:
        """Run the handler: readers end at the deadline or a cancel, writers at their own end."""
        writes = tool.options.writes
        try:
            with anyio.CancelScope(shield=writes) as scope:
                if not writes:
                    scope.deadline = anyio.current_time() + timeout
                return await self._handler(tool, context, args, alone=alone)
            raise DeadlineExceeded(
                f"{tool.name} did not finish within {timeout:g} s; narrow the call and try again"
            )
        finally:
            context.cancel.cancel()

    async def _handler(self, tool: Tool, context: ToolContext, args: Params, *, alone: bool) -> Any:
        if tool.is_async:
            return await tool.handler(context, args)
        if _is_quick(tool, context.database, alone=alone):
            return tool.handler(context, args)
        outcome = await self._threads.run(_handled, tool.handler, context, args)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def _shape(self, tool: Tool, value: Any) -> Answer:
        contract = tool.contract
        text = _markdown(tool, value) if contract.markdown else _json_of(tool, value)
        bound = tool.options.max_output or self._settings.max_output_chars
        if len(text) > bound:
            raise OutputTooLarge(
                f"the answer has {len(text)} characters, more than {bound}; ask for less: a "
                "smaller limit with an offset, a narrower filter, or a part of the file"
            )
        if not contract.wrapped:
            return Answer(text, text)
        return Answer(text, f'{{"result":{_json(text) if contract.markdown else text}}}')

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
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
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


def _is_quick(tool: Tool, database: Database, *, alone: bool) -> bool:
    """Say whether a handler may keep the event loop: going to a thread and back takes longer.

    Writers of several callers do better in threads, where they share commits.
    """
    writes = tool.options.writes
    return tool.options.brief and (alone or not writes) and database.is_at_hand(writing=writes)


def _handled(handler: Callable[..., Any], context: ToolContext, args: Params) -> Any:
    """Run a handler in its thread."""
    context.database.prepare()
    return handler(context, args)


def _in_event_loop() -> bool:
    """Say whether this thread runs an event loop right now."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Reporter:
    """Sends the progress of one call, for handlers in a thread and for those in the event loop."""

    def __init__(self, sink: Sink | None, cancel: CancelToken) -> None:
        self._sink = sink
        self._cancel = cancel
        self._loop = asyncio.get_running_loop()
        self._sending: set[asyncio.Task[Any]] = set()

    def __call__(self, done: float, total: float | None, message: str | None) -> None:
        """Send a notification, where anybody asked."""
        if self._sink is None or self._cancel.cancelled:
            return  # the caller has gone; an abandoned reader may still be counting
        if not _in_event_loop():
            sent = asyncio.run_coroutine_threadsafe(self._send(done, total, message), self._loop)
            sent.result()
            return
        task = asyncio.ensure_future(self._send(done, total, message))
        self._sending.add(task)  # the loop itself keeps only a weak reference
        task.add_done_callback(self._sending.discard)

    async def _send(self, done: float, total: float | None, message: str | None) -> None:
        if self._sink is not None:
            await self._sink(done, total, message)

    async def settled(self) -> None:
        """Wait until all that was to be sent is: no answer overtakes its progress."""
        if self._sending:
            await asyncio.wait(self._sending)


def _markdown(tool: Tool, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{tool.name} returned {type(value).__name__}, not Markdown")
    return str(value) if _is_encodable(value) else _visible(value)


def _json_of(tool: Tool, value: Any) -> str:
    """Return a result as JSON text: in one step where its type holds nothing that JSON doesn't."""
    if tool.is_plain:
        with contextlib.suppress(ValueError):  # a surrogate, or not of the type: looked at below
            return tool.adapter.dump_json(value, warnings="error").decode()
    return _encodable_json(tool.adapter.dump_python(value, mode="json", warnings=False))


def _failure(tool: Tool, error: ToolError) -> Answer:
    code = tool.pack.code_of(error)
    text = _encodable_json(tool.pack.envelope.render(error, code))
    return Answer(text, text, code)


def _encodable_json(value: Any) -> str:
    text = _json(value)
    return text if _is_encodable(text) else _json(_clean(value))


def _json(value: Any) -> str:
    """Return JSON text; a NaN or infinity is a defect of the pack, not a null."""
    return _ENCODER.encode(value)


def _is_encodable(text: str) -> bool:
    """Say whether a text holds no lone surrogate: a single one kills the SDK's stdio writer."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _visible(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _clean(value: Any) -> Any:
    """Return a JSON value with every lone surrogate written out as `\\udcff`."""
    match value:
        case str():
            return _visible(value)
        case dict():
            items = cast("dict[str, Any]", value)
            return {_visible(key): _clean(item) for key, item in items.items()}
        case list():
            return [_clean(item) for item in cast("list[Any]", value)]
        case _:
            return value
