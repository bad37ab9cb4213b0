"""One search engine for every pack that indexes text (extra `toolroll[search]`).

It is free of the rest of core: it takes bytes, plain SQLAlchemy connections and directories. SQL is
the only truth; every index here is derived from it and may be thrown away. What a pack does:

**Index one file** (`chunks`, `tokens`, `embedders`), in the unit of work that stores it:

    for chunk in chunk_file(data, path):                 # byte spans, never inside a character
        text = data[chunk.start:chunk.end].decode()
        tokens = document_tokens(text, path=path, symbols=chunk.symbols)
        vector = embedder.embed([text])[0]                     # store encode_vectors([...])[0]

Store one SQL row for each chunk: an integer id that is never used again (`AUTOINCREMENT`), path,
span, `embedder.id`, vector. An embedder that needs the network belongs in a worker, not in the unit
of work; a chunk without a vector is simply found by its words alone.

**Keep the indexes in step.** Every change carries a `seq` that only grows, taken from the
transaction that wrote the rows (an outbox table, or a counter in the project's row).

* `Fts5Index(connection, name)` writes in *your* transaction: apply the batch there and then. It
  needs no outbox, and a rollback takes the index along.
* `WhooshIndex(directory)` commits on its own, after your transaction: read the outbox rows behind
  `index.applied_seq()`, and `apply` them as one batch. The seq goes into the same Whoosh commit, so
  a crash between the two only repeats idempotent work. `IndexBusy` means that another process is
  applying just now; go on without it.
* `FaissIndex(dimension)` lives in this process only: fill it from the stored vectors at first use,
  and before each query apply what is behind its `applied_seq()`; when too much is, load it anew.

**Search** (`query_terms`, `Scope`, `fuse`, `rank`; `HybridSearch` does all of it).

    lexical = index.search(query_terms(query), limit=200, scope=Scope(prefix="src/"))
    semantic = vectors.search(embedder.embed_query(query), limit=200, allowed=chunk_ids_in_scope)

`Scope.prefix` is a raw string prefix of the path: `%`, `_` and `*` are ordinary characters, and
"src/ap" admits "src/app.py". **Join every hit with SQL** (id, project, path, not deleted) before
it is shown: then a stale index can lose a result, but never show deleted or foreign content. So ask
for more than you need. `fuse` and `rank` combine and order; a `Reranker` may have the last word.

Engines raise `SearchError` and its subclasses, whose messages are fit for callers.
"""

from __future__ import annotations

from toolroll.search.chunks import CHUNKER_VERSION, Chunk, chunk_file
from toolroll.search.errors import (
    EmbeddingError,
    EngineMissing,
    IndexBroken,
    IndexBusy,
    RerankError,
    SearchError,
)
from toolroll.search.fusion import fuse
from toolroll.search.hybrid import HybridSearch, Scored
from toolroll.search.initialisms import query_terms
from toolroll.search.interfaces import (
    EVERYTHING,
    Embedder,
    Hit,
    LexicalBatch,
    LexicalDocument,
    LexicalIndex,
    Reranked,
    Reranker,
    Scope,
    SeparateIndex,
    VectorBatch,
    VectorIndex,
)
from toolroll.search.ranking import Candidate, RankingSettings, rank
from toolroll.search.tokens import TOKENIZER_VERSION, document_tokens, query_tokens

__all__ = [
    "CHUNKER_VERSION",
    "EVERYTHING",
    "TOKENIZER_VERSION",
    "Candidate",
    "Chunk",
    "Embedder",
    "EmbeddingError",
    "EngineMissing",
    "Hit",
    "HybridSearch",
    "IndexBroken",
    "IndexBusy",
    "LexicalBatch",
    "LexicalDocument",
    "LexicalIndex",
    "RankingSettings",
    "RerankError",
    "Reranked",
    "Reranker",
    "Scope",
    "Scored",
    "SearchError",
    "SeparateIndex",
    "VectorBatch",
    "VectorIndex",
    "chunk_file",
    "document_tokens",
    "fuse",
    "query_terms",
    "query_tokens",
    "rank",
]
