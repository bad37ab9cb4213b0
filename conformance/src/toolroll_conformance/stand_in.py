"""A stand-in distribution: makes a pack object look installed to the processes that serve it."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from toolroll.pack import Pack

__all__ = ["StandIn"]


class StandIn:
    """A directory with the metadata of a distribution that has one pack, for `PYTHONPATH`.

    Args:
        pack: Its class must be importable by name and take no arguments.

    Attributes:
        path: The directory.
        environment: Variables for processes that shall find the pack.
    """

    def __init__(self, pack: Pack) -> None:
        kind = type(pack)
        self._directory = tempfile.TemporaryDirectory(prefix="toolroll-")
        self.path = site = Path(self._directory.name)
        self.module = f"toolroll_stand_in_{pack.name}"
        (site / f"{self.module}.py").write_text(
            f"import toolroll\nfrom {kind.__module__} import {kind.__qualname__} as Kind\n\n\n"
            "@toolroll.hookimpl\ndef toolroll_pack():\n    return Kind()\n",
            encoding="utf-8",
        )
        metadata = site / f"{self.module}-0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {self.module}\nVersion: 0\n", encoding="utf-8"
        )
        (metadata / "entry_points.txt").write_text(
            f"[toolroll]\n{pack.name} = {self.module}\n", encoding="utf-8"
        )
        self.environment = {"PYTHONPATH": os.pathsep.join([str(site), *filter(None, sys.path)])}

    def close(self) -> None:
        """Remove the directory."""
        self._directory.cleanup()
