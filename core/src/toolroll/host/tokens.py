"""JSON Web Tokens as bearer tokens beside our own keys: issuer, key set, audience.

A token is what an identity provider says of a caller. The tenant is made of issuer and subject, so
that one caller has the same data whatever token they show.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import jwt
from attrs import frozen

from toolroll.context import tenant_of
from toolroll.errors import SettingsError
from toolroll.host.keys import SCOPES
from toolroll.settings import JwtSettings

__all__ = ["TokenClaims", "TokenVerifier"]

log: Final = logging.getLogger("toolroll.tokens")

_LEEWAY_SECONDS: Final = 30
_KEY_SET_SECONDS: Final = 300
_MISFITS: Final[Mapping[type[Exception], str]] = {
    jwt.InvalidAudienceError: "it is for others than [http.jwt] audience",
    jwt.InvalidIssuerError: "it is from another than [http.jwt] issuer",
    jwt.InvalidAlgorithmError: "it is signed by none of [http.jwt] algorithms",
    jwt.MissingRequiredClaimError: "it has not all of exp, iss, aud and sub",
}
"""What the settings or the issuer may be wrong about, if all tokens are refused for it."""


@frozen
class TokenClaims:
    """What a valid token says.

    Attributes:
        tenant: SHA-256 of issuer and subject, in hex.
        subject: For display.
        scopes: Those of ours that it grants.
        expires_at: Seconds since 1970, with what clocks may differ by.
    """

    tenant: str
    subject: str
    scopes: tuple[str, ...]
    expires_at: int


class _KeySource(Protocol):
    def key_of(self, token: str) -> Any:
        """Return the key that signed a token; PyJWTError when there is none."""
        ...


class TokenVerifier:
    """Verifies tokens of one issuer.

    Args:
        settings: Table `[http.jwt]`.
        base: Directory that a relative `jwks_file` is relative to.

    Raises:
        SettingsError: The key-set file is missing or holds no key set.
    """

    def __init__(self, settings: JwtSettings, base: Path) -> None:
        self._settings = settings
        self._told: set[str] = set()
        if settings.jwks_url:
            self._keys: _KeySource = _RemoteKeys(settings.jwks_url)
        else:
            self._keys = _FileKeys(base / settings.jwks_file)

    def verify(self, token: str) -> TokenClaims | None:
        """Return what a token says, or None if it is not valid here; blocks on a key-set URL."""
        settings = self._settings
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._keys.key_of(token),
                algorithms=list(settings.algorithms),
                issuer=settings.issuer,
                audience=settings.audience,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, SettingsError) as error:
            if misfit := _MISFITS.get(type(error)):
                self._tell_once(f"a token is refused: {misfit}")
            else:
                log.info("refused a token: %s", type(error).__name__)  # its text may quote it
            return None
        subject = str(claims["sub"])
        scopes = _scopes(claims.get(settings.scope_claim), settings.scope_prefix)
        if not scopes:
            self._tell_once(
                "a token grants nothing: by [http.jwt] scope_claim and scope_prefix there is "
                "neither read nor write in it"
            )
        return TokenClaims(
            tenant=tenant_of(f"jwt {settings.issuer} {subject}"),
            subject=subject,
            scopes=scopes,
            expires_at=int(claims["exp"]) + _LEEWAY_SECONDS,
        )

    def _tell_once(self, text: str) -> None:
        """Log what an operator may have to mend; again and again, callers could fill the log."""
        if text not in self._told:
            self._told.add(text)
            log.warning("%s (told once)", text)


def _scopes(claim: Any, prefix: str) -> tuple[str, ...]:
    """Return our scopes in a claim: a text with spaces (RFC 8693) or a list of texts."""
    match claim:
        case str():
            granted = claim.split()
        case list():
            granted = [str(item) for item in claim]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # any JSON
        case _:
            granted = []
    return tuple(scope for scope in SCOPES if f"{prefix}{scope}" in granted)


class _RemoteKeys:
    """A key set at a URL, fetched again every five minutes and when a key is unknown.

    Unknown keys make it ask at most twice a minute (PyJWT sees to that): whoever sends tokens of
    their own making can't have the provider flooded.
    """

    def __init__(self, url: str) -> None:
        self._client = jwt.PyJWKClient(url, lifespan=_KEY_SET_SECONDS, timeout=10)

    def key_of(self, token: str) -> Any:
        try:
            return self._client.get_signing_key_from_jwt(token).key
        except jwt.PyJWKClientConnectionError as error:
            log.warning("the issuer's key set can't be fetched, its tokens are refused: %s", error)
            raise


class _FileKeys:
    """A key set in a file, read again when it changes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._set: jwt.PyJWKSet | None = None
        self._load()

    def key_of(self, token: str) -> Any:
        found = self._load()
        wanted = jwt.get_unverified_header(token).get("kid")
        keys = [key for key in found.keys if wanted is None or key.key_id == wanted]
        if len(keys) != 1:
            raise jwt.PyJWKSetError("no key, or more than one, fits the token")
        return keys[0].key

    def _load(self) -> jwt.PyJWKSet:
        with self._lock:
            try:
                status = self._path.stat()
                stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                if stamp != self._stamp:
                    self._set = jwt.PyJWKSet.from_dict(json.loads(self._path.read_text("utf-8")))
                    self._stamp = stamp
            except (OSError, ValueError, jwt.PyJWTError) as error:
                raise SettingsError(
                    f"[http.jwt] jwks_file holds no JSON Web Key Set: {self._path.name} ({error})"
                ) from None
            assert self._set is not None
            return self._set
