"""Calls over stdio without the way through the SDK, once the SDK has shown how it answers them.

Most of what a small call costs is the SDK's: unions of message models, four hops between tasks, the
caller's capabilities validated anew. None of it can end otherwise for a call that differs from one
that the SDK has answered in nothing but its number, tool and arguments. So the SDK answers the
first call of a connection, and what its answer holds beside the content is kept; calls alike are
answered here. Whatever is unusual in any way, the SDK gets to see.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import mcp.types as types
from attrs import define, frozen
from pydantic_core import from_json, to_json

from toolroll.host.bearer import current_principal
from toolroll.host.tracing import is_traced
from toolroll.host.unread import is_encodable, refusal

if TYPE_CHECKING:
    from toolroll.context import Principal
    from toolroll.host.pipes import Input, Output
    from toolroll.runtime import Runtime

__all__ = ["Express"]

log: Final = logging.getLogger("toolroll.express")

MOST_ASKED: Final = 100
"""Calls at the SDK whose answers are awaited, to learn from the first that comes."""
ALONE_AFTER: Final = 8
"""Calls in a row with no other beside them, from which on a caller is taken to be alone."""
RESERVED: Final = "io.modelcontextprotocol/"
"""What names of `_meta` begin with that mean something to the protocol."""
_MESSAGE: Final = {"jsonrpc", "id", "method", "params"}
_PARAMS: Final = {"name", "arguments", "_meta"}
_CONTENT: Final = {"content", "structuredContent", "isError"}
"""What is each answer's own; an error has no `structuredContent`."""
_CLOSED: Final = f'"error":{{"code":{types.CONNECTION_CLOSED},"message":"Connection closed"}}'
"""What a reader that the end of the connection interrupts is answered, as by the SDK."""
_FAILED: Final = f'"error":{{"code":{types.INTERNAL_ERROR},"message":"Internal server error"}}'


@frozen
class _Call:
    """A well-formed call.

    Attributes:
        number: The request's id.
        kind: What a call alike has too: all of `_meta` that the protocol knows.
        token: Where progress is to be told.
    """

    number: int | str
    name: str
    arguments: dict[str, Any]
    kind: dict[str, Any]
    token: int | str | None

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> _Call | None:
        """Read a request; None where anything about it is unusual."""
        number, params = message.get("id"), message.get("params")
        if set(message) != _MESSAGE or message["jsonrpc"] != "2.0" or not _is_id(number):
            return None
        if not isinstance(params, dict):
            return None
        given = cast("dict[str, Any]", params)
        name, arguments = given.get("name"), given.get("arguments", {})
        meta: Any = given.get("_meta", {})
        if not (given.keys() <= _PARAMS and isinstance(name, str)):
            return None
        if not (isinstance(arguments, dict) and isinstance(meta, dict)):
            return None
        known = cast("dict[str, Any]", meta)
        token = known.get("progressToken")
        if "progressToken" in known and not _is_id(token):
            return None
        kind = {
            key: value
            for key, value in known.items()
            if key != "progressToken" and (key.startswith(RESERVED) or not isinstance(value, str))
        }
        values = cast("dict[str, Any]", arguments)
        return cls(cast("int | str", number), name, values, kind, token)


@define(eq=False)
class _UnderWay:
    """A call that runs.

    Attributes:
        writes: It is never interrupted.
        called_off: The caller doesn't wait any more, and gets no answer.
    """

    task: asyncio.Task[None]
    writes: bool
    called_off: bool = False

    def stop(self) -> None:
        """Interrupt a reader."""
        if not self.writes:
            self.task.cancel()


class Express:
    """Answers calls on a pair of pipes that it shares with the SDK; an asynchronous context.

    Args:
        runtime: Whose calls.
        source: Offers each line here first.
        target: Where answers go.
    """

    def __init__(self, runtime: Runtime, source: Input, target: Output) -> None:
        self._runtime = runtime
        self._target = target
        self._principal: Principal = current_principal(None, ())
        self._under_way: dict[int | str, _UnderWay] = {}
        self._asked: dict[int | str, dict[str, Any]] = {}
        self._refusals: set[asyncio.Task[None]] = set()
        self._in_a_row = 0
        self._kind: dict[str, Any] | None = None
        self._rest = ""
        source.taken = lambda line: self._taken(line) or self._refused(line)
        source.ended = runtime.caller.call_off  # whoever closes it reads no answer

    async def __aenter__(self) -> Express:
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Interrupt readers under way, and wait for writers, which are asked to stop."""
        left = list(self._under_way.values())
        for under_way in left:
            under_way.stop()
        if tasks := [under_way.task for under_way in left] + list(self._refusals):
            await asyncio.wait(tasks)

    def _taken(self, line: bytes) -> bool:
        """Take a line if it is a call alike, or calls one off that is under way here."""
        is_call = b'"tools/call"' in line
        if not is_call and b'"notifications/cancelled"' not in line:
            return False
        try:
            message: Any = from_json(line, allow_inf_nan=False)
        except ValueError:
            return is_call and self._is_half(line)
        if not isinstance(message, dict):
            return False
        request = cast("dict[str, Any]", message)
        match request.get("method"):
            case "tools/call":
                return (call := _Call.of(request)) is not None and self._begun(call)
            case "notifications/cancelled":
                return self._called_off(request.get("params"))
            case _:
                return False

    def _begun(self, call: _Call) -> bool:
        tool = self._runtime.registry.tools.get(call.name)
        if tool is None or is_traced():
            return False
        if call.kind != self._kind:
            self._listen(call)
            return False
        key = _key(call.number)
        if key in self._under_way:
            return False
        task = asyncio.create_task(self._answer(call, key))
        self._under_way[key] = _UnderWay(task, tool.options.writes)
        return True

    def _is_half(self, line: bytes) -> bool:
        """Take a call with half of a surrogate pair: its pack's envelope says what is wrong."""
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            return False
        call = _Call.of(cast("dict[str, Any]", message)) if isinstance(message, dict) else None
        if call is None or is_encodable(message) or not is_encodable(call.number):
            return False
        return call.kind == self._kind and self._begun(call)

    def _refused(self, line: bytes) -> bool:
        """Answer a request that the SDK would drop."""
        said = refusal(line)
        if said is None:
            return False
        task = asyncio.create_task(self._target.put(said))
        self._refusals.add(task)
        task.add_done_callback(self._refusals.discard)
        return True

    def _called_off(self, params: Any) -> bool:
        number = cast("dict[str, Any]", params).get("requestId") if type(params) is dict else None
        if not _is_id(number):
            return False
        key = _key(number)
        if (under_way := self._under_way.get(key)) is None:
            return False
        under_way.called_off = True
        under_way.stop()
        under_way.task.add_done_callback(lambda _: self._forget(key, under_way))
        return True

    def _forget(self, key: int | str, ended: _UnderWay) -> None:
        """Forget a call that ended before it began: it came with what called it off."""
        if self._under_way.get(key) is ended:
            del self._under_way[key]

    def _listen(self, call: _Call) -> None:
        if len(self._asked) >= MOST_ASKED:
            self._asked.clear()  # they were called off, and will have no answer
        self._asked[call.number] = call.kind
        self._target.heard = self._learn

    def _learn(self, text: str) -> None:
        """See whether a message of the SDK's answers a call, and how."""
        message = cast("dict[str, Any]", from_json(text))
        kind = self._asked.pop(message.get("id", ""), None)
        result: Any = message.get("result")
        if kind is None or not isinstance(result, dict) or "content" not in result:
            return
        rest = {
            key: value
            for key, value in cast("dict[str, Any]", result).items()
            if key not in _CONTENT
        }
        self._kind = kind
        self._rest = f",{_json(rest)[1:-1]}" if rest else ""
        self._asked.clear()
        self._target.heard = None

    async def _answer(self, call: _Call, key: int | str) -> None:
        progress = None if call.token is None else self._progress(call.token, key)
        self._in_a_row = self._in_a_row + 1 if len(self._under_way) == 1 else 0
        try:
            answer = await self._runtime.caller.call(
                call.name,
                call.arguments,
                self._principal,
                progress,
                alone=self._in_a_row > ALONE_AFTER,
            )
            told = "true" if answer.is_error else f'false,"structuredContent":{answer.json}'
            said = (
                f'"result":{{"content":[{{"text":{_json(answer.text)},"type":"text"}}],'
                f'"isError":{told}{self._rest}}}'
            )
        except asyncio.CancelledError:
            said = _CLOSED
        except Exception:  # a caller that gets no answer waits for ever
            said = _FAILED
            with contextlib.suppress(Exception):  # the log itself may be what failed
                log.exception("call %s of %s got no answer", call.number, call.name)
        if not self._under_way.pop(key).called_off:
            number = _json(call.number)
            await self._target.put(f'{{"jsonrpc":"2.0","id":{number},{said}}}\n')

    def _progress(self, token: int | str, key: int | str) -> Any:
        async def tell(done: float, total: float | None, message: str | None) -> None:
            if self._under_way[key].called_off:
                return  # a writer goes on; clients report progress of what they don't await
            told = {"progressToken": token, "progress": done, "total": total, "message": message}
            params = {key: value for key, value in told.items() if value is not None}
            notification = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
            await self._target.put(f"{_json(notification)}\n")

        return tell


def _json(value: Any) -> str:
    return to_json(value).decode()


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _key(number: Any) -> int | str:
    """Return what a request is known by: as in the SDK, "7" and 7 are one."""
    try:
        return int(number)
    except ValueError:
        return number
