"""Static word vectors from the wordllama wheel: offline, and about 9,000 chunks a second.

A text's vector is the mean over its tokens. Tokens depend only on the part of a word they are in
(`parse`, `HTTP`, `Header`), so each distinct part is looked up once and a text is pooled from the
sums of its parts (exact, retrieval.md section 3).
"""

from __future__ import annotations

import functools
import importlib
import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolroll.search.errors import EngineMissing
from toolroll.search.tokens import split_identifier, words
from toolroll.search.unit_length import unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["WordLlamaEmbedder", "read_model"]

DIMENSION: Final = 256
_MODEL: Final = "l2_supercat"
_MAX_WORD: Final = 64
_PARTS_LIMIT: Final = 50_000
"""Parts of words remembered: 50 MB of sums."""
_WORDS_LIMIT: Final = 100_000
"""Words remembered with their parts: about 20 MB."""
_NAMES_LIMIT: Final = 10_000
"""Names remembered with their vectors: about 12 MB."""


class WordLlamaEmbedder:
    """An `Embedder` of static word vectors; loaded at first use. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None
        self._words: dict[str, tuple[int, ...]] = {}
        self._rows: dict[str, int] = {}
        self._sums: Any = None
        self._names: dict[str, NDArray[np.float32]] = {}

    @property
    def id(self) -> str:
        """Model, pooling version and dimension."""
        return f"wordllama-{_MODEL}-{DIMENSION}-p1"

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of unit length for each text; zeros for a text without words."""
        import numpy as np

        result = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        with self._lock:
            found = [words(text) for text in texts]
            self._know({word for text in found for word in text})
            for i, text in enumerate(found):
                rows = [row for word in text for row in self._words[word]]
                if rows:
                    result[i] = self._sums[rows].sum(axis=0)
        return unit_rows(result)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one query."""
        return self.embed([text])[0]

    def embed_names(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each name; they are remembered, so that queries can ask of many."""
        import numpy as np

        new = sorted({name for name in names if name not in self._names})
        if len(self._names) + len(new) > _NAMES_LIMIT:
            self._names = {}
            new = sorted(set(names))
        known = self._names  # another thread may begin anew
        known.update(zip(new, self.embed(new), strict=True))
        return np.stack([known[name] for name in names])

    def known_words(self, words: Sequence[str]) -> set[str]:
        """Return those that the model has a token for, as it has for the common words of English.

        What is misspelt is in several.
        """
        with self._lock:
            tokenizer = self._load().tokenizer
        lowered = [word.lower() for word in words]
        encoded = tokenizer.encode_batch_fast(lowered, add_special_tokens=False)
        return {word for word, tokens in zip(words, encoded, strict=True) if len(tokens.ids) == 1}

    def _know(self, needed: set[str]) -> None:
        """Make sure that every word has its parts; all new ones are looked up in one call."""
        # Not `needed - self._words.keys()`: that walks through everything that is known.
        new = {word for word in needed if word not in self._words}
        if not new:
            return
        if len(self._words) + len(new) > _WORDS_LIMIT:
            self._words.clear()
            new = needed
        parts = _parts(new)
        unknown = {p for found in parts.values() for p in found if p not in self._rows}
        if len(self._rows) + len(unknown) > _PARTS_LIMIT:
            self._rows.clear()
            self._words.clear()
            parts = _parts(needed)
            unknown = {part for found in parts.values() for part in found}
        if unknown:
            self._learn(sorted(unknown))
        row = self._rows.__getitem__
        self._words.update((word, tuple(map(row, found))) for word, found in parts.items())

    def _learn(self, new: list[str]) -> None:
        import numpy as np

        model = self._load()
        encoded = model.tokenizer.encode_batch_fast(new, add_special_tokens=False)
        start = len(self._rows)
        need = start + len(new)
        if self._sums is None or need > len(self._sums):
            grown = np.zeros((max(need, 4096, 2 * start), DIMENSION), dtype=np.float32)
            if start and self._sums is not None:
                grown[:start] = self._sums[:start]
            self._sums = grown
        for row, encoding in enumerate(encoded, start):
            ids = encoding.ids
            self._sums[row] = model.embedding[ids].sum(axis=0)
        self._rows.update(zip(new, range(start, need), strict=True))

    def _load(self) -> Any:
        if self._model is None:
            self._model = read_model(_wordllama())
        return self._model


@functools.cache
def read_model(wordllama: Any) -> Any:
    """Read the model: all embedders of a process have one, which they do not change."""
    package = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(
        _MODEL, cache_dir=package, dim=DIMENSION, disable_download=True
    )
    model.tokenizer.no_padding()
    model.tokenizer.no_truncation()
    return model


def _wordllama() -> Any:
    """Import wordllama without its `logging.basicConfig`, which would make the root logger talk.

    That call does nothing where the root logger has a handler, so it gets one that is silent. To
    take back afterwards what it did would be too late for what other threads log meanwhile.
    """
    root, silent = logging.getLogger(), logging.NullHandler()
    root.addHandler(silent)
    try:
        return importlib.import_module("wordllama")
    except ImportError as error:
        raise EngineMissing("the embedder 'wordllama'", "wordllama") from error
    finally:
        root.removeHandler(silent)


def _parts(words: set[str]) -> dict[str, list[str]]:
    """Return what each identifier is made of, in lower case."""
    return {word: [part.lower() for part in split_identifier(word[:_MAX_WORD])] for word in words}
