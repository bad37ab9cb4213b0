"""Embedders: offline word vectors, and any OpenAI-compatible service."""

from __future__ import annotations

from toolroll.search.embedders.openai import OpenAIEmbedder
from toolroll.search.embedders.wordllama import WordLlamaEmbedder

__all__ = ["OpenAIEmbedder", "WordLlamaEmbedder"]
