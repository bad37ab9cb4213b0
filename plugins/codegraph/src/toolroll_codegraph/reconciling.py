"""Reconciling what index runs told provisionally with the whole program, in the background."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import toolroll
    from toolroll_codegraph.indexing.reconciling import Reconciliation

IDLE: Final = 1.0
"""Seconds between two looks at what there is to reconcile."""
QUIET: Final = 1_500_000_000
"""Nanoseconds after an edit: another one mostly follows, and would make the work be done again."""
MOST_QUIET: Final = 30_000_000_000
"""After edits that came while others were resolved: each time that is waited for twice as long."""


class Reconciler:
    """One step resolves the projects whose last edits are told provisionally."""

    def __init__(self, root: Path | None = None, report: Callable[[], None] | None = None) -> None:
        """Reconcile every project, or one; `report` is called when one is exact again."""
        self._root = root
        self._report = report
        self._running: Reconciliation | None = None
        self._ended = False
        self._quiet: dict[Path, int] = {}
        """Of projects that were edited while they were resolved."""
        self.works = root is not None
        """Whether somebody lets it step: only then may anything be told provisionally."""

    def step(self, ctx: toolroll.PackContext) -> bool:
        """Resolve what has been quiet for a while; never asks to be called again at once."""
        from toolroll_codegraph import service

        self.works = True
        for project in service.provisional_projects(ctx):
            root = Path(project.path)
            since = time.time_ns() - max(project.provisional.values())
            wait = self._quiet.get(root, QUIET)
            quiet = abs(since) > wait  # of a time to come: the clock was set back since then
            if quiet and not self._ended and self._root in (None, root) and root.is_dir():
                self._running = service.reconciliation(ctx, root)
                done = service.reconcile(ctx, root, self._running)
                if not done:
                    self._quiet[root] = min(2 * wait, MOST_QUIET)
                    continue
                self._quiet.pop(root, None)
                if self._report is not None:
                    self._report()
        return False

    def end(self) -> None:
        """Give up what a step is at: the next host does it."""
        self._ended = True
        if self._running is not None:
            self._running.give_up()
