"""The small interfaces of search, and the values that pass through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from attrs import field, frozen

from toolroll.search.errors import SearchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "EVERYTHING",
    "Embedder",
    "Hit",
    "LexicalBatch",
    "LexicalDocument",
    "LexicalIndex",
    "Reranked",
    "Reranker",
    "Scope",
    "SeparateIndex",
    "VectorBatch",
    "VectorIndex",
    "Vocabulary",
    "WordEmbedder",
    "require_dimension",
]


@frozen
class Scope:
    """Which documents may answer.

    Args:
        prefix: Raw prefix of the path, case-sensitive, no wildcards; "" admits every path.
        extensions: Extensions without dot in lower case, of which the file has one; "" stands for
            files without extension. Empty: any.
    """

    prefix: str = ""
    extensions: frozenset[str] = frozenset()

    def admits(self, path: str) -> bool:
        """Say whether a document at `path` is inside."""
        return path.startswith(self.prefix) and (
            not self.extensions or extension(path) in self.extensions
        )

    @property
    def directory(self) -> str:
        """The deepest directory that holds everything the prefix admits; "" for the root."""
        return self.prefix.rpartition("/")[0]


EVERYTHING: Final = Scope()


def extension(path: str) -> str:
    """Return the extension of a path in lower case without its dot; "" when it has none.

    A leading dot does not start an extension: `.gitignore` has none.
    """
    stem, dot, last = path.rpartition("/")[2].rpartition(".")
    return last.lower() if dot and stem.strip(".") else ""


class Hit(NamedTuple):
    """One chunk that an index found; a higher score is better, comparable within one search."""

    id: int
    score: float


@frozen
class LexicalDocument:
    """One chunk as the lexical engines take it.

    Args:
        id: The chunk's id, positive and never used again for other text.
        path: Path of its file.
        tokens: Its tokens joined by spaces (`document_tokens`).
    """

    id: int
    path: str
    tokens: str = field(repr=False)


@frozen
class LexicalBatch:
    """Changes that are applied together: first the deletes, then the adds.

    Args:
        seq: Position in the owner's history after these changes.
        delete: Chunk ids to remove; unknown ids are ignored.
        add: Documents to add; an id that is already there is replaced.
    """

    seq: int
    delete: Sequence[int] = ()
    add: Sequence[LexicalDocument] = ()


class LexicalIndex(Protocol):
    """BM25 over the tokens of chunks. Every engine ranks alike, since the tokens are the same."""

    def applied_seq(self) -> int:
        """Return the seq of the last batch applied; 0 for a new index."""
        ...

    def apply(self, batch: LexicalBatch) -> None:
        """Apply a batch whole, together with its seq; applying one again changes nothing.

        Raises:
            IndexBusy: Another process is writing.
            IndexBroken: The index must be cleared and filled anew.
        """
        ...

    def search(
        self, terms: Sequence[str], *, limit: int = 200, scope: Scope = EVERYTHING
    ) -> list[Hit]:
        """Return the best chunks that hold any of the terms, best first, ties by id.

        Args:
            terms: Query terms (`query_terms`); none finds nothing.
            limit: Most hits to return.
            scope: Which documents may answer; decided before ranking, never after.
        """
        ...

    def clear(self) -> None:
        """Remove everything; the seq is 0 again."""
        ...

    def close(self) -> None:
        """Release files and memory; the index is not used afterwards."""
        ...


class SeparateIndex(LexicalIndex, Protocol):
    """A lexical index with commits of its own, beside the database whose rows it follows."""

    def ids(self) -> set[int]:
        """Return the ids of all documents."""
        ...


@frozen(eq=False)
class VectorBatch:
    """Changes that are applied together: first the deletes, then the adds.

    Args:
        seq: Position in the owner's history after these changes.
        delete: Chunk ids to remove; unknown ids are ignored.
        ids: Chunk ids to add; an id that is already there is replaced.
        vectors: One row of unit length for each of `ids`, float32; None without ids.
    """

    seq: int
    delete: Sequence[int] = ()
    ids: Sequence[int] = ()
    vectors: NDArray[np.float32] | None = None

    def require(self, dimension: int) -> None:
        """Refuse a batch that an index of vectors of that length can't take.

        Raises:
            SearchError: Ids and vectors are not as many, or the vectors have another length.
        """
        count = 0 if self.vectors is None else len(self.vectors)
        if len(self.ids) != count:
            raise SearchError("a batch needs one vector for each id")
        if self.vectors is not None and count:
            require_dimension(self.vectors.shape[1], dimension)


def require_dimension(given: int, wanted: int) -> None:
    """Refuse vectors of one length in an index of another.

    Raises:
        SearchError: They differ.
    """
    if given != wanted:
        raise SearchError(
            f"vectors of {given} dimensions cannot join an index of {wanted}: another embedder "
            "made them, embed anew"
        )


class VectorIndex(Protocol):
    """Exact inner products over the vectors of one embedder."""

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        ...

    def __len__(self) -> int: ...

    def applied_seq(self) -> int:
        """Return the seq of the last batch applied; 0 for a new index."""
        ...

    def apply(self, batch: VectorBatch) -> None:
        """Apply a batch whole, together with its seq; applying one again changes nothing.

        Raises:
            SearchError: The vectors have another dimension than the index.
        """
        ...

    def search(
        self,
        vector: NDArray[np.float32],
        *,
        limit: int = 200,
        allowed: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> list[Hit]:
        """Return the nearest chunks, best first, ties by id; `allowed` None admits every id."""
        ...

    def scores(
        self, vector: NDArray[np.float32], ids: Sequence[int] | NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the inner product for each of `ids`; NaN where the index has no vector."""
        ...

    def held(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say for each of `ids` whether the index has its vector."""
        ...

    def vectors(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of those `ids` that the index holds, in their order."""
        ...

    def means(self, groups: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the mean of each group of ids at unit length; NaN where a vector is missing.

        No group is empty.
        """
        ...


class Embedder(Protocol):
    """Turns text into vectors of unit length."""

    @property
    def id(self) -> str:
        """Model, version and dimension in one word; vectors of different ids are never mixed."""
        ...

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text; a text without any known word gets zeros.

        Raises:
            EmbeddingError: No usable vectors; nothing is returned for part of the texts.
        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one query.

        Raises:
            EmbeddingError: No usable vector.
        """
        ...


@runtime_checkable
class WordEmbedder(Embedder, Protocol):
    """An embedder of static word vectors: it can be asked of many names with each query."""

    def embed_names(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each name, such as a file's; names known before cost nothing."""
        ...


@runtime_checkable
class Vocabulary(Protocol):
    """What knows words of a language; an embedder may be one."""

    def known_words(self, words: Sequence[str]) -> set[str]:
        """Return those words that it has as a whole, and which so are spelt right."""
        ...


@frozen
class Reranked:
    """A document's place in a reranker's answer: its index in the input, and its relevance."""

    index: int
    score: float


class Reranker(Protocol):
    """Orders a few candidates by reading query and text together."""

    def rerank(
        self, query: str, documents: Sequence[str], *, limit: int | None = None
    ) -> list[Reranked]:
        """Return the documents best first.

        Raises:
            RerankError: No usable answer; the caller keeps its own order.
        """
        ...
