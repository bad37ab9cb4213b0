"""Digests of files and rows.

`hashlib` loads OpenSSL, which takes 3.4 MB of each worker; the standard library's own `random`
gets around that in the same way.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # another Python
    from hashlib import blake2b

__all__ = ["blake2b", "content_digest"]


def content_digest(data: bytes) -> str:
    """Name the content of a file."""
    return blake2b(data, digest_size=16).hexdigest()
