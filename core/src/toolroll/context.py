"""What a handler, a command or a worker of a pack works with. Nothing is global."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from toolroll.errors import DeadlineExceeded, ToolError

if TYPE_CHECKING:
    import logging

    from toolroll.backends import Backend
    from toolroll.locks import LockManager
    from toolroll.params import Settings
    from toolroll.paths import AllowedRoots, ProjectRoot
    from toolroll.storage.database import Database
    from toolroll.storage.secrets import SecretCache
    from toolroll.storage.shared import SharedState

__all__ = [
    "LOCAL",
    "CancelToken",
    "Credentials",
    "PackContext",
    "Principal",
    "Progress",
    "ToolContext",
    "tenant_of",
]

Progress = Callable[[float, float | None, str | None], None]
"""Told how much is done, of how much (None: not known), and what is being done."""


def tenant_of(key: str) -> str:
    """Return the tenant that an API key stands for: its SHA-256 in hex, 64 characters."""
    return hashlib.sha256(key.encode()).hexdigest()


@attrs.frozen
class Credentials:
    """A caller's own keys for services that a pack asks on its behalf, by the header they came in.

    They live as long as the call and are shown by no `repr`. A pack that hands one to a worker
    seals it first (`toolroll.storage.credentials`).
    """

    _by_header: Mapping[str, str] = attrs.field(factory=dict[str, str], repr=False)

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Credentials:
        """Keep the values of these headers; their names ignore case, blank values are left out."""
        return cls({n.lower(): v.strip() for n, v in headers.items() if v.strip()})

    def get(self, header: str) -> str:
        """Return what the caller sent in a header, or ""."""
        return self._by_header.get(header.lower(), "")

    def __bool__(self) -> bool:
        return bool(self._by_header)

    def only(self, headers: Iterable[str]) -> Credentials:
        """Return those of some headers."""
        wanted = {name.lower() for name in headers}
        return Credentials({n: v for n, v in self._by_header.items() if n in wanted})


@attrs.frozen
class Principal:
    """Who calls.

    Attributes:
        tenant: SHA-256 of the caller's key, in hex; the only thing that isolation may rest on.
        name: For display only.
        scopes: What the key allows: `read`, `write`.
        roots: Directories that the key is limited to; none for every allowed root.
        credentials: Keys of the caller's for other services, no part of who it is.
    """

    tenant: str
    name: str
    scopes: frozenset[str] = frozenset({"read", "write"})
    roots: tuple[str, ...] = ()
    credentials: Credentials = attrs.field(default=Credentials(), eq=False, repr=False)


LOCAL: Final = Principal(tenant=tenant_of("local"), name="local")
"""The one tenant of a host without keys: stdio, commands, tests."""


@attrs.frozen(kw_only=True)
class PackContext:
    """The resources of one pack.

    Attributes:
        settings: The pack's table of `toolroll.toml`, an instance of `Pack.settings`.
        database: The pack's SQL database, opened and migrated at first use.
        locks: Locks that outlive a transaction and hold across processes.
        roots: Every directory that calls may name.
        make_data_dir: Makes `data_dir`, if it is not there.
        secrets: Short-lived secrets, never written to disk.
        shared: Caches and rate limits for every host of the deployment; None on a host alone.
        backends: By kind, what `[backends]` chooses in place of the pack's own engine; called, it
            makes one.
        log: The pack's logger; goes to stderr, never to the wire.
        wake: Wakes the pack's workers: call it after a commit that left work for them.
    """

    settings: Settings
    database: Database
    locks: LockManager
    roots: AllowedRoots
    make_data_dir: Callable[[], Path]
    secrets: SecretCache
    shared: SharedState | None = None
    backends: Mapping[str, Backend] = attrs.field(factory=dict[str, Any])
    log: logging.Logger
    wake: Callable[[], None]

    @property
    def data_dir(self) -> Path:
        """A private directory for what the pack derives; exists."""
        return self.make_data_dir()

    @property
    def root(self) -> ProjectRoot:
        """The project root: the first allowed root."""
        return self.roots.first


class CancelToken:
    """A flag that the host sets when nobody waits for a call any more, and a handler reads."""

    def __init__(self) -> None:
        self._cancelled = False

    def cancel(self) -> None:
        """Ask the handler to stop at its next check."""
        self._cancelled = True

    @property
    def cancelled(self) -> bool:
        """Whether the caller has gone or the deadline has passed."""
        return self._cancelled


def _no_progress(done: float, total: float | None, message: str | None) -> None:
    """Nobody asked for progress."""


@attrs.frozen(kw_only=True)
class ToolContext(PackContext):
    """The resources of one call.

    Attributes:
        principal: Who calls.
        deadline: When the call is over, on the clock of `time.monotonic`, in seconds.
        call_id: Names the call in the audit log and in internal errors.
    """

    principal: Principal
    deadline: float
    call_id: str
    cancel: CancelToken = attrs.field(factory=CancelToken)
    report: Progress = _no_progress

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the call any more.

        For a reader that is when its caller goes. A writer is told nothing of that, since it should
        finish, but of the host's end: one of seconds should stop then, where it leaves all whole.
        """
        return self.cancel.cancelled

    def check(self) -> None:
        """Raise if the call is cancelled or its deadline has passed; for long loops."""
        if self.cancelled:
            raise ToolError("the call was cancelled", retryable=True)
        if time.monotonic() > self.deadline:
            raise DeadlineExceeded("the call ran past its time limit; narrow it and try again")

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the caller how far the call is; a no-op where nobody asked, or nothing was done."""
        self.report(done, total, message)


def evolve_for_call(context: PackContext, principal: Principal, **call: Any) -> ToolContext:
    """Return the context of one call made from its pack's context, with its caller's roots."""
    fields = {name: getattr(context, name) for name in _PACK_FIELDS}
    if principal.roots:
        fields["roots"] = context.roots.limited_to(principal.roots)
    return ToolContext(**fields, principal=principal, **call)


_PACK_FIELDS: Final = tuple(attribute.name for attribute in attrs.fields(PackContext))
