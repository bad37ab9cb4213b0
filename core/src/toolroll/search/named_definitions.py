"""Which chunks define what a query names, and how sure that is."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from toolroll.search.path_facts import path_facts
from toolroll.search.query_symbols import (
    asks_for_name,
    identifiers,
    is_symbol,
    name_parts,
    named_symbols,
)

if TYPE_CHECKING:
    from toolroll.search.ranking import Candidate, RankingSettings

__all__ = ["NamedDefinitions", "begin_with", "forms", "joined"]

REMEMBERED: Final = 20_000
"""Names whose parts are remembered."""

OTHER_OWNER: Final = 0.5
"""What a definition counts whose file does not show the owner that the query names."""

OTHER_CASE: Final = 0.5
"""What a definition counts whose name is written otherwise than the query writes it."""


class NamedDefinitions:
    """The bonus of chunks that define what the query names.

    Of `Parser.feed`, definitions of `feed` count whole where the file defines a `Parser` too, or is
    called so, and half elsewhere. Those of `Feed` count half, where there are any of `feed`.

    Args:
        query: What is asked.
        chunks: The candidates.
        settings: The weights.
        begun: The query is the beginning of a name, or a name in the style of another language: a
            definition counts the more, the more of its name that is.

    Attributes:
        wanted: The names, with what owns them; empty where the query names nothing.
    """

    def __init__(
        self,
        query: str,
        chunks: Sequence[Candidate],
        settings: RankingSettings,
        *,
        begun: bool = False,
    ) -> None:
        self.wanted = named_symbols(query)
        self._share: dict[str, float] = {}
        if begun:
            for beginning, owners in list(self.wanted.items()):
                for name in {n for c in chunks for n in begin_with(beginning, c.symbols)}:
                    self.wanted[name] = owners
                    self._share[name] = len(joined(beginning)) / len(joined(name))
        self._alone = asks_for_name(query)
        self._settings = settings
        prose, symbol = settings.definition_prose, settings.definition_symbol
        self._weight = symbol if is_symbol(query) else prose
        asked = set(identifiers(query)) if self.wanted else set[str]()
        self._written = asked & {_last(n) for c in chunks if asked for n in c.symbols}
        self._cased = {name.lower() for name in self._written}
        self._owners: dict[str, set[str]] = {}
        if any(self.wanted.values()):
            for chunk in chunks:
                owners = self._owners.setdefault(chunk.path, set(_place_names(chunk.path)))
                owners.update(part for name in chunk.symbols for part in _parts(name))

    def bonus(self, chunk: Candidate) -> float:
        """Return the bonus of one chunk."""
        named = [name for name in chunk.symbols if any(map(name.lower().__contains__, self.wanted))]
        defined = {
            form for name in named for form in forms(_parts(name)[-1], asked_alone=self._alone)
        } & self.wanted.keys()
        if not defined:
            return 0.0
        at_home = path_facts(chunk.path).stem.lower() in defined
        weight = self._weight * (self._settings.definition_file if at_home else 1.0)
        known = self._owners.get(chunk.path, set[str]())
        if all(self.wanted[name] and known.isdisjoint(self.wanted[name]) for name in defined):
            weight *= OTHER_OWNER
        weight *= max(self._share.get(name, 1.0) for name in defined)
        if defined <= self._cased and self._written.isdisjoint(map(_last, named)):
            weight *= OTHER_CASE
        return weight


def forms(name: str, *, asked_alone: bool) -> tuple[str, ...]:
    """Return a name as it is, and as it is asked for by who leaves out that it is private.

    In a sentence that is another word: `datetime` there is not `_datetime`.
    """
    return (name, name.lstrip("_")) if asked_alone else (name,)


def begin_with(beginning: str, symbols: Sequence[str]) -> Iterator[str]:
    """Yield the last parts, in lower case, of those symbols in which they begin with a text.

    However their words are joined: `parse_header` begins with `parseHead`.
    """
    wanted = joined(beginning)
    for symbol in symbols:
        if joined(last := _parts(symbol)[-1]).startswith(wanted):
            yield last


def joined(name: str) -> str:
    """Return a name without the underscores between its words, those before it but the first."""
    return name[:1] + name[1:].replace("_", "")


@functools.lru_cache(maxsize=REMEMBERED)
def _parts(symbol: str) -> tuple[str, ...]:
    return tuple(name_parts(symbol.lower()))


@functools.lru_cache(maxsize=REMEMBERED)
def _last(symbol: str) -> str:
    return name_parts(symbol)[-1]


@functools.lru_cache(maxsize=REMEMBERED)
def _place_names(path: str) -> tuple[str, ...]:
    """Return the directories and the stem of a path in lower case."""
    return (*path.lower().split("/")[:-1], path_facts(path).stem.lower())
