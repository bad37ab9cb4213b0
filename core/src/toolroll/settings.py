"""`toolroll.toml`: one table for each part of the host, one for each pack.

Environment variables are no source. Unknown keys are refused with the nearest known one, and a bad
value fails at start with its key named, so that a typing slip never silently means the default.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeVar, get_args

from attrs import frozen
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from toolroll.errors import SettingsError
from toolroll.params import Settings

__all__ = ["CONFIG_NAME", "Configuration", "HostSettings", "load", "nearest"]

CONFIG_NAME: Final = "toolroll.toml"

S = TypeVar("S", bound=Settings)


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


@frozen
class Configuration:
    """The settings of one host, validated table by table.

    Attributes:
        path: The file they came from; None where there is none.
        tables: The raw tables, core's and packs'.
    """

    path: Path | None
    tables: Mapping[str, Any]

    def table(self, name: str, model: type[S]) -> S:
        """Return one table as its model, defaults filled in.

        Raises:
            SettingsError: A key is unknown (with the nearest known one) or a value is wrong.
        """
        raw = self.tables.get(name, {})
        if not isinstance(raw, dict):
            raise SettingsError(f"{self._where(name)} must be a table")
        try:
            # as JSON, whose types are TOML's: nothing is coerced, and a list may become a tuple
            return model.model_validate_json(json.dumps(raw, default=str), strict=True)
        except ValidationError as error:
            raise SettingsError(
                "; ".join(self._explain(name, model, dict(item)) for item in error.errors())
            ) from None

    def refuse_unknown(self, packs: Iterable[str]) -> None:
        """Refuse tables that belong neither to core nor to one of `packs`."""
        known = sorted({*CORE_TABLES, *packs})
        for name in sorted(self.tables):
            if name not in known:
                raise SettingsError(
                    f"{self._where(name)} is unknown: no such table in core and no such pack is "
                    f"installed{nearest(name, known)}"
                )

    def override(self, changes: Mapping[str, Mapping[str, Any]]) -> Configuration:
        """Return a copy with single keys replaced, as command-line options do."""
        tables = {name: dict(table) for name, table in self.tables.items()}
        for name, keys in changes.items():
            tables.setdefault(name, {}).update(keys)
        return Configuration(self.path, tables)

    def _where(self, *keys: str) -> str:
        return f"[{'.'.join(keys)}] in {self.path.name if self.path else 'the settings'}"

    def refuse_uninstalled(self, packs: Collection[str]) -> None:
        """Refuse to allow a pack that is not among those installed."""
        for name in self.table("packs", PackSelection).allow or ():
            if name not in packs:
                raise SettingsError(
                    f"'allow' in {self._where('packs')} names {name!r}, which is not installed"
                    f"{nearest(name, sorted(packs))}"
                )

    def _explain(self, table: str, model: type[Settings], item: dict[str, Any]) -> str:
        *parents, key = [str(step) for step in item["loc"] if step != "[key]"] or [""]
        where = self._where(table, *parents)
        if item["type"] == "extra_forbidden":
            known = sorted(_inner(model, parents).model_fields)
            return f"{key!r} is unknown in {where}{nearest(key, known)}"
        if item["type"] == "value_error":
            reason = f": {item['ctx']['error']}"
        else:
            reason = f" must {_EXPECTED.get(item['type']) or _SHOULD.sub('', item['msg'])}"
        return f"{key!r} in {where}{reason}" if key else f"{where}{reason}"


_SHOULD: Final = re.compile(r"^\w+ should ")
"""How the sentences begin that pydantic says of a value."""
_EXPECTED: Final = {
    "tuple_type": 'be a list, such as ["…"]',
    "list_type": 'be a list, such as ["…"]',
    "model_type": "be a table",
    "dict_type": "be a table",
    "missing": "be given",
}
"""What is expected, where pydantic says it in Python's words."""


def _inner(model: type[BaseModel], steps: Iterable[str]) -> type[BaseModel]:
    """Return the model of a table inside a table; positions in a list are passed over."""
    for step in steps:
        if field := model.model_fields.get(step):
            kinds: tuple[Any, ...] = (field.annotation, *get_args(field.annotation))
            inner = (
                kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)
            )
            model = next(inner, model)
    return model


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about a word that is none of those known."""
    import difflib

    words = list(known)
    if close := difflib.get_close_matches(word, words, n=1, cutoff=0.5):
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(words) or 'none'}"


def load(path: Path | None, *, root: Path | None = None) -> Configuration:
    """Read `toolroll.toml`.

    Args:
        path: The file, which must exist; None looks for one in `root`.
        root: Where to look when no file is named.

    Raises:
        SettingsError: The file is missing, unreadable, or not TOML.
    """
    if path is None:
        path = root / CONFIG_NAME if root is not None else None
        if path is None or not os.path.lexists(path):
            return Configuration(None, {})
        if not path.is_file():  # such as a link to nowhere, or what a container mounts for none
            raise SettingsError(f"{path} is no file with settings; put one there, or remove it")
    import tomllib  # most projects have no file, and start-up is short

    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))  # Windows' editors mark it
    except OSError as error:
        raise SettingsError(f"cannot read {path.name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path.name} is not TOML: save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path.name} is not TOML: {error}") from None
    configuration = Configuration(path, tables)
    for name, model in CORE_TABLES.items():
        configuration.table(name, model)
    for name, value in tables.items():
        if not isinstance(value, dict):  # a pack's, or one above the first table
            raise SettingsError(f"{name!r} in {path.name} must be a table, [{name}]")
    return configuration
