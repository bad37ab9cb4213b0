"""Static word vectors from the wordllama wheel: offline, and about 9,000 chunks a second.

A text's vector is the mean over its tokens. Tokens depend only on the word, so each
distinct word is looked up once and a text is pooled from word sums (exact, retrieval.md section 3).
"""

from __future__ import annotations

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

__all__ = ["WordLlamaEmbedder"]

DIMENSION: Final = 256
_MODEL: Final = "l2_supercat"
_MAX_WORD: Final = 64
_CACHE_LIMIT: Final = 60_000
"""Words remembered: 60 MB of word sums."""


class WordLlamaEmbedder:
    """An `Embedder` of static word vectors; loaded at first use. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None
        self._rows: dict[str, int] = {}
        self._sums: Any = None
        self._counts: Any = None

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
                rows = [self._rows[word] for word in text]
                if rows:
                    result[i] = self._sums[rows].sum(axis=0)
        return unit_rows(result)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of one query."""
        return self.embed([text])[0]

    def _know(self, needed: set[str]) -> None:
        """Make sure that every word has its row; all new ones are looked up in one call."""
        new = needed - self._rows.keys()
        if new:
            if len(self._rows) + len(new) > _CACHE_LIMIT:
                self._rows.clear()
                new = needed
            self._learn(sorted(new))

    def _learn(self, new: list[str]) -> None:
        import numpy as np

        model = self._load()
        texts = [_spoken(word[:_MAX_WORD]) for word in new]
        encoded = model.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
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
            wordllama = _wordllama()
            package = Path(wordllama.__file__).parent
            model = wordllama.WordLlama.load(
                _MODEL, cache_dir=package, dim=DIMENSION, disable_download=True
            )
            model.tokenizer.no_padding()
            model.tokenizer.no_truncation()
            self._model = model
        return self._model


def _wordllama() -> Any:
    """Import wordllama, and take back what it does to logging: it makes the root logger talk."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        wordllama = importlib.import_module("wordllama")
    except ImportError as error:
        raise EngineMissing("the embedder 'wordllama'", "wordllama") from error
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    return wordllama


def _spoken(word: str) -> str:
    """Return an identifier as the words it is made of."""
    return " ".join(split_identifier(word)).lower()
