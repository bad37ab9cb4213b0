"""Who sends a request: a key of ours, a token of an identity provider, or, until keys, anybody."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import anyio.to_thread
from attrs import evolve
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken

from toolroll.context import LOCAL, Credentials, Principal
from toolroll.errors import SettingsError
from toolroll.host.keys import PREFIX, KeyStore

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from toolroll.host.tokens import TokenVerifier

__all__ = ["BearerVerifier", "WithoutKeys", "current_principal"]

log: Final = logging.getLogger("toolroll.http")

MOST_CREDENTIAL: Final = 4_096
"""Characters of a caller's key for another service: it may wait sealed, once for each job."""
_ROOTS: Final = "toolroll/roots"
_ANYBODY: Final = "toolroll/anybody"
"""Claim of those who need no key."""


class BearerVerifier:
    """Checks bearer texts for the SDK; the text itself goes no further, the tenant does.

    Args:
        keys: Keys of ours.
        tokens: Verifies JSON Web Tokens; None where the settings name no issuer.
        until_keys: Anybody may call until there is a key.

    Attributes:
        anybody: A token of this process alone, for those who need none.
    """

    def __init__(
        self, keys: KeyStore, tokens: TokenVerifier | None = None, *, until_keys: bool = False
    ) -> None:
        self._keys = keys
        self._tokens = tokens
        self._until_keys = until_keys
        self.anybody = secrets.token_urlsafe(32)

    def admits_anybody(self) -> bool:
        """Say whether nobody needs a key: not any more as soon as one was seen."""
        try:
            self._until_keys = self._until_keys and not self._keys.list()
        except SettingsError as error:  # a damaged file lets nobody in
            log.error("%s", error)
            return False
        return self._until_keys

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return who holds a key or token, or None if it is neither."""
        if secrets.compare_digest(token.encode(), self.anybody.encode()):
            return AccessToken(
                token="",
                client_id=LOCAL.tenant,
                scopes=sorted(LOCAL.scopes),
                subject=LOCAL.name,
                claims={_ANYBODY: True},
            )
        if self._tokens is not None and not token.startswith(PREFIX) and token.count(".") == 2:
            return await anyio.to_thread.run_sync(self._of_token, self._tokens, token)
        return self._of_key(token)

    def _of_key(self, key: str) -> AccessToken | None:
        try:
            record = self._keys.verify(key)
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
            claims={_ROOTS: list(record.roots)},
        )

    def _of_token(self, tokens: TokenVerifier, token: str) -> AccessToken | None:
        claims = tokens.verify(token)
        if claims is None:
            return None
        return AccessToken(
            token="",
            client_id=claims.tenant,
            scopes=list(claims.scopes),
            subject=claims.subject,
            expires_at=claims.expires_at,
        )


class WithoutKeys:
    """Lets requests in as the local user's, whatever key they bring, until there are keys."""

    def __init__(self, app: ASGIApp, verifier: BearerVerifier) -> None:
        self._app = app
        self._verifier = verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] in ("http", "websocket") and self._verifier.admits_anybody():
            others = [item for item in scope["headers"] if item[0] != b"authorization"]
            token = f"Bearer {self._verifier.anybody}".encode()
            scope = {**scope, "headers": [*others, (b"authorization", token)]}
        await self._app(scope, receive, send)


def current_principal(request: Request | None, credential_headers: Iterable[str]) -> Principal:
    """Return who sends a request: the holder of its key, or the local user without one.

    Args:
        request: Over HTTP; None elsewhere.
        credential_headers: Headers with keys of the caller's for other services; any other header
            stays here.
    """
    credentials = _presented(request, credential_headers) if request is not None else Credentials()
    token = get_access_token()
    if token is None or (token.claims or {}).get(_ANYBODY):  # a key may be named as the user is
        return evolve(LOCAL, credentials=credentials) if credentials else LOCAL
    return Principal(
        tenant=token.client_id,
        name=token.subject or "",
        scopes=frozenset(token.scopes),
        roots=tuple((token.claims or {}).get(_ROOTS, ())),
        credentials=credentials,
    )


def _presented(request: Request, names: Iterable[str]) -> Credentials:
    found = {name: request.headers.get(name, "") for name in names}
    if long := sorted(name for name, value in found.items() if len(value) > MOST_CREDENTIAL):
        log.warning("a key longer than %d characters is ignored: %s", MOST_CREDENTIAL, long[0])
    return Credentials.of({n: value for n, value in found.items() if n not in long})
