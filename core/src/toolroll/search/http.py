"""One way to ask a model service over HTTP: JSON in and out, with retries, telling no secret."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from attrs import field, frozen

from toolroll.search.errors import EngineMissing

if TYPE_CHECKING:
    import httpx

__all__ = ["Endpoint", "ServiceFailed"]

_CHECK: Final = "see that its address is that of the operation"
_RETRIED: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class ServiceFailed(Exception):
    """A service gave no usable answer; `retryable` says whether the same request may work later."""

    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.retryable = retryable


@frozen
class Endpoint:
    """An HTTP service that takes and returns JSON.

    Args:
        url: Full address of the operation.
        key: Sent as bearer token; "" sends none. Never part of a message.
        timeout: Seconds for one attempt.
        attempts: How often to try at most.
        backoff: Seconds before the second attempt; doubled each time, with jitter.
        max_wait: Longest wait the service may ask for by Retry-After; longer ones end the attempts.
        transport: httpx transport, for tests and proxies.
        wait: Called to wait between attempts.
    """

    url: str
    key: str = field(default="", repr=False)
    timeout: float = 30.0
    attempts: int = 4
    backoff: float = 0.5
    max_wait: float = 30.0
    transport: httpx.BaseTransport | None = field(default=None, repr=False)
    wait: Callable[[float], object] = field(factory=lambda: threading.Event().wait, repr=False)

    def post(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer's JSON object.

        Raises:
            ServiceFailed: After the last attempt, or at once when repeating cannot help.
        """
        try:
            import httpx
        except ImportError as error:
            raise EngineMissing("asking a model service", "httpx") from error
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        with httpx.Client(
            timeout=self.timeout, transport=self.transport, headers=headers
        ) as client:
            failure = ServiceFailed("no attempt was made", retryable=False)
            for attempt in range(self.attempts):
                pause = self.backoff * 2**attempt * random.uniform(0.8, 1.2)  # noqa: S311 - jitter
                try:
                    answer = client.post(self.url, json=dict(payload))
                except httpx.HTTPError as error:
                    failure = ServiceFailed(
                        f"{self._host} did not answer ({type(error).__name__})", retryable=True
                    )
                else:
                    if answer.is_success:
                        return _json_object(answer, self._host)
                    retryable = answer.status_code in _RETRIED
                    failure = ServiceFailed(
                        f"{self._host} answered with status {answer.status_code}",
                        retryable=retryable,
                    )
                    if not retryable:
                        break
                    pause = max(pause, _retry_after(answer))
                if attempt + 1 == self.attempts or pause > self.max_wait:
                    break
                self.wait(pause)
        raise failure

    @property
    def _host(self) -> str:
        import httpx

        return httpx.URL(self.url).host or "the service"


def _json_object(answer: httpx.Response, host: str) -> dict[str, Any]:
    try:
        value = answer.json()
    except ValueError as error:
        raise ServiceFailed(
            f"{host} did not answer with JSON; {_CHECK}", retryable=False
        ) from error
    if not isinstance(value, dict):
        raise ServiceFailed(f"{host} did not answer with a JSON object; {_CHECK}", retryable=False)
    return value  # pyright: ignore[reportUnknownVariableType] - JSON from outside


def _retry_after(answer: httpx.Response) -> float:
    """Return the seconds a service asks to wait; dates are left to the ordinary backoff."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0
