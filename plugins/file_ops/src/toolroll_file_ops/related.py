"""Files that have to do with a file: alike as a whole, importing one another, sharing names."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

from attrs import frozen

from toolroll.search.tokens import STOP_WORDS, query_tokens
from toolroll_file_ops.catalogue import catalogue_of
from toolroll_file_ops.content import Loaded
from toolroll_file_ops.import_graph import ImportGraph
from toolroll_file_ops.imports import import_one_another, module_name
from toolroll_file_ops.reading import those_there
from toolroll_file_ops.search_results import RelatedFile, RelatedFiles
from toolroll_file_ops.statements import Members, run

if TYPE_CHECKING:
    from toolroll_file_ops.opened import Opened

__all__ = ["related_to"]

IMPORT_PULL: Final = 0.6
"""An import closes this share of the distance to 1; by itself it reaches the default threshold."""
COPY: Final = 0.9999
"""Similarity of a file with the same bytes; 1 would mean the file itself."""
ALIKE_MOST: Final = 0.99
"""Highest similarity of files that are not copies."""
CONCEPTS: Final = 8
POOL: Final = 10
POOL_FOR_EACH: Final = 2
"""Most alike files that are read for names and reasons: so many, and so many for each asked for."""
MENTIONS: Final = 200
"""Chunks with the words of a module's name, in whose files imports of it are looked for."""
IMPORTERS: Final = 20
"""Files that are read for that."""
# The plus keeps SQLite from looking up every id in the index by collection first.
_PATHS: Final = """
    SELECT c.id, f.path FROM chunks AS c JOIN files AS f ON f.id = c.file_id
    WHERE c.id IN MEMBERS(?) AND +c.collection_id = ?"""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,63}")
_KEYWORDS: Final = """
    abstract async await bool boolean break byte case catch char class const constexpr continue
    default defer delete double elif else elsif endif enum except export extends extern false final
    finally float foreach func function global goto impl implements import include inline instanceof
    interface internal lambda long match module namespace none nonlocal null nullptr object operator
    package pass private protected public raise readonly require rescue return self short signed
    sizeof static string struct super switch template throw throws trait true type typedef typename
    typeof undefined union unless unsafe unsigned until using virtual void volatile when while with
    yield"""
_SAID_EVERYWHERE: Final = STOP_WORDS | frozenset(_KEYWORDS.split())
"""Words that say nothing of what two files have in common."""


@frozen
class _Kin:
    score: float
    path: str
    alike: float
    copy: bool
    imports: bool
    imported: bool


def related_to(
    opened: Opened, path: str, limit: int, threshold: float, *, reasons: bool
) -> RelatedFiles:
    """Return the answer of `get_related_files`, most related first, the file itself left out.

    Args:
        opened: The collection.
        path: Canonical path.
        limit: Files at most.
        threshold: Least similarity, 0 … 1.
        reasons: Whether each file says why it is there.
    """
    opened.refresh()
    source, _ = opened.load(path)
    catalogue = catalogue_of(opened)
    rows, graph = catalogue.files, catalogue.graph(opened)
    alike = catalogue.means(opened).alike(path)
    targets = graph.targets(path, source.text, source.language)
    pool = POOL_FOR_EACH * limit + POOL
    nearest = sorted(alike, key=lambda name: (-alike[name], name))[:pool]
    twins = {name for name, row in rows.items() if row.sha256 == rows[path].sha256}
    texts = those_there(opened, {*nearest, *targets, *twins, *_may_import(opened, source)} - {path})
    kin = [
        _kin(name, alike.get(name, 0.0), name in twins, name in targets, graph, loaded, path)
        for name, loaded in texts.items()
    ]
    kept = sorted((k for k in kin if k.score >= threshold), key=lambda k: (-k.score, k.path))
    names = {name: _names(loaded) for name, loaded in texts.items()}
    mine = _names(source)
    spread = Counter(name for theirs in names.values() for name in mine.keys() & theirs.keys())
    return RelatedFiles(
        source_file=path,
        related_files=[
            RelatedFile(
                path=k.path,
                similarity_score=round(k.score, 4),
                reason=_reason(k, shared) if reasons else None,
                shared_concepts=shared,
            )
            for k in kept[:limit]
            for shared in [_shared(mine, names[k.path], spread)]
        ],
    )


def _may_import(opened: Opened, source: Loaded) -> list[str]:
    """Return files that may import one: of its languages, with the words of its module's name."""
    engine, place = opened.engine, opened.place
    words = query_tokens(" ".join(module_name(source.path)))
    with engine.database.reading() as connection:
        hits = engine.words(connection, place.id).search(words, limit=MENTIONS)
        paths = dict(run(connection, _PATHS, Members(hit.id for hit in hits), place.id))
    found = dict.fromkeys(paths[hit.id] for hit in hits if hit.id in paths)
    files = catalogue_of(opened).files
    mixed = (
        name
        for name in found
        if name in files and import_one_another(files[name].language, source.language)
    )
    return list(islice(mixed, IMPORTERS))


def _kin(
    name: str,
    alike: float,
    copy: bool,
    imports: bool,
    graph: ImportGraph,
    loaded: Loaded,
    source: str,
) -> _Kin:
    imported = source in graph.targets(name, loaded.text, loaded.language)
    score = min(max(alike, 0.0), ALIKE_MOST)
    if imports or imported:
        score = min(score + IMPORT_PULL * (1 - score), ALIKE_MOST)
    return _Kin(COPY if copy else score, name, alike, copy, imports, imported)


def _names(loaded: Loaded) -> Counter[str]:
    found = Counter(_IDENTIFIER.findall(loaded.text))
    for name in [name for name in found if name.lower() in _SAID_EVERYWHERE]:
        del found[name]
    return found


def _shared(mine: Counter[str], theirs: Counter[str], spread: Counter[str]) -> list[str]:
    """Return names that occur in both files, those that are rare elsewhere first."""
    common = [name for name in mine if name in theirs]

    def worth(name: str) -> tuple[float, str]:
        telling = 2.0 if "_" in name or name != name.lower() else 1.0
        return (-telling * min(mine[name], theirs[name], 5) / spread[name], name)

    return sorted(common, key=worth)[:CONCEPTS]


def _reason(kin: _Kin, shared: list[str]) -> str:
    parts: list[str] = []
    if kin.copy:
        parts.append("same content, byte for byte")
    if kin.imports:
        parts.append("imported by the source file (import)")
    if kin.imported:
        parts.append("imports the source file (import)")
    if not kin.copy and kin.alike > 0:
        parts.append(f"{kin.alike:.0%} alike in meaning")
    if shared and not kin.copy:
        parts.append(f"both use {', '.join(shared[:3])}")
    return "; ".join(parts) or "near in meaning"
