"""What a load balancer and Prometheus ask: `/healthz`, `/readyz`, `/metrics`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread
from attrs import define
from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, request_response

from toolroll.errors import MissingDependency
from toolroll.host.metrics import HostMetrics
from toolroll.host.refusals import Guard

if TYPE_CHECKING:
    from mcp.server.transport_security import TransportSecuritySettings

    from toolroll.runtime import Runtime
    from toolroll.settings import HttpSettings

__all__ = ["Readiness", "probe_routes"]

log: Final = logging.getLogger("toolroll.probes")

_CHECK_SECONDS: Final = 5.0
_SPARED: Final = frozenset({"redis", "data_dir"})
"""What a host serves without: every host would be taken out of service at once. In the data
directory are logs, and what can be made again, besides databases that are asked themselves."""
_IN_SERVICE: Final = ("ready", "degraded")


@define
class Readiness:
    """Whether a load balancer should send requests here.

    Attributes:
        draining: Set on SIGTERM: what comes is still served, but nothing more should be sent.
    """

    draining: bool = False


def probe_routes(
    runtime: Runtime,
    settings: HttpSettings,
    readiness: Readiness,
    security: TransportSecuritySettings,
) -> list[BaseRoute]:
    """Return the routes; `/metrics` is held to what `/mcp` is held to unless the settings open it.

    Without keys a page whose name leads to loopback could else read what is called here.
    """
    routes: list[BaseRoute] = [
        Route("/healthz", _healthz),
        Route("/readyz", _readyz(runtime, readiness)),
    ]
    if settings.metrics != "off":
        show: Any = _metrics(runtime)
        if settings.metrics == "guarded":
            show = Guard(RequireAuthMiddleware(request_response(show), [], None), security)
        routes.append(Route("/metrics", show))
    return routes


async def _healthz(request: Request) -> Response:
    """The process answers; nothing else is looked at, so that a slow database restarts no host."""
    return JSONResponse({"status": "ok"})


def _readyz(runtime: Runtime, readiness: Readiness) -> Callable[[Request], Any]:
    async def readyz(request: Request) -> Response:
        checks: dict[str, str] = {}
        if not readiness.draining:
            with anyio.move_on_after(_CHECK_SECONDS) as scope:
                checks = await anyio.to_thread.run_sync(runtime.check, abandon_on_cancel=True)
            if scope.cancelled_caught:
                checks = {"checks": "timeout"}
        failing = {name for name, state in checks.items() if state != "ok"}
        if readiness.draining:
            status = "draining"
        elif failing <= _SPARED:
            status = "degraded" if failing else "ready"
        else:
            status = "unavailable"
        return JSONResponse(
            {"status": status, "checks": checks},
            status_code=200 if status in _IN_SERVICE else 503,
            headers={"Cache-Control": "no-store"},
        )

    return readyz


def _metrics(runtime: Runtime) -> Callable[[Request], Any]:
    try:
        metrics = HostMetrics(runtime)
    except MissingDependency as error:
        text = f"{error}\n"

        async def missing(request: Request) -> Response:
            return Response(text, status_code=501, media_type="text/plain")

        return missing
    runtime.caller.observe(metrics)

    async def show(request: Request) -> Response:
        content, media_type = await anyio.to_thread.run_sync(metrics.exposition)
        return Response(content, headers={"Content-Type": media_type})

    return show
