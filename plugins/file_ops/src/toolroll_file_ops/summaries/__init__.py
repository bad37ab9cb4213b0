"""Summaries of files: sentences that are really in them, and how they are built."""

from __future__ import annotations

from toolroll_file_ops.summaries.extractive import extract, key_sentences
from toolroll_file_ops.summaries.structural import Structure, signature, structure

__all__ = ["Structure", "extract", "key_sentences", "signature", "structure"]
