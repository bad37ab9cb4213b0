"""A collection during one call: its files are read as they are now, its index is up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar
from unicodedata import normalize

from attrs import field, frozen

import toolroll
from toolroll_file_ops.content import Loaded, load, rows_of, size_on_disk
from toolroll_file_ops.results import CollectionAnswer

if TYPE_CHECKING:
    from toolroll_file_ops.checks import Check
    from toolroll_file_ops.collections_table import Place
    from toolroll_file_ops.engine import Engine
    from toolroll_file_ops.space import Space

__all__ = ["Opened"]

Answer = TypeVar("Answer", bound=CollectionAnswer)


@frozen(eq=False)
class Opened:
    """A collection during one call.

    Args:
        check: Raises when the caller has gone.
        seq: The collection's when the call began.
    """

    engine: Engine
    space: Space
    check: Check
    seq: int
    _synced: list[bool] = field(factory=list[bool], init=False)
    _stale: list[str] = field(factory=list[str], init=False)

    @property
    def place(self) -> Place:
        """The collection's row."""
        return self.space.place

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.space.place.name

    @property
    def stale(self) -> str | None:
        """Why the index could not be brought up to date; None where it was."""
        return self._stale[-1] if self._stale else None

    def refresh(self, *, force: bool = False) -> int:
        """Bring the index up to date, or note why it can't be now; return its seq.

        Args:
            force: Look at everything now, whenever the last look was.
        """
        try:
            self.space.refresh(self.check, seq=None if force else self.seq, force=force)
        except toolroll.InternalError as error:
            trouble = self.engine.database.trouble(error)
            if not trouble:
                raise
            self._stale.append(
                f"new and changed files are missing: the index of {self.name!r} cannot be written: "
                f"{trouble}"
            )
            self.space.indexed.load()
        self._synced.append(True)
        return self.space.seq

    def told(self, answer: Answer) -> Answer:
        """Return an answer that says so where the index is stale."""
        return answer.model_copy(update={"stale": self.stale}) if self.stale else answer

    def sync(self, paths: Sequence[str]) -> None:
        """Learn what other processes wrote, once in a call, before files of it are read."""
        if not self._synced:
            self.space.sync(self.seq, paths, self.check)
            self._synced.append(True)

    def named(self, path: str) -> str:
        """Return the path of the file that a caller names by `path`.

        That is another one only where no file is called exactly so, and one file is but for the
        form of its accents (NFC or NFD): they look the same, and macOS writes what nobody types.
        """
        if path.isascii() or size_on_disk(self.space, path) is not None:
            return path
        self.sync([path])
        wanted = normalize("NFC", path)
        same = [
            other
            for other in self.space.files
            if not other.isascii() and normalize("NFC", other) == wanted
        ]
        return same[0] if len(same) == 1 else path

    def load(self, path: str) -> tuple[Loaded, bool]:
        """Return a file as it is now, and whether it came from the cache."""
        return self.load_all([path])[path]

    def load_all(self, paths: Sequence[str]) -> dict[str, tuple[Loaded, bool]]:
        """Return files as they are now; what is not in the cache is read at once."""
        self.sync(paths)
        content, space = self.engine.content, self.space
        held = content.held([(space.place.id, path) for path in paths])
        missing = [path for path, known in zip(paths, held, strict=True) if not known]
        rows = rows_of(space, missing) if len(missing) > 1 else {}
        return {path: load(space, content, path, rows) for path in paths}
