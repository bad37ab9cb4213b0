"""Lexical engines: BM25 over the shared tokens."""

from __future__ import annotations

from toolroll.search.lexical.fts5 import Fts5Index
from toolroll.search.lexical.whoosh import WhooshIndex

__all__ = ["Fts5Index", "WhooshIndex"]
