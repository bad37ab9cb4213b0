"""One OpenTelemetry span for each call, with what became of it; free until an SDK is set up.

The span carries names only, never arguments, and of the tenant the twelve digits that logs show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import trace
from opentelemetry.trace import StatusCode

if TYPE_CHECKING:
    from toolroll.answers import Answer
    from toolroll.context import Principal
    from toolroll.progress import Sink
    from toolroll.runtime import Runtime

__all__ = ["is_traced", "send_spans", "traced_call"]

_TRACER: Final = trace.get_tracer("toolroll")
_SEND_SECONDS: Final = 5.0
"""How long a host that ends waits at most for a collector."""


def is_traced() -> bool:
    """Say whether an OpenTelemetry SDK is set up in this process."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


async def traced_call(
    runtime: Runtime,
    name: str,
    arguments: Mapping[str, Any],
    principal: Principal,
    progress: Sink | None,
) -> Answer:
    """Run `Caller.call` in a span; what a pack traces inside becomes its child.

    Raises:
        UnknownTool: As `Caller.call`.
    """
    tool = runtime.registry.tools.get(name)
    attributes = {
        "gen_ai.tool.name": tool.name if tool else "unknown",
        "toolroll.pack": tool.pack.name if tool else "",
        "toolroll.tenant": principal.tenant[:12],
    }
    with _TRACER.start_as_current_span(
        f"call {attributes['gen_ai.tool.name']}", attributes=attributes, record_exception=False
    ) as span:
        answer = await runtime.caller.call(name, arguments, principal, progress)
        span.set_attribute("toolroll.outcome", "error" if answer.is_error else "ok")
        if answer.is_error:
            span.set_attribute("error.type", answer.code)
            span.set_status(StatusCode.ERROR)
        return answer


def send_spans() -> None:
    """Have an SDK send what it keeps: it would do so at exit, but a host that drained ends by the
    signal that it was sent.
    """
    flush = getattr(trace.get_tracer_provider(), "force_flush", None)
    if flush is not None:
        flush(int(_SEND_SECONDS * 1000))
