"""Serves the console's files: from memory, under a policy that lets nothing else in (seed 002 5.4).

The page is the same for everybody and holds no data; what it shows it asks of `/mcp` with the
visitor's key, so there is nothing here to authenticate.
"""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import Final

from attrs import frozen
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

__all__ = ["CONTENT_SECURITY_POLICY", "console_routes"]

PATH: Final = "/console"

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        # the browser itself refuses to parse a string as markup: file content stays text
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}
_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@frozen
class _Asset:
    content: bytes
    media_type: str
    etag: str


def console_routes() -> list[Route]:
    """Return the routes of the console: the page at `/console`, its files below it."""
    assets = _read_assets()

    async def page(request: Request) -> Response:
        return _respond(request, assets["index.html"])

    async def file(request: Request) -> Response:
        asset = assets.get(request.path_params["name"])
        return _respond(request, asset) if asset else Response(status_code=404, headers=_HEADERS)

    async def without_slash(request: Request) -> Response:
        return RedirectResponse("../console", headers=_HEADERS)  # relative: holds behind a prefix

    return [
        Route(PATH, page),
        Route(f"{PATH}/", without_slash),
        Route(f"{PATH}/{{name}}", file),
    ]


def _read_assets() -> dict[str, _Asset]:
    """Read every file once: they are few and small, and no request can name a path."""
    assets: dict[str, _Asset] = {}
    for item in resources.files(__package__ or __name__).joinpath("static").iterdir():
        media_type = _TYPES.get(item.name.rpartition(".")[2])
        if media_type is not None:
            content = item.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            assets[item.name] = _Asset(content, media_type, etag)
    return assets


def _respond(request: Request, asset: _Asset) -> Response:
    headers = {**_HEADERS, "ETag": asset.etag}
    if request.headers.get("if-none-match") == asset.etag:
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)
