"""Handing a caller's key for the embedding service to the index worker (manual 20).

A change seals the key in an envelope for each job that it queues, keeps it in the short-lived
secret cache, and writes its reference into the job's row. The worker opens it for that job alone
and deletes it after use. Where it is missing or has expired, a file is found by its words, and its
vectors wait: there is no other key to fall back to.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Generator
from typing import TYPE_CHECKING, Final, cast

from attrs import define, field, frozen

import toolroll
from toolroll.storage.credentials import Binding, CredentialVault, Keyring

if TYPE_CHECKING:
    from toolroll_fileio.names import Space
    from toolroll_fileio.settings import FileioSettings

__all__ = ["Handover", "Sealed"]

_JOB_BYTES: Final = 16


@frozen(eq=False)
class Handover:
    """Envelopes by reference; a reference is the job's name and the envelope's, joined by a dot."""

    vault: CredentialVault

    @classmethod
    def of(cls, context: toolroll.PackContext) -> Handover | None:
        """Return what the settings ask for; None where the embedder takes no caller's key."""
        settings = cast("FileioSettings", context.settings)
        security = settings.security
        own = "embedder" not in context.backends and settings.search.embedding.engine == "openai"
        if not own or not security.encryption_keks:
            return None
        keks = {n: secret.get_secret_value() for n, secret in security.encryption_keks.items()}
        vault = CredentialVault(
            context.secrets,
            Keyring.of(keks),
            prefix=security.credential_cache_prefix,
            ttl=security.credential_cache_ttl_seconds,
        )
        return cls(vault)

    def put(self, space: Space, path: str, key: str) -> str:
        """Seal a key for one job and return its reference.

        Raises:
            ResourceBusy: The cache is away.
        """
        job = secrets.token_hex(_JOB_BYTES)
        return f"{job}.{self.vault.put(key, _binding(space, path, job))}"

    @contextlib.contextmanager
    def use(self, space: Space, path: str, reference: str) -> Generator[str]:
        """Give a job's key to the block; its envelope is gone when that ends without an error.

        Raises:
            CredentialUnavailable: It is missing, has expired, or isn't this job's.
            ResourceBusy: The cache is away.
        """
        job, _, name = reference.partition(".")
        with self.vault.use(name, _binding(space, path, job)) as key:
            yield key

    def forget(self, reference: str) -> None:
        """Delete an envelope that nobody needs any more; one that can't be expires."""
        with contextlib.suppress(toolroll.ResourceBusy):
            self.vault.forget(reference.partition(".")[2])


@define(eq=False)
class Sealed:
    """The envelopes of one change.

    Attributes:
        key: The caller's.
    """

    handover: Handover
    space: Space
    key: str = field(repr=False)
    _given: list[str] = field(factory=list[str], init=False)
    _away: bool = field(default=False, init=False)

    def reference(self, path: str) -> str | None:
        """Seal the key for the job of a path; None while the cache is away.

        That is no reason to refuse a change: its words are indexed all the same.
        """
        if self._away:
            return None
        try:
            self._given.append(self.handover.put(self.space, path, self.key))
        except toolroll.ResourceBusy:
            self._away = True
            return None
        return self._given[-1]

    def withdraw(self) -> None:
        """Forget them all: the change was not made."""
        for reference in self._given:
            self.handover.forget(reference)


def _binding(space: Space, path: str, job: str) -> Binding:
    return Binding(tenant=space.tenant, project=space.project, path=path, job=job)
