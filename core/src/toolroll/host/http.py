"""The streamable HTTP transport: bearer keys, Host and Origin guard, never public without keys."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import math
import socket
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio.to_thread
import uvicorn
from attrs import frozen
from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Router

from toolroll.errors import SettingsError
from toolroll.host.bearer import BearerVerifier, WithoutKeys
from toolroll.host.connections import TimedProtocol
from toolroll.host.console.pages import console_routes
from toolroll.host.draining import AnswerCount, DrainingServer
from toolroll.host.keys import KeyStore
from toolroll.host.late import Late
from toolroll.host.probes import Readiness, probe_routes
from toolroll.host.refusals import Guard, Patience, Worded
from toolroll.host.server import Warmup, build_server
from toolroll.host.tracing import send_spans
from toolroll.runtime import Runtime
from toolroll.settings import HttpSettings

if TYPE_CHECKING:
    from toolroll.host.tokens import TokenVerifier

__all__ = ["Address", "build_app", "parse_address", "serve_http"]

MCP_PATH: Final = "/mcp"
_KEEP_ALIVE_SECONDS: Final = 75
"""How long a connection may be idle: longer than load balancers keep theirs (60 s), so that none
sends a call into one that is being closed, and asks nobody else because it may have been done."""

_NOT_HERE: Final = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Errors of an address that the machine does not have, such as `::1` without IPv6."""


@frozen
class Address:
    """Where to listen."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def netloc(self) -> str:
        """`host:port`, an IPv6 host in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Parse `HOST:PORT`, `[IPV6]:PORT` or `PORT` (on 127.0.0.1).

    Raises:
        SettingsError: The port is missing or no number in 0…65535.
    """
    host, _, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if "/" not in host and ":" in host and not bracketed:
        raise SettingsError(
            f"--http wants an IPv6 address in brackets, as [::1]:8000, got {text!r}"
        )
    if "/" in host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise SettingsError(f"--http wants HOST:PORT, got {text!r}; for example 127.0.0.1:8000")
    return Address(host, int(port))


def build_app(runtime: Runtime, address: Address, readiness: Readiness | None = None) -> Starlette:
    """Return the ASGI application: a runtime at `/mcp`, the console and the probes beside it.

    Args:
        runtime: What to serve; closed when the application ends.
        address: Where it will listen.
        readiness: What `/readyz` says, for whoever drains the host.

    Raises:
        SettingsError: The address is public and there is no key.
    """
    settings = runtime.configuration.table("http", HttpSettings)
    verifier = _verifier(runtime, settings, address)
    warmup = Warmup(runtime)
    security = _security(address, settings)
    routes = probe_routes(runtime, settings, readiness or Readiness(), security)
    if settings.console:
        routes += console_routes()
    routes += _pack_routes(runtime, settings, security)
    app = build_server(runtime, warmup).streamable_http_app(
        streamable_http_path=MCP_PATH,
        json_response=settings.json_response,
        stateless_http=settings.stateless,
        max_request_body_size=settings.max_request_bytes,
        session_idle_timeout=None if settings.stateless else settings.session_idle_seconds,
        max_sessions=settings.max_sessions,
        transport_security=security,
        auth=_auth(address),
        token_verifier=verifier,
        custom_starlette_routes=routes,  # type: ignore[arg-type]
    )
    app.add_middleware(Late)
    app.add_middleware(WithoutKeys, verifier)
    app.add_middleware(Patience)
    app.add_middleware(Worded, MCP_PATH, settings.stateless)
    _wrap_lifespan(app, runtime, warmup)
    return app


def serve_http(runtime: Runtime, address: Address) -> None:
    """Serve until SIGTERM or SIGINT, then drain; on port 0, at one that was free.

    `/readyz` says 503 at once; after `drain_delay_seconds` no further call is admitted, and those
    under way get `drain_seconds` to end. A second signal ends the wait.

    Raises:
        SettingsError: The address is public and there is no key, or nobody can listen on it.
    """
    settings = runtime.configuration.table("http", HttpSettings)
    _verifier(runtime, settings, address)  # before anybody can connect
    sockets = _listeners(address)
    if not address.port:  # chosen now: the guard of the Host header has to know it
        address = Address(address.host, sockets[0].getsockname()[1])
    readiness = Readiness()
    app = AnswerCount(build_app(runtime, address, readiness))
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        host=address.host,
        port=address.port,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=math.ceil(settings.drain_seconds),
        server_header=False,
    )
    base = f"http://{address.netloc}"
    greeting = f"toolroll: listening on {base}{MCP_PATH}"
    if settings.console:
        greeting += f", console on {base}/console"
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again once it has drained
        DrainingServer(config, app, runtime, settings, readiness, greeting).run(sockets)


def _verifier(runtime: Runtime, settings: HttpSettings, address: Address) -> BearerVerifier:
    """Return what checks callers; on loopback nobody needs a key until there is one."""
    keys = KeyStore(runtime.data_dir)
    tokens = _tokens(runtime, settings)
    if tokens is not None or keys.list():
        return BearerVerifier(keys, tokens)
    if not address.is_loopback:
        raise SettingsError(
            f"refusing to listen on {address.netloc} without keys: anyone could call every tool; "
            "make one with 'toolroll keys new NAME' and the same --root, --data-dir and --config, "
            "or listen on 127.0.0.1"
        )
    return BearerVerifier(keys, until_keys=True)


def _listeners(address: Address) -> list[socket.socket]:
    """Listen on every address of a name, such as both loopbacks of `localhost`; on port 0 on one.

    uvicorn's own way of failing is a traceback's last line and an exit code of its own.
    """
    sockets: list[socket.socket] = []
    try:
        for family, *_, place in socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM
        ):
            try:
                sockets.append(socket.create_server(place[:2], family=family))  # type: ignore[arg-type]
            except OSError as error:
                if error.errno not in _NOT_HERE or not sockets:
                    raise
            if not address.port:
                break
    except OSError as error:
        for opened in sockets:
            opened.close()
        cause = (error.strerror or "").partition(" (while")[0]  # socket repeats the address
        raise SettingsError(
            f"cannot listen on {address.netloc}: {cause}; choose another address or port, "
            "or port 0 for one that is free"
        ) from None
    return sockets


def _security(address: Address, settings: HttpSettings) -> TransportSecuritySettings:
    """Return the Host and Origin guard, always armed: the SDK arms its own on loopback only."""
    logging.getLogger(TransportSecurityMiddleware.__module__).addFilter(_tell_remedy)
    hosts = [address.netloc, *settings.allowed_hosts]
    if address.is_loopback:
        hosts += [f"{name}:{address.port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=sorted(set(hosts)),
        allowed_origins=sorted({*origins, *settings.allowed_origins}),
    )


def _auth(address: Address) -> AuthSettings:
    """Return the SDK's settings for keys of our own: there is no OAuth server to announce."""
    return AuthSettings(
        issuer_url=AnyHttpUrl(f"http://{address.netloc}"),
        resource_server_url=None,
        required_scopes=[],
        validate_token_resource=False,
    )


def _tokens(runtime: Runtime, settings: HttpSettings) -> TokenVerifier | None:
    if not settings.jwt.issuer:
        return None
    from toolroll.host.tokens import TokenVerifier

    path = runtime.configuration.path
    return TokenVerifier(settings.jwt, path.parent if path else Path.cwd())


def _pack_routes(
    runtime: Runtime, settings: HttpSettings, security: TransportSecuritySettings
) -> list[BaseRoute]:
    """Return the routes of every pack, held to what `/mcp` is held to."""
    routes: list[BaseRoute] = []
    for name, item in runtime.registry.packs.items():
        try:
            own = list(item.pack.routes())
            if wrong := [route for route in own if not isinstance(route, BaseRoute)]:
                raise TypeError(f"{wrong[0]!r} is no route of Starlette's")
        except (Exception, SystemExit):  # the boundary to a pack that may be broken
            logging.getLogger(f"toolroll.pack.{name}").exception("pack %s has no routes", name)
            continue
        if own:
            app: Any = RequireAuthMiddleware(Router(own), [], None)
            app = RequestBodyLimitMiddleware(app, settings.max_request_bytes)
            routes.append(Mount(f"/packs/{name}", app=Guard(app, security)))
    return routes


def _tell_remedy(record: logging.LogRecord) -> bool:
    """Add to the guard's warning which setting lets a header in."""
    said = record.getMessage()
    for header in ("Host", "Origin"):
        if said.startswith(f"Invalid {header} header"):
            record.msg = "%s; if callers may use it, add it to [http] allowed_%ss"
            record.args = (said, header.lower())
    return True


def _wrap_lifespan(app: Starlette, runtime: Runtime, warmup: Warmup) -> None:
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(application: Any) -> AsyncGenerator[Any]:
        warmup.trigger()
        try:
            async with inner(application) as state:
                yield state
        finally:
            warmup.stop()
            runtime.close()
            await anyio.to_thread.run_sync(send_spans)

    app.router.lifespan_context = lifespan
