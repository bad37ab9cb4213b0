"""A collection as this process knows it: always compared with the disk before it answers."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import define, evolve, field

import toolroll
from toolroll.search import Embedder
from toolroll_file_ops import store
from toolroll_file_ops.checks import Check, no_check
from toolroll_file_ops.collections_table import Place, mark_complete
from toolroll_file_ops.ignore import Rules, parents
from toolroll_file_ops.indexed_files import Changes, IndexedFiles, Report, no_report
from toolroll_file_ops.notices import Notices
from toolroll_file_ops.prepare import analysis
from toolroll_file_ops.scan import Limits, changed_at, scan
from toolroll_file_ops.settings import FileOpsSettings
from toolroll_file_ops.stamps import Stamp, stamp_of

if TYPE_CHECKING:
    from toolroll.storage import Database

__all__ = ["Space"]

ALWAYS_LOOKED_OVER: Final = 2000
"""Up to this many files, each is compared with the disk before every answer (about 5 ms)."""
LOOK_SHARE: Final = 0.2
"""Share of the time that longer looks may take; 4,000 files are looked over every 0.05 s."""
TOLD_SHARE: Final = 0.02
"""The same where the kernel tells of changes: it says nothing of writes to mapped memory."""


@define(eq=False)
class Space:
    """One collection: its rules, and what was on disk when it was last looked at.

    Every method takes the lock, so that threads look at the disk one after the other.
    """

    place: Place
    database: Database
    settings: FileOpsSettings
    embedder: Embedder | None
    lock: threading.RLock = field(factory=threading.RLock)
    rules: Rules = field(init=False)
    indexed: IndexedFiles = field(init=False)
    directories: dict[str, int] = field(factory=dict[str, int])
    notices: Notices = field(init=False)
    _prefix: str = field(init=False)
    looked: float = -1e9
    look_cost: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.rules = self._new_rules()
        self._prefix = f"{self.place.root.path}/"
        self.notices = Notices(self.place.root.path)
        self.indexed = IndexedFiles(
            self.place.id, self.place.root, self.database, self.settings, self.embedder
        )

    @property
    def files(self) -> Mapping[str, Stamp]:
        """What the indexed files were on disk when they were indexed, by path."""
        return self.indexed.stamps

    @property
    def ids(self) -> Mapping[str, int]:
        """The rows of the indexed files, by path."""
        return self.indexed.ids

    @property
    def seq(self) -> int:
        """The collection's when its files were last read; -1 if they are to be read again."""
        return self.indexed.seq

    def refresh(self, check: Check, *, seq: int | None = None, force: bool = False) -> None:
        """Bring the index up to date with the disk.

        Where the kernel tells of changes, only the directories it names are looked at. Elsewhere
        directories are compared before every answer, so that new, renamed and deleted files are
        seen at once; edits cost one `stat` for each file: small collections are looked over every
        time, larger ones as often as `LOOK_SHARE` allows, and at once when the watcher says so.
        Files that an answer shows are always compared again when they are read.

        Args:
            check: Raises when the caller has gone.
            seq: The collection's a moment ago; None to ask for it.
            force: Look at everything now, whenever the last look was.
        """
        with self.lock:
            try:
                self._catch_up(check, seq, force=force)
            except BaseException:
                self.directories = {}  # what was seen is not stored: the next look is at everything
                raise

    def _catch_up(self, check: Check, seq: int | None, *, force: bool) -> None:
        self.indexed.load(seq)
        if not self.directories:
            self.index(check=check, strict=False)
            return
        stale, sure = self.notices.changed()
        started = time.monotonic()
        share = TOLD_SHARE if sure else LOOK_SHARE
        due = (started - self.looked) * share >= self.look_cost
        small = len(self.files) <= ALWAYS_LOOKED_OVER and not sure
        whole = force or due or small or (self.notices.listening and not sure)
        if whole or not sure:
            then = self.directories
            stale |= {p for p in then if changed_at(f"{self._prefix}{p}") != then[p]}
        if not self.rules.current(self.directories if whole else stale):
            self.index(check=check, strict=False)
            return
        changed, removed = self._look(check, stale, whole=whole)
        if whole:
            self.looked = time.monotonic()
            self.look_cost = self.looked - started
        if changed or removed:
            self.indexed.apply(changed, removed, check)

    def sync(self, seq: int, paths: Sequence[str], check: Check) -> None:
        """Learn what other processes wrote until the collection's seq was this one.

        Args:
            seq: The collection's a moment ago.
            paths: The files that are to be read; the ignore files above them may have changed.
            check: Raises when the caller has gone.
        """
        with self.lock:
            self.indexed.load(seq)
            if not self.rules.current({above for path in paths for above in parents(path)}):
                self.index(check=check, strict=False)

    def refresh_file(self, path: str) -> bool:
        """Bring one file up to date; say whether it belongs to the collection and exists.

        Call `sync` or `refresh` first.

        Raises:
            InvalidPath: A symlink lies on the way.
        """
        with self.lock:
            try:
                with self.place.root.open(path) as file:
                    stamp = stamp_of(os.fstat(file.fileno()))
            except toolroll.NotFound:
                self._require_root(changed_at(self.place.root.path) is not None)
                self.indexed.forget(path)
                return False
            except toolroll.InvalidPath:
                self.indexed.forget(path)
                raise
            walked = bool(self.directories)  # by the rules of today
            if walked and self.files.get(path) == stamp:
                return True
            if not (walked and path in self.files) and not self.rules.admits(path):
                self.indexed.forget(path)
                return False
            if self.files.get(path) == stamp:
                return True
            self.indexed.apply([path], [], no_check)
            return path in self.files

    def index(
        self,
        *,
        check: Check = no_check,
        report: Report = no_report,
        strict: bool = True,
    ) -> Changes:
        """Walk the whole tree and index what is new or changed; resumes where a stopped pass was.

        Args:
            check: Called often; raises to stop between two transactions.
            report: Told how many of the changed files are done.
            strict: Whether an embedder that fails ends the pass.

        Raises:
            ToolError: resource_busy when the embedder failed.
        """
        with self.lock:
            self.directories = {}  # until the pass has ended
            self._renew()
            self.indexed.seq = -1
            self.indexed.load()
            self.rules = self._new_rules()
            started = time.monotonic()
            tree = scan(self.place.root.path, self.rules, self._limits, check=check)
            self._require_root("" in tree.directories)
            self.look_cost = time.monotonic() - started
            outdated = self._outdated()
            known = self.files
            changed = [
                path
                for path, stamp in tree.files.items()
                if known.get(path) != stamp or path in outdated
            ]
            removed = [path for path in known if path not in tree.files]
            changes = self.indexed.apply(
                sorted(changed), removed, check, report, strict=strict, anew=outdated
            )
            changes.unread = tree.unread + len([path for path in changed if path not in known])
            self.directories = tree.directories
            self.notices.follow(self.directories)
            self.looked = time.monotonic()
            first = self.place.indexed_at is None
            if changed or removed or first or changes.unread != self.place.unread:
                self._finish(changes.unread)
            return changes

    def _renew(self) -> None:
        """Start anew where another tokeniser made the index: the two are never mixed."""
        with self.database.reading() as connection:
            if store.is_current(connection, self.place.id):
                return
        with self.database.begin() as session:
            store.empty(session, self.place.id)

    def _outdated(self) -> set[str]:
        """Return the files that are to be cut anew, or that the embedder must see."""
        embedder = self.embedder.id if self.embedder else None
        with self.database.reading() as connection:
            how = analysis(self.settings.chunk_bytes)
            return store.outdated(connection, self.place.id, how, embedder)

    def _finish(self, unread: int) -> None:
        """Note that a full pass has ended, and drop what no file needs any more."""
        when = store.now()
        with self.database.begin() as session:
            store.forget_unused(session)  # first: who waits here for writers may hold no row
            mark_complete(session, self.place.id, when, unread)
        self.place = evolve(self.place, indexed_at=when, unread=unread)

    def _look(self, check: Check, stale: set[str], *, whole: bool) -> tuple[list[str], list[str]]:
        """Return the files that changed or are new, and those that have gone.

        Args:
            check: Raises when the caller has gone.
            stale: Directories that changed.
            whole: Whether to compare every file, or only those of directories that changed.
        """
        changed: dict[str, Stamp] = {}
        removed: set[str] = set()
        if not whole and not stale:
            return [], []
        root, prefix, stamps = self.place.root.path, self._prefix, self.files
        stale = stale - (gone := self._gone(stale))
        for path, stamp in stamps.items():
            directory = path.rpartition("/")[0]
            if directory in gone:
                removed.add(path)
                continue
            if not whole and directory not in stale:
                continue
            try:
                status = os.lstat(prefix + path)
            except OSError:
                removed.add(path)
                continue
            if not stat.S_ISREG(status.st_mode):
                removed.add(path)
            elif (now := stamp_of(status)) != stamp:
                changed[path] = now
        for directory in sorted(stale):
            known = self.directories.keys() - {directory}
            tree = scan(root, self.rules, self._limits, start=directory, skip=known, check=check)
            if directory == "":
                self._require_root("" in tree.directories)
            self.directories.pop(directory, None)
            self.directories.update(tree.directories)
            back = removed.intersection(tree.files)  # as a checkout makes files anew
            removed -= back
            new = back.union(tree.files.keys() - stamps.keys())
            changed |= {path: tree.files[path] for path in new}
        if stale or gone:
            self.notices.follow(self.directories)
        if changed:
            there = {path: stamps[path] for path in stamps.keys() - removed} | changed
            self._limits.require(len(there), sum(stamp.size for stamp in there.values()))
        return sorted(changed), sorted(removed)

    def _gone(self, stale: set[str]) -> set[str]:
        """Forget the directories that are there no more, with all below them; return them.

        A symlink in the place of one counts as gone: what is seen through it is somewhere else.
        """
        ends = {path for path in stale if path and changed_at(f"{self._prefix}{path}") is None}
        inside = self.directories if ends else ()
        below = {path for path in inside if not ends.isdisjoint(parents(f"{path}/"))}
        for path in below:
            del self.directories[path]
        return ends | below

    @property
    def _limits(self) -> Limits:
        settings = self.settings
        return Limits(self.place.name, settings.max_files, settings.max_total_bytes)

    def _new_rules(self) -> Rules:
        return Rules(self.place.root.path, self.place.include, self.place.exclude)

    def _require_root(self, there: bool) -> None:
        """Refuse to take a missing directory for an emptied one: it may be unmounted."""
        if not there:
            raise toolroll.NotFound(
                f"the directory of collection {self.place.name!r} cannot be read; mount it again, "
                "index the collection from another path, or, where it is gone for good, remove it "
                f"with 'toolroll stored remove file_ops {self.place.name}'",
                details={"collection": self.place.name},
            )
