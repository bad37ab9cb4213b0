"""The streamable HTTP transport: bearer keys, Host and Origin guard, never public without keys."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
from collections.abc import AsyncGenerator
from typing import Any, Final

import uvicorn
from attrs import frozen
from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router

from toolroll.errors import SettingsError
from toolroll.host.console.pages import console_routes
from toolroll.host.keys import KeyStore
from toolroll.host.server import Warmup, build_server
from toolroll.runtime import Runtime
from toolroll.settings import HttpSettings

__all__ = ["Address", "build_app", "parse_address", "serve_http"]

log: Final = logging.getLogger("toolroll.http")

MCP_PATH: Final = "/mcp"
_DRAIN_SECONDS: Final = 10


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
    if ":" in host and not bracketed:
        raise SettingsError(
            f"--http wants an IPv6 address in brackets, as [::1]:8000, got {text!r}"
        )
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise SettingsError(f"--http wants HOST:PORT, got {text!r}; for example 127.0.0.1:8000")
    return Address(host, int(port))


class _Verifier:
    """Checks bearer keys for the SDK; the tenant is all of the key that goes further."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            record = self._keys.verify(token)
        except SettingsError as error:  # a damaged file lets nobody in
            log.error("%s", error)
            return None
        if record is None:
            return None
        return AccessToken(
            token="",
            client_id=record.tenant,
            scopes=list(record.scopes),
            subject=record.name,
        )


def build_app(runtime: Runtime, address: Address) -> Starlette:
    """Return the ASGI application that serves a runtime at `/mcp`, with `/healthz` beside it.

    Raises:
        SettingsError: The address is public and there is no key.
    """
    settings = runtime.configuration.table("http", HttpSettings)
    keys = KeyStore(runtime.data_dir)
    guarded = bool(keys.list())
    if not guarded and not address.is_loopback:
        raise SettingsError(
            f"refusing to listen on {address.netloc} without keys: anyone could call every tool; "
            "make one with 'toolroll keys new NAME', or listen on 127.0.0.1"
        )
    warmup = Warmup(runtime)
    verifier = _Verifier(keys) if guarded else None
    app = build_server(runtime, warmup).streamable_http_app(
        streamable_http_path=MCP_PATH,
        json_response=settings.json_response,
        stateless_http=settings.stateless,
        max_request_body_size=settings.max_request_bytes,
        session_idle_timeout=None if settings.stateless else settings.session_idle_seconds,
        max_sessions=settings.max_sessions,
        transport_security=_security(address, settings),
        auth=_auth(address) if guarded else None,
        token_verifier=verifier,
        custom_starlette_routes=_routes(runtime, settings, guarded),  # type: ignore[arg-type]
    )
    _wrap_lifespan(app, runtime, warmup)
    return app


def serve_http(runtime: Runtime, address: Address) -> None:
    """Serve until SIGTERM or SIGINT, then drain: requests under way get ten seconds."""
    config = uvicorn.Config(
        build_app(runtime, address),
        host=address.host,
        port=address.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
        server_header=False,
    )
    uvicorn.Server(config).run()


def _security(address: Address, settings: HttpSettings) -> TransportSecuritySettings:
    """Return the Host and Origin guard, always armed: the SDK arms its own on loopback only."""
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


def _routes(runtime: Runtime, settings: HttpSettings, guarded: bool) -> list[BaseRoute]:
    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    routes: list[BaseRoute] = [Route("/healthz", healthz)]
    if settings.console:
        routes += console_routes()
    for name, item in runtime.registry.packs.items():
        own = list(item.pack.routes())
        if own:
            router: Any = Router(own)
            app = RequireAuthMiddleware(router, [], None) if guarded else router
            routes.append(Mount(f"/packs/{name}", app=app))
    return routes


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

    app.router.lifespan_context = lifespan
