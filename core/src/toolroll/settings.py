"""What can be set for the host itself: the tables of `toolroll.toml` that belong to core.

Each pack adds one (`Pack.settings`); `toolroll.configuration` reads the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from toolroll.params import Settings

__all__ = [
    "CORE_TABLES",
    "AuditSettings",
    "BackendSelection",
    "BackendSettings",
    "HostSettings",
    "HttpSettings",
    "JwtSettings",
    "PackSelection",
    "StorageSettings",
    "ToolSelection",
]


class HostSettings(Settings):
    """Table `[host]`: limits of the call pipeline."""

    roots: tuple[str, ...] = ()
    """Directories that calls may name, relative to the file; the first is the project root."""
    data_dir: str = ""
    """Where packs store their data; by default `.toolroll` in the project root."""
    read_only: bool = False
    """Neither list nor run tools that write."""
    max_concurrency: int = Field(default=8, ge=1, le=256)
    """Calls that run at once; further ones wait."""
    max_queue: int = Field(default=512, ge=1, le=100_000)
    """Calls that may run or wait; one more is refused as busy."""
    timeout_seconds: float = Field(default=60.0, gt=0, le=86_400)
    """Deadline of a call whose tool sets none."""
    max_output_chars: int = Field(default=100_000, ge=1_000)
    """Bound of an answer whose tool sets none; about 25,000 tokens."""
    calls_per_minute: int = Field(default=0, ge=0)
    """Token bucket for each tenant; 0 is no limit."""


class JwtSettings(Settings):
    """Table `[http.jwt]`: bearer tokens of an identity provider beside our own keys."""

    issuer: str = ""
    """Whose tokens to accept; absent, none."""
    audience: str = ""
    """What they must be for."""
    jwks_url: str = ""
    """Where the provider publishes its keys; `https`, or this or `jwks_file`."""
    jwks_file: str = ""
    """The same as a file, relative to the settings; read again when it changes."""
    algorithms: tuple[
        Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"],
        ...,
    ] = Field(default=("RS256", "ES256", "EdDSA"), min_length=1)
    scope_claim: str = "scope"
    """The claim with the scopes `read` and `write`: a text with spaces, or a list."""
    scope_prefix: str = ""
    """What stands before them there, such as `toolroll:`."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not self.issuer:
            return self
        if not self.audience:
            raise ValueError("an issuer needs an audience: tokens for others must not work here")
        if bool(self.jwks_url) == bool(self.jwks_file):
            raise ValueError("set jwks_url or jwks_file, one of the two")
        local = ("https://", "http://127.0.0.1", "http://localhost")
        if self.jwks_url and not self.jwks_url.startswith(local):
            raise ValueError("jwks_url must be https")
        return self


class HttpSettings(Settings):
    """Table `[http]`: the streamable HTTP transport."""

    allowed_hosts: tuple[str, ...] = ()
    """Values of the Host header to accept besides the address listened on."""
    allowed_origins: tuple[str, ...] = ()
    """Values of the Origin header to accept besides the address listened on."""
    max_request_bytes: int = Field(default=4 * 1024 * 1024, ge=1024)
    json_response: bool = False
    """Answer with plain JSON instead of an event stream: cheaper, but without progress."""
    stateless: bool = False
    """Keep no sessions, so that any host behind a load balancer can answer any request."""
    session_idle_seconds: float = Field(default=1800.0, gt=0)
    max_sessions: int = Field(default=10_000, ge=1)
    console: bool = True
    """Serve the console, a page for the browser, at `/console`."""
    metrics: Literal["guarded", "open", "off"] = "guarded"
    """`/metrics`: behind the bearer keys, open to whoever reaches the host, or not there."""
    drain_delay_seconds: float = Field(default=0.0, ge=0, le=600)
    """After SIGTERM, how long `/readyz` says 503 before the host admits no further call."""
    drain_seconds: float = Field(default=10.0, ge=0, le=3_600)
    """How long calls under way may take to end after that."""
    jwt: JwtSettings = JwtSettings()


class PackSelection(Settings):
    """Table `[packs]`: which installed packs to load; being installed is not consent."""

    allow: tuple[str, ...] | None = None
    """Only these, by name; absent means every installed pack."""
    block: tuple[str, ...] = ()
    """Never these; wins over `allow`."""


class ToolSelection(Settings):
    """Table `[tools]`: which tools to serve, by glob; a tool that is off can't be called."""

    enable: tuple[str, ...] = ("*",)
    disable: tuple[str, ...] = ()


class StorageSettings(Settings):
    """Table `[storage]`: where SQL data lives."""

    url: str = ""
    """`postgresql://…` for a server shared by many hosts; absent, SQLite files in `data_dir`."""
    pool_size: int = Field(default=8, ge=1, le=256)
    busy_timeout_ms: int = Field(default=5_000, ge=0)
    redis_url: str = ""
    """`redis://…` shared by many hosts for rate limits, caches and short-lived secrets; absent,
    each host keeps its own in memory."""

    @field_validator("url")
    @classmethod
    def _is_postgres(cls, value: str) -> str:
        if value and not value.startswith(("postgresql://", "postgres://")):
            raise ValueError("must begin with postgresql://; leave it out for SQLite files")
        if value:
            from sqlalchemy import make_url  # a second for whoever has no server
            from sqlalchemy.exc import ArgumentError

            try:
                make_url(value)
            except (ArgumentError, ValueError):  # which quote what may be part of a password
                raise ValueError(
                    "is not of the form postgresql://user:password@host:port/database, in which "
                    "':', '/' and '@' of a name or password are %3A, %2F and %40"
                ) from None
        return value


class AuditSettings(Settings):
    """Table `[audit]`: one line for each call, arguments redacted."""

    enabled: bool = True
    retention_days: int = Field(default=30, ge=1, le=36_500)
    table: bool = False
    """Write each line into a SQL table too, which `toolroll calls` reads; with `[storage] url`
    it holds the calls of every host."""


class BackendSettings(BaseModel):
    """A table `[backends.KIND]`: which backend to use, and whatever that one takes."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = Field(min_length=1)
    """Its name in what a distribution's `toolroll_backends` returns."""


class BackendSelection(Settings):
    """Table `[backends]`: what installed distributions bring to use in place of our own."""

    embedder: BackendSettings | None = None
    lexical: BackendSettings | None = None
    locks: BackendSettings | None = None
    reranker: BackendSettings | None = None
    vectors: BackendSettings | None = None


CORE_TABLES: Final[Mapping[str, type[Settings]]] = {
    "backends": BackendSelection,
    "host": HostSettings,
    "http": HttpSettings,
    "packs": PackSelection,
    "tools": ToolSelection,
    "storage": StorageSettings,
    "audit": AuditSettings,
}
