"""Handing a caller's credential to a background job without ever storing it (seed 002 20).

The producer seals the credential in an envelope, keeps the envelope in a short-lived secret cache
under a random reference, and writes the reference into the job's row. The worker opens it with the
job's own binding, uses it, and the envelope is gone. One that is missing or has expired means "try
again later": there is no other credential to fall back to.

Each envelope has a data key (DEK) of its own, derived from a configured key-encryption key (KEK)
and the envelope's random `dek_id`; so nothing but the KEKs has to be kept, and they can be rotated.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from attrs import field, frozen

from toolroll.errors import MissingDependency, SettingsError, ToolrollError

if TYPE_CHECKING:
    from toolroll.storage.secrets import SecretCache

__all__ = ["Binding", "CredentialUnavailable", "CredentialVault", "Envelope", "Keyring"]

MOST_KEK_ID: Final = 65_535
_DEK_ID_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_REFERENCE_BYTES: Final = 16
_INFO: Final = b"toolroll credential envelope 1"


class CredentialUnavailable(ToolrollError):
    """The envelope is missing, has expired, or can't be opened here; the job should try later.

    Its message never holds anything of the credential or of the envelope.
    """


@frozen
class Binding:
    """What an envelope belongs to; it opens for nothing else.

    Attributes:
        tenant: SHA-256 of the caller's key, in hex.
        project: Name of the project.
        path: The file that the job works on.
        job: A name of the job that is unique and never changes; no timestamp, whose precision a
            database may cut.
    """

    tenant: str
    project: str
    path: str
    job: str

    def digest(self) -> str:
        """Return the binding as one unambiguous SHA-256, in hex: no name reaches the cache."""
        fields = json.dumps([self.tenant, self.project, self.path, self.job], ensure_ascii=True)
        return hashlib.sha256(fields.encode()).hexdigest()


@frozen
class Envelope:
    """A sealed credential, as the cache holds it.

    Attributes:
        kek_id: The key-encryption key that its data key comes from.
        dek_id: Random; makes the data key unique.
        ciphertext: Nonce, AES-256-GCM ciphertext and tag.
        aad: Digest of the binding.
        expires_at: Seconds since 1970; authenticated with the rest.
    """

    kek_id: int
    dek_id: bytes
    ciphertext: bytes
    aad: str
    expires_at: float

    def authenticated(self) -> bytes:
        """Return everything but the ciphertext, in the form that the ciphertext vouches for."""
        fields = [self.kek_id, self.dek_id.hex(), self.aad, self.expires_at]
        return json.dumps(fields, separators=(",", ":")).encode()

    def to_bytes(self) -> bytes:
        """Return the envelope as JSON."""
        return json.dumps(
            {
                "kek_id": self.kek_id,
                "dek_id": base64.b64encode(self.dek_id).decode(),
                "ciphertext": base64.b64encode(self.ciphertext).decode(),
                "aad": self.aad,
                "expires_at": self.expires_at,
            },
            separators=(",", ":"),
        ).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Envelope:
        """Read an envelope.

        Raises:
            CredentialUnavailable: It is no envelope.
        """
        try:
            fields: dict[str, Any] = json.loads(data)
            return cls(
                kek_id=int(fields["kek_id"]),
                dek_id=base64.b64decode(fields["dek_id"], validate=True),
                ciphertext=base64.b64decode(fields["ciphertext"], validate=True),
                aad=str(fields["aad"]),
                expires_at=float(fields["expires_at"]),
            )
        except (ValueError, KeyError, TypeError, binascii.Error):
            raise CredentialUnavailable("the credential envelope is damaged") from None


@frozen
class Keyring:
    """The key-encryption keys of a host: the highest id seals, every id opens.

    Args:
        secrets: KEK secrets by id, 0…65535; a blank one is left out.

    Raises:
        SettingsError: There is no key, or an id is out of range.
        MissingDependency: cryptography is not installed.
    """

    _keks: Mapping[int, bytes] = field(repr=False)

    @classmethod
    def of(cls, kek_secrets: Mapping[int, str]) -> Keyring:
        """Make a keyring; each KEK is the SHA-256 of its secret, as the document says."""
        keks = {
            number: hashlib.sha256(text.strip().encode()).digest()
            for number, text in kek_secrets.items()
            if text.strip()
        }
        if not keks:
            raise SettingsError("credentials need at least one key-encryption key")
        if bad := [number for number in keks if not 0 <= number <= MOST_KEK_ID]:
            raise SettingsError(f"key-encryption key id {bad[0]} is not in 0..{MOST_KEK_ID}")
        _library()
        return cls(keks)

    def seal(self, plaintext: bytes, binding: Binding, expires_at: float) -> Envelope:
        """Encrypt for one binding, with a data key of its own."""
        kek_id = max(self._keks)
        blank = Envelope(
            kek_id=kek_id,
            dek_id=secrets.token_bytes(_DEK_ID_BYTES),
            ciphertext=b"",
            aad=binding.digest(),
            expires_at=expires_at,
        )
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = self._cipher(blank).encrypt(nonce, plaintext, blank.authenticated())
        return Envelope(kek_id, blank.dek_id, nonce + sealed, blank.aad, expires_at)

    def open(self, envelope: Envelope, binding: Binding) -> bytes:
        """Decrypt, if the envelope is whole and belongs to the binding.

        Raises:
            CredentialUnavailable: It is not, or its KEK is no longer configured.
        """
        from cryptography.exceptions import InvalidTag

        if envelope.kek_id not in self._keks:
            raise CredentialUnavailable(
                f"the credential was sealed with key {envelope.kek_id}, which is not configured"
            )
        if not secrets.compare_digest(envelope.aad, binding.digest()):
            raise CredentialUnavailable("the credential belongs to another job")
        nonce, sealed = envelope.ciphertext[:_NONCE_BYTES], envelope.ciphertext[_NONCE_BYTES:]
        try:
            return self._cipher(envelope).decrypt(nonce, sealed, envelope.authenticated())
        except (InvalidTag, ValueError):
            raise CredentialUnavailable("the credential envelope is damaged") from None

    def _cipher(self, envelope: Envelope) -> Any:
        hashes, ciphers, derivation = _library()
        derive = derivation.HKDF(
            algorithm=hashes.SHA256(), length=32, salt=envelope.dek_id, info=_INFO
        )
        return ciphers.AESGCM(derive.derive(self._keks[envelope.kek_id]))


class CredentialVault:
    """Keeps sealed credentials in a secret cache, each under a random reference.

    Args:
        cache: Redis for many hosts, the process' memory for one.
        keyring: Seals and opens.
        prefix: Begins every key in the cache.
        ttl: Seconds until a credential is forgotten.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        cache: SecretCache,
        keyring: Keyring,
        *,
        prefix: str,
        ttl: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._cache = cache
        self._keyring = keyring
        self._prefix = prefix
        self._ttl = ttl
        self._clock = clock

    def put(self, credential: str, binding: Binding) -> str:
        """Keep a credential for one job and return its reference, for the job's row.

        Raises:
            ResourceBusy: The cache is away.
        """
        reference = secrets.token_hex(_REFERENCE_BYTES)
        sealed = self._keyring.seal(credential.encode(), binding, self._clock() + self._ttl)
        self._cache.put(self._key(reference), sealed.to_bytes(), self._ttl)
        return reference

    @contextmanager
    def use(self, reference: str, binding: Binding) -> Generator[str]:
        """Give the credential to the block; it is deleted when the block ends without an error.

        After an error it stays until its time is over, so that the job can try again.

        Raises:
            CredentialUnavailable: It is missing, has expired, or isn't this job's.
            ResourceBusy: The cache is away.
        """
        data = self._cache.get(self._key(reference))
        if data is None:
            raise CredentialUnavailable("the credential is missing or has expired")
        envelope = Envelope.from_bytes(data)
        if envelope.expires_at <= self._clock():
            self.forget(reference)
            raise CredentialUnavailable("the credential is missing or has expired")
        yield self._keyring.open(envelope, binding).decode()
        self.forget(reference)

    def forget(self, reference: str) -> None:
        """Delete a credential that its job will not use any more."""
        self._cache.delete(self._key(reference))

    def _key(self, reference: str) -> str:
        return f"{self._prefix}:{reference}"


def _library() -> tuple[Any, Any, Any]:
    try:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.ciphers import aead
        from cryptography.hazmat.primitives.kdf import hkdf
    except ModuleNotFoundError:
        raise MissingDependency(
            "credentials need cryptography: pip install 'toolroll[server]'"
        ) from None
    return hashes, aead, hkdf
