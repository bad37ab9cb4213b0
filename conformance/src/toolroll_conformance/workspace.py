"""A throw-away project with its settings and data: what one server under test works on."""

from __future__ import annotations

import base64
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tomli_w
from attrs import frozen

from toolroll_conformance.case import FileSpec, Given
from toolroll_conformance.substitution import fill_text

__all__ = ["NO_TABLES", "Tables", "Workspace"]

Tables = Mapping[str, Mapping[str, Any]]
"""Tables of `toolroll.toml`."""
NO_TABLES: Final[Tables] = {}


@frozen
class Workspace:
    """A fresh directory: `root` (the project), `data`, and `toolroll.toml` that names both.

    Settings and data lie outside the project, so that a pack which lists the project sees nothing
    but the case's own files. Use it as a context manager; it is removed at the end.
    """

    pack: str
    path: Path
    database_url: str = ""
    """The PostgreSQL database that packs store in; "" where they have files in `data`."""

    @classmethod
    def make(cls, pack: str, given: Given | None = None, storage: Tables = NO_TABLES) -> Workspace:
        """Make a workspace that serves one pack, with a case's files and settings in it.

        Args:
            pack: The pack's name.
            given: What the case is given.
            storage: Settings that lead to its storage; see `toolroll_conformance.storage`.
        """
        given = given or Given()
        path = Path(tempfile.mkdtemp(prefix="toolroll-")).resolve()
        workspace = cls(pack, path, storage.get("storage", {}).get("url", ""))
        workspace.root.mkdir()
        tables: dict[str, dict[str, Any]] = {
            "host": {"roots": ["root"], "data_dir": "data"},
            "packs": {"allow": [pack]} if pack else {},
        }
        for settings in (storage, given.settings):
            for name, table in settings.items():
                tables.setdefault(name, {}).update(table)
        workspace.config.write_text(tomli_w.dumps(tables), encoding="utf-8")
        workspace.write(given.files)
        return workspace

    @property
    def root(self) -> Path:
        """The project root that the server serves."""
        return self.path / "root"

    @property
    def data(self) -> Path:
        """Where packs store their data."""
        return self.path / "data"

    @property
    def config(self) -> Path:
        """The settings file."""
        return self.path / "toolroll.toml"

    def write(
        self, files: Mapping[str, str | FileSpec], names: Mapping[str, Any] | None = None
    ) -> None:
        """Write files into the project; a file that stands there already is replaced.

        Args:
            files: By project-relative path.
            names: Captured values for `${name}` in texts.
        """
        for name, content in files.items():
            spec = FileSpec(text=content) if isinstance(content, str) else content
            self._write_one(self.root / name, spec, names or {})

    def _write_one(self, path: Path, spec: FileSpec, names: Mapping[str, Any]) -> None:
        if spec.directory:
            path.mkdir(parents=True, exist_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if spec.symlink is not None:
            path.unlink(missing_ok=True)
            path.symlink_to(spec.symlink)
        elif spec.base64 is not None:
            path.write_bytes(base64.b64decode(spec.base64) * spec.repeat)
        else:
            text = fill_text(spec.text or "", names) * spec.repeat
            path.write_bytes(text.encode())

    def remove(self, name: str) -> None:
        """Remove a file, link or whole directory of the project."""
        path = self.root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    def rename(self, old: str, new: str) -> None:
        """Rename a file of the project, replacing what stands there."""
        target = self.root / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).replace(target)

    def close(self) -> None:
        """Remove all of it."""
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
