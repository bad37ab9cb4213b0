"""Labels: what a document's path says, as single tokens that an index can filter by."""

from __future__ import annotations

import hashlib
from typing import Final

from toolroll.search.interfaces import Scope, extension

__all__ = ["EVERY", "path_labels", "scope_labels"]

EVERY: Final = "every"
"""The label that every document carries."""


def path_labels(path: str) -> list[str]:
    """Return the labels of a document: one for each directory above it, one for its extension."""
    labels = [EVERY, _label("extension", extension(path))]
    at = path.find("/")
    while at >= 0:
        labels.append(_label("directory", path[:at]))
        at = path.find("/", at + 1)
    return labels


def scope_labels(scope: Scope) -> list[list[str]]:
    """Return what a document in the scope must carry: one label of each of these lists.

    A prefix that ends inside a name is wider as labels than as a path; the engine checks the path.
    """
    required: list[list[str]] = []
    if scope.directory:
        required.append([_label("directory", scope.directory)])
    if scope.extensions:
        required.append([_label("extension", name) for name in sorted(scope.extensions)])
    return required


def _label(kind: str, value: str) -> str:
    """Return a token for any text; a hash, since paths hold characters that engines split at."""
    digest = hashlib.blake2b(value.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return f"{kind[0]}{digest}"
