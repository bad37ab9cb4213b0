"""Where results are: artifact addresses mapped to canonical project paths.

Scanners write addresses in many ways: relative to the project, relative to a named base, absolute
with `file:`, and with or without percent-encoding. All of them end in the project's one path check
(`ProjectRoot.relative`); what that refuses lies outside.
"""

from __future__ import annotations

import os
import re
from typing import Final
from urllib.parse import unquote, urlsplit

import toolroll
from toolroll_file_assoc.sarif.node import Node

__all__ = ["Places"]

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""Two letters at least: one alone is a Windows drive."""
_DRIVE: Final = re.compile(r"/[A-Za-z]:")


class Places:
    """Maps the artifact locations of one run.

    Args:
        run: The run.
        root: The project.
        scanned_root: Absolute path or `file:` address of the project where it was scanned, if
            that was elsewhere: a build machine, a container.
    """

    def __init__(
        self, run: Node, root: toolroll.ProjectRoot, scanned_root: str | None = None
    ) -> None:
        self._root = root
        elsewhere = _local(scanned_root) if scanned_root else None
        self._scanned_root = f"{_slashed(elsewhere).rstrip('/')}/" if elsewhere else None
        self._bases = dict(run.members("originalUriBaseIds"))
        self._artifacts = list(run.items("artifacts"))
        self._known: dict[tuple[str, str | None], str | None] = {}

    def artifacts(self) -> list[tuple[Node, str | None]]:
        """Return the artifacts that the run lists, with their canonical paths."""
        found: list[tuple[Node, str | None]] = []
        for artifact in self._artifacts:
            location = artifact.child("location")
            found.append((artifact, self.path(location) if location is not None else None))
        return found

    def path(self, location: Node) -> str | None:
        """Return the canonical path of an `artifactLocation`; None where it lies outside.

        Raises:
            InvalidArguments: It has neither an address nor a valid index.
        """
        uri, base = location.text("uri"), location.text("uriBaseId")
        if uri is None:
            index = location.number("index", least=-1)
            if index is None or not 0 <= index < len(self._artifacts):
                location.fail("must have a 'uri', or an 'index' into the run's artifacts")
            inner = self._artifacts[index].required("location")
            if inner.text("uri") is None:
                inner.fail("must have a 'uri'")
            return self.path(inner)
        if (uri, base) not in self._known:
            self._known[uri, base] = self._resolve(uri, base)
        return self._known[uri, base]

    def _resolve(self, uri: str, base: str | None) -> str | None:
        path = self._read(uri, base)
        if "%" in uri and not self._is_there(path):
            as_it_is = self._read(uri.replace("%", "%25"), base)
            if self._is_there(as_it_is):  # a scanner that encodes nothing, and a name with a `%20`
                return as_it_is
        return path

    def _is_there(self, path: str | None) -> bool:
        return path is not None and os.path.lexists(self._root.path / path)

    def _read(self, uri: str, base: str | None) -> str | None:
        text = self._based(_local(uri), base, set())
        if text is None:
            return None
        if (root := self._scanned_root) is not None:
            text = _slashed(text)
            if _folded(text).startswith(_folded(root)):
                text = text[len(root) :]
        try:
            return self._root.relative(text)
        except toolroll.InvalidPath:
            return None

    def _based(self, path: str | None, base: str | None, seen: set[str]) -> str | None:
        """Put the base before a relative path; a base that the run doesn't define is the root."""
        if path is None or base is None or path.startswith("/") or base in seen:
            return path
        definition = self._bases.get(base)
        uri = definition.text("uri") if definition is not None else None
        if definition is None or uri is None:
            return path
        outer = self._based(_local(uri), definition.text("uriBaseId"), {*seen, base})
        return None if outer is None else f"{outer.rstrip('/')}/{path}" if outer else path


def _local(uri: str) -> str | None:
    """Return the path in an address, decoded; None for one that is not of this machine."""
    if not _SCHEME.match(uri):
        return unquote(uri)
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.lower() != "file" or parts.netloc.lower() not in {"", "localhost"}:
        return None
    path = unquote(parts.path)
    return path[1:] if _DRIVE.match(path) else path


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _folded(path: str) -> str:
    """Return a path as it is compared: scanners write Windows' drives in either case."""
    return path[0].upper() + path[1:] if _DRIVE.match(f"/{path}") else path
